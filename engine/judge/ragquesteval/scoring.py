"""RAGQuestEval's recall and precision from answers to the same questions.

They follow section 4.3 of CRUD-RAG (arXiv 2401.17043) and `src/metric/quest_eval.py` of
IAAR-Shanghai/CRUD_RAG at 1aace38, which differ: the formula of precision divides by all usable
questions, the code by those that the answer answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct

from engine.metrics.crud import token_f1
from store.records import Lang

UNANSWERABLE: dict[Lang, str] = {"zh": "无法推断", "en": "cannot be inferred"}
"""What a model writes for a question that a text does not answer. Read exactly: with a full stop
behind it, it is an answer, as in the authors' code."""

_ANSWER = re.compile(r"<response>\n(.*?)\n</response>", re.DOTALL)


class Question(Struct, frozen=True):
    """A question with what both texts say to it."""

    text: str
    golden: str
    answer: str
    f1: float | None
    """Of the answer's jieba tokens with the golden one's; null where either text does not say."""


class QuestScore(Struct, frozen=True):
    """Both values are in [0, 1]."""

    recall: float
    """The share of the usable questions that the answer answers."""
    precision: float
    """Mean token F1 over the questions that it answers."""
    precision_of_all: float
    """Mean token F1 over all usable questions, of which one without an answer counts 0."""
    usable: int
    """Questions that the golden answer answers; without one all values are 0."""
    questions: tuple[Question, ...]


def read_answers(reply: str) -> list[str]:
    """The answers of a reply: what stands on lines of its own between the tags of a response."""
    return _ANSWER.findall(reply)


def score_answers(
    questions: Sequence[str], golden: Sequence[str], answers: Sequence[str]
) -> QuestScore:
    """The values of answers to `questions` against those of the golden answer, place by place.

    Answers beyond the golden ones are passed over. Raises IndexError where a question that the
    golden answer answers has none.
    """
    asked = tuple(
        _question(questions[at] if at < len(questions) else "", expected, answers, at)
        for at, expected in enumerate(golden)
    )
    usable = [question for question in asked if not is_unanswered(question.golden)]
    given = [question.f1 for question in usable if question.f1 is not None]
    return QuestScore(
        1 - (len(usable) - len(given)) / len(usable) if usable else 0.0,
        fmean(given) if given else 0.0,
        sum(given) / len(usable) if usable else 0.0,
        len(usable),
        asked,
    )


def is_unanswered(answer: str) -> bool:
    return answer in UNANSWERABLE.values()


def _question(text: str, golden: str, answers: Sequence[str], at: int) -> Question:
    if is_unanswered(golden):
        return Question(text, golden, answers[at] if at < len(answers) else "", None)
    answer = answers[at]
    return Question(
        text, golden, answer, None if is_unanswered(answer) else token_f1(answer, golden)
    )
