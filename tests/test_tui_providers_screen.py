"""Providers: written into the settings by a form, and tested against a real server."""

from __future__ import annotations

from pathlib import Path

import pytest
import scripted_server as scripted
from desks import NARROW_THEN_WIDE, desk, sample_workspace, screen_text, seen, until
from sample_workspaces import copy_workspace
from scripted_server import ScriptedServer

from engine.models.settings import Limits, Prices, find_provider, providers
from engine.settings import SETTINGS_FILE
from engine.text.wrapping import cell_width
from tui.app import Ragdesk
from tui.home.screen import HomeScreen
from tui.providers.form import ProviderForm
from tui.providers.screen import ProvidersScreen

KEY = "sk-abcdefghijklmnop12345678"
SETTINGS = """# ours
[providers.local]
base_url = "http://127.0.0.1:9/v1"  # the machine below the desk
model = "qwen"
temperature = 0.5
"""


@pytest.fixture
def sample(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    made = sample_workspace(tmp_path_factory.getbasetemp())
    return copy_workspace(made, tmp_path / "workspace")


def form_of(app: Ragdesk) -> ProviderForm:
    screen = app.screen
    assert isinstance(screen, ProviderForm)
    return screen


@pytest.mark.parametrize("size", NARROW_THEN_WIDE)
async def test_a_provider_is_added_by_keys_and_answers(sample: Path, size: tuple[int, int]) -> None:
    with ScriptedServer() as server:
        async with desk(sample, size) as (app, pilot):
            await pilot.press("P")
            assert "built in" in await seen(pilot, "offline")
            await pilot.press("plus")
            await until(pilot, lambda: isinstance(app.screen, ProviderForm), "the form")
            assert "Tokens/min" in screen_text(app)
            assert all(cell_width(line) <= size[0] for line in screen_text(app).splitlines())
            for text in ("near", server.base_url, "qwen3", ""):
                app.screen.focused.value = text  # type: ignore[union-attr]
                await pilot.press("enter")
            for text in ("0.5", "2", "CNY", "", "8", "60", ""):
                app.screen.focused.value = text  # type: ignore[union-attr]
                await pilot.press("enter")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ProvidersScreen), "the list")
            await seen(pilot, "qwen3")
            await pilot.press("ctrl+r")
            await seen(pilot, "gave an answer in")
            assert "answers" in screen_text(app)
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, HomeScreen), "Home")
        assert server.count == 1
    kept = find_provider(sample, "near")
    assert kept.prices == Prices(0.5, 2.0, "CNY")
    assert kept.limits == Limits(max_in_flight=8, rpm=60)


async def test_a_provider_is_changed_and_all_else_stays(sample: Path) -> None:
    (sample / SETTINGS_FILE).write_text(SETTINGS, encoding="utf-8")
    async with desk(sample) as (app, pilot):
        await pilot.press("P")
        await seen(pilot, "local")
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, ProviderForm), "the form")
        form = form_of(app)
        assert form.fields["name"].disabled
        assert form.fields["model"].value == "qwen"
        form.fields["model"].value = "qwen3"
        form.save.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ProvidersScreen), "the list")
    text = (sample / SETTINGS_FILE).read_text(encoding="utf-8")
    assert text == SETTINGS.replace('"qwen"', '"qwen3"')


async def test_a_key_is_refused_with_the_reason_and_goes_nowhere(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        await pilot.press("P", "plus")
        await until(pilot, lambda: isinstance(app.screen, ProviderForm), "the form")
        form = form_of(app)
        given = {"name": "far", "base_url": "https://example.org/v1", "model": "m"}
        for field, value in (given | {"api_key_env": KEY}).items():
            form.fields[field].value = value
        form.save.focus()
        await pilot.press("enter")
        text = await seen(pilot, "providers.far.api_key_env does not name")
        assert "Keys never stand in the file" in " ".join(text.split())
        assert form.fields["api_key_env"].value == ""
        assert KEY not in screen_text(app)
        form.fields["rpm"].value = "many"
        await pilot.press("enter")
        await seen(pilot, "Calls/min is 'many'. Use a whole number.")
        await pilot.press("escape")
    assert list(providers(sample)) == ["offline"]
    assert not (sample / SETTINGS_FILE).exists()


async def test_what_is_wrong_with_an_endpoint_is_said_in_words(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEAR_KEY", KEY)
    with ScriptedServer(default=scripted.refused_key(KEY)) as server:
        settings = SETTINGS.replace("http://127.0.0.1:9/v1", server.base_url)
        settings += 'api_key_env = "NEAR_KEY"\n'
        (sample / SETTINGS_FILE).write_text(settings, encoding="utf-8")
        async with desk(sample, (140, 40)) as (app, pilot):
            await pilot.press("P")
            await seen(pilot, "NEAR_KEY")
            await pilot.press("down", "ctrl+r")
            await seen(pilot, "the key is refused")
            assert "fails" in screen_text(app)
            assert KEY not in screen_text(app)


async def test_broken_settings_are_a_problem_that_is_shown(sample: Path) -> None:
    (sample / SETTINGS_FILE).write_text("[providers.local]\nbase = 1\n", encoding="utf-8")
    async with desk(sample) as (_, pilot):
        await pilot.press("P")
        await seen(pilot, "ragdesk.toml")
