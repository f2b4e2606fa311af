"""A run on evolved items beside the initial ones of the same families."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tiny_workspaces import (
    answer_and_score,
    f1,
    make_corpus,
    make_release,
    make_run,
    prediction_ids,
    question,
)

from engine.report import sheets
from engine.report.evolution import change_sheets
from engine.results.evolved import evolved_run
from store.errors import InputError
from store.workspace import Workspace

INITIAL, EVOLVED = 0.8, 0.3


def test_families_are_compared_with_their_own_initial_question(workspace: Workspace) -> None:
    contents = {}
    for family in range(8):
        for stage in ("initial", "evolved") if family else ("initial",):
            content = question(f"What of {family} {stage}?", root=f"r{family}", stage=stage)
            task = "query_concatenation" if stage == "evolved" else "details_query"
            contents[f"{family}-{stage}"] = replace(content, task=task)
    with workspace.write() as db:
        run = make_run(db, make_release(db, make_corpus(db), contents=contents))
        for key, number in zip(contents, prediction_ids(db, run), strict=True):
            answer_and_score(db, number, [f1(EVOLVED if "evolved" in key else INITIAL)])
    (found,) = evolved_run(workspace.db, run.name, ["f1"])
    by_part = {one.part: one for one in found.changes}
    assert set(by_part) == {"evolved", "query_concatenation"}
    assert by_part["evolved"].families == 7
    assert by_part["evolved"].difference.mean == pytest.approx(EVOLVED - INITIAL)
    assert by_part["evolved"].difference.high is not None
    assert "-0.500" in sheets.text(change_sheets([found]))


def test_a_run_on_other_items_is_refused(workspace: Workspace) -> None:
    with workspace.write() as db:
        run = make_run(db, make_release(db, make_corpus(db)))
    with pytest.raises(InputError, match="no evolved items"):
        evolved_run(workspace.db, run.name, ["f1"])
