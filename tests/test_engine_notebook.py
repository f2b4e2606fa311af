"""A notebook reads the documented views, and changes nothing."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest
from judged_workspaces import Desk

from engine import notebook
from store import views
from store.errors import UsageError, WorkspaceError

EXAMPLE = Path(__file__).parent.parent / "docs/examples/scores.ipynb"
DOCUMENTED = Path(__file__).parent.parent / "docs/notebooks.md"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    made = Desk(tmp_path_factory.mktemp("notebook"))
    made.label_all(count=3)
    made.judge("model")
    return made


def test_rows_are_chosen_by_their_columns(desk: Desk) -> None:
    with notebook.open(desk.folder) as opened:
        (run,) = opened.runs()
        assert (run["run"], run["dataset"]) == ("r", "gold@1")
        assert run["config"]["retriever"] == "bm25"
        predictions = opened.predictions(run="r")
        assert predictions[0]["answer"] == "answer 0"
        assert predictions[0]["golden_answers"]
        right = opened.scores(judge="rules", value=2.0)
        assert {row["value"] for row in right} == {2.0}
        assert len(right) < len(opened.scores(judge="rules")) == len(predictions)
        assert {row["state"] for row in opened.items(dataset="gold")} == {"accepted"}
        labels = opened.labels(field="accuracy", rater="anna")
        assert {row["item"] for row in labels} == {row["item"] for row in predictions[:3]}
        assert sorted(row["value"] for row in labels) == [desk.truth(at) for at in range(3)]
        with pytest.raises(UsageError, match="'metrics'"):
            opened.scores(metrics="f1")


def test_a_data_frame_holds_the_same_rows(desk: Desk) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    with notebook.open(desk.folder) as opened:
        for view in ("runs", "predictions", "scores", "items", "labels"):
            rows, frame = getattr(opened, view)(), getattr(opened, view)(frame=True)
            assert list(frame.columns) == views.columns(desk.workspace.db, view)
            assert len(frame) == len(rows) > 0
            for name in rows[0]:
                for mine, given in zip(rows, frame[name].tolist(), strict=True):
                    # what is null in a column of numbers is not a number there
                    assert given == mine[name] or (mine[name] is None and given != given), name
        scores = opened.scores(frame=True, judge="rules", state="ok")
        rows = opened.scores(judge="rules", state="ok")
        assert scores["value"].mean() == sum(row["value"] for row in rows) / len(rows)
        none = opened.scores(frame=True, run="nothing-so-called")
        assert (len(none), list(none.columns)) == (0, list(scores.columns))


def test_a_data_frame_without_pandas_says_what_to_install(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with (
        notebook.open(desk.folder) as opened,
        pytest.raises(UsageError, match="pip install pandas"),
    ):
        opened.runs(frame=True)


def test_nothing_can_be_written(desk: Desk) -> None:
    with (
        notebook.open(desk.folder) as opened,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        opened._db.execute("DELETE FROM score")


def test_what_is_no_workspace_or_too_old_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="no workspace"):
        notebook.open(tmp_path)
    old = sqlite3.connect(tmp_path / "ragdesk.sqlite")
    old.execute("CREATE TABLE run (id INTEGER)")
    old.close()
    with pytest.raises(WorkspaceError, match="older ragdesk"):
        notebook.open(tmp_path)


def test_every_column_of_every_view_is_documented(desk: Desk) -> None:
    said = DOCUMENTED.read_text("utf-8")
    for view in ("runs", "predictions", "scores", "items", "labels"):
        (line,) = [line for line in said.splitlines() if line.startswith(f"| `v1_{view}`")]
        for column in views.columns(desk.workspace.db, view):
            assert f"`{column}`" in line, (view, column)


def test_the_example_runs(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # by the model every third answer is worth 0
    with desk.workspace.write() as db:
        db.execute("UPDATE metric SET name = 'f1' WHERE name = 'accuracy'")
    desk.workspace.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copytree(desk.folder, tmp_path / "workspace")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for cell in json.loads(EXAMPLE.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert set(names["means"]) == {"f1"}
    answers = names["answers"]
    assert isinstance(answers, list)
    assert len(answers) == sum(desk.truth(at) == 0 for at in range(len(desk.answers)))
