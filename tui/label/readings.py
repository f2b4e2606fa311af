"""How answers compare with the golden ones, computed in the process with the dictionary."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

from engine.labelling.answer_records import AnswerReading
from store.labels.events import Subject

READINGS_KEPT = 60

Reading = tuple[AnswerReading, ...]
"""Of each answer of a subject."""


class AnswerReadings:
    """The latest readings, by subject; a hidden repeat has that of its first."""

    def __init__(self, show: Callable[[Reading], None]) -> None:
        """`show` is called with the reading of the subject that is open."""
        self._show = show
        self._kept: OrderedDict[str, Reading] = OrderedDict()
        self._open = ""

    def opened(self, subject: Subject | None) -> None:
        """Another subject is open: shows its reading, if it has one already; none for None."""
        self._open = subject.base if subject is not None else ""
        if self._open in self._kept:
            self._show(self._kept[self._open])

    def lacking(self, subjects: Sequence[Subject]) -> list[Subject]:
        """Those that have no reading yet."""
        return [subject for subject in subjects if subject.base not in self._kept]

    def keep(self, subject: Subject, reading: Reading) -> None:
        self._kept[subject.base] = reading
        while len(self._kept) > READINGS_KEPT:
            self._kept.popitem(last=False)
        if subject.base == self._open:
            self._show(reading)
