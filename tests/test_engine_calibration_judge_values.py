"""What a judge was taught is in no figure of it: whole groups, whoever taught whom."""

from __future__ import annotations

from typing import Any

from tiny_workspaces import Released, prediction_ids

from engine.calibration.judge_values import learned_groups
from store.runs import judge_scores, stages
from store.runs.judge_scores import StoredJudge
from store.runs.runs import Run
from store.workspace import Workspace


def judge(workspace: Workspace, name: str, **config: Any) -> StoredJudge:
    with workspace.write() as db:
        number = stages.put_judge(db, name, {"judge": name, **config})
    return judge_scores.get(workspace.db, number)


def test_an_example_teaches_of_its_whole_group(workspace: Workspace, released: Released) -> None:
    """Of the other turns of its dialogue, though nobody labelled that one, nor answered it."""
    shown = judge(workspace, "shown", examples=[{"question": "And then? (0)"}])
    assert learned_groups(workspace.db, shown) == {"group of c"}
    assert learned_groups(workspace.db, judge(workspace, "plain")) == set()


def test_a_jury_knows_what_its_members_know(workspace: Workspace, run: Run) -> None:
    first = prediction_ids(workspace.db, run)[0]
    taught = judge(workspace, "taught", trained_on=[first])
    shown = judge(workspace, "shown", examples=[{"question": "And then? (1)"}])
    members = [{"judge": one.name, "hash": one.hash} for one in (taught, shown)]
    jury = judge(workspace, "jury", kind="jury", members=members)
    assert learned_groups(workspace.db, jury) == {"group of a", "group of c"}
