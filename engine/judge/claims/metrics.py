"""The metrics of claims: their specs, what each is counted from, and the formulas.

All but the last two are RAGChecker's (`ragchecker/computation.py`). A claim holds by a text where
the text entails it; neutral and contradicted are the same to every formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from msgspec import Struct

from engine.metrics.spec import MetricSpec, Need

Part = Literal["answer", "golden", "answer_in", "golden_in", "keypoints"]
"""What metrics are counted from: the claims of the answer, checked against the golden answer; the
golden answer's, against the answer; both against each passage; the item's keypoints, against the
answer."""

Rows = Sequence[Sequence[bool]]

_RAGCHECKER = "RAGChecker, arXiv 2408.08067"
_AUTOEVOLVE = "AutoEvolve, section 4"


class Verdicts(Struct, frozen=True):
    """Whether claims hold. What the metric at hand is not counted from is empty."""

    answer: Sequence[bool] = ()
    """By claim of the answer: by the golden answer."""
    golden: Sequence[bool] = ()
    """By claim of the golden answer: by the answer."""
    answer_in: Rows = ()
    """By claim of the answer, and by passage; a row is empty where nothing was retrieved."""
    golden_in: Rows = ()
    """By claim of the golden answer, and by passage."""
    keypoints: Sequence[bool] = ()
    """By keypoint of the item: by the answer."""


class NoValue(ValueError):
    """There is nothing to count; the text says why."""


def claim_precision(said: Verdicts) -> float:
    """Claims of the answer that the golden answer entails / all of its claims."""
    return _share(said.answer, _NO_CLAIM)


def claim_recall(said: Verdicts) -> float:
    """Claims of the golden answer that the answer entails / all of its claims."""
    return _share(said.golden, _NO_GOLDEN_CLAIM)


def claim_f1(said: Verdicts) -> float:
    """2PR / (P + R) of the two; 0 where either is 0, or the answer claims nothing."""
    recall = claim_recall(said)
    precision = fmean(said.answer) if said.answer else 0.0
    return 2 * precision * recall / (precision + recall) if precision and recall else 0.0


def context_precision(said: Verdicts) -> float:
    """Passages that entail any claim of the golden answer / all passages."""
    _require(said.golden_in, _NO_GOLDEN_CLAIM)
    return _share(_relevant(said.golden_in), "nothing was retrieved")


def claim_context_recall(said: Verdicts) -> float:
    """Claims of the golden answer that any passage entails / all of its claims."""
    return _share([any(row) for row in said.golden_in], _NO_GOLDEN_CLAIM)


def context_utilization(said: Verdicts) -> float:
    """Of the golden answer's claims that any passage entails, those that the answer entails; 0
    where no passage entails any."""
    _require(said.golden_in, _NO_GOLDEN_CLAIM)
    pairs = zip(said.golden_in, said.golden, strict=True)
    used = [is_used for row, is_used in pairs if any(row)]
    return fmean(used) if used else 0.0


def faithfulness(said: Verdicts) -> float:
    """Claims of the answer that any passage entails / all of its claims."""
    return _share([any(row) for row in said.answer_in], _NO_CLAIM)


def claim_hallucination(said: Verdicts) -> float:
    """Claims of the answer that neither a passage nor the golden answer entails / all of them."""
    return _share([not any(row) and not right for row, right in _claims(said)], _NO_CLAIM)


def self_knowledge(said: Verdicts) -> float:
    """Claims that no passage entails, but the golden answer does / all claims of the answer."""
    return _share([not any(row) and right for row, right in _claims(said)], _NO_CLAIM)


def noise_sensitivity_relevant(said: Verdicts) -> float:
    """Wrong claims that a relevant passage entails / all claims of the answer.

    Wrong is what the golden answer does not entail; relevant a passage that entails any claim of
    the golden answer.
    """
    return _share(_misled(said)[0], _NO_CLAIM)


def noise_sensitivity_irrelevant(said: Verdicts) -> float:
    """Wrong claims that only irrelevant passages entail / all claims of the answer."""
    return _share(_misled(said)[1], _NO_CLAIM)


def fscore_c(said: Verdicts) -> float:
    """`claim_f1`, and 0 where either text claims nothing."""
    return claim_f1(said) if said.golden else 0.0


def recall_kp(said: Verdicts) -> float:
    """Keypoints that the answer entails / all keypoints of the item."""
    return _share(said.keypoints, "the item has no keypoints")


_NO_CLAIM = "the answer claims nothing"
_NO_GOLDEN_CLAIM = "the golden answer claims nothing"


class ClaimMetric(Struct, frozen=True):
    """A metric with its formula."""

    spec: MetricSpec
    parts: tuple[Part, ...]

    def value(self, said: Verdicts) -> float:
        """In [0, 1]. Raises NoValue where there is nothing to count."""
        return _FORMULAS[self.spec.name](said)


_FORMULAS = {
    formula.__name__: formula
    for formula in (
        claim_precision,
        claim_recall,
        claim_f1,
        context_precision,
        claim_context_recall,
        context_utilization,
        faithfulness,
        claim_hallucination,
        self_knowledge,
        noise_sensitivity_relevant,
        noise_sensitivity_irrelevant,
        fscore_c,
        recall_kp,
    )
}


def _metric(
    name: str,
    parts: tuple[Part, ...],
    needs: tuple[Need, ...],
    description: str,
    *,
    higher: bool = True,
    source: str = _RAGCHECKER,
) -> ClaimMetric:
    spec = MetricSpec(name, "standard", "judge", 0.0, 1.0, higher, needs, description, source)
    return ClaimMetric(spec, parts)


_GOLDEN: tuple[Need, ...] = ("golden_answer",)
_BOTH: tuple[Need, ...] = ("golden_answer", "retrieved")
_MISLED: tuple[Part, ...] = ("answer", "answer_in", "golden_in")

METRICS: dict[str, ClaimMetric] = {
    metric.spec.name: metric
    for metric in (
        _metric(
            "claim_precision",
            ("answer",),
            _GOLDEN,
            "share of the answer's claims that the golden answer entails",
        ),
        _metric(
            "claim_recall",
            ("golden",),
            _GOLDEN,
            "share of the golden answer's claims that the answer entails",
        ),
        _metric(
            "claim_f1",
            ("answer", "golden"),
            _GOLDEN,
            "harmonic mean of claim precision and claim recall",
        ),
        _metric(
            "context_precision",
            ("golden_in",),
            _BOTH,
            "share of the passages that entail a claim of the golden answer",
        ),
        _metric(
            "claim_context_recall",
            ("golden_in",),
            _BOTH,
            "share of the golden answer's claims that a passage entails",
        ),
        _metric(
            "context_utilization",
            ("golden", "golden_in"),
            _BOTH,
            "share of the golden answer's claims in the passages that the answer entails",
        ),
        _metric(
            "faithfulness",
            ("answer_in",),
            ("retrieved",),
            "share of the answer's claims that a passage entails",
        ),
        _metric(
            "claim_hallucination",
            ("answer", "answer_in"),
            _BOTH,
            "share of the answer's claims that neither passages nor golden answer entail",
            higher=False,
        ),
        _metric(
            "self_knowledge",
            ("answer", "answer_in"),
            _BOTH,
            "share of the answer's claims that the golden answer entails, and no passage",
        ),
        _metric(
            "noise_sensitivity_relevant",
            _MISLED,
            _BOTH,
            "share of the answer's claims that are wrong and from a relevant passage",
            higher=False,
        ),
        _metric(
            "noise_sensitivity_irrelevant",
            _MISLED,
            _BOTH,
            "share of the answer's claims that are wrong and from irrelevant passages only",
            higher=False,
        ),
        _metric(
            "fscore_c",
            ("answer", "golden"),
            _GOLDEN,
            "claim F1 that is 0 where either text claims nothing",
            source=_AUTOEVOLVE,
        ),
        _metric(
            "recall_kp",
            ("keypoints",),
            ("keypoints",),
            "share of the item's keypoints that the answer entails",
            source=_AUTOEVOLVE,
        ),
    )
}
RAGCHECKER = tuple(name for name in METRICS if METRICS[name].spec.source == _RAGCHECKER)
"""Those of RAGChecker, which a judge gives unless its table names others."""


def _share(held: Sequence[bool], empty: str) -> float:
    _require(held, empty)
    return fmean(held)


def _require(things: Sequence[object], empty: str) -> None:
    if not things:
        raise NoValue(empty)


def _claims(said: Verdicts) -> zip[tuple[Sequence[bool], bool]]:
    return zip(said.answer_in, said.answer, strict=True)


def _relevant(golden_in: Rows) -> list[bool]:
    """By passage, whether it entails any claim of the golden answer."""
    return [any(column) for column in zip(*golden_in, strict=True)]


def _misled(said: Verdicts) -> tuple[list[bool], list[bool]]:
    """By claim of the answer, whether it is wrong and from a relevant passage; or from irrelevant
    passages only."""
    _require(said.golden_in, _NO_GOLDEN_CLAIM)
    relevant = _relevant(said.golden_in)
    from_relevant, from_others = [], []
    for row, right in _claims(said):
        by_relevant = any(held and is_so for held, is_so in zip(row, relevant, strict=True))
        from_relevant.append(by_relevant and not right)
        from_others.append(any(row) and not by_relevant and not right)
    return from_relevant, from_others
