"""Facts from Chinese sentences: a clause with one figure asks for it where it stands.

Chinese leaves the question word in place, so a clause becomes a question by putting 多少, 哪一天 or
是谁 where the value was; `labels_zh` gives it its subject and its time.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.corpus.document import SourceDocument
from engine.generate.rules.facts import patterns_zh as zh
from engine.generate.rules.facts.fact import Fact, FactKind, Subject
from engine.generate.rules.facts.labels_zh import Clause, Labels, is_time
from engine.generate.rules.facts.names import is_private, names
from engine.generate.rules.facts.passages import passage
from engine.generate.rules.facts.subjects import title_of
from engine.generate.rules.facts.surface import forms_of
from engine.text.numbers import Kind, Number, numbers
from engine.text.sentences import sentences

_READ = 12_000
_MOST_FACTS = 60
_SENTENCE = range(8, 241)
"""Characters of a sentence that is read."""
_FEW = 2
"""Spelled-out ones and twos are seldom what a question is after."""
_LONGEST_AFTER = 12
_VAGUE = ("余", "多", "有")


def sentence_facts(document: SourceDocument, subject: Subject) -> list[Fact]:
    """The facts of the document's sentences in order, 60 at most.

    News about persons whose names are withheld has none: it is about private affairs.
    """
    titled = bool(title_of(document))
    if not titled and is_private(document.text):
        return []
    known = () if titled else names(document.text, "zh")
    facts: list[Fact] = []
    last = 0
    for start, end in sentences(document.text[:_READ]):
        previous, last = last, start
        sentence = document.text[start:end]
        if len(sentence) not in _SENTENCE or sentence[0] in "|#" or zh.IMPRINT.search(sentence):
            continue
        labels = Labels(document, subject, (start, end), previous, known, is_titled=titled)
        facts.extend(_Reader(labels, start, end, previous).facts())
        if len(facts) >= _MOST_FACTS:
            break
    return facts[:_MOST_FACTS]


class _Reader:
    """One sentence, read for its facts: a method for each shape of clause."""

    def __init__(self, labels: Labels, start: int, end: int, previous: int) -> None:
        self.labels = labels
        self.document = labels.document
        self.start = start
        self.end = end
        self.previous = previous
        self.text = self.document.text[start:end]

    def facts(self) -> Iterator[Fact]:
        for match in zh.CLAUSE.finditer(self.text):
            lead = self.text[: match.start()]
            clause = Clause(self.start + match.start(), match.group(), lead)
            fact = self.figure(clause) or self.named(clause) or self.by(clause)
            if fact is not None:
                yield fact
        condition = self.condition()
        if condition is not None:
            yield condition

    def figure(self, clause: Clause) -> Fact | None:
        """期末资产净值为26.84亿元"""
        stated = list(numbers(clause.text))
        figures = [number for number in stated if not is_time(number)]
        if not figures:
            return self.date(clause, stated)
        if len(figures) != 1:
            return None
        number = figures[0]
        after = clause.text[number.end :]
        surface = clause.text[number.start : number.end]
        figure = zh.FIGURE.match(surface)
        measured = zh.MEASURE.match(after)
        measure = measured.group() if measured else ""
        if figure is None or not _can_be_asked(number, surface, after, measure):
            return None
        label = self.labels.label(clause.text[: number.start], clause)
        if label is None or zh.HANGS.search(label):
            return None
        rest = surface[figure.end() :]
        bare = zh.COPULA.sub("", label)
        timed = self.labels.timed(zh.ABOUT.sub("", label), clause)
        return self._made(
            kind=FactKind.of(number),
            label=bare,
            question=self._ask_figure(timed, bare, rest, after),
            answers=forms_of(surface + measure, "zh"),
            at=clause.start + number.start,
            number=number,
            written=surface + measure,
            unit=rest + measure,
        )

    def _ask_figure(self, label: str, bare: str, rest: str, after: str) -> str:
        is_percent = rest in ("%", "％")
        if is_percent and label in (f"{bare}为", f"{bare}是", f"{bare}达"):
            return self.labels.asked(bare, f"是多少{after}")
        blank = "百分之多少" if is_percent else f"多少{rest}"
        if label == bare and zh.NOUN_END.search(label):
            blank = "是多少" if is_percent else f"为{blank}"
        return self.labels.asked(label, f"{blank}{after}")

    def date(self, clause: Clause, figures: list[Number]) -> Fact | None:
        """任职起始日为2021年8月3日"""
        dates = [number for number in figures if number.date is not None]
        if len(dates) != 1 or dates[0].date is None:
            return None
        number, date = dates[0], dates[0].date
        before, after = clause.text[: number.start], clause.text[number.end :]
        if not zh.DATE_LEAD.search(before) and after:
            return None
        if len(before) + len(after) < 6 or after.startswith(("至", "起至", "到", "-")):
            return None
        label = self.labels.label(before, clause)
        if label is None or date.year is None or date.half or date.quarter or len(after) > 24:
            return None
        blank = "哪一天" if date.day else "哪个月" if date.month else "哪一年"
        surface = clause.text[number.start : number.end]
        return self._made(
            kind=FactKind.DATE,
            label=zh.COPULA.sub("", label),
            question=self.labels.asked(label, f"{blank}{after}"),
            answers=forms_of(surface, "zh"),
            at=clause.start + number.start,
            number=number,
            written=surface,
        )

    def named(self, clause: Clause) -> Fact | None:
        """基金经理为陆可嘉"""
        match = zh.NAMED.match(zh.LEAD_IN.sub("", clause.text))
        if match is None or numbers(match["name"]) or match["name"][0] in "了其以对由在":
            return None
        role = zh.ROLE.search(match["label"])
        if role is None and zh.ATTRIBUTE.search(match["label"]) is None:
            return None
        label = self.labels.label(match["label"], clause)
        if label is None:
            return None
        name = match["name"].strip("“”")
        return self._made(
            kind=FactKind.NAME,
            label=label,
            question=self.labels.asked(label, "是谁" if role else "是什么"),
            answers=(name,),
            at=clause.start + clause.text.find(match["name"]),
            written=name,
        )

    def by(self, clause: Clause) -> Fact | None:
        """本报表由资产负债管理部填报"""
        match = zh.BY.match(zh.LEAD_IN.sub("", clause.text))
        if match is None:
            return None
        earlier = zh.CLAUSE.findall(clause.lead)
        before = match["before"] or (earlier[-1] if earlier and len(earlier[-1]) <= 16 else "")
        label = self.labels.label(before, clause) if before else None
        if label is None:
            return None
        return self._made(
            kind=FactKind.NAME,
            label=f"{label}{match['verb']}",
            question=self.labels.asked(label, f"由谁{match['verb']}"),
            answers=(match["who"],),
            at=clause.start + clause.text.find(match["who"]),
            written=match["who"],
        )

    def condition(self) -> Fact | None:
        """因住院治疗申请提前支取的，凭……仍按原定年利率计息"""
        match = zh.CONDITION.search(self.text)
        if match is None or not self.labels.is_titled:
            return None
        given = zh.LEAD_IN.sub("", match["if"])
        is_condition = given.endswith(("的", "时", "后")) or given[:1] in "如若当遇凡"
        if not is_condition or self.labels.is_unclear(given) or len(given) < 5:
            return None
        return self._made(
            kind=FactKind.CONDITION,
            label=given,
            question=f"{self.labels.subject.name}规定，{given}，应当怎样处理？",
            answers=(match["then"],),
            at=self.start + match.start("then"),
            written=match["then"],
        )

    def _made(
        self,
        *,
        kind: FactKind,
        label: str,
        question: str,
        answers: tuple[str, ...],
        at: int,
        written: str,
        number: Number | None = None,
        unit: str = "",
    ) -> Fact:
        time = zh.TIME.search(label)
        subject = self.labels.subject_for(label)
        is_carried = bool(subject) and not self.labels.is_titled and subject not in self.text
        start = self.previous if is_carried else self.start
        return Fact(
            document_id=self.document.document_id,
            lang="zh",
            kind=kind,
            label=label,
            question=question,
            answers=answers,
            evidence=(passage(self.document, start, self.end),),
            start=at,
            subject=subject or self.labels.own_name(label),
            period=time.group() if time else "",
            number=number,
            written=written,
            unit=unit,
        )


def _can_be_asked(number: Number, surface: str, after: str, measure: str) -> bool:
    """Returns whether a figure has a unit, is no aside, and ends its clause or nearly so."""
    rest_after = after[len(measure) :]
    is_few = not surface[0].isascii() and abs(number.value) <= _FEW
    return (
        number.kind is not Kind.ORDINAL
        and len(rest_after) <= _LONGEST_AFTER
        and bool(measure or not number.is_bare)
        and not is_few
        and not rest_after.startswith(_VAGUE)
        and not surface.endswith(_VAGUE)
        and not zh.is_unbalanced(rest_after)
        and zh.OPEN_END.search(rest_after) is None
    )
