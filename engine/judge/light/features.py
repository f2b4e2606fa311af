"""The features of an answer for a light judge: numbers that a person can check, mostly in [0,
1]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.judge.base import LABELLED, Case
from engine.judge.rules.claims import claims
from engine.judge.rules.evidence import Retrieved
from engine.judge.rules.golden import Fit, best_fit, numbers_agree
from engine.judge.rules.judge import judge_case
from engine.judge.rules.matching import numbers_of
from engine.metrics.spec import resolve
from engine.metrics.text import score_text
from engine.text.numbers import find_same
from engine.text.refusals import is_refusal
from store.records import ScoreState

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.retrieve.index.lsa import Projector

    Matrix = NDArray[np.float64]

_OVERLAPS = ("em", "f1", "rouge2", "rougeL")

NAMES: tuple[str, ...] = (
    # overlap with the golden answer that fits best
    "gold_equal",
    "gold_aspects_held",
    "gold_words_held",
    "gold_aspects",
    "contradiction",
    *(f"overlap_{name}" for name in _OVERLAPS),
    # the answer itself
    "refusal",
    "length",
    "length_ratio",
    "claims",
    # numbers
    "gold_has_number",
    "numbers_same",
    "numbers_unasked",
    # support by what was retrieved
    "retrieves",
    "claims_supported",
    "numbers_supported",
    "gold_retrieved",
    # what the rules say
    *(f"rule_{metric}" for metric in LABELLED),
    *(f"rule_{metric}_na" for metric in LABELLED),
    # cosines of embeddings
    "cosine_answer_gold",
    "cosine_answer_question",
    "cosine_answer_passages",
    "cosine_gold_passages",
)
"""The features in their order; a change of what they mean raises the version of the judge."""

_MOST_CLAIMS = 8
_LONGEST = 2000  # characters


def feature_matrix(cases: Sequence[Case], projector: Projector | None) -> Matrix:
    """Cases x NAMES, float64. Without a projector the cosines are 0."""
    import numpy as np

    rows = [[*_computed(case), *_cosines(case, projector)] for case in cases]
    return np.array(rows, dtype=np.float64).reshape(len(cases), len(NAMES))


def texts_of(case: Case) -> list[str]:
    """The texts of a case that its cosines compare, for fitting the embedding."""
    return [
        text
        for text in (case.question, case.answer, *case.golden_answers, *_passage_texts(case))
        if text.strip()
    ]


def _computed(case: Case) -> list[float]:
    golden = [answer for answer in case.golden_answers if answer.strip()]
    asked = "\n".join([*(question for question, _ in case.history), case.question])
    fit = best_fit(golden or [""], case.answer, asked)
    return [
        *_overlaps(fit, golden),
        *_shape(case, fit),
        *_numbers(golden, case.answer, asked),
        *_support(case, fit, asked),
        *_rules(case),
    ]


def _overlaps(fit: Fit, golden: Sequence[str]) -> list[float]:
    text = score_text(fit.prediction, golden or [""], _OVERLAPS)
    return [
        float(fit.equal),
        fit.held_share,
        fit.word_share,
        min(len(fit.matches), _MOST_CLAIMS) / _MOST_CLAIMS,
        float(fit.contradiction is not None),
        *(score.value or 0.0 for score in text),
    ]


def _shape(case: Case, fit: Fit) -> list[float]:
    answer, gold = len(case.answer.strip()), len(fit.golden.strip())
    return [
        float(is_refusal(case.answer)),
        math.log1p(min(answer, _LONGEST)) / math.log1p(_LONGEST),
        # 0 where both are as long; a factor of e is 1
        max(-3.0, min(3.0, math.log((answer + 1) / (gold + 1)))),
        min(len(claims(case.answer)), _MOST_CLAIMS) / _MOST_CLAIMS,
    ]


def _numbers(golden: Sequence[str], answer: str, asked: str) -> list[float]:
    agreement = numbers_agree(golden, answer, asked)
    if agreement is None:
        return [0.0, 0.0, 0.0]
    wanted = len(agreement.same) + len(agreement.missing)
    taken = {other.start for _, other in agreement.same}
    given = numbers_of(asked)
    more = [
        number
        for number in agreement.stated
        if number.start not in taken and find_same(number, given) is None
    ]
    return [
        1.0,
        len(agreement.same) / wanted if wanted else 1.0,
        len(more) / len(agreement.stated) if agreement.stated else 0.0,
    ]


def _support(case: Case, fit: Fit, asked: str) -> list[float]:
    if not case.passages:
        return [0.0, 0.0, 0.0, 0.0]
    retrieved = Retrieved.of(case.passages, asked)
    stated = claims(case.answer)
    numbers = numbers_of(case.answer)
    known = [number for number in numbers if find_same(number, retrieved.numbers) is not None]
    return [
        1.0,
        _share([retrieved.supports(claim) for claim in stated]),
        len(known) / len(numbers) if numbers else 1.0,
        _share([retrieved.gives(match.claim) for match in fit.matches]),
    ]


def _rules(case: Case) -> list[float]:
    scores = judge_case(case)
    values = [
        (score.value or 0.0) / max(resolve(score.metric).values)
        if score.state is ScoreState.OK
        else 0.0
        for score in scores
    ]
    return [*values, *(float(score.state is ScoreState.NA) for score in scores)]


def _cosines(case: Case, projector: Projector | None) -> list[float]:
    if projector is None:
        return [0.0, 0.0, 0.0, 0.0]
    answer, question = projector.embed([case.answer, case.question])
    gold = projector.embed(list(case.golden_answers) or [""])
    passages = projector.embed(_passage_texts(case) or [""])
    return [
        float((gold @ answer).max()),
        float(question @ answer),
        float((passages @ answer).max()),
        float((gold @ passages.T).max()),
    ]


def _passage_texts(case: Case) -> list[str]:
    return [passage.text for passage in case.passages]


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held) if held else 0.0
