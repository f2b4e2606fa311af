"""What reading an answer finds. Apart from the reading, which needs a dictionary of words."""

from __future__ import annotations

from msgspec import Struct


class SentenceRead(Struct, frozen=True):
    """A sentence of the answer, by its offsets."""

    start: int
    end: int
    is_borne_out: bool | None
    """Whether the retrieved texts say all of it; null when nothing was retrieved or it says
    nothing that could be looked up."""


class NumberRead(Struct, frozen=True):
    """A number that the golden answer has or goes against, by its offsets in the answer."""

    start: int
    end: int
    stated: str
    golden: str
    """Both as written, with the sign that the words around them give: 下降3.4% is -3.4%."""
    is_same: bool


class AnswerReading(Struct, frozen=True):
    sentences: tuple[SentenceRead, ...]
    numbers: tuple[NumberRead, ...]
    """Those of the answer that agree with the golden answer, or that it contradicts."""
    missing: tuple[str, ...]
    """Numbers of the golden answer that the answer does not give, written in the same way."""
