"""The undo history of an edited form."""

from __future__ import annotations

from typing import Any, NamedTuple

STEPS_KEPT = 1000


class Place(NamedTuple):
    """Where the cursor is."""

    field: int
    offset: int


class Step(NamedTuple):
    """The state of a form after an edit."""

    fields: tuple[Any, ...]
    place: Place
    kind: str = ""
    """Edits of one kind, each from where the last one ended, are one step; empty is alone."""
    came_from: int = 0
    """Offset of the cursor before the edit."""


class History:
    """The past states of a form, its present one, and those that were undone."""

    def __init__(self, first: Step) -> None:
        self.now = first
        self._past: list[Step] = []
        self._future: list[Step] = []
        self._is_broken = True

    def push(self, step: Step) -> None:
        """Adds an edit and forgets what was undone."""
        if not self._goes_on(step):
            self._past.append(self.now)
            del self._past[:-STEPS_KEPT]
        self.now = step
        self._future.clear()
        self._is_broken = not step.kind

    def move(self, place: Place) -> None:
        """Records that the cursor moved; the next edit starts a new step."""
        if place != self.now.place:
            self._is_broken = True
            self.now = self.now._replace(place=place)

    def undo(self) -> bool:
        if not self._past:
            return False
        self._future.append(self.now)
        self.now = self._past.pop()
        self._is_broken = True
        return True

    def redo(self) -> bool:
        if not self._future:
            return False
        self._past.append(self.now)
        self.now = self._future.pop()
        self._is_broken = True
        return True

    def _goes_on(self, step: Step) -> bool:
        return (
            not self._is_broken
            and step.kind == self.now.kind != ""
            and step.place.field == self.now.place.field
            and step.came_from == self.now.place.offset
        )
