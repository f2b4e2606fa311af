"""An equal run's items are copied whole, and nothing that could differ is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tiny_workspaces import (
    Released,
    f1,
    prediction_ids,
)

from store.hashing import canonical_json
from store.records import PredictionState
from store.runs import equal_runs, runs, stages
from store.runs.runs import Run, RunSettings
from store.runs.stages import AnswerValue, ScoreValue
from store.systems import SystemConfig
from store.workspace import Workspace

SYSTEM = SystemConfig(name="model", generator="p")
PROVIDER = {"name": "p", "base_url": "http://h/v1", "model": "m", "limits": {"rpm": 5}}
SETTINGS = RunSettings(provider=PROVIDER, prompts={"en/answer": "Answer."})
CODE = "code-1"


def new_run(workspace: Workspace, released: Released, name: str, settings=SETTINGS) -> Run:
    order = [(revision, 3 if key == "c" else 1) for key, (_, revision) in released.items.items()]
    with workspace.write() as db:
        return runs.create(db, name, released.release.id, SYSTEM, settings, order)


def answer(workspace: Workspace, prediction: int, code: str = CODE) -> None:
    with workspace.write() as db:
        stages.finish_prediction(db, prediction, PredictionState.OK, answer=f"answer {prediction}")
        value = AnswerValue()
        stages.put(db, prediction, "answer", value, elapsed_ms=5.0, call_key=f"k{prediction}")
        stages.put_scores(db, prediction, [f1(0.5)])
        stages.put(db, prediction, "score", ScoreValue(1, code), elapsed_ms=1.0)


def copied(workspace: Workspace, source: Run, target: Run, code: str = CODE) -> list[str | None]:
    """The answers of `target` after copying one item at a time."""
    after: int | None = -1
    while after is not None:
        with workspace.write() as db:
            after = equal_runs.copy(
                db, source.id, target.id, codes=[code], judge_id=1, after=after, limit=1
            )
    found = workspace.db.execute(
        "SELECT answer FROM prediction WHERE run_id = ? ORDER BY ordinal", (target.id,)
    )
    return [text for (text,) in found]


@pytest.fixture
def source(workspace: Workspace, released: Released) -> Run:
    """Everything answered and scored: items of 1, 1 and 3 turns."""
    run = new_run(workspace, released, "source")
    for prediction in prediction_ids(workspace.db, run):
        answer(workspace, prediction)
    return run


def test_answers_stages_and_scores_are_copied(workspace, released, source):
    target = new_run(workspace, released, "target")
    old = prediction_ids(workspace.db, source)
    assert copied(workspace, source, target) == [f"answer {number}" for number in old]
    progress = runs.progress(workspace.db, target.id)
    assert (progress.ok, progress.scored, progress.pending) == (5, 5, 0)
    (scores,) = workspace.db.execute(
        "SELECT count(*) FROM score JOIN prediction ON prediction.id = prediction_id"
        " WHERE run_id = ? AND value = 0.5",
        (target.id,),
    ).fetchone()
    assert scores == 5
    new = prediction_ids(workspace.db, target)[0]
    assert stages.get(workspace.db, new, "answer", AnswerValue).cached


def test_what_other_code_scored_is_not_copied(workspace, released, source):
    target = new_run(workspace, released, "target")
    assert copied(workspace, source, target, code="code-2") == [None] * 5


def test_a_dialogue_with_a_turn_that_failed_is_not_copied(workspace, released):
    source = new_run(workspace, released, "source")
    first, second, *turns = prediction_ids(workspace.db, source)
    for prediction in (first, second, turns[0], turns[2]):
        answer(workspace, prediction)
    with workspace.write() as db:
        stages.finish_prediction(
            db, turns[1], PredictionState.FAILED, error_kind="timeout", error_text="late"
        )
    target = new_run(workspace, released, "target")
    answers = copied(workspace, source, target)
    assert answers == [f"answer {first}", f"answer {second}", None, None, None]


def test_an_item_that_was_begun_is_left_alone(workspace, released, source):
    target = new_run(workspace, released, "target")
    begun = prediction_ids(workspace.db, target)[2]
    answer(workspace, begun)
    answers = copied(workspace, source, target)
    assert answers[2:] == [f"answer {begun}", None, None]


def test_repeats_are_copied_by_their_number(workspace, released, source):
    target = new_run(workspace, released, "target", replace(SETTINGS, repeats=2))
    answers = copied(workspace, source, target)
    assert None not in answers[:5]
    assert answers[5:] == [None] * 5


@pytest.mark.parametrize(
    ("changed", "equal"),
    [
        ({"seed": 7}, True),
        ({"provider": {**PROVIDER, "limits": {}, "name": "other"}}, True),
        ({"provider": {**PROVIDER, "model": "n"}}, False),
        ({"provider": {**PROVIDER, "temperature": 0.5}}, False),
        ({"prompts": {"en/answer": "Answer well."}}, False),
        ({"corpus_fingerprint": "other"}, False),
    ],
)
def test_runs_are_equal_when_all_that_makes_an_answer_is(
    workspace, released, source, changed, equal
):
    target = new_run(workspace, released, "target", replace(SETTINGS, **changed))
    assert (equal_runs.find(workspace.db, target) == [source.id]) == equal
    assert canonical_json(target.settings) != canonical_json(source.settings)
