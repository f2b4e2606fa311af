"""The commands on experiments, from the description to what came of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from endpoint_workspaces import make_workspace
from test_engine_experiments import QUESTIONS
from tiny_workspaces import question
from worker_here import work_here

from tui.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    items = {
        f"q{number:02}": question(
            text, topic=("rates", "funds")[number % 2], level=("easy", "hard")[number % 2]
        )
        for number, text in enumerate(QUESTIONS)
    }
    return make_workspace(tmp_path_factory.mktemp("experiments") / "w", items)


def command(folder: Path, *words: str) -> int:
    return main(["--workspace", str(folder), "experiment", *words])


def test_an_experiment_is_made_worked_and_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    factors = ("--factor", "top_k=1,2", "--tied", "chunk_size=8+top_k=3")
    design = ("--design", "one-at-a-time", "--metrics", "f1", "recall@1")
    assert command(folder, "new", "depths", "--dataset", "gold", *factors, *design) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[:4] == ["base", "top_k=1", "top_k=2", "chunk_size=8 top_k=3"]
    assert command(folder, "run", "depths", "--dry-run") == 0
    assert "depths: 4 arms, 48 predictions" in capsys.readouterr().out
    assert command(folder, "run", "depths", "--detach") == 0
    work_here(folder)
    capsys.readouterr()
    assert command(folder, "show", "depths", "--by", "topic") == 0
    shown = capsys.readouterr().out
    assert "all items:" in shown
    assert "topic rates:" in shown
    assert "*" in shown
    assert command(folder, "show", "depths", "--by", "level") == 0
    assert "level easy:" in capsys.readouterr().out
    assert command(folder, "show", "depths", "--by", "levels") == 2
    assert "There is no axis 'levels'" in capsys.readouterr().err
    assert main(["--workspace", str(folder), "--json", "experiment", "show", "depths"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert [arm["name"] for arm in outcome["arms"]] == said[:4]
    assert command(folder, "list") == 0
    assert "one-at-a-time" in capsys.readouterr().out


def test_a_recipe_over_another_system_takes_another_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("ekrag-table8", "--dataset", "gold", "--name", "again", "--dry-run")
    assert command(folder, *words) == 0
    assert command(folder, *words) == 0
    assert command(folder, *words, "--base", "lsa") == 2
    assert "'again' already, over the system 'bm25'" in capsys.readouterr().err


def test_a_recipe_shows_the_papers_figures_beside(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(folder, "ekrag-table8", "--dataset", "gold", "--detach") == 0
    work_here(folder)
    capsys.readouterr()
    assert command(folder, "show", "ekrag-table8-gold") == 0
    shown = capsys.readouterr().out
    assert "Number of chunks (EKRAG" in shown
    assert ".717" in shown
    assert "retriever=none generator=closed-book" in shown


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("new", "x", "--dataset", "gold"), 2, "changes nothing"),
        (("new", "x", "--dataset", "gold", "--factor", "top_k"), 2, "names no levels"),
        (("new", "x", "--dataset", "gold", "--tied", "a=1,b"), 2, "cannot be read"),
        (("new", "x", "--dataset", "none", "--factor", "top_k=1"), 2, "none"),
        (("new", "x", "--dataset", "gold", "--factor", "top_q=1"), 2, "top_q"),
        (
            ("new", "x", "--dataset", "gold", "--factor", "top_k=1", "--metrics", "f2"),
            2,
            "There is no metric 'f2'",
        ),
        (("show", "nothing"), 2, "There is no experiment 'nothing'"),
    ],
)
def test_what_is_no_experiment_is_refused(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    assert command(folder, *words) == code
    assert said in capsys.readouterr().err
