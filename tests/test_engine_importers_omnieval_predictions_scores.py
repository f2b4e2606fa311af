"""Values of others come onto our scales, and what is no value says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.importers.omnieval_files import ResultFile
from engine.importers.omnieval_predictions import omnieval_scores
from store.errors import InputError
from store.formats.omnieval import ResultBlock
from store.records import MetricScore, PredictionState, ScoreState
from store.runs.predictions import StoredPrediction

KEYS = [(10, 0, 0), (11, 0, 0)]
PREDICTIONS = {
    key: StoredPrediction(number, PredictionState.OK, "x") for number, key in enumerate(KEYS, 1)
}
FILE = "a - b - c.pred.jsonl"


def results(file: str = FILE, **lists: tuple[float, ...]) -> ResultFile:
    return ResultFile(Path("r.jsonl"), (ResultBlock(1, file, lists),))


@pytest.mark.parametrize(
    ("metric", "value", "state", "stored"),
    [
        ("accuracy", 0.5, ScoreState.OK, 1.0),
        ("utilization", 1.0, ScoreState.OK, 2.0),
        ("hallucination", 1.0, ScoreState.OK, 1.0),
        ("accuracy", 1.5, ScoreState.OUT_OF_RANGE, None),
        ("accuracy", 0.25, ScoreState.OUT_OF_RANGE, None),
        ("hallucination", 2.0, ScoreState.OUT_OF_RANGE, None),
        ("accuracy", -1.0, ScoreState.MISSING, None),
        ("f1", 0.31, ScoreState.OK, 0.31),
    ],
)
def test_a_value_is_stored_on_our_scale(
    metric: str, value: float, state: ScoreState, stored: float | None
):
    scores, notes = omnieval_scores([results(**{metric: (value, 0.0)})], {FILE: KEYS}, PREDICTIONS)
    (score,) = scores[1]
    assert (score.metric, score.state, score.value) == (metric, state, stored)
    assert notes == ()


def test_every_prediction_gets_every_metric_that_a_file_has():
    scores, _ = omnieval_scores([results(accuracy=(1.0,))], {FILE: KEYS[:1]}, PREDICTIONS)
    assert scores[2] == [
        MetricScore(
            *("accuracy", "standard", None, ScoreState.MISSING),
            "the result files say nothing about it",
        )
    ]


def test_files_may_repeat_a_value_and_may_not_contradict_it():
    same = [results(f1=(0.5, 0.0)), results(f1=(0.5, 0.0))]
    assert omnieval_scores(same, {FILE: KEYS}, PREDICTIONS)[0][1][0].value == 0.5
    other = [results(f1=(0.5, 0.0)), results(f1=(0.5, 1.0))]
    with pytest.raises(InputError, match=r"f1: value 2 is 1\.0, and 0\.0 in another file"):
        omnieval_scores(other, {FILE: KEYS}, PREDICTIONS)


def test_what_is_left_out_is_said():
    files = [results(factuality=(1.0, 0.0)), results("other.pred.jsonl", f1=(1.0,))]
    scores, notes = omnieval_scores(files, {FILE: KEYS}, PREDICTIONS)
    assert scores == {}
    assert [note.removeprefix("left out of the result files: ") for note in notes] == [
        "other.pred.jsonl, which is not among the predictions",
        "metric factuality",
    ]
