"""A person's own keys: presets, two files, and what is refused before the app opens."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from desks import desk, until
from inspection_workspaces import inspection_workspace
from terminal import Terminal

from engine.labelling.forms import load_form
from store.errors import InputError
from tui.keymap import REGISTRY
from tui.label.form.lines import checks
from tui.label.inspect_screen import InspectScreen
from tui.shell.clashes import clashes
from tui.shell.own_keys import PRESETS, own_keys, person_file


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path / "config")}


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


@pytest.mark.parametrize("preset", PRESETS)
def test_no_preset_has_a_clash_or_an_unknown_action(preset: str) -> None:
    keys = PRESETS[preset]
    assert set(keys) <= {action.id for action in REGISTRY.actions}
    assert clashes(REGISTRY.with_keys(keys)) == []


def test_without_files_all_keys_are_the_apps_own(tmp_path: Path, environ: dict[str, str]) -> None:
    assert own_keys(tmp_path, REGISTRY, environ) == {}


def test_the_persons_file_goes_before_the_workspaces(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    write(
        tmp_path / "ragdesk.toml",
        '[keymap]\npreset = "left"\n[keymap.keys]\n"judging.flag" = "Q"\n"runs.cancel" = "Z"\n',
    )
    write(
        person_file(environ),
        '[keymap]\npreset = "numpad"\n[keymap.keys]\n"judging.flag" = "Q f"\n',
    )
    keys = own_keys(tmp_path, REGISTRY, environ)
    assert keys == {**PRESETS["numpad"], "judging.flag": "Q f", "runs.cancel": "Z"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[keymap]\npreset = "emacs"', "no preset 'emacs'. There are default, numpad, left"),
        ('[keymap.keys]\n"judging.undoo" = "y"', "Perhaps judging.undo"),
        ('[keymap.keys]\n"judging.undo" = "f"', "key f has more than one meaning"),
        ('[keymap.keys]\n"judging.undo" = "4"', "key 4 belongs to values"),
        ('[keymap.keys]\n"judging.undo" = ""', "judging.undo has no key"),
        ("[keymap]\nkeys = 3", "Expected `object`"),
        ("[keymap", "ragdesk.toml"),
        ('[keymap]\npresets = "left"', "presets"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    tmp_path: Path, environ: dict[str, str], text: str, complaint: str
) -> None:
    write(tmp_path / "ragdesk.toml", text)
    with pytest.raises(InputError) as refused:
        own_keys(tmp_path, REGISTRY, environ)
    assert "ragdesk.toml" in str(refused.value)
    assert complaint in str(refused.value)


def test_the_checks_are_on_the_keys_that_the_form_names() -> None:
    for field in checks(load_form("inspection")):
        (action,) = (one for one in REGISTRY.actions if one.id == f"inspect.{field.key}")
        assert action.keys == (field.shortcut,)


async def test_the_app_follows_ones_own_keys(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    inspection_workspace(folder, 4, documents=2, characters=300).close()
    keys = {"inspect.answer": "M", "judging.flag": "comma", "judging.previous_passage": "J"}
    async with desk(folder, keymap=keys) as (app, pilot):
        await pilot.press("f4")
        await until(pilot, lambda: getattr(app.screen, "opened", None), "the first item")
        screen = app.screen
        assert isinstance(screen, InspectScreen)
        await pilot.press("a", "f")
        assert screen.opened is not None
        assert not screen.opened.values
        await pilot.press("M", "comma")
        assert screen.opened.values == {"answer": 0}
        assert screen.opened.is_flagged
        assert "M answer" in screen.panel.lines_as_text()[0]
        assert ("M", "check answer") in [
            (line.keys, line.label)
            for section in app.registry.help("inspect")
            for line in section.lines
        ]


def test_a_clash_is_told_before_the_app_opens(tmp_path: Path) -> None:
    inspection_workspace(tmp_path / "ws", 2, documents=1, characters=300).close()
    write(tmp_path / "ws" / "ragdesk.toml", '[keymap.keys]\n"judging.undo" = "f"\n')
    command = (sys.executable, "-c", "from tui.cli import entry; entry()")
    with Terminal([*command, "--workspace", str(tmp_path / "ws")]) as terminal:
        assert terminal.wait() == 1
        assert "ragdesk: The keys of" in terminal.wait_for("ragdesk:")
