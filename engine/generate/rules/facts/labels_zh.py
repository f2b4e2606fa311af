"""Labels of Chinese values in words that a question can use, with their subject and time."""

from __future__ import annotations

import re

from msgspec import Struct

from engine.corpus.document import SourceDocument
from engine.generate.question_text import relative_time
from engine.generate.rules.facts import patterns_zh as zh
from engine.generate.rules.facts.fact import Subject
from engine.generate.rules.facts.names import is_institution, is_whole
from engine.text.numbers import Number, numbers

_LONGEST_LABEL = 56
_SHORTEST_BARE = 3
_HEAD = 80
"""Characters at a document's beginning that hold its date stamp."""
_PRONOUN = re.compile(r"^(?:其(?![他余中实])|(?:该行|该公司|公司|本行|本基金|本产品)(?=[^司]))")


class Clause(Struct, frozen=True):
    start: int
    text: str
    lead: str
    """Clauses of the sentence before this one."""


class Labels:
    """Makes labels and questions for the clauses of one sentence."""

    def __init__(
        self,
        document: SourceDocument,
        subject: Subject,
        span: tuple[int, int],
        previous: int,
        known: tuple[tuple[int, int], ...],
        *,
        is_titled: bool,
    ) -> None:
        """`known` are the names of the document, `previous` is where the sentence before begins.

        In a titled document one subject holds for the whole text; in news it changes.
        """
        self.document = document
        self.subject = subject
        self.text = document.text[slice(*span)]
        self.is_titled = is_titled
        self._names = [document.text[a:b] for a, b in known if span[0] <= a < span[1]]
        self._before = {document.text[a:b] for a, b in known if previous <= a < span[0]}

    def label(self, before: str, clause: Clause) -> str | None:
        """The words before a value with subject and time, or None where they stay unclear."""
        own = zh.LEAD_IN.sub("", zh.STAMP.sub("", before.strip(" “”")))
        if zh.DEPENDENT.match(own):
            joined = self._joined(own, clause)
            if joined is None:
                return None
            own = joined
        dated = self._dated(own)
        if dated is None or not _has_substance(dated) or not self._is_anchored(dated):
            return None
        return dated

    def timed(self, label: str, clause: Clause) -> str:
        """`label` after the one time that its sentence gives before it, in news."""
        if self.is_titled or zh.TIME.search(label):
            return label
        year = self.subject.year
        lead = clause.lead if year is None else clause.lead.replace("今年", f"{year}年")
        times = {match.group() for match in zh.FULL_TIME.finditer(lead)}
        return f"{times.pop()}{self.subject_for(label)}{label}" if len(times) == 1 else label

    def asked(self, label: str, asks: str) -> str:
        """The whole question: subject, time, and the clause with its question word."""
        label = _PRONOUN.sub("", label)
        asks = asks.rstrip("，,。；;")
        subject = self.subject_for(label)
        if not subject:
            return f"{label}{asks}？"
        is_attribute = asks.startswith("是") or zh.COPULA.sub("", label) != label
        begins_with_time = zh.TIME.match(label) and not label.startswith("期")
        if is_attribute and not begins_with_time and not zh.NOT_A_NOUN.match(label):
            return f"{subject}的{label}{asks}？"
        return f"{subject}{'，' if self.is_titled else ''}{label}{asks}？"

    def subject_for(self, label: str) -> str:
        """The name to put before a label; empty when it has its own, or none can be relied on."""
        if self.is_titled:
            return "" if self.subject.name in label else self.subject.name
        if self.own_name(label):
            return ""
        at = self.text.find(label[-4:])
        earlier = [name for name in self._names if self.text.find(name) < at]
        if earlier:
            return earlier[-1] if is_institution(earlier[-1]) else ""
        return "" if self._names else self._carried()

    def own_name(self, label: str) -> str:
        """A name within the label; empty when it has none."""
        return next((name for name in self._names if name in label), "")

    def is_unclear(self, label: str) -> bool:
        """Returns whether a label is torn, or needs a day of writing to be understood."""
        return (
            bool(relative_time(label))
            or zh.is_unbalanced(label)
            or any(char in label for char in "()|“”‘’？?…")
            or re.match(r"^[了的着过而于之]", label) is not None
        )

    def _joined(self, own: str, clause: Clause) -> str | None:
        """A clause without a subject (同比增长……) with the words before the value it follows."""
        clauses = zh.CLAUSE.findall(clause.lead)
        for earlier in reversed(clauses[-2:]):
            values = [number for number in numbers(earlier) if not is_time(number)]
            if len(values) == 1:
                head = zh.LEAD_IN.sub("", zh.STAMP.sub("", earlier[: values[0].start]))
                head = zh.COPULA.sub("", head)
                is_head = len(head) >= _SHORTEST_BARE and not zh.DEPENDENT.match(head)
                return f"{head}{own}" if is_head else None
        return None

    def _dated(self, label: str) -> str | None:
        """`label` with 今年 and bare months put into their year; None where it stays unclear."""
        year = self.subject.year
        if year is not None:
            label = label.replace("今年", f"{year}年").replace("去年", f"{year - 1}年")
            if str(year) in self.document.text[:_HEAD]:
                label = zh.BARE_MONTH.sub(rf"{year}年\g<month>月", label)
        return None if self.is_unclear(label) else label

    def _carried(self) -> str:
        """The one institution that the sentence before names; empty for none or several."""
        name = next(iter(self._before)) if len(self._before) == 1 else ""
        return name if is_institution(name) and is_whole(name, self.document.text) else ""

    def _is_anchored(self, label: str) -> bool:
        """Returns whether a question on `label` says whose it is."""
        if self.is_titled:
            return True
        if zh.REFERS.search(label) or zh.THE_COMPANY.search(label):
            return False
        return bool(self.own_name(label) or self.subject_for(label))


def is_time(number: Number) -> bool:
    """Returns whether a number is a date or a year, no quantity."""
    return number.date is not None or number.is_year


def _has_substance(label: str) -> bool:
    bare = zh.TIME.sub("", zh.COPULA.sub("", label))
    return len(bare) >= _SHORTEST_BARE and len(label) <= _LONGEST_LABEL
