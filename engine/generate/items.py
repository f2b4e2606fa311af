"""An item as a model wrote it, made into an item of ours with every problem listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.corpus.document import SourceDocument
from engine.generate.drafts import Problem
from engine.generate.question_text import (
    affirms,
    is_yes_no,
    leans_back,
    names_the_document,
    says_nothing,
)
from engine.taxonomy.shapes import DOCUMENTS, REFUSAL, shape_faults, shape_of
from engine.text.quotes import locate
from store.records import Evidence, Facet, ItemContent, Lang, Task, Turn

_OF_ANSWERS = frozenset({"no_answer", "empty_answer", "no_evidence"})
"""Problems that are none where the documents are not to answer."""
_OF_QUESTIONS = frozenset({"names_document", "not_self_contained", "affirmed_yes_no"})
"""Problems that are none where the question carries a text: that speaks as it likes."""
_QUESTION = ("question",)
_ANSWERS = ("answer", "answers", "golden_answers")
_PASSAGES = ("relevant_passage", "relevant_passages", "evidence")


class ReadItem(Struct, frozen=True):
    """One item of a reply; `content` is null when a problem is fatal."""

    content: ItemContent | None
    problems: tuple[Problem, ...] = ()


def read_item(
    members: Sequence[Any],
    documents: Sequence[SourceDocument],
    topic: str,
    task: Task,
    lang: Lang,
) -> ReadItem:
    """The item whose turns are `members`: objects with question, answer and relevant_passage.

    Fatal: a field that is missing or blank, an answer that says nothing, a passage that stands in
    none of the documents, a question that names the document at hand, a first question that leans
    on something before it, a yes-no question that is affirmed, another shape than the task's (see
    `shape_faults`). Mended: numbers become text, blank forms and passages go, a passage that
    differs in white space or character width becomes the document's own words.
    """
    problems: list[Problem] = []
    turns = [
        turn
        for number, member in enumerate(members)
        if (turn := _turn(member, number, documents, problems)) is not None
    ]
    shape = shape_of(task)
    if shape.carries:
        problems = [problem for problem in problems if problem.code not in _OF_QUESTIONS]
    if not shape.is_answered:
        problems = [problem for problem in problems if problem.code not in _OF_ANSWERS]
        turns = [_declined(turn, lang) for turn in turns]
    content = ItemContent(
        tuple(turns), topic=topic, task=task.key, lang=lang, facets=facets_of(turns)
    )
    if not any(problem.is_fatal for problem in problems):
        faults = shape_faults(content, task, made_from=len(documents))
        problems += [Problem(fault.code, fault.en, fault.turn) for fault in faults]
    if any(problem.is_fatal for problem in problems):
        return ReadItem(None, tuple(problems))
    return ReadItem(content, tuple(problems))


def _declined(turn: Turn, lang: Lang) -> Turn:
    """The turn with the one golden answer that there is none, unless it gives another."""
    answers = tuple(form for form in turn.golden_answers if not says_nothing(form))
    return replace(turn, golden_answers=answers or (REFUSAL[lang],))


def facets_of(turns: Sequence[Turn]) -> dict[str, Facet]:
    """The number of documents that the evidence stands in; nothing where there is none."""
    documents = {unit.document_id for turn in turns for unit in turn.evidence}
    return {DOCUMENTS: len(documents)} if documents else {}


def _turn(
    member: Any, number: int, documents: Sequence[SourceDocument], problems: list[Problem]
) -> Turn | None:
    if not isinstance(member, dict):
        problems.append(Problem("not_an_object", "a turn is not a JSON object", number))
        return None
    question = _question(_field(member, _QUESTION), number, problems)
    answers = _answers(_field(member, _ANSWERS), number, problems)
    evidence = _evidence(_field(member, _PASSAGES), number, documents, problems)
    if is_yes_no(question) and answers and affirms(answers[0]):
        message = "a yes-no question that is answered with yes"
        problems.append(Problem("affirmed_yes_no", message, number))
    return Turn(question, answers, evidence)


def _field(member: dict[str, Any], names: Sequence[str]) -> Any:
    return next((member[name] for name in names if name in member), None)


def _question(value: Any, number: int, problems: list[Problem]) -> str:
    question = value.strip() if isinstance(value, str) else ""
    if not question:
        problems.append(Problem("no_question", "the question is missing or blank", number))
    if names_the_document(question):
        message = f"the question speaks of a document at hand: {question}"
        problems.append(Problem("names_document", message, number))
    if number == 0 and (word := leans_back(question)):
        message = f"the question leans on something before it: “{word}”"
        problems.append(Problem("not_self_contained", message, number))
    return question


def _answers(value: Any, number: int, problems: list[Problem]) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    forms: list[str] = []
    for form in listed:
        if isinstance(form, int | float) and not isinstance(form, bool):
            message = f"the number {form} was made text"
            problems.append(Problem("number_as_answer", message, number, is_fatal=False))
            form = str(form)
        if isinstance(form, str) and form.strip():
            forms.append(form.strip())
        elif form is not None:
            message = "an answer that is blank or no text was left out"
            problems.append(Problem("answer_left_out", message, number, is_fatal=False))
    kept = tuple(dict.fromkeys(forms))
    if not kept:
        problems.append(Problem("no_answer", "the answer is missing or blank", number))
    elif says_nothing(kept[0]):
        problems.append(Problem("empty_answer", f"the answer says nothing: {kept[0]}", number))
    return kept


def _evidence(
    value: Any, number: int, documents: Sequence[SourceDocument], problems: list[Problem]
) -> tuple[Evidence, ...]:
    quotes = value if isinstance(value, list) else [value]
    passages: list[Evidence] = []
    for quote in quotes:
        if not isinstance(quote, str) or not quote.strip():
            continue
        evidence, is_exact = _stands_in(quote, documents)
        if evidence is None:
            message = f"the passage stands in no document: {quote.strip()[:80]}"
            problems.append(Problem("evidence_not_verbatim", message, number))
        elif not is_exact:
            message = f"the passage was put into the document's own words: {evidence.quote}"
            problems.append(Problem("evidence_mended", message[:200], number, is_fatal=False))
        if evidence is not None and evidence not in passages:
            passages.append(evidence)
    if not passages and not any(problem.code == "evidence_not_verbatim" for problem in problems):
        problems.append(Problem("no_evidence", "no passage is given", number))
    return tuple(passages)


def _stands_in(quote: str, documents: Sequence[SourceDocument]) -> tuple[Evidence | None, bool]:
    """The quote's place in the first document that has it verbatim, else nearly so."""
    places = [(document, locate(quote, document.text)) for document in documents]
    good = [(document, place) for document, place in places if place is not None]
    good.sort(key=lambda located: not located[1].is_exact)
    if not good:
        return None, False
    document, place = good[0]
    return place.evidence(document.document_id), place.is_exact
