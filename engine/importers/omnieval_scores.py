"""The values of OmniEval's result files as scores of the predictions that they evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.importers.foreign_scores import NO_VALUE, Scores, checked, missing
from engine.importers.omnieval_files import OmniFiles, ResultFile
from engine.metrics.spec import MetricSpec, resolve
from store.errors import InputError, UsageError
from store.formats.omnieval import NOT_SCORED
from store.records import MetricScore
from store.runs.predictions import PredictionKey, StoredPrediction

_MINUS_ONE = (
    "their file says -1, which stands both for a metric that does not apply and for a reply that"
    " was not understood"
)


def omnieval_scores(
    files: Sequence[ResultFile],
    keys: Mapping[str, Sequence[PredictionKey]],
    predictions: Mapping[PredictionKey, StoredPrediction],
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
            for metric, given in block.lists.items():
                place = f"{file.path}, line {block.line}: {metric}"
                if len(given) != len(rows):
                    raise InputError(
                        f"{place}: {len(given)} values for {len(rows)} predictions.",
                        "Give the predictions that were evaluated.",
                    )
                _merge(place, values.setdefault(metric, {}), zip(rows, given, strict=True))
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
        return missing(spec, NO_VALUE if value is None else _MINUS_ONE)
    stored = value * (spec.maximum or 1.0) if spec.values else value
    return checked(spec, stored, f"their file says {value}")
