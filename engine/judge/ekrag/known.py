"""Scores that no model has to give: of what does not apply, of empty answers and of refusals."""

from __future__ import annotations

from engine.judge.applies import not_applicable
from engine.judge.base import Case
from engine.judge.ekrag.metrics import CORRECTNESS, FAITHFULNESS
from engine.metrics.spec import MetricSpec
from engine.text.refusals import is_refusal
from store.records import MetricScore, ScoreState


def known_score(case: Case, spec: MetricSpec) -> MetricScore | None:
    """The score of a metric that needs no model; null where one is needed.

    Where the golden answer is that there is none, correctness is whether the answer declines too.
    A refusal claims nothing that could be faithful. An empty answer is a refusal, and fits nothing.
    """
    if (outside := not_applicable(case, spec)) is not None:
        return outside
    golden = [text for text in case.golden_answers if text.strip()]
    declines = is_refusal(case.answer)
    if spec.name == CORRECTNESS and all(map(is_refusal, golden)):
        what = "declines" if declines else "gives an answer"
        reason = f"there is no answer to be given, and this one {what}"
        return MetricScore(spec.name, "standard", float(declines), ScoreState.OK, reason)
    if spec.name == FAITHFULNESS and not case.passages:
        return _not_applicable(spec, "nothing was retrieved")
    if spec.name == FAITHFULNESS and declines:
        return _not_applicable(spec, "the answer declines, and so claims nothing")
    if not case.answer.strip():
        return MetricScore(spec.name, "standard", 0.0, ScoreState.OK, "the answer is empty")
    return None


def _not_applicable(spec: MetricSpec, reason: str) -> MetricScore:
    return MetricScore(spec.name, "standard", None, ScoreState.NA, reason)
