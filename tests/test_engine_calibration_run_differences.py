"""Two runs corrected by people's labels: beside the judge's word, by cell, in a ranking."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from judged_workspaces import ITEMS, Desk
from msgspec.structs import replace

from engine.report.comparison import gate_lines, leaderboard_as_json, leaderboard_text, render
from engine.results.comparison import GateVerdict
from engine.results.gate import Gate, check_gate
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import compare_runs, rank_runs

ACCURACY = MetricQuery("accuracy", judge="kind")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Two runs that people find alike; the judge calls all answers of the second right."""
    desk = Desk(tmp_path / "w")
    with desk.workspace:
        desk.answers = [*desk.answers, *desk.answered("s")]
        kind = desk.judge("kind")
        with desk.workspace.write():
            for at in range(ITEMS, 2 * ITEMS):
                desk.score(kind, at, 2)
        yield desk


def test_a_judge_kinder_to_one_run_is_corrected(desk: Desk) -> None:
    for at in range(2 * ITEMS):
        if at % ITEMS < 24:
            desk.label("anna", at, desk.truth(at))
    view = compare_runs(desk.workspace.db, "r", "s", ACCURACY)
    assert view.comparison.overall.verdict == "b better"
    found = view.corrected
    assert found is not None
    one = found.overall
    assert (one.is_paired, one.paired, one.questions) == (True, 24, ITEMS)
    assert one.judge == pytest.approx(-0.5)
    assert one.difference == pytest.approx(0)
    assert (one.run.target, one.new.target) == ("run", "new")
    text = render(view, "text")
    assert "Corrected by people's labels (both answers of 24 questions)" in text
    assert "by the judge alone -0.500" in text
    said = json.loads(render(view, "json"))["corrected"]["overall"]
    assert said["new"]["method"] == "t"
    assert "校正" in render(compare_runs(desk.workspace.db, "r", "s", _in_chinese()), "markdown")


def _in_chinese() -> MetricQuery:
    return MetricQuery("accuracy", judge="kind", lang="zh")


def test_a_ranking_says_which_order_survives(desk: Desk) -> None:
    key, board = rank_runs(desk.workspace.db, ["r", "s"], ACCURACY)
    assert board.corrected == {}
    assert "correction" not in leaderboard_text(key, board, "en")
    for at in range(2 * ITEMS):
        desk.label("anna", at, desk.truth(at) if at < ITEMS else 0)
    key, board = rank_runs(desk.workspace.db, ["r", "s"], ACCURACY)
    text = leaderboard_text(key, board, "en")
    assert "After correction by people's labels: turned round: s > r." in text
    (pair,) = leaderboard_as_json(key, board)["corrected"]
    assert (pair["a"], pair["b"], pair["order"]) == ("s", "r", "turned round")
    assert pair["run"].state == "census"
    assert "反转：s > r" in leaderboard_text(key, board, "zh")


def test_labels_of_one_run_alone_correct_no_difference(desk: Desk) -> None:
    desk.label_all()
    assert compare_runs(desk.workspace.db, "r", "s", ACCURACY).corrected is None
    assert compare_runs(desk.workspace.db, "r", "s", ACCURACY).comparison.overall.items == ITEMS


def test_labels_in_conflict_bound_the_difference(desk: Desk) -> None:
    for at in range(2 * ITEMS):
        if at % ITEMS < 24:
            desk.label("anna", at, desk.truth(at))
    desk.label("bo", 1, 2)
    found = compare_runs(desk.workspace.db, "r", "s", ACCURACY).corrected
    assert found is not None
    assert found.conflicts == 1
    assert found.bounds is not None
    assert found.overall.run.low is not None
    assert found.bounds[0] <= found.overall.run.low
    text = render(compare_runs(desk.workspace.db, "r", "s", ACCURACY), "text")
    assert "1 labels in conflict" not in text
    assert "1 label in conflict left out" in text


GATE = Gate("accuracy", 0.3)


def test_a_gate_on_a_judges_metric_is_decided_by_labels_where_there_are_enough(desk: Desk) -> None:
    db = desk.workspace.db
    alone = check_gate(db, "r", "s", GATE, ACCURACY)
    assert (alone.verdict, alone.corrected) == (GateVerdict.NOT_MET, None)
    for at in range(2 * ITEMS):
        if at % ITEMS < 24:
            desk.label("anna", at, desk.truth(at))
    result = check_gate(db, "r", "s", GATE, ACCURACY)
    assert result.verdict is GateVerdict.HOLDS
    view = replace(compare_runs(db, "r", "s", ACCURACY), gates=(alone, result))
    by_judge, by_labels = gate_lines(view)
    assert by_judge.endswith("by the judge alone.")
    assert "corrected by people's labels (both answers of 24 questions), A minus B is" in by_labels
    assert "by the judge alone -0.500" in by_labels
    said = json.loads(render(view, "json"))["gates"]
    assert said[0]["corrected"] is None
    assert said[1]["corrected"]["paired"] == 24
    chinese = replace(result, lang="zh")
    assert "按人工标注校正" in gate_lines(replace(view, gates=(chinese,)))[0]


def test_labels_in_conflict_leave_a_gate_open(desk: Desk) -> None:
    for at in range(2 * ITEMS):
        if at % ITEMS < 24:
            desk.label("anna", at, desk.truth(at))
    for at in range(0, 24, 3):
        desk.label("bo", ITEMS + at, 2)
    db = desk.workspace.db
    result = check_gate(db, "r", "s", GATE, ACCURACY)
    assert result.verdict is GateVerdict.UNDECIDED
    view = replace(compare_runs(db, "r", "s", ACCURACY), gates=(result,))
    assert "with 8 labels in conflict from -" in gate_lines(view)[0]
