"""Systems are ranked over several datasets by the mean of their means."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from tiny_workspaces import (
    SYSTEM,
    Released,
    answer_and_score,
    f1,
    make_corpus,
    make_release,
    prediction_ids,
    question,
)

from engine.exporters.runs import export_runs
from engine.report.macro import macro_as_json, macro_text
from engine.results.comparison import MacroBoard
from engine.results.macro import macro_board
from engine.results.metric_query import MetricQuery
from store.datasets import datasets
from store.errors import InputError, UsageError
from store.runs import runs
from store.runs.runs import RunSettings
from store.workspace import Workspace, open_workspace
from tui.cli import main


def answered(workspace: Workspace, released: Released, system: str, values: list[float]) -> str:
    """The name of a run of the system with these values of F1, one an item."""
    name = f"{system}-{released.release.dataset_name}"
    with workspace.write() as db:
        items = datasets.released_items(db, released.release.id)
        order = [(item.revision_id, 1) for item in items]
        config = replace(SYSTEM, name=system)
        run = runs.create(db, name, released.release.id, config, RunSettings(), order)
        for number, value in zip(prediction_ids(db, run), values, strict=True):
            answer_and_score(db, number, [f1(value)])
    return name


@pytest.fixture
def two(workspace: Workspace) -> tuple[Released, Released]:
    """The datasets `large` of three items and `small` of one."""
    with workspace.write() as db:
        corpus = make_corpus(db)
        return (
            make_release(db, corpus, "large", {key: question(key) for key in ("a", "b", "c")}),
            make_release(db, corpus, "small", {"z": question("z")}),
        )


def ranked(workspace: Workspace, *names: str) -> MacroBoard:
    return macro_board(workspace.db, names, MetricQuery("f1"))


def test_each_dataset_weighs_the_same(workspace: Workspace, two: tuple[Released, Released]) -> None:
    large, small = two
    names = [
        answered(workspace, large, "broad", [1.0, 1.0, 1.0]),
        answered(workspace, small, "broad", [0.0]),
        answered(workspace, large, "even", [0.6, 0.6, 0.6]),
        answered(workspace, small, "even", [0.6]),
        answered(workspace, large, "half", [1.0, 1.0, 1.0]),
    ]
    board = ranked(workspace, *names)
    # over all four questions `broad` has .75
    assert [(row.system, row.mean) for row in board.rows] == [
        ("even", pytest.approx(0.6)),
        ("broad", 0.5),
        ("half", None),
    ]
    assert [one.items for one in board.boards.values()] == [3, 1]
    text = macro_text(board, "en", width=80)
    assert "large: 3 turns in 3 groups; small: 1 turn in 1 group" in text
    assert "宏平均" in macro_text(board, "zh")
    report = macro_as_json(board)
    assert report["systems"][2] == {"system": "half", "macro_mean": None}
    assert report["datasets"]["small"]["standings"][0]["mean"] == 0.6


def test_a_second_run_of_a_system_on_a_dataset_is_refused(
    workspace: Workspace, two: tuple[Released, Released]
) -> None:
    name = answered(workspace, two[0], "broad", [1.0, 1.0, 1.0])
    with workspace.write() as db:
        copy = runs.create(
            db, "again", two[0].release.id, replace(SYSTEM, name="broad"), RunSettings(), []
        )
    with pytest.raises(UsageError, match="two runs on dataset 'large': broad-large, again"):
        ranked(workspace, name, copy.name)


def test_runs_of_several_datasets_become_one_submission(
    workspace: Workspace, two: tuple[Released, Released], tmp_path: Path
) -> None:
    names = [
        answered(workspace, two[0], "s", [1.0, 0.0, 0.0]),
        answered(workspace, two[1], "s", [1.0]),
        answered(workspace, two[1], "t", [1.0]),
    ]
    export_runs(workspace, names[:2], "financerag", tmp_path / "out")
    with (tmp_path / "out/results.csv").open(encoding="utf-8") as lines:
        header, *rows = csv.reader(lines)
    assert header == ["query_id", "corpus_id"]
    assert [query for query, _ in rows] == ["a", "b", "c", "z"]
    for others in (names[:1], names[1:]):
        export_runs(workspace, others, "financerag", tmp_path / "out", force=True)
        assert not (tmp_path / "out/results.csv").exists()


def test_a_query_of_two_datasets_cannot_be_submitted(workspace: Workspace, tmp_path: Path) -> None:
    with workspace.write() as db:
        corpus = make_corpus(db)
        both = [make_release(db, corpus, name, {"q": question()}) for name in ("one", "two")]
    names = [answered(workspace, released, "s", [1.0]) for released in both]
    with pytest.raises(InputError, match="Query 'q' of two is in another dataset too"):
        export_runs(workspace, names, "financerag", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command_prints_text_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "workspace"
    with open_workspace(folder, create=True) as workspace:
        with workspace.write() as db:
            released = make_release(db, make_corpus(db), "one", {"q": question()})
        name = answered(workspace, released, "s", [0.25])
    command = ["leaderboard", name, "--macro", "--workspace", str(folder)]
    assert main(command) == 0
    assert "0.250" in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"] == [{"system": "s", "macro_mean": 0.25}]
