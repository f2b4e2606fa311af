"""Difficulty of a dataset's items, measured by the worker and used by matrices and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from tiny_workspaces import (
    answer_and_score,
    f1,
    make_corpus,
    make_release,
    make_run,
    prediction_ids,
    question,
)
from worker_here import work_here

from engine.difficulty.difficulty_job import MeasureDifficulty
from engine.jobs.operation import queue
from engine.report import sheets
from engine.report.difficulty import (
    correlation_sheets,
    distribution_sheets,
    strongest_sheets,
)
from engine.results.axes import axes, cell_prediction_ids
from engine.results.difficulty import WEIGHTS, Correlations, correlations, distributions
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from engine.statistics.rank_correlation import RankCorrelation
from store.corpora import corpora
from store.datasets import datasets, difficulties
from store.errors import InputError, NotFound, UsageError
from store.records import Evidence, ItemContent, Turn
from store.runs import runs
from store.workspace import Workspace, open_workspace
from tui.cli import main
from tui.cli.parser import parse


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("difficulty") / "w"
    with open_workspace(folder, create=True) as opened, opened.write() as db:
        corpus = make_corpus(db)
        first, second = (
            document.document_id for document in list(corpora.documents(db, corpus))[:2]
        )
        apart = (Evidence(first, 0, 5), Evidence(second, 0, 5))
        contents = {
            "none": ItemContent((Turn("Why?", ("so",)),)),
            "both": ItemContent((Turn("What did the rate do?", ("it fell",), apart),)),
            "turns": ItemContent(
                tuple(Turn(text, ("x",), apart[:1]) for text in ("The rate?", "And 利率?")),
                facets={"program": '["5", "add(5, 1), add(#0, 2)"]'},
            ),
            "one": question("What did the rate do?"),
        }
        released = make_release(db, corpus, contents=contents)
        run = make_run(db, released)
        for at, number in enumerate(prediction_ids(db, run)):
            answer_and_score(db, number, [f1(at / 4)])
        run_name = run.name
    with open_workspace(folder) as opened:
        for embedding in ("bm25", "lsa"):
            queue(opened, MeasureDifficulty("gold", embedding))
    work_here(folder)
    with open_workspace(folder) as opened:
        assert run_name == runs.get(opened.db, 1).name
        yield opened


def measured(
    workspace: Workspace, embedding: str
) -> dict[tuple[str, int], tuple[float | None, ...]]:
    dataset = datasets.get(workspace.db, "gold")
    measure = next(
        one for one in difficulties.measures(workspace.db, dataset.id) if one.embedding == embedding
    )
    return {
        (one.item_key, one.difficulty.turn): (one.difficulty.rd, one.difficulty.gd)
        for one in difficulties.of_heads(workspace.db, measure.id)
    }


@pytest.mark.parametrize("embedding", ["lsa", "bm25"])
def test_every_turn_is_measured_and_one_without_evidence_has_no_figure(
    workspace: Workspace, embedding: str
) -> None:
    found = measured(workspace, embedding)
    assert found["none", 0] == (None, None)
    rd, gd = found["both", 0]
    assert gd == pytest.approx(math.log(2))
    assert rd is not None
    assert 0 < rd <= 1
    assert {key for key, _ in found} == {"none", "both", "turns", "one"}


def test_measuring_again_measures_only_what_is_new(workspace: Workspace) -> None:
    db = workspace.db
    dataset = datasets.get(db, "gold")
    for one in difficulties.measures(db, dataset.id):
        assert difficulties.unmeasured(db, dataset, one.id) == []


def test_levels_and_counts_are_axes_whose_cells_list_their_answers(workspace: Workspace) -> None:
    db = workspace.db
    run = runs.get(db, 1)
    names = axes(db, run)
    assert {"difficulty", "rd@bm25", "turn", "evidence_count", "program_length"} <= set(names)
    for axis, keys in (
        ("difficulty", {"easy", "medium", "hard", "unassigned"}),
        ("turn", {"1", "2"}),
        ("program_length", {"0", "2", "unassigned"}),
    ):
        view = run_matrix(db, run.name, MetricQuery("f1", rows=axis, cols="lang"))
        assert set(view.matrix.rows.keys) <= keys
        for key, total in zip(view.matrix.rows.keys, view.matrix.row_totals, strict=True):
            ids = cell_prediction_ids(db, run, view.metric, axis, "lang", key, None)
            assert len(ids) == total.n


def test_difficulty_is_correlated_with_metrics_and_shown_as_text_csv_and_page(
    workspace: Workspace,
) -> None:
    db = workspace.db
    found = correlations(db, runs.get(db, 1).name, embedding="lsa")
    assert {"RD", "GD", "RGD", "distance", "turn"} <= set(found.figures)
    shown = correlation_sheets(found)
    assert "lambda" in sheets.text(shown)
    assert "Spearman" in sheets.csv(shown)
    page = sheets.html("Difficulty", shown)
    assert "<svg" in page
    assert "<script" not in page


def test_the_strongest_metrics_of_a_figure_stand_first_and_alone() -> None:
    rhos = {"a": 0.1, "b": -0.6, "c": None, "d": 0.3, "e": 0.2}
    line = tuple(RankCorrelation(rho, None, None, 9, 9) for rho in rhos.values())
    lines = {name: line[:1] * len(WEIGHTS) for name in rhos}
    found = Correlations("first", "lsa", 20.0, tuple(rhos), {"RGD": line}, lines)
    figures, sweep = strongest_sheets(found)
    assert [row[:2] for row in figures.rows] == [("RGD", "b"), ("", "d"), ("", "e")]
    assert sweep.head == ("lambda", "b", "d", "e")


def test_distributions_count_every_measured_turn(workspace: Workspace) -> None:
    dataset = datasets.get(workspace.db, "gold")
    measure, parts = distributions(workspace.db, dataset, "lsa")
    assert (parts[0].part, sum(parts[0].bins), parts[0].unmeasured) == ("all", 4, 1)
    text = sheets.text(distribution_sheets("gold", measure, parts, 20))
    assert "1 turn without evidence" in text
    assert "RGD" in text


def test_what_was_not_measured_is_refused(workspace: Workspace) -> None:
    db = workspace.db
    dataset = datasets.get(db, "gold")
    with pytest.raises(NotFound, match="not measured with 'minilm'"):
        distributions(db, dataset, "minilm")
    with pytest.raises(UsageError, match="fusion"):
        queue(workspace, MeasureDifficulty("gold", "hybrid:bm25+lsa"))
    with workspace.write() as db:
        empty = datasets.create(db, "empty", dataset.corpus_id, dataset.taxonomy_id)
    with pytest.raises(InputError, match="Nothing of dataset 'empty'"):
        distributions(db, empty)
    with pytest.raises(InputError, match="no items"):
        queue(workspace, MeasureDifficulty("empty"))


def test_the_commands_print_text_json_and_csv(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--workspace", str(workspace.folder)]
    for words in (["show", "gold"], ["correlate", "1", "--format", "csv"]):
        arguments = parse(["difficulty", *words, *place])
        assert arguments.run(arguments) == 0
        assert "RGD" in capsys.readouterr().out
    arguments = parse(["difficulty", "show", "gold", "--json", *place])
    assert arguments.run(arguments) == 0
    assert '"unmeasured": 1' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("show", "gold", "--lambda", "-1"),
            "weight of the steps is -1. Use 0 or more. (--lambda)",
        ),
        (
            ("correlate", "1", "--lambda", "-1"),
            "weight of the steps is -1. Use 0 or more. (--lambda)",
        ),
        (("show", "gold", "--by", "tsak"), "Did you mean 'task'?"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    workspace: Workspace, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert main(["--workspace", str(workspace.folder), "difficulty", *words]) == 2
    assert said in capsys.readouterr().err
