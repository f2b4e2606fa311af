"""The undo history of an edited form."""

from __future__ import annotations

from typing import Any, NamedTuple

STEPS_KEPT = 1000


class Place(NamedTuple):
    """Where the cursor is."""

    field: int
    offset: int


class Step(NamedTuple):
    """How a form stands after an edit."""

    fields: tuple[Any, ...]
    place: Place
    kind: str = ""
    """Edits of one kind, each from where the last one ended, are one step; empty is alone."""
    came_from: int = 0
    """Offset of the cursor before the edit."""


class History:
    """What stood before, what stands now, and what was taken back."""

    def __init__(self, first: Step) -> None:
        self.now = first
        self._past: list[Step] = []
        self._future: list[Step] = []
        self._is_broken = True

    def push(self, step: Step) -> None:
        """Another edit; it forgets what was taken back."""
        if not self._goes_on(step):
            self._past.append(self.now)
            del self._past[:-STEPS_KEPT]
        self.now = step
        self._future.clear()
        self._is_broken = not step.kind

    def move(self, place: Place) -> None:
        """The cursor moved; an edit from here on is a step of its own."""
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
