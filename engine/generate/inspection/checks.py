"""The five checks of an item by rule, and the score from 1 to 5 that they give.

Everything looked at is in the item and its documents, and every result says what it saw. The rules
find what can be found without understanding: whether a value stands where it should, is computed
right, is asked for without leaning on anything. They do not replace a rater.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.corpus.document import SourceDocument
from engine.generate.drafts import Aspect, Check, Grade
from engine.generate.inspection import answer_checks, task_checks
from engine.generate.inspection.check_reasons import joined, say
from engine.generate.question_text import (
    LONGEST,
    SHORTEST,
    ends_as_question,
    is_balanced,
    lacks_time,
    leans_back,
    names_a_thing,
    names_in,
    names_the_document,
    reads_badly,
    relative_time,
    vague_subject,
)
from engine.generate.rules.facts.subjects import is_headed
from engine.taxonomy.shapes import shape_of
from store.records import ItemContent, Lang, Task, Topic, Turn

_DECISIVE = frozenset({Aspect.TASK, Aspect.QUESTION, Aspect.ANSWER})
_HEAD = 160
"""Characters at a document's beginning, where its title stands: every passage has it in common."""
LONGEST_PASSAGES = 2400
"""Characters of all passages of a turn; more points at a document instead of at a place in it."""


def check_item(
    content: ItemContent,
    task: Task,
    documents: Sequence[SourceDocument],
    topic: Topic | None = None,
) -> tuple[Check, ...]:
    """The five checks in the order of `Aspect`; without a topic, that check has nothing to find."""
    shape = shape_of(task)
    by_id = {document.document_id: document for document in documents}
    return (
        task_checks.check_task(content, task),
        _topic(content, topic),
        _question(content, documents)
        if not shape.carries
        else Check(Aspect.QUESTION, Grade.MET, say("carries_article", content.lang)),
        answer_checks.check_answers(content, by_id),
        _passages(content, by_id)
        if shape.is_answered or any(turn.evidence for turn in content.turns)
        else Check(Aspect.PASSAGES, Grade.MET, say("none_wanted", content.lang)),
    )


def score_of(checks: Sequence[Check]) -> int:
    """1 to 5, as raters are told: 4 and 5 can stay as they are, 3 can be mended, 2 and 1 go.

    From 5, a check partly met takes one point, that of task or question two, since such a question
    has to be rewritten; a failed check takes two. A failed check of task, question or answer
    leaves 2 at most, failed passages 3, which can be mended.
    """
    score = max(1, 5 - sum(_lost(check) for check in checks))
    failed = {check.aspect for check in checks if check.grade is Grade.FAILED}
    if failed & _DECISIVE:
        return min(score, 2)
    return min(score, 3) if Aspect.PASSAGES in failed else score


def _lost(check: Check) -> int:
    if check.grade is Grade.MET:
        return 0
    is_slight = check.grade is Grade.PARTLY and check.aspect not in (Aspect.TASK, Aspect.QUESTION)
    return 1 if is_slight else 2


def _topic(content: ItemContent, topic: Topic | None) -> Check:
    lang = content.lang
    if topic is None:
        return Check(Aspect.TOPIC, Grade.MET, say("topic_none", lang))
    asked = " ".join(turn.question for turn in content.turns).casefold()
    quoted = " ".join(
        unit.quote or "" for turn in content.turns for unit in turn.evidence
    ).casefold()
    for key, text in (("topic_asked", asked), ("topic_quoted", quoted)):
        terms = [term for term in topic.terms if term.casefold() in text]
        if terms:
            return Check(Aspect.TOPIC, Grade.MET, say(key, lang, terms="、".join(terms[:3])))
    return Check(Aspect.TOPIC, Grade.PARTLY, say("topic_absent", lang))


def _question(content: ItemContent, documents: Sequence[SourceDocument]) -> Check:
    first = content.turns[0].question
    lang = content.lang
    fatal: list[str] = []
    slight: list[str] = []
    for number, turn in enumerate(content.turns):
        question = turn.question.strip()
        if names_the_document(question):
            fatal.append(say("names_document", lang))
        if not is_balanced(question):
            fatal.append(say("unbalanced", lang))
        if not ends_as_question(question):
            slight.append(say("no_question_mark", lang))
        least = 2 if number else SHORTEST[lang]
        if not least <= len(question) <= LONGEST[lang]:
            slight.append(say("length", lang, count=len(question)))
    if word := leans_back(first):
        fatal.append(say("leans", lang, word=word))
    for turn in content.turns:
        if word := reads_badly(turn.question):
            slight.append(say("reads_badly", lang, word=word))
    if word := relative_time(first):
        slight.append(say("relative_time", lang, word=word))
    if lacks_time(first) and not any(is_headed(document) for document in documents):
        slight.append(say("no_time", lang))
    if word := vague_subject(first):
        slight.append(say("vague", lang, word=word))
    elif not names_a_thing(first, lang):
        slight.append(say("no_name", lang))
    return _check(Aspect.QUESTION, fatal + slight, lang, failed=bool(fatal), otherwise="complete")


def _passages(content: ItemContent, by_id: Mapping[str, SourceDocument]) -> Check:
    lang = content.lang
    reasons: list[str] = []
    failed = False
    for turn in content.turns:
        if not turn.evidence:
            failed = True
            reasons.append(say("no_passage", lang))
        for unit in turn.evidence:
            document = by_id.get(unit.document_id)
            if document is None:
                failed = True
                reasons.append(say("unknown_document", lang, name=unit.document_id))
            elif unit.start is not None and document.text[unit.start : unit.end] != unit.quote:
                failed = True
                reasons.append(say("not_verbatim", lang, quote=(unit.quote or "")[:30]))
            elif unit.start is not None and _is_torn(document.text, unit.start, unit.end):
                reasons.append(say("torn", lang, quote=(unit.quote or "")[:30]))
        if missing := _unnamed(turn, content.turns[0], by_id):
            reasons.append(say("unnamed", lang, name=missing))
        if _quoted(turn) > LONGEST_PASSAGES:
            reasons.append(say("too_long", lang, count=_quoted(turn)))
    return _check(Aspect.PASSAGES, reasons, lang, failed=failed, otherwise="verbatim")


def _check(
    aspect: Aspect, reasons: Sequence[str], lang: Lang, *, failed: bool, otherwise: str
) -> Check:
    """The check that these reasons fail, or leave met in part; met for another where there are
    none."""
    if not reasons:
        return Check(aspect, Grade.MET, say(otherwise, lang))
    grade = Grade.FAILED if failed else Grade.PARTLY
    return Check(aspect, grade, joined(dict.fromkeys(reasons), lang))


def _unnamed(turn: Turn, first: Turn, by_id: Mapping[str, SourceDocument]) -> str:
    """A name of the question that stands neither in the passages nor at the document's head."""
    evidence = (*first.evidence, *turn.evidence)
    held = [unit.quote or "" for unit in evidence]
    for unit in evidence:
        document = by_id.get(unit.document_id)
        if document is not None and is_headed(document):
            held.append(f"{document.title} {document.text[:_HEAD]}")
    quotes = " ".join(held)
    return next((name for name in names_in(turn.question) if name not in quotes), "")


def _quoted(turn: Turn) -> int:
    return sum(len(unit.quote or "") for unit in turn.evidence)


def _is_torn(text: str, start: int, end: int | None) -> bool:
    """Returns whether a passage begins or ends within a word, in Chinese within a clause."""
    stop = len(text) if end is None else end
    before, first = text[start - 1 : start], text[start : start + 1]
    last, after = text[stop - 1 : stop], text[stop : stop + 1]
    return (before.isalnum() and first.isalnum()) or (last.isalnum() and after.isalnum())
