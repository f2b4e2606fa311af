"""The record of an offline answer: its text, the places it was read from, and its reason."""

from __future__ import annotations

from msgspec import Struct

from store.records import PredictionState, Span


class Answer(Struct, frozen=True, omit_defaults=True):
    """An answer, where it was read, and why it was chosen in words a person can check."""

    text: str
    spans: tuple[Span, ...] = ()
    reason: str = ""
    state: PredictionState = PredictionState.OK

    @property
    def span(self) -> Span | None:
        """The first place the answer was read from; null for a refusal."""
        return self.spans[0] if self.spans else None
