"""Records of what rules read in a document: its subject, and the facts that it states."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from engine.text.numbers import Kind, Number
from store.records import Evidence, Lang


class FactKind(StrEnum):
    AMOUNT = "amount"
    PERCENTAGE = "percentage"
    COUNT = "count"
    DURATION = "duration"
    DATE = "date"
    NAME = "name"
    CONDITION = "condition"

    @classmethod
    def of(cls, number: Number) -> FactKind:
        """The kind of a fact whose value is that number; a plain one counts something."""
        return _OF_NUMBERS.get(number.kind, cls.COUNT)


_OF_NUMBERS = {
    Kind.PERCENT: FactKind.PERCENTAGE,
    Kind.POINTS: FactKind.PERCENTAGE,
    Kind.AMOUNT: FactKind.AMOUNT,
    Kind.DURATION: FactKind.DURATION,
}


class Subject(Struct, frozen=True):
    """The subject of a document, as a question can name it."""

    name: str
    """A name that stands alone in a question; empty when the document gives none."""
    heading: str = ""
    """The heading of an excerpt, a weaker pointer than a name; may be empty."""
    year: int | None = None
    """The year in which 今年 and a bare month lie; null when the document does not say."""


class Fact(Struct, frozen=True):
    """One fact with the question that asks for it."""

    document_id: str
    lang: Lang
    kind: FactKind
    label: str
    """What the value is of: 期末资产净值, `interest income`."""
    question: str
    """Complete by itself as far as the document allows."""
    answers: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    start: int
    """Where the value stands in the document."""
    subject: str = ""
    """Name of what the label belongs to, as it stands in the question; empty when none is known."""
    period: str = ""
    """The time of the value as its table's column or its clause gives it; may be empty."""
    number: Number | None = None
    written: str = ""
    """The value with scale and unit, as an answer writes it."""
    unit: str = ""
    """Scale and unit in words (亿元, `thousand`), which a computed value takes over."""
    row: str = ""
    """Label of the table row; empty for a fact from a sentence."""
    column: str = ""
    table: int = -1
    """Where its table begins in the document; -1 for a fact from a sentence."""
    is_total: bool = False
    """Whether the row sums up the rows above it."""

    @property
    def known(self) -> Number:
        """Its number, where the caller has seen that there is one."""
        assert self.number is not None
        return self.number

    @property
    def value_key(self) -> tuple[str, str]:
        """Facts with equal keys can be subtracted: kind of number, scale and unit."""
        number = self.number
        return (f"{number.kind}:{number.unit}" if number else "", self.unit)
