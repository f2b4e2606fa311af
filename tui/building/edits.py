"""The plan that one is changing: what was typed of a number, and the way back and on again."""

from __future__ import annotations

from tui.building.plan import Plan

Place = tuple[str | None, str | None]
"""Row and column of the quota matrix; None is its margin."""


class PlanEdits:
    """The plan with its past and future. Digits typed on one place are one step."""

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self._before: list[Plan] = []
        self._undone: list[Plan] = []
        self._typed = ""
        self._place: Place = (None, None)

    def begin(self, plan: Plan) -> None:
        """Another plan, from which there is no way back."""
        self._before.clear()
        self._undone.clear()
        self.plan = plan

    def change(self, plan: Plan) -> None:
        """A step that undo takes back."""
        self._put(plan, is_step=True)

    def typed_at(self, place: Place) -> str:
        """What has been typed there without going elsewhere."""
        if place != self._place:
            self._typed, self._place = "", place
        return self._typed

    def type(self, plan: Plan, typed: str) -> None:
        """The plan with a number of one key more or less."""
        self._put(plan, is_step=not self._typed)
        self._typed = typed

    def _put(self, plan: Plan, *, is_step: bool) -> None:
        if is_step and self.plan is not None:
            self._before.append(self.plan)
        self._undone.clear()
        self.plan, self._typed = plan, ""

    def undo(self) -> bool:
        """Whether there was a step to take back."""
        return self._exchange(self._before, self._undone)

    def redo(self) -> bool:
        """Whether there was a step to take again."""
        return self._exchange(self._undone, self._before)

    def _exchange(self, source: list[Plan], other: list[Plan]) -> bool:
        if self.plan is None or not source:
            return False
        other.append(self.plan)
        self.plan, self._typed = source.pop(), ""
        return True
