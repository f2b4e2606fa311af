"""A report says what the matrix, the leaderboard and the comparison of the same runs say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from html_pages import Page
from judged_workspaces import Desk
from score_run import score_run
from tiny_workspaces import SYSTEM, make_corpus, make_release, question

from engine.exporters.report import ReportWanted, report_page
from engine.importers.predictions import import_predictions
from engine.importers.scores import import_scores
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from store import views
from store.datasets import datasets
from store.errors import NotFound, UsageError
from store.runs import runs
from store.runs.runs import RunSettings
from store.workspace import Workspace, open_workspace

TITLE = "The rate rose to 3.5 percent in March. 😀 Loans cost more.  (rates.md)"
"""A document without a title: its first words."""
ANSWERS = {
    "first": [
        {"id": "a", "answer": "3.5 percent", "retrieved": ["rates.md", "bonds.md"]},
        {"id": "b", "turn": 0, "error": "out of memory", "retrieved": []},
        {"id": "c", "turn": 0, "answer": "基金", "refused": True, "retrieved": ["基金.md"]},
        {"id": "c", "turn": 1, "answer": "3.5 percent it is", "retrieved": ["rates.md"]},
    ],
    "second": [{"id": "a", "answer": "none", "retrieved": ["bonds.md", "nowhere"]}],
}


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Two scored runs of one release; a judge `someone` scored one answer of the first."""
    place = tmp_path_factory.mktemp("runs")
    contents = {
        "a": question(level="easy"),
        "b": question("基金涨了多少？", topic="funds", level="hard"),
        "c": question("And then?", turns=2, level="hard"),
    }
    with open_workspace(place / "workspace", create=True) as workspace:
        with workspace.write() as db:
            make_release(db, make_corpus(db), contents=contents)
            other = {"x": question()}
            make_release(db, make_corpus(db, "others"), "other", contents=other)
        for run, answers in ANSWERS.items():
            file = place / f"{run}.jsonl"
            file.write_text("".join(json.dumps(row) + "\n" for row in answers))
            made = import_predictions(workspace, file, run_name=run, dataset="gold@1", top_k=2)
            score_run(workspace, made.job)
        score = {"id": "a", "metric": "accuracy", "value": 1, "reason": "close, 接近"}
        (place / "scores.jsonl").write_text(json.dumps(score) + "\n")
        import_scores(workspace, place / "scores.jsonl", "first", "someone")
        yield workspace


def page_of(workspace: Workspace, *runs: str, **wanted: object) -> Page:
    return Page(report_page(workspace, ReportWanted(runs, **wanted)))  # type: ignore[arg-type]


def answers_of(page: Page) -> list[list[object]]:
    return [run["answers"] for run in page.packed("items")["runs"]]


def test_values_of_the_items_are_those_behind_the_matrix(held: Workspace) -> None:
    page = page_of(held, "first", "second")
    ids = [metric["id"] for metric in page.json("facts")["metrics"]]
    values = page.packed("items")["runs"][0]["values"][ids.index("f1")]
    matrix = run_matrix(held.db, "first", MetricQuery("f1")).matrix
    numbers = [value for value in values if not isinstance(value, str)]
    assert matrix.total.summary.mean == pytest.approx(sum(numbers) / len(numbers), abs=1e-5)
    assert len(numbers) == matrix.total.n
    assert values.count("missing") == 1


def test_items_come_with_answers_evidence_and_passages(held: Workspace) -> None:
    page = page_of(held, "first", "second")
    items = [tuple(item[:2]) for item in page.packed("items")["items"]]
    assert sorted(items) == [("a", 0), ("b", 0), ("c", 0), ("c", 1)]
    asked = page.packed("items")["items"][items.index(("a", 0))]
    assert asked[7:10] == ["What is the rate?", ["3.5 percent"], [[TITLE, "3.5 percent"]]]
    first, second = (dict(zip(items, answers, strict=True)) for answers in answers_of(page))
    assert first["a", 0][:3] == ["answered", "3.5 percent", None]
    assert first["b", 0][:3] == ["failed", None, "reported: out of memory"]
    assert first["c", 0][0] == "refused"
    assert second["a", 0][1] == "none"
    passages = page.packed("passages")
    (place, _, holds), _ = first["a", 0][3]
    name, text, start, end, _ = passages["places"][place]
    assert passages["names"][name] == TITLE
    assert "3.5 percent" in passages["texts"][text][start:end]
    assert holds == [0]


def test_a_metric_that_one_run_has_stands_with_its_reasons(held: Workspace) -> None:
    page = page_of(held, "first", "second")
    ids = [metric["id"] for metric in page.json("facts")["metrics"]]
    number = ids.index("accuracy (judge someone)")
    first, second = page.packed("items")["runs"]
    at = [item[0] for item in page.packed("items")["items"]].index("a")
    assert first["values"][number][at] == 0.5
    assert first["reasons"][number][str(at)] == "close, 接近"
    assert second["values"][number] is None


def test_earlier_turns_stand_before_a_turn_of_a_conversation(held: Workspace) -> None:
    items = page_of(held, "first").packed("items")["items"]
    earlier = {(key, turn): before for key, turn, *_, before in items}
    assert earlier["c", 1] == [["And then? (0)", "3.5 percent"]]
    assert earlier["c", 0] == []


def test_a_run_without_scores_is_refused_alone_and_empty_beside_another(held: Workspace) -> None:
    release = datasets.find_release(held.db, "gold@1")
    with held.write() as db:
        order = [(item.revision_id, 1) for item in datasets.released_items(db, release.id)]
        runs.create(db, "new", release.id, SYSTEM, RunSettings(), order)
    with pytest.raises(NotFound, match="no scores yet"):
        page_of(held, "new")
    new, first = answers_of(page_of(held, "new", "first"))
    assert set(new) == {None}
    assert None not in first


def test_one_run_alone_is_ranked_against_nobody(held: Workspace) -> None:
    page = page_of(held, "first")
    assert ("data-view", "board") in page.attributes
    assert ("data-view", "compare") not in page.attributes
    assert not [text for text in page.words if "told apart" in text]


def test_axes_may_be_facets_and_metrics_are_chosen(held: Workspace) -> None:
    page = page_of(held, "first", metrics=("em", "f1"), variants=("crud",), cols="level")
    facts = page.json("facts")
    assert facts["cols"]["keys"] == ["easy", "hard"]
    assert [metric["id"] for metric in facts["metrics"]] == ["f1 (crud)"]


def test_of_many_runs_each_is_compared_with_the_first(
    held: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.exporters.report.MOST_COMPARED", 1)
    page = page_of(held, "second", "first", metrics=("f1",))
    assert "each is compared with the first alone: second" in page.json("facts")["pairs"]
    assert ("data-with", "first") in page.attributes


def test_nobody_who_labelled_is_named(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.label_all("zebedee", count=3)
    desk.judge("model")
    with open_workspace(desk.folder) as workspace:
        assert {row["rater"] for row in views.rows(workspace.db, "labels")} == {"zebedee"}
        (run,) = runs.listing(workspace.db)
        html = report_page(workspace, ReportWanted((run.name,)))
    assert "zebedee" not in html + json.dumps(Page(html).packed("items"))


@pytest.mark.parametrize(
    ("wanted", "error", "said"),
    [
        (ReportWanted(("first", "first")), UsageError, "named twice"),
        (ReportWanted(("first", "nobody")), NotFound, "nobody"),
        (ReportWanted(("first",), ("f2",)), NotFound, "no scores of 'f2'"),
        (ReportWanted(("first",), cols="levels"), NotFound, "no axis 'levels'"),
        (ReportWanted(("first",), ("map",), ("crud",)), NotFound, "no such scores"),
    ],
)
def test_what_there_is_not_is_refused(
    held: Workspace, wanted: ReportWanted, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        report_page(held, wanted)
