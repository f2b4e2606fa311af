"""The commands `author begin` and `author show`, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from authoring_workspaces import Team, make_banks

from store.labels.log.authoring import QUESTION
from store.labels.samples import queue, samples
from store.workspace import open_workspace
from tui.cli import main

Call = Callable[..., tuple[int, str, str]]
BEGIN = ("author", "begin", "q1", "--corpus", "banks", "--dataset", "team", "--items", "3")


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs a command in a workspace with eight documents; gives exit code, stdout and stderr."""
    make_banks(tmp_path / "w").close()

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["--workspace", str(tmp_path / "w"), *words])
        out = capsys.readouterr()
        return code, out.out, out.err

    return run


def test_a_round_is_begun_and_its_progress_shown(call: Call, tmp_path: Path) -> None:
    people = ("--writers", "ann,bo", "--answerers", "cy", "--leads", "lin")
    code, out, _ = call(*BEGIN, "--documents", "1-2", *people)
    assert (code, "3 items of dataset team" in out) == (0, True)
    with open_workspace(tmp_path / "w") as workspace:
        team = Team(workspace)
        subject = team.given("ann", QUESTION)
        assert subject is not None
        team.writes("ann", subject)
    code, out, _ = call("author", "show")
    assert code == 0
    assert out.splitlines()[-2].split() == ["q1", "team", "3", "2", "1", "0", "0", "0", "0"]
    assert out.splitlines()[-1] == "q1: writers ann, bo; answerers cy; leads lin"
    (shown,) = json.loads(call("--json", "author", "show", "q1")[1])
    assert shown["progress"]["to_answer"] == 1
    assert shown["leads"] == ["lin"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((*BEGIN, "--documents", "x"), "no range"),
        ((*BEGIN, "--documents", "2-9"), "Use 1 to 4"),
        ((*BEGIN[:-1], "0"), "A round of 0 items"),
        ((*BEGIN[:-1], "99"), "documents for 8 items of 99"),
        (("author", "show", "q9"), "There is no round 'q9'. Rounds here: none yet."),
        (("author", "begin", "a/b", *BEGIN[3:]), "cannot name a round"),
    ],
)
def test_what_makes_no_sense_is_refused_and_leaves_nothing(
    call: Call, tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    code, out, err = call(*words)
    assert (code > 0, out) == (True, "")
    assert why in err
    with open_workspace(tmp_path / "w") as workspace:
        assert samples.listing(workspace.db) == []
        assert queue.by_sample(workspace.db, QUESTION, "ann") == []


def test_without_a_round_it_is_said_how_to_begin_one(call: Call) -> None:
    assert call("author", "show") == (
        0,
        "No round yet. Begin one: ragdesk author begin --help\n",
        "",
    )


def test_a_version_of_unanswered_questions_needs_one(call: Call) -> None:
    assert call(*BEGIN)[0] == 0
    code, _, err = call("release", "--dataset", "team", "--unanswered")
    assert (code, "no question that waits for its answer" in err) == (1, True)
