"""`judges`, `judge`, `calibrate` and `import scores` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from judged_workspaces import ITEMS, Desk

from store.workspace import open_workspace
from tui.cli import main


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "w")
    desk.workspace.close()
    return desk


def call(desk: Desk, *words: str) -> int:
    return main([*words, "--workspace", str(desk.folder)])


def test_judges_are_listed(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(desk, "judges") == 0
    assert "rules" in capsys.readouterr().out
    assert call(desk, "judges", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)["judges"]
    assert (found["name"], found["kind"]) == ("rules", "rules")


def test_a_dry_run_of_the_rules_takes_no_call(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(desk, "judge", "r", "--judge", "rules", "--dry-run", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["answers"], found["calls"]) == (ITEMS, 0)


def test_scores_come_in_and_are_calibrated(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s.jsonl"
    lines = [
        json.dumps({"id": f"q{at:05}", "metric": "accuracy", "value": at % 3})
        for at in range(ITEMS)
    ]
    file.write_text("\n".join(lines), "utf-8")
    assert call(desk, "import", "scores", str(file), "--run", "r", "--judge", "theirs") == 0
    assert f"{ITEMS} ok" in capsys.readouterr().out
    assert call(desk, "calibrate") == 1
    assert "ragdesk sample draw" in capsys.readouterr().err
    with open_workspace(desk.folder) as desk.workspace:
        desk.label_all()
    assert call(desk, "calibrate", "r", "--judge", "theirs", "rules", "--details") == 0
    text = capsys.readouterr().out
    assert all(line.isascii() for line in text.splitlines())
    for said in ("theirs@", "rules@", "imported", "All metrics pooled", "PPI++", "by cell"):
        assert said in text
    assert call(desk, "calibrate", "--json") == 0
    assert json.loads(capsys.readouterr().out)["answers"] == ITEMS
    assert call(desk, "matrix", "r", "--metric", "accuracy", "--judge", "rules") == 0
    assert f"vs people (n {ITEMS})" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("judge", "nowhere", "--judge", "rules"), 2, "no run 'nowhere'"),
        (("judge", "r", "--judge", "nobody"), 2, "There is no judge 'nobody'"),
        (("judge", "r", "--judge", "rules", "--metrics", "f1"), 2, "does not give 'f1'"),
        (("judge", "r", "--judge", "rules", "--max-cost", "0"), 2, "The budget of money is 0"),
        (("train-judge", "rules"), 2, "the name of a judge of kind rules"),
        (("calibrate", "r", "--sample", "s"), 2, "exclude each other"),
        (("calibrate", "--metric", "f1"), 2, "People do not label 'f1'"),
        (("import", "scores", "none.jsonl", "--run", "r", "--judge", "x"), 1, "cannot be read"),
        (("import", "scores", "none.jsonl", "--run", "r", "--judge", " "), 2, "cannot name"),
    ],
)
def test_what_is_wrong_is_said(
    desk: Desk,
    words: tuple[str, ...],
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(desk, *words) == code
    assert said in capsys.readouterr().err


CHOOSE = ("sample", "draw", "next", "--run", "r", "--metric", "accuracy", "--judge", "rules")


def test_answers_are_drawn_by_chances(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(desk, *CHOOSE, "--choose", "precision", "--number", "9", "--within", "0.1") == 0
    out = capsys.readouterr().out
    assert out.startswith("sample next: draw 1, 9 answers\nall with the same chance, 9 of 30")
    assert call(desk, "sample", "show", "next") == 0
    shown = capsys.readouterr().out
    assert "draw 1" in shown
    assert "9 of 30, seed 0" in shown
    assert "0 of 9 labelled" in shown
    assert call(desk, *CHOOSE, "--choose", "precision", "--number", "9", "--within", "0.1") == 1
    assert "Only 0 of the 9 drawn in sample 'next' are labelled" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*CHOOSE,), "How many to draw is not said"),
        ((*CHOOSE, "--per-cell", "2", "--within", ".1"), "--number and --within go with --choose"),
        ((*CHOOSE, "--choose", "precision", "--per-cell", "2"), "--per-cell does not go with"),
        ((*CHOOSE, "--choose", "precision", "--form", "preference"), "form 'judge_labels'"),
        ((*CHOOSE[:-2], "--choose", "precision", "--number", "2"), "--choose learns of a judge"),
        ((*CHOOSE, "--choose", "luck"), "invalid choice"),
    ],
)
def test_a_draw_that_cannot_be_meant_is_refused(
    desk: Desk, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert call(desk, *words) == 2
    assert said in capsys.readouterr().err


def test_labels_are_planned_with_their_minutes(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = ("sample", "plan", "r", "--metric", "accuracy", "--judge", "rules")
    assert call(desk, *plan, "--within", "0.3", "--rater", "anna") == 0
    said = capsys.readouterr()
    assert "this run" in said.out
    assert "questions like these" in said.out
    assert "0 of 30 answers labelled; 30 s each" in said.out
    assert "as if the judge said nothing" in said.err
    assert "anna has labelled no answer yet" in said.err
    assert call(desk, *plan, "--within", "0.3", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["run"]["needed"], found["run"]["minutes"]) == (8, 4.0)
    for wrong in ((), ("--difference", "0.1"), ("--within", "0.1", "--difference", "0.1")):
        assert call(desk, *plan, *wrong) == 2
        assert "Give RUN --within H, or RUN RUN --difference D" in capsys.readouterr().err
