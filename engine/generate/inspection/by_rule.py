"""Automatic inspection without a model: 0, 1 or 2 by the five checks, and what can be mended.

Only mechanical corrections are proposed: a passage put into the document's own words, further ways
to write an answer, white space. What needs understanding is left to a rater.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from engine.corpus.document import SourceDocument
from engine.generate.drafts import Check, Grade
from engine.generate.inspection.checks import check_item, score_of
from engine.generate.rules.facts.surface import forms_of
from engine.text.quotes import locate
from store.records import Evidence, ItemContent, Lang, Task, Topic, Turn

_LONGEST_FORM = 40
"""Characters of an answer that may have other ways to be written: a figure or a date."""


class Inspection(Struct, frozen=True):
    """A verdict as the authors of OmniEval scale it, by rule."""

    evaluation: int
    """2 very good, 1 can be corrected, 0 poor and past correcting."""
    checks: tuple[Check, ...]
    """Of the item as it was given."""
    correction: ItemContent | None = None
    """The item with its mechanical faults mended; null when there is nothing to mend."""
    mended: tuple[str, ...] = ()
    """What the correction changes: `passage`, `answer_form`, `white_space`."""

    @property
    def reason(self) -> str:
        """The reasons of the checks that were not met."""
        return " ".join(check.reason for check in self.checks if check.grade is not Grade.MET)


def inspect_item(
    content: ItemContent,
    task: Task,
    documents: Sequence[SourceDocument],
    topic: Topic | None = None,
) -> Inspection:
    """Judges an item as it is and as it would be once mended.

    2: scores 4 or 5 and nothing is to mend but further forms of an answer. 1: scores 3 or more, as
    it is or mended. 0: the rest, as a question that cannot be understood or an answer without
    foundation.
    """
    checks = check_item(content, task, documents, topic)
    mended, what = mend(content, documents)
    before = score_of(checks)
    after = score_of(check_item(mended, task, documents, topic)) if what else before
    if before >= 4 and set(what) <= {"answer_form"}:
        evaluation = 2
    else:
        evaluation = 1 if max(before, after) >= 3 else 0
    correction = mended if what and evaluation else None
    return Inspection(evaluation, checks, correction, what if correction else ())


def mend(
    content: ItemContent, documents: Sequence[SourceDocument]
) -> tuple[ItemContent, tuple[str, ...]]:
    """The item with mechanical faults mended, and what was changed; itself where nothing was."""
    by_id = {document.document_id: document for document in documents}
    changed: list[str] = []
    turns = tuple(_mended_turn(turn, by_id, content.lang, changed) for turn in content.turns)
    return replace(content, turns=turns), tuple(dict.fromkeys(changed))


def _mended_turn(
    turn: Turn, by_id: Mapping[str, SourceDocument], lang: Lang, changed: list[str]
) -> Turn:
    question = " ".join(turn.question.split())
    stripped = tuple(dict.fromkeys(form.strip() for form in turn.golden_answers if form.strip()))
    if question != turn.question or stripped != turn.golden_answers:
        changed.append("white_space")
    answers = _with_forms(stripped, lang)
    if len(answers) > len(stripped):
        changed.append("answer_form")
    evidence = tuple(_mended_evidence(passage, by_id, changed) for passage in turn.evidence)
    return Turn(question, answers, evidence)


def _with_forms(answers: tuple[str, ...], lang: Lang) -> tuple[str, ...]:
    """Further ways to write the first answer; a sentence or a list of several has none."""
    if not answers or len(answers[0]) > _LONGEST_FORM:
        return answers
    return tuple(dict.fromkeys((*answers, *forms_of(answers[0], lang))))


def _mended_evidence(
    evidence: Evidence, by_id: Mapping[str, SourceDocument], changed: list[str]
) -> Evidence:
    """The passage as its document has it; unchanged where it is, or where no place is like it."""
    document = by_id.get(evidence.document_id)
    if document is None or not evidence.quote:
        return evidence
    held = document.text[evidence.start : evidence.end]
    if evidence.start is not None and held == evidence.quote:
        return evidence
    place = locate(evidence.quote, document.text)
    if place is None:
        return evidence
    changed.append("passage")
    return place.evidence(evidence.document_id)
