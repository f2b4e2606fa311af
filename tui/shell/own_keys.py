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

from engine.settings import SETTINGS_FILE, read_settings
from store.errors import InputError
from tui.shell.clashes import clashes
from tui.shell.registry import Registry

PRESETS: dict[str, dict[str, str]] = {
    "default": {},
    "numpad": {
        # beside the digits, Enter, `-` and `/`, which values and finding have already
        "judging.undo": "u *",
        "adjudication.undo": "u *",
        "judging.postpone": "s +",
        "home.new": "insert",
        "corpus.add": "insert",
        "providers.add": "insert",
        "runs.new": "insert",
        "desk.new_sample": "insert",
        "progress.new_sample": "insert",
        "build.generate": "insert",
        "build.propose": "M",
    },
    "left": {
        # all that one does while judging is under the left hand; what gave way is on the right
        "judging.undo": "z u",
        "adjudication.undo": "z u",
        "judging.redo": "Z U",
        "adjudication.redo": "Z U",
        "runs.pause": "i",
        "build.pause": "i",
        "build.choose_plan": "M",
        "inspect.topic": "r o",
        "results.run": "@",
        "bars.run": "@",
        "inspect.passages": "v p",
        "item.switch": "Q",
        "diff.switch": "Q",
        "review.switch": "Q",
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
    """Where a person's own settings are, whatever the workspace."""
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
    found = [(file, _read(file)) for file in files]
    keys: dict[str, str] = {}
    for _, one in found:
        if one.preset:
            keys = dict(PRESETS[one.preset])
    for file, one in found:
        _check_ids(file, one.keys, registry)
        keys |= one.keys
    problems = clashes(registry.with_keys(keys))
    if problems:
        raise InputError(
            f"The keys of {_sources(found)} clash: {'; '.join(problems)}.",
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
                f"{file}: [keymap.keys] names an action {id!r} that there is not.",
                f"Perhaps {' or '.join(near)}; docs/guide.md says how they are named.",
            )


def _sources(found: list[tuple[Path, _Keymap]]) -> str:
    """The files that changed a key, or that chose a preset."""
    named = [str(file) for file, one in found if one.keys or one.preset]
    return " and ".join(named) or "the app"
