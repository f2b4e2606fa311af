"""A person's own keys: presets and the `[keymap]` tables of two files, checked at the start.

`ragdesk.toml` of the workspace holds what all who work there share; `ragdesk/config.toml` in the
configuration folder of the person (`$XDG_CONFIG_HOME`, else `~/.config`) goes before it.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.settings.reader import SETTINGS_FILE, read_settings
from store.errors import InputError
from tui.shell.clashes import clashes
from tui.shell.registry import Registry

PRESETS: dict[str, dict[str, str]] = {
    "default": {},
    "numpad": {
        # beside the digits, Enter, `-` and `/`, which values and finding have already
        "judging.undo": "u *",
        "adjudication.undo": "u *",
        "item_list.undo": "u *",
        "judging.postpone": "s +",
        "item_list.postpone": "s +",
        "item_list.sample": "insert",
        "home.new": "insert",
        "corpus.add": "insert",
        "settings.add": "insert",
        "corpus.propose": "`",
        "runs.new": "insert",
        "experiments.new": "insert",
        "desk.new_sample": "insert",
        "progress.new_sample": "insert",
        "build.generate": "insert",
        "build.propose": "`",
        "calibration.audit": "insert",
    },
    "left": {
        # all that one does while judging is under the left hand; what gave way is on the right
        "judging.undo": "z u",
        "adjudication.undo": "z u",
        "item_list.undo": "z u",
        "judging.redo": "Z U",
        "adjudication.redo": "Z U",
        "runs.pause": "i",
        "experiments.pause": "i",
        "home.pause": "i",
        "build.pause": "i",
        "build.choose_plan": "`",
        "inspect.topic": "r o",
        "everywhere.release": "$",
        "results.run": "@",
        "bars.run": "@",
        "inspect.passages": "v p",
        "item.switch": "Q",
        "diff.switch": "Q",
        "review.switch": "Q",
        "compare.switch": "Q",
        "item_list.similar": "Q",
        "everywhere.items": "\\",
        "judging.comment": "c ;",
        "results.compare": "|",
    },
}
"""Action ids with their keys; an action that is not named keeps its own."""


class _Keymap(msgspec.Struct, forbid_unknown_fields=True):
    preset: str = ""
    keys: dict[str, str] = {}


class _File(msgspec.Struct):
    keymap: _Keymap = msgspec.field(default_factory=_Keymap)


def person_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Returns the path of a person's own settings, shared by all workspaces."""
    base = environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "ragdesk" / "config.toml"


def own_keys(
    folder: Path, registry: Registry, environ: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Action ids with the keys that replace their own: a preset, then single keys.

    The person's file goes before the workspace's, both in the preset and key by key. Raises
    InputError, naming the file, for an unknown preset or action and for keys that clash.
    """
    files = (folder / SETTINGS_FILE, person_file(environ))
    keymaps = [(file, _read(file)) for file in files]
    keys: dict[str, str] = {}
    for _, keymap in keymaps:
        if keymap.preset:
            keys = dict(PRESETS[keymap.preset])
    for file, keymap in keymaps:
        _check_ids(file, keymap.keys, registry)
        keys |= keymap.keys
    problems = clashes(registry.with_keys(keys))
    if problems:
        raise InputError(
            f"The keys of {_sources(keymaps)} clash: {'; '.join(problems)}.",
            "Give each action a key of its own; `?` in the app lists what is taken.",
        )
    return keys


def _read(file: Path) -> _Keymap:
    keymap = read_settings(file, _File).keymap
    if keymap.preset and keymap.preset not in PRESETS:
        raise InputError(
            f"{file}: there is no preset {keymap.preset!r}.", f"There are {', '.join(PRESETS)}."
        )
    return keymap


def _check_ids(file: Path, keys: Mapping[str, str], registry: Registry) -> None:
    known = {action.id for action in registry.actions}
    for id in keys:
        if id not in known:
            near = difflib.get_close_matches(id, known, 3) or ["judging.undo", "judging.flag"]
            raise InputError(
                f"{file}: [keymap.keys] names an unknown action {id!r}.",
                f"Perhaps {' or '.join(near)}; docs/guide.md lists the names.",
            )


def _sources(keymaps: list[tuple[Path, _Keymap]]) -> str:
    """Names the files that set a key or a preset."""
    named = [str(file) for file, keymap in keymaps if keymap.keys or keymap.preset]
    return " and ".join(named) or "the app"
