"""The checks on the keys of a registry: clashes, reserved keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from tui.shell.actions import EVERYWHERE, Action
from tui.shell.registry import Registry

_UNSENDABLE = ("ctrl+enter", "shift+enter", "alt+", "super+", "hyper+", "meta+", "shift+f")
_RESERVED = {
    "ctrl+c": "the terminal",
    "ctrl+z": "the shell",
    "ctrl+i": "tab",
    "ctrl+m": "enter",
    "ctrl+h": "backspace",
    "ctrl+b": "tmux",
    "tab": "the focus",
    "shift+tab": "the focus",
    **{str(digit): "values" for digit in range(10)},
}
_SAFE_KEYS = frozenset({"enter", "space", "backspace"})


def clashes(registry: Registry) -> list[str]:
    """What is wrong with the keys of a registry, one sentence each; empty when all is well."""
    return [
        *_repeated(registry),
        *_two_meanings(registry),
        *(problem for action in registry.actions for problem in _bad_keys(action)),
    ]


def _repeated(registry: Registry) -> Iterable[str]:
    for name, values in (
        ("action id", [action.id for action in registry.actions]),
        ("place", [place.key for place in registry.places]),
        ("place number", [place.number for place in registry.numbered]),
    ):
        for value in dict.fromkeys(values):
            if values.count(value) > 1:  # type: ignore[arg-type]
                yield f"{name} {value} is used twice"


def _two_meanings(registry: Registry) -> Iterable[str]:
    meanings: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for action in registry.actions:
        for key in action.keys:
            meanings[key][action.meaning].append(action.id)
    for key, senses in meanings.items():
        if len(senses) > 1:
            ids = ", ".join(ids[0] for ids in senses.values())
            yield f"key {key} has more than one meaning: {ids}"


def _bad_keys(action: Action) -> Iterable[str]:
    if not action.keys and not (action.in_palette and EVERYWHERE in action.scopes):
        yield f"{action.id} has no key"
    for key in action.keys:
        if key in _RESERVED and action.meaning != "value":
            yield f"{action.id}: key {key} belongs to {_RESERVED[key]}"
        if key.startswith(_UNSENDABLE):
            yield f"{action.id}: many terminals cannot send {key}"
        if key in _SAFE_KEYS and action.is_destructive:
            yield f"{action.id}: nothing destructive may be on {key}"
