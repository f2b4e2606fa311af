"""A gate holds, is not met, or is undecided, by the interval of a difference over groups."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_workspaces import answer_and_score, make_release, make_run, prediction_ids, question

from engine.results.comparison import GateVerdict
from engine.results.gate import Gate, check_gate, gate_verdict
from engine.results.metric_query import MetricQuery
from engine.statistics.inference import Difference, Verdict
from store.corpora.corpora import Corpus
from store.errors import UsageError
from store.records import MetricScore, ScoreState
from store.runs import runs, stages
from store.workspace import Workspace
from tui.cli import main

ITEMS = 12
WORSE, SPREAD, FEW = "worse", "spread", "few"
"""Runs beside `base`: .1 worse on every item, as often better as worse, other on five items."""


def scores_of(run: str, place: int) -> list[MetricScore]:
    shift = {
        "base": 0.0,
        WORSE: -0.1,
        SPREAD: 0.1 if place % 2 else -0.1,
        FEW: -0.1 if place < 5 else 0.0,
    }[run]
    # a little of each item's own, or resampling has nothing to vary
    value = 0.5 + shift * (1 + place / 100)
    return [
        MetricScore("f1", "standard", value),
        MetricScore("hallucination", "standard", value),
        MetricScore("length", "crud", 10 * value),
    ]


@pytest.fixture
def runs_of(workspace: Workspace, corpus: Corpus) -> Workspace:
    """Four runs over twelve items, each item a group."""
    with workspace.write() as db:
        contents = {f"q{place:02}": question(f"What is {place}?") for place in range(ITEMS)}
        released = make_release(db, corpus, contents=contents)
        for name in ("base", WORSE, SPREAD, FEW):
            run = make_run(db, released, name)
            for place, number in enumerate(prediction_ids(db, run)):
                answer_and_score(db, number, scores_of(name, place))
    return workspace


def verdict(workspace: Workspace, a: str, b: str, text: str) -> GateVerdict:
    gate = Gate.read(text)
    return check_gate(workspace.db, a, b, gate, MetricQuery(gate.metric)).verdict


@pytest.mark.parametrize(
    ("a", "gate", "expected"),
    [
        (WORSE, "f1:0.05", GateVerdict.NOT_MET),
        (WORSE, "f1:0.2", GateVerdict.HOLDS),
        (WORSE, "f1:0.105", GateVerdict.UNDECIDED),
        (SPREAD, "f1", GateVerdict.UNDECIDED),
        (SPREAD, "f1:0.1", GateVerdict.HOLDS),
        (FEW, "f1:0.9", GateVerdict.UNDECIDED),
        ("base", "f1", GateVerdict.HOLDS),
        # lower is better
        (WORSE, "hallucination", GateVerdict.HOLDS),
    ],
)
def test_a_run_is_held_against_another_by_a_margin(runs_of, a, gate, expected):
    assert verdict(runs_of, a, "base", gate) is expected


def test_more_of_what_is_bad_is_worse(runs_of):
    assert verdict(runs_of, "base", WORSE, "hallucination:0.05") is GateVerdict.NOT_MET


def difference(**fields: object) -> Difference:
    plain = {
        "items": 40,
        "groups": 40,
        "mean_a": 0.5,
        "mean_b": 0.5,
        "difference": 0.0,
        "p": 1.0,
        "p_holm": None,
        "mcnemar": None,
        "wins": 5,
        "ties": 30,
        "losses": 5,
        "low": -0.01,
        "high": 0.01,
        "verdict": Verdict.NO_DIFFERENCE,
        "groups_differing": 10,
    }
    return Difference(**(plain | fields))


@pytest.mark.parametrize(
    ("found", "margin", "expected"),
    [
        (difference(), 0.01, GateVerdict.HOLDS),
        (difference(), 0.009, GateVerdict.UNDECIDED),
        (difference(low=-0.3, high=-0.2), 0.2, GateVerdict.UNDECIDED),
        (difference(low=-0.3, high=-0.21), 0.2, GateVerdict.NOT_MET),
        (difference(groups_differing=5), 0.5, GateVerdict.UNDECIDED),
        (difference(groups=5, low=None, high=None), 0.5, GateVerdict.UNDECIDED),
        (difference(wins=0, losses=0, ties=40, low=None, high=None), 0, GateVerdict.HOLDS),
        (difference(items=0, wins=0, losses=0, ties=0, low=None), 0.5, GateVerdict.UNDECIDED),
    ],
)
def test_the_interval_decides_where_enough_groups_differ(found, margin, expected):
    assert gate_verdict(found, margin, True) is expected


def test_what_a_run_failed_on_leaves_a_gate_open_unless_it_is_not_met(runs_of):
    with runs_of.write() as db:
        numbers = prediction_ids(db, runs.get(db, WORSE))
        failed = MetricScore("f1", "standard", None, ScoreState.ERROR, "no reply")
        db.execute("DELETE FROM score WHERE prediction_id = ?", (numbers[0],))
        stages.put_scores(db, numbers[0], [failed], judge_id=0)
    result = check_gate(runs_of.db, WORSE, "base", Gate("f1", 0.2), MetricQuery("f1"))
    assert (result.verdict, result.unscored) == (GateVerdict.UNDECIDED, 1)
    assert verdict(runs_of, WORSE, "base", "f1:0.05") is GateVerdict.NOT_MET
    # what the other run lacks is no fault of this one
    assert verdict(runs_of, "base", WORSE, "f1") is GateVerdict.HOLDS


@pytest.mark.parametrize("text", ["", ":0.1", "f1:", "f1:x", "f1:-0.1", "f1:1", "f1:nan"])
def test_a_gate_that_says_nothing_is_refused(text):
    with pytest.raises(UsageError, match="METRIC"):
        Gate.read(text)


def test_the_command_ends_as_its_gates_came_out(runs_of, tmp_path: Path, capsys):
    def call(*words: str) -> tuple[int, str, str]:
        code = main(["--workspace", str(runs_of.folder), "compare", *words, "--lang", "en"])
        out = capsys.readouterr()
        return code, out.out, out.err

    bar = "--fail-if-worse"
    code, out, _ = call(WORSE, "base", bar, "f1:0.2", bar, "hallucination")
    assert code == 0
    assert "Holds: worse (A) is not worse than base (B) on f1 by more than 0.2: A minus B" in out
    assert call(SPREAD, "base", bar, "f1")[0] == 5
    assert call(WORSE, "base", bar, "f1:0.105", bar, "f1:0.05")[0] == 4
    code, out, _ = call(FEW, "base", bar, "f1:0.5", "--json")
    (gate,) = json.loads(out)["gates"]
    assert (code, gate["verdict"], gate["difference"]["groups_differing"]) == (5, "undecided", 5)
    assert "only 5 groups differ, and 6 are needed" in gate["sentence"]
    code, out, err = call(WORSE, "base", bar, "f1", "--format", "csv")
    assert code == 4
    assert "Not met: worse (A) is worse than base (B) on f1: A minus B is -0.10" in err
    assert call(WORSE, "base", bar, "length")[0] == 2
    assert call(WORSE, "base", bar, "f1:2")[0] == 2
    assert "gates" not in json.loads(call(WORSE, "base", "--json")[1])
