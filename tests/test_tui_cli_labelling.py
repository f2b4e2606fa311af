"""The commands for labels: draw, label, undo and read, without the app."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from labelling_workspaces import make_drafts, new_workspace

from tui.cli import main


@pytest.fixture
def call(tmp_path: Path, capsys):
    """Calls a command on a workspace with eight drafted items; returns exit code and output."""
    folder = tmp_path / "workspace"
    with new_workspace(folder) as workspace, workspace.write() as db:
        make_drafts(db)

    def run(line: str, rater: str = "王芳"):
        capsys.readouterr()
        code = main([*line.split(), "--workspace", str(folder), "--rater", rater])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def as_json(result):
    code, out, err = result
    assert code == 0, err
    return json.loads(out)


def test_a_sample_is_drawn_assigned_and_listed(call):
    drawn = as_json(call("sample draw pilot --dataset drafts --per-cell 3 --json"))
    assert (drawn["added"], len(drawn["short"])) == (8, 4)
    assert call("assign pilot 王芳 li")[1] == "sample pilot is for 王芳, li\n"
    assert call("labels next", rater="other")[1:] == ("", "nothing is left in your queue\n")
    assert "王芳, li" in call("sample list")[1]


def test_a_subject_is_labelled_undone_and_shown(call):
    call("sample draw pilot --dataset drafts --per-cell 1")
    subject = as_json(call("labels next --json"))["subject"]["id"]
    code, out, err = call(f"labels set {subject} answer=0 score=5")
    assert (code, out) == (0, "saved #2, complete\n")
    assert "warning: Scored as good" in err
    assert as_json(call("labels progress --json"))["today"] == 1
    assert call("labels undo")[1] == f"saved #3: undo of score on revision {subject}\n"
    assert call("labels redo")[0] == 0
    shown = as_json(call(f"labels show {subject} --json"))
    assert {one["field"]: one["value"] for one in shown} == {"answer": 0, "score": 5}
    assert as_json(call(f"labels show {subject} --json", rater="li")) == []


def test_notes_take_one_kind_at_a_time(call):
    assert call("labels note 1 --comment why --field answer")[1] == "saved #1\n"
    assert call("labels note 1 --flag on")[0] == 0
    assert call("labels note 1 --exclude broken")[0] == 0
    assert call("labels note 1 --exclude tired")[0] == 1
    assert call("labels note 1 --flag on --postpone on")[0] == 2


def test_statistics_and_conflicts_of_two_raters(call):
    call("labels set 1 score=5")
    call("labels set 1 score=1", rater="li")
    call("labels set 2 score=2")
    (row,) = as_json(call("labels statistics --json"))
    assert (row["judged"], row["accepted"], row["acceptance"]) == (2, 1, 0.5)
    assert len(as_json(call("labels statistics --by cell --json"))) == 2
    assert call("labels statistics --by colour")[0] == 2
    (conflict,) = as_json(call("adjudicate list --json", rater="zhang"))
    assert [one["value"] for one in conflict["raters"]] == [1, 5]
    log = [json.loads(line) for line in call("labels events")[1].splitlines()]
    assert [event["value"] for event in log] == [5, 2]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("labels set 1 score=7", 1, "takes 1, 2, 3, 4, 5"),
        ("labels set 1 score", 2, "FIELD=VALUE"),
        ("labels set 99 score=4", 1, "no revision with number 99"),
        ("labels set x score=4", 1, "names no revision"),
        ("labels set 1 grade=4", 1, "no field 'grade'"),
        ("labels next --form none", 1, "no form 'none'"),
        ("assign nothing", 1, "no sample 'nothing'"),
        ("guideline set missing.md", 1, "cannot be read"),
    ],
)
def test_what_is_wrong_is_said(call, line, code, message):
    found, _, err = call(line)
    assert found == code
    assert message in err


def test_forms_and_guidelines_are_read(call, tmp_path: Path):
    assert len(as_json(call("labels forms --json"))) == 6
    assert "no guideline" in call("guideline show")[2]
    (tmp_path / "g.md").write_text("先读证据。\n", "utf-8")
    assert call(f"guideline set {tmp_path / 'g.md'}")[1] == "guideline of inspection: version 1\n"
    assert call("guideline show")[1] == "先读证据。\n"
