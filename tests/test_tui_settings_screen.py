"""Settings: systems, judges and providers written by forms, tested, copied and removed."""

from __future__ import annotations

from pathlib import Path

import pytest
import scripted_server as scripted
from desks import NARROW_THEN_WIDE, desk, sample_workspace, screen_text, seen, until
from sample_workspaces import copy_workspace
from scripted_server import ScriptedServer
from textual.pilot import Pilot

from engine.evaluate.systems import find_system
from engine.judge.registry import find_judge
from engine.models.settings import Limits, Prices, find_provider, providers
from engine.retrieve.settings import neural_settings
from engine.settings.reader import SETTINGS_FILE
from engine.text.wrapping import cell_width
from store.systems import StageConfig
from tui.app import Ragdesk
from tui.home.screen import HomeScreen
from tui.screens.choose import Choose
from tui.settings.form import TableForm
from tui.settings.kinds import KINDS
from tui.settings.screen import SettingsScreen

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
    folder = copy_workspace(made, tmp_path / "workspace")
    (folder / SETTINGS_FILE).write_text(SETTINGS, encoding="utf-8")
    return folder


def form_of(app: Ragdesk) -> TableForm:
    screen = app.screen
    assert isinstance(screen, TableForm)
    return screen


async def listed(app: Ragdesk, pilot: Pilot[int], kind: str) -> SettingsScreen:
    """The list of one kind of table."""
    await pilot.press("P")
    await until(pilot, lambda: isinstance(app.screen, SettingsScreen), "the list")
    screen = app.screen
    assert isinstance(screen, SettingsScreen)
    await pilot.press("b")
    await until(pilot, lambda: isinstance(app.screen, Choose), "the kinds")
    await pilot.press("home", *["down"] * list(KINDS).index(kind), "enter")
    await until(pilot, lambda: app.screen is screen and screen.kind.key == kind, kind)
    return screen


async def new_form(app: Ragdesk, pilot: Pilot[int], variant: str) -> TableForm:
    await pilot.press("plus")
    await until(pilot, lambda: isinstance(app.screen, Choose | TableForm), "the forms")
    choose = app.screen
    if isinstance(choose, Choose):
        keys = [row.key for row in choose._rows]
        await pilot.press("home", *["down"] * keys.index(variant), "enter")
    await until(pilot, lambda: isinstance(app.screen, TableForm), "the form")
    return form_of(app)


async def save(app: Ragdesk, pilot: Pilot[int]) -> None:
    form_of(app).save.focus()
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, SettingsScreen), "the list")


@pytest.mark.parametrize("size", NARROW_THEN_WIDE)
async def test_a_provider_is_tried_saved_and_tested(sample: Path, size: tuple[int, int]) -> None:
    with ScriptedServer() as server:
        async with desk(sample, size) as (app, pilot):
            await listed(app, pilot, "providers")
            form = await new_form(app, pilot, "openai")
            assert "base_url" in screen_text(app)
            assert all(cell_width(line) <= size[0] for line in screen_text(app).splitlines())
            given = {
                "name": "near",
                "base_url": server.base_url,
                "model": "qwen3",
                "prices.input": "0.5",
                "prices.output": "2",
                "prices.currency": "CNY",
                "limits.max_in_flight": "8",
                "limits.rpm": "60",
            }
            for field, value in given.items():
                form.fields[field].value = value
            form.test.focus()
            await pilot.press("enter")
            await seen(pilot, "gave an answer in")
            assert list(providers(sample)) == ["offline", "local"]
            await save(app, pilot)
            await seen(pilot, "qwen3")
            await pilot.press("ctrl+r")
            await seen(pilot, "gave an answer in")
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, HomeScreen), "Home")
        assert server.count == 2
    kept = find_provider(sample, "near")
    assert kept.prices == Prices(0.5, 2.0, "CNY")
    assert kept.limits == Limits(max_in_flight=8, rpm=60)


async def test_a_provider_is_changed_and_all_else_stays(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "providers")
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, TableForm), "the form")
        form = form_of(app)
        assert form.fields["name"].disabled
        assert form.fields["model"].value == "qwen"
        form.fields["model"].value = "qwen3"
        await save(app, pilot)
    text = (sample / SETTINGS_FILE).read_text(encoding="utf-8")
    assert text == SETTINGS.replace('"qwen"', '"qwen3"')


async def test_a_key_is_refused_with_the_reason_and_goes_nowhere(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "providers")
        form = await new_form(app, pilot, "openai")
        given = {"name": "far", "base_url": "https://example.org/v1", "model": "m"}
        for field, value in (given | {"api_key_env": KEY}).items():
            form.fields[field].value = value
        form.save.focus()
        await pilot.press("enter")
        text = await seen(pilot, "api_key_env does not name")
        assert "Keys never stand in the file" in " ".join(text.split())
        assert form.fields["api_key_env"].value == ""
        assert KEY not in screen_text(app)
    assert (sample / SETTINGS_FILE).read_text(encoding="utf-8") == SETTINGS


async def test_a_system_is_made_of_stages_that_are_chosen(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "systems")
        form = await new_form(app, pilot, "stages")
        form.fields["name"].value = "mine"
        form.fields["query"].focus()
        await pilot.press("enter")
        await seen(pilot, "tfidf_keywords most=4")
        await pilot.press("end", "up", "enter")
        await until(pilot, lambda: form.fields["query"].value, "the stage")
        form.fields["retriever"].focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the retrievers")
        await pilot.press("enter")
        await until(pilot, lambda: app.focused is form.fields["top_k"], "the next field")
        await save(app, pilot)
        await seen(pilot, "tfidf_keywords > bm25 > extractive")
    system = find_system(sample, "mine")
    assert (system.retriever, system.query) == (
        "bm25",
        (StageConfig("tfidf_keywords", {"most": 4}),),
    )
    assert (sample / SETTINGS_FILE).read_text(encoding="utf-8").startswith(SETTINGS)


async def test_fields_are_described_in_chinese_and_called_as_in_the_file(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.language.choice._chosen", "zh")
    async with desk(sample, (140, 40)) as (app, pilot):
        await listed(app, pilot, "systems")
        form = await new_form(app, pilot, "stages")
        shown = {line.split()[0]: line for line in screen_text(app).splitlines() if line.split()}
        assert set(form.fields) - {"name"} <= set(shown)
        assert "改变检索内容的阶段" in shown["query"]


async def test_a_field_is_checked_when_it_is_left(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "systems")
        form = await new_form(app, pilot, "stages")
        form.fields["top_k"].focus()
        await pilot.press("0", "tab")
        await seen(pilot, "top_k is 0. Use 1 to 1000.")
        form.fields["top_k"].focus()
        await pilot.press("backspace", "7", "tab")
        await until(pilot, lambda: "Use 1 to 1000" not in screen_text(app), "no trouble")


async def test_a_form_and_what_it_refuses_are_said_in_chinese(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.language.choice._chosen", "zh")
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "providers")
        form = await new_form(app, pilot, "openai")
        form.fields["model"].focus()
        await seen(pilot, "model：模型在服务器上的名称。")
        form.fields["name"].value = "near"
        form.fields["model"].value = "qwen3"
        form.save.focus()
        await pilot.press("enter")
        await seen(pilot, "请用完整的地址")


async def test_a_judge_is_written_by_its_method(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "judges")
        form = await new_form(app, pilot, "model")
        form.fields["name"].value = "mine"
        form.fields["model"].value = "local"
        form.fields["metrics"].value = "accuracy completeness"
        await save(app, pilot)
        await seen(pilot, "accuracy completeness")
    assert find_judge(sample, "mine").metrics == ("accuracy", "completeness")


async def test_an_embedding_and_a_reranker_are_written_for_a_system(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "embeddings")
        form = await new_form(app, pilot, "endpoint")
        form.fields["name"].value = "e"
        form.fields["provider"].value = "local"
        form.fields["index"].value = "hnsw"
        await save(app, pilot)
        await seen(pilot, "at local, hnsw index")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableForm), "the form")
        assert "model" not in form_of(app).fields
        await pilot.press("escape", "escape")
        await listed(app, pilot, "rerankers")
        form = await new_form(app, pilot, "listwise")
        form.fields["name"].value = "r"
        form.fields["provider"].value = "local"
        form.fields["window"].value = "8"
        form.fields["step"].focus()
        await pilot.press("9", "tab")
        await seen(pilot, "step is 9. Use 1 to 8.")
        form.fields["step"].value = "4"
        await save(app, pilot)
    known = neural_settings(sample)
    assert known.embeddings["e"].index == "hnsw"
    assert (known.rerankers["r"].kind, known.rerankers["r"].window) == ("listwise", 8)


async def test_a_built_in_system_is_copied_and_the_copy_removed(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        screen = await listed(app, pilot, "systems")
        await pilot.press("down", "down")
        assert screen.name_here == "lsa"
        form = await new_form(app, pilot, "copy")
        assert form.fields["retriever"].value == "lsa"
        form.fields["name"].value = "mine"
        await save(app, pilot)
        assert screen.name_here == "mine"
        await pilot.press("X")
        await seen(pilot, "Remove system mine?")
        await pilot.press("y")
        await until(pilot, lambda: "mine" not in screen.known, "the removal")
    assert (sample / SETTINGS_FILE).read_text(encoding="utf-8").rstrip() == SETTINGS.rstrip()


async def test_what_others_name_is_not_removed(sample: Path) -> None:
    settings = SETTINGS + '\n[systems.s]\nretriever = "bm25"\ngenerator = "local"\n'
    (sample / SETTINGS_FILE).write_text(settings, encoding="utf-8")
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "providers")
        await pilot.press("end", "X")
        await seen(pilot, "local is named by systems.s")


async def test_a_file_changed_meanwhile_is_not_written_over(sample: Path) -> None:
    file = sample / SETTINGS_FILE
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "providers")
        await pilot.press("end", "enter")
        await until(pilot, lambda: isinstance(app.screen, TableForm), "the form")
        form = form_of(app)
        form.fields["model"].value = "other"
        file.write_text(SETTINGS + "# a remark\n", encoding="utf-8")
        form.save.focus()
        await pilot.press("enter")
        await seen(pilot, "Nothing was written")
        assert "other" not in file.read_text(encoding="utf-8")
        await save(app, pilot)
    assert file.read_text(encoding="utf-8") == SETTINGS.replace("qwen", "other") + "# a remark\n"


async def test_a_table_changed_meanwhile_is_left_as_it_is(sample: Path) -> None:
    file = sample / SETTINGS_FILE
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "providers")
        await pilot.press("end", "enter")
        await until(pilot, lambda: isinstance(app.screen, TableForm), "the form")
        form = form_of(app)
        form.fields["model"].value = "other"
        changed = SETTINGS.replace("qwen", "theirs")
        file.write_text(changed, encoding="utf-8")
        form.save.focus()
        for _ in range(2):
            await pilot.press("enter")
            await seen(pilot, "providers.local in it")
    assert file.read_text(encoding="utf-8") == changed


async def test_what_is_wrong_with_an_endpoint_is_said_in_words(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEAR_KEY", KEY)
    with ScriptedServer(default=scripted.refused_key(KEY)) as server:
        settings = SETTINGS.replace("http://127.0.0.1:9/v1", server.base_url)
        settings += 'api_key_env = "NEAR_KEY"\n'
        (sample / SETTINGS_FILE).write_text(settings, encoding="utf-8")
        async with desk(sample, (140, 40)) as (app, pilot):
            await listed(app, pilot, "providers")
            await pilot.press("end", "ctrl+r")
            await seen(pilot, "the key is refused")
            assert KEY not in screen_text(app)


async def test_a_broken_table_is_listed_with_its_trouble_and_can_be_mended(sample: Path) -> None:
    (sample / SETTINGS_FILE).write_text(
        '[systems.s]\nretriever = "bm25"\ntop_k = 0\n', encoding="utf-8"
    )
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "systems")
        await pilot.press("end")
        await seen(pilot, "Use 1 to 1000.")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableForm), "the form")
        form_of(app).fields["top_k"].value = "3"
        await save(app, pilot)
    assert find_system(sample, "s").top_k == 3


async def test_of_two_broken_judges_each_is_mended_by_itself(sample: Path) -> None:
    tables = "".join(f'[judges.{name}]\nmodel = "local"\nrepeats = 0\n' for name in ("a", "b"))
    (sample / SETTINGS_FILE).write_text(SETTINGS + tables, encoding="utf-8")
    async with desk(sample) as (app, pilot):
        screen = await listed(app, pilot, "judges")
        for name in ("a", "b"):
            await pilot.press("home", *["down"] * list(screen.known).index(name))
            await seen(pilot, f"judges.{name}.repeats is 0")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, TableForm), "the form")
            form_of(app).fields["repeats"].value = "2"
            await save(app, pilot)
    assert find_judge(sample, "b").repeats == 2


async def test_a_function_of_ones_own_is_tried_before_it_is_written(sample: Path) -> None:
    (sample / "mine.py").write_text(
        'def answer(case):\n    return {"answer": "it is " + case["lang"]}\n', encoding="utf-8"
    )
    async with desk(sample) as (app, pilot):
        await listed(app, pilot, "systems")
        form = await new_form(app, pilot, "python")
        form.fields["name"].value = "own"
        form.fields["function"].value = "mine:answers"
        form.test.focus()
        await pilot.press("enter")
        await seen(pilot, "answers")
        await until(pilot, lambda: "Asking." not in screen_text(app), "the reason")
        assert "answered" not in screen_text(app)
        form.fields["function"].value = "mine:answer"
        form.test.focus()
        await pilot.press("enter")
        await seen(pilot, "answered 'it is ")
        assert "systems" not in (sample / SETTINGS_FILE).read_text(encoding="utf-8")
        await save(app, pilot)
        await seen(pilot, "python mine:answer")
    assert find_system(sample, "own").is_own
