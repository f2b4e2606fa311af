"""Facts from English sentences: sentences of a few plain shapes, turned round into questions."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from engine.corpus.document import SourceDocument
from engine.generate.rules.facts import patterns_en as en
from engine.generate.rules.facts.fact import Fact, FactKind, Subject
from engine.generate.rules.facts.passages import passage
from engine.generate.rules.facts.surface import forms_of
from engine.generate.rules.facts.templates import (
    be,
    first_upper,
    inside_sentence,
    lowered,
    with_article,
)
from engine.text.numbers import Kind, Number, numbers
from engine.text.sentences import sentences

_MOST_FACTS = 50


class _Value(Struct, frozen=True):
    """A figure of a sentence and the words around it."""

    number: Number
    written: str
    noun: str
    """What is counted, where the figure counts: `companies` of 45 companies."""
    before: str
    rest: str
    """What follows, cut where another thought begins; with a leading space or empty."""


def sentence_facts(document: SourceDocument, subject: Subject) -> list[Fact]:
    """The facts of the document's sentences in order, 50 at most."""
    facts: list[Fact] = []
    for start, end in sentences(document.text[:12_000]):
        sentence = document.text[start:end]
        if sentence.startswith(("|", "#")) or not 24 <= len(sentence) <= 320:
            continue
        facts.extend(_facts_of(document, subject, start, sentence))
        if len(facts) >= _MOST_FACTS:
            break
    return facts[:_MOST_FACTS]


def _facts_of(document: SourceDocument, subject: Subject, start: int, sentence: str) -> list[Fact]:
    made: list[Fact] = []
    asker = _Asker(document, subject, start, sentence)
    for number in numbers(sentence):
        value = _value_at(sentence, number)
        stated = next((fact for shape in asker.shapes if (fact := shape(value)) is not None), None)
        if stated is not None:
            made.append(stated)
            break  # the shapes look from the sentence's beginning: the first value is the plain one
    for shape in (asker.role, asker.condition):
        fact = shape()
        if fact is not None:
            made.append(fact)
    return made


def _value_at(sentence: str, number: Number) -> _Value:
    written = sentence[number.start : number.end]
    after = sentence[number.end :]
    noun = ""
    if number.is_bare or number.value != number.figure:
        counted = re.match(r" (?:[a-z-]+ ){0,2}?[a-z-]{3,}s\b", after)
        currency = re.match(r" (?:dollars|pounds|euros|yen|yuan)\b", after)
        match = currency or counted
        noun = match.group().strip() if match else ""
    rest = en.REST_CUT.sub("", after[len(noun) + 1 :] if noun else after)
    return _Value(number, written, noun, sentence[: number.start], rest if len(rest) <= 60 else "")


class _Asker:
    """Turns one sentence into questions, a method for each shape of sentence."""

    def __init__(
        self, document: SourceDocument, subject: Subject, start: int, sentence: str
    ) -> None:
        self.document = document
        self.subject = subject
        self.start = start
        self.sentence = sentence
        self.shapes: tuple[Callable[[_Value], Fact | None], ...] = (
            self.limit,
            self.level,
            self.change,
            self.date,
            self.deed,
        )

    def level(self, value: _Value) -> Fact | None:
        """The X is 1,000 dollars."""
        match = en.IS.match(value.before)
        np = self._noun_phrase(match)
        if match is None or np is None or value.number.date is not None:
            return None
        is_past = match["be"] not in ("is", "are", "stands at")
        if value.number.kind is Kind.PERCENT and value.rest.startswith(" of "):
            asks = f"what percentage{value.rest.rstrip()} {be(np, past=is_past)} {np}{self._of()}?"
            return self._figure(value, np, asks)
        asks = self._about(f"what {be(np, past=is_past)} {np}", self._tail(value))
        return self._figure(value, np, asks)

    def limit(self, value: _Value) -> Fact | None:
        """X is capped at 15 %."""
        match = en.LIMITED.match(value.before)
        np = self._noun_phrase(match)
        if match is None or np is None:
            return None
        asks = self._about(f"at what level {match['be']} {np} {match['verb']}", self._tail(value))
        return self._figure(value, np, asks)

    def change(self, value: _Value) -> Fact | None:
        """X increased by 1.2 million dollars."""
        match = en.CHANGED.match(value.before)
        np = self._noun_phrase(match)
        if match is None or np is None or value.number.date is not None:
            return None
        asks = self._about(f"by how much did {np} {en.MOVES[match['verb']]}", self._tail(value))
        return self._figure(value, f"change in {np}", asks)

    def deed(self, value: _Value) -> Fact | None:
        """S recorded charges of 0.4 million; S holds 45 companies."""
        match = en.DID.match(value.before)
        np = self._noun_phrase(match, is_actor=True)
        if match is None or np is None or value.number.kind not in (Kind.AMOUNT, Kind.PLAIN):
            return None
        base = en.DEEDS[match["verb"]]
        what = re.sub(rf"of{en.ABOUT} ?$", "", match["what"].strip() + " ").strip()
        if not base or value.number.is_year or value.number.date is not None:
            return None
        does = "does" if match["verb"].endswith("s") and match["verb"] != "has" else "did"
        does = "does" if match["verb"] == "has" else does
        if what.endswith("of"):
            asks = f"what amount of {what[:-3].strip()} {does} {np} {base}{self._tail(value)}?"
        elif what or (base == "have" and (not value.noun or value.number.kind is Kind.AMOUNT)):
            return None
        elif value.noun and not value.noun.endswith(("dollars", "pounds", "euros")):
            asks = f"how many {value.noun} {does} {np} {base}{self._tail(value)}?"
        elif value.number.kind is Kind.AMOUNT:
            asks = f"how much {does} {np} {base}{self._tail(value)}?"
        else:
            return None
        name = self.subject.name
        if name and name.lower() not in f"{np} {asks}".lower():
            asks = f"for {with_article(name)}, {asks}"
        return self._figure(value, f"{what or value.noun or base}", asks)

    def date(self, value: _Value) -> Fact | None:
        """X was signed on 19 December 2024."""
        match = en.ON_DATE.match(value.before)
        np = self._noun_phrase(match)
        date = value.number.date
        if match is None or np is None or date is None or date.month is None:
            return None
        asks = self._about(f"when {match['be']} {np} {match['verb']}{match['mid']}", "")
        return self._made(FactKind.DATE, np, asks, value.written, value.number, value.number.start)

    def role(self) -> Fact | None:
        """The portfolio manager, Ines Calloway, ..."""
        match = en.ROLE.search(self.sentence)
        if match is None or not self.subject.name:
            return None
        asks = f"who is the {match['role']} of {with_article(self.subject.name)}?"
        return self._made(
            FactKind.NAME, match["role"], asks, match["name"], None, match.start("name")
        )

    def condition(self) -> Fact | None:
        """If X, Y."""
        match = en.IF.match(self.sentence)
        if (
            match is None
            or not self.subject.name
            or (numbers(match["given"]) and match["word"] == "After")
        ):
            return None
        if en.UNCLEAR.search(match["given"].replace("you", "")) or en.UNCLEAR.match(match["then"]):
            return None
        given = match["given"]
        asks = "applies" if match["word"] == "Where" else "happens"
        under = f"under {with_article(self.subject.name)}"
        asks = f"{under}, what {asks} {match['word'].lower()} {given}?"
        return self._made(FactKind.CONDITION, given, asks, match["then"], None, match.start("then"))

    def _noun_phrase(self, match: re.Match[str] | None, *, is_actor: bool = False) -> str | None:
        """The subject of the sentence as it stands inside a question; None where it is unclear."""
        if match is None:
            return None
        np = match["np"].strip()
        if en.NOT_SUBJECTS.match(np) or len(np) < 4 or numbers(np):
            return None
        if en.WE.match(np):
            if not (is_actor and np.lower() in ("we", "the company", "the group")):
                np = re.sub(r"^(?:Our|our) ", "the ", np)
                return np if not en.UNCLEAR.search(np) and not en.WE.match(np) else None
            return with_article(self.subject.name) if self.subject.name else "the company"
        if en.UNCLEAR.search(np):
            return None
        is_name = " " not in np and np[1:].islower()
        return np if is_name else lowered(np, self.document.text)

    def _of(self) -> str:
        name = self.subject.name
        if not name or name.lower() in self.sentence.lower():
            return ""
        return f" of {with_article(name)}"

    def _about(self, asks: str, tail: str) -> str:
        """The question with its subject: at its end where that is short, else before it."""
        name = self.subject.name
        if not name or name.lower() in f"{asks}{tail}".lower():
            return f"{asks}{tail}?"
        if tail or " of " in asks or not asks.startswith("what "):
            return f"for {with_article(name)}, {asks}{tail}?"
        return f"{asks} of {with_article(name)}?"

    def _tail(self, value: _Value) -> str:
        rest = value.rest.rstrip(" ,.")
        if en.UNCLEAR.search(rest) or rest.count("(") != rest.count(")") or "%" in rest:
            return ""
        if any(number.date is None and not number.is_year for number in numbers(rest)):
            return ""
        if self.subject.name and re.search(r"(?:19|20)\d\d", rest):
            return ""
        return rest if en.TAIL.match(rest) else ""

    def _figure(self, value: _Value, label: str, asks: str) -> Fact | None:
        kind = FactKind.of(value.number)
        written = f"{value.written} {value.noun}" if value.noun else value.written
        if kind is FactKind.COUNT and not value.noun:
            return None
        return self._made(kind, label, asks, written, value.number, value.number.start)

    def _made(
        self,
        kind: FactKind,
        label: str,
        asks: str,
        written: str,
        number: Number | None,
        at: int,
    ) -> Fact:
        about = ""
        heading = self.subject.heading
        if not self.subject.name and heading and heading.lower() not in asks.lower():
            about = f"with regard to {inside_sentence(heading)}, "
        evidence = passage(self.document, self.start, self.start + len(self.sentence))
        return Fact(
            document_id=self.document.document_id,
            lang="en",
            kind=kind,
            label=label,
            question=first_upper(f"{about}{asks}"),
            answers=forms_of(written, "en"),
            evidence=(evidence,),
            start=self.start + at,
            subject=self.subject.name,
            number=number,
            written=written,
        )
