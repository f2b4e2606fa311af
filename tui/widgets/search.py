"""A search that goes on over several texts, of which one is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tui.language import tr
from tui.widgets.marks import occurrences


class Among(NamedTuple):
    """The texts that a passage shows one at a time."""

    names: Sequence[str]
    texts: Sequence[str]
    at: int
    """Which of them is shown."""
    open: Callable[[int], None]
    """Shows another one."""

    def counts(self, wanted: str) -> dict[int, int]:
        """How often each of the other texts has what is wanted, those left out that have not."""
        others = (at for at in range(len(self.texts)) if at != self.at)
        found = {at: len(occurrences(self.texts[at], wanted)) for at in others}
        return {at: count for at, count in found.items() if count}

    def next(self, counts: dict[int, int], by: int) -> int | None:
        """The nearest of the counted texts in a direction, and round again at the end."""
        number = len(self.texts)
        return min(counts, key=lambda at: (by * (at - self.at)) % number, default=None)

    def said(self, counts: dict[int, int]) -> str:
        """Where else it is: `4 in retrieved 2/5`, `7 in 3 others`."""
        if not counts:
            return ""
        where = (
            self.names[next(iter(counts))]
            if len(counts) == 1
            else tr("{number} others", number=len(counts))
        )
        return tr("{sum} in {where}", sum=sum(counts.values()), where=where)
