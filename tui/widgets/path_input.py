"""An input field for the path of a file or a folder, and the completion of half-typed paths."""

from __future__ import annotations

import os
from itertools import takewhile
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.widgets import Input

MOST_ENTRIES = 20_000
"""Entries of a folder that are looked at."""


class PathInput(Input):
    """Tab completes what is typed; where there is nothing to complete, it goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "complete", show=False)]

    def action_complete(self) -> None:
        completion = complete(self.value)
        if completion.text == self.value and len(completion.candidates) < 2:
            self.screen.focus_next()
            return
        self.value = completion.text
        self.cursor_position = len(completion.text)


class Completion(NamedTuple):
    text: str
    """What was typed, as far as all candidates go on in the same way."""
    candidates: tuple[str, ...]
    """Names of the entries that begin so, folders with `/` at the end; sorted."""


def complete(typed: str) -> Completion:
    """Completes the last part of `typed`; `~` is the home folder, hidden entries want their dot.

    Where nothing begins so, it is returned as it is, with no candidates.
    """
    folder, _, begun = typed.rpartition("/")
    base = f"{folder}/" if "/" in typed else ""
    if typed == "~":
        return Completion("~/", ())
    names = sorted(
        name for name in _entries(Path(base or ".").expanduser()) if _begins(name, begun)
    )
    if not names:
        return Completion(typed, ())
    common = _common(names)
    # a name that differs in case alone is completed by what is there, not by what was typed
    if not common.casefold().startswith(begun.casefold()):
        common = begun
    return Completion(base + common, tuple(names))


def _common(names: list[str]) -> str:
    """What all of some sorted names begin with: the first and the last differ soonest."""
    first, last = names[0], names[-1]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "".join(character for character, _ in same)


def _begins(name: str, begun: str) -> bool:
    if name.startswith(".") and not begun.startswith("."):
        return False
    return name.casefold().startswith(begun.casefold())


def _entries(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return [
                f"{entry.name}/" if entry.is_dir() else entry.name
                for entry, _ in zip(found, range(MOST_ENTRIES), strict=False)
            ]
    except OSError:  # no such folder, or not ours to read: nothing to offer
        return []
