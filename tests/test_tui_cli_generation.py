"""`ragdesk generate`, as a person types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from sample_corpus import ROOT
from store.workspace import open_workspace
from tui.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generation") / "workspace"
    with open_workspace(folder, create=True) as workspace:
        ingest(workspace, "finance", read_paths([ROOT / "documents" / "fund"]))
    return folder


class Made(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def ragdesk(folder: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Made]:
    """Runs a command; what it returned and printed."""

    def run(*words: str) -> Made:
        try:
            code = main(["--workspace", str(folder), *words])
        except SystemExit as leaving:
            code = int(str(leaving.code))
        return Made(code, *capfd.readouterr())

    return run


@pytest.fixture
def generate(ragdesk: Callable[..., Made]) -> Callable[..., Made]:
    given = ("--corpus", "finance", "--dataset", "drafts", "--topics", "fund", "big_data")
    return lambda *words: ragdesk("generate", *given, *words)


def test_a_dry_run_stores_nothing(generate, ragdesk):
    made = generate("--per-cell", "2", "--tasks", "extractive", "--dry-run")
    assert made.returncode == 0, made.stderr
    assert "4 items missing in 2 of 2 cells" in made.stdout
    assert "no model is asked" in made.stdout
    assert "No job yet." in ragdesk("jobs", "list").stderr


def test_the_table_shows_items_and_why_there_are_not_more(generate):
    made = generate("--per-cell", "2", "--tasks", "extractive", "multi_hop")
    assert made.returncode == 0, made.stderr
    lines = [line.split() for line in made.stdout.splitlines()]
    assert ["topic", "extractive", "multi_hop"] in lines
    assert ["fund", "2", "2"] in lines
    assert ["big_data", "0/2", "0/2"] in lines
    assert "no document has this topic" in made.stdout
    assert "got one by their words" in made.stderr
    assert "4 items from" in made.stderr
    again = generate("--per-cell", "2", "--tasks", "extractive", "--json")
    document = json.loads(again.stdout)
    assert document["status"] == "done"
    assert [(cell["topic"], cell["filled"]) for cell in document["cells"]] == [
        ("fund", 2),
        ("big_data", 0),
    ]
    assert {made["model"] for made in document["yields"]} == {"offline"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--per-cell", "0"), 2, "(--per-cell)"),
        (("--per-cell", "two"), 2, "invalid int value"),
        (("--per-cell", "2", "--model", "moon"), 2, "There is no provider 'moon'"),
        (("--per-cell", "2", "--tasks", "moon"), 2, "has no task 'moon'"),
        (("--per-cell", "2", "--max-tokens", "0"), 2, "(--max-tokens)"),
        (("--per-cell", "2", "--taxonomy", "crud"), 2, "is sorted by taxonomy"),
    ],
)
def test_what_is_wrong_is_said(generate, words: tuple[str, ...], code: int, said: str):
    made = generate(*words)
    assert made.returncode == code
    assert said in made.stderr
    assert "Traceback" not in made.stderr


def test_a_cell_may_have_its_own_target_and_the_drafts_are_inspected(generate):
    asked = ("--per-cell", "1", "--tasks", "long_form", "--target", "fund/long_form=2")
    made = generate(*asked, "--inspect")
    assert made.returncode == 0, made.stderr
    lines = [line.split() for line in made.stdout.splitlines()]
    assert ["fund", "2"] in lines
    assert "inspects what was drafted" in made.stderr
    assert generate("--per-cell", "1", "--target", "fund=2").returncode == 2
