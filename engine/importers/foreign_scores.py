"""Scores that others computed, on our scales and with our states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.importers.omnieval_files import OmniFiles, ResultFile
from engine.metrics.spec import MetricSpec, resolve
from store.errors import InputError, UsageError
from store.formats.crud_rag import CrudResult
from store.formats.omnieval import NOT_SCORED
from store.records import MetricScore, ScoreState
from store.runs.imported import PredictionKey, PredictionRow

Scores = dict[int, list[MetricScore]]
"""By prediction number."""

_UNSAID = "the result files say nothing about it"
_MINUS_ONE = (
    "their file says -1, which stands both for a metric that does not apply and for a reply that"
    " was not understood"
)
_ROUNDING = 1e-6
"""How far above its scale a value may lie that single precision has carried there."""


def omnieval_scores(
    files: Sequence[ResultFile],
    keys: Mapping[str, Sequence[PredictionKey]],
    predictions: Mapping[PredictionKey, PredictionRow],
) -> tuple[Scores, tuple[str, ...]]:
    """The values of result files for the rows of prediction files, and what was left out.

    Judge values, which their files normalise to [0, 1], come back onto the scales as stored; -1
    is `missing`. Every prediction gets every metric that any file has. Raises InputError for a
    list whose length is not that of its prediction file, and for two files that disagree.
    """
    values, unknown = _by_metric(files, keys)
    scores: Scores = {}
    for metric, by_key in values.items():
        spec = _spec(metric)
        if spec is None:
            unknown[f"metric {metric}"] = None
            continue
        for key, row in predictions.items():
            scores.setdefault(row.id, []).append(_omnieval_score(spec, by_key.get(key)))
    return scores, tuple(f"left out of the result files: {name}" for name in unknown)


def check_results(files: OmniFiles) -> None:
    """Raises what `omnieval_scores` would, before anything is stored."""
    rows = {
        file.path.name: [(number, line, 0) for line in range(len(file.rows))]
        for number, file in enumerate(files.predictions)
    }
    _by_metric(files.results, rows)


def _by_metric(
    files: Sequence[ResultFile], keys: Mapping[str, Sequence[PredictionKey]]
) -> tuple[dict[str, dict[PredictionKey, float]], dict[str, None]]:
    values: dict[str, dict[PredictionKey, float]] = {}
    unknown: dict[str, None] = {}
    for file in files:
        for block in file.blocks:
            rows = keys.get(block.file_name)
            if rows is None:
                unknown[f"{block.file_name}, which is not among the predictions"] = None
                continue
            for metric, found in block.lists.items():
                place = f"{file.path}, line {block.line}: {metric}"
                if len(found) != len(rows):
                    raise InputError(
                        f"{place}: {len(found)} values for {len(rows)} predictions.",
                        "Give the predictions that were evaluated.",
                    )
                _merge(place, values.setdefault(metric, {}), zip(rows, found, strict=True))
    return values, unknown


def _merge(
    place: str, known: dict[PredictionKey, float], new: zip[tuple[PredictionKey, float]]
) -> None:
    for row, (key, value) in enumerate(new):
        if known.setdefault(key, value) != value:
            raise InputError(
                f"{place}: value {row + 1} is {value}, and {known[key]} in another file.",
                "Import the files of one judge only.",
            )


def _spec(metric: str) -> MetricSpec | None:
    for variant in ("omnieval", "standard"):
        try:
            spec = resolve(metric, variant)
        except UsageError:
            continue
        if variant == "omnieval" or spec.family == "judge":
            return spec
    return None


def _omnieval_score(spec: MetricSpec, value: float | None) -> MetricScore:
    if value is None or value == NOT_SCORED:
        reason = _UNSAID if value is None else _MINUS_ONE
        return MetricScore(spec.name, spec.variant, None, ScoreState.MISSING, reason)
    stored = value * (spec.maximum or 1.0) if spec.values else value
    return checked(spec, stored, f"their file says {value}")


def crud_scores(
    results: Mapping[PredictionKey, CrudResult],
    predictions: Mapping[PredictionKey, PredictionRow],
) -> Scores:
    """What CRUD-RAG's files give and rules cannot: `bertScore`, `QA_avg_F1` and `QA_recall`.

    A metric that no result has is left out; otherwise every prediction gets it. An item whose
    question list is empty is one that RAGQuestEval failed on, and has state error.
    """
    scores: Scores = {}
    for name in ("bertScore", "QA_avg_F1", "QA_recall"):
        if any(result.metrics.get(name) is not None for result in results.values()):
            spec = resolve(name, "crud")
            for key, row in predictions.items():
                scores.setdefault(row.id, []).append(_crud_score(spec, results.get(key)))
    return scores


def _crud_score(spec: MetricSpec, result: CrudResult | None) -> MetricScore:
    value = None if result is None else result.metrics.get(spec.name)
    if result is None or value is None:
        return MetricScore(spec.name, spec.variant, None, ScoreState.MISSING, _UNSAID)
    if spec.name.startswith("QA_") and result.questions == 0:
        reason = "RAGQuestEval had no usable questions and answers"
        return MetricScore(spec.name, spec.variant, None, ScoreState.ERROR, reason)
    return checked(spec, value, f"their file says {value}")


def checked(spec: MetricSpec, value: float, reason: str) -> MetricScore:
    """The score, or `out_of_range` for what is not on the scale."""
    top = spec.maximum or 1.0
    if top < value <= top + _ROUNDING:
        value = top
    legal = value in spec.values if spec.values else spec.minimum <= value <= top
    if not legal:
        return MetricScore(spec.name, spec.variant, None, ScoreState.OUT_OF_RANGE, reason)
    return MetricScore(spec.name, spec.variant, value, ScoreState.OK, reason)
