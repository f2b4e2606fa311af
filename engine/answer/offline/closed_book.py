"""The closed-book baseline: what can be said without any document."""

from __future__ import annotations

from engine.answer.offline.question import Form, read_question
from engine.answer.offline.replies import Answer, say
from engine.text.content_words import content_terms
from engine.text.segmentation import terms
from store.records import Lang, PredictionState


def closed_book_answer(question: str, lang: Lang) -> Answer:
    """A guess or a refusal, without documents; deterministic.

    A yes-no question gets the common answer; an open one (how, why, compare) the question's own
    key words; one for a figure or a name is refused, since any value would be invented.
    """
    asked = read_question(question)
    if asked.form is Form.YES_NO:
        return Answer("是" if lang == "zh" else "Yes", reason=say("closed_yes_no", lang))
    if asked.form in (Form.LONG, Form.COMPARISON):
        echoed = _echo(question, lang)
        if echoed:
            return Answer(echoed, reason=say("closed_echo", lang))
    return Answer(
        say("closed_refusal", lang),
        reason=say("closed_fact", lang),
        state=PredictionState.REFUSED,
    )


def _echo(question: str, lang: Lang) -> str:
    """The question's content words, unstemmed, in order, each once."""
    stems = set(content_terms(question))
    kept = [
        term
        for term in dict.fromkeys(terms(question))
        if term in stems or (term.isascii() and any(term.startswith(part) for part in stems))
    ]
    return ("" if lang == "zh" else " ").join(kept)
