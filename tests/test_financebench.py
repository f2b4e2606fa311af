"""A run on FinanceBench leaves in each layout that comes back, and comes back with its scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.exporters.layouts import RUN_LAYOUTS
from engine.exporters.runs import export_runs
from engine.importers.beir import import_beir
from engine.importers.crud import import_crud
from engine.importers.foreign_run import ImportedRun
from engine.importers.omnieval_predictions import import_omnieval
from engine.importers.predictions import import_predictions
from engine.importers.trec import import_trec_run
from engine.jobs.operation import queue
from engine.metrics.spec import metric_names
from engine.taxonomy.definitions import load_taxonomy
from store import views
from store.workspace import Workspace, open_workspace

DATA = Path(__file__).parents[2] / "shared/data/en_financerag/FinanceBench"
CRUD = load_taxonomy("crud")
QUERIES, DOCUMENTS, TOP_K = 8, 30, 5
TASK = "summarization"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"{DATA} is not there")

Key = tuple[str, str, str, str]
"""Item, variant, metric and judge."""
Score = tuple[str, float | None, str]


def few(folder: Path) -> Path:
    """The first queries with their gold and some more documents, of a task that CRUD-RAG has."""
    folder.mkdir()
    queries = [json.loads(line) for line in (DATA / "queries.jsonl").open()][:QUERIES]
    chosen = {query["_id"] for query in queries}
    header, *judged = (DATA / "qrels_full.tsv").read_text().splitlines()
    judged = [line for line in judged if line.split("\t")[0] in chosen]
    gold = {line.split("\t")[1] for line in judged}
    texts = (DATA / "corpus.jsonl").read_text().splitlines()
    kept = [text for text in texts if json.loads(text)["_id"] in gold]
    (folder / "corpus.jsonl").write_text(
        "\n".join(list(dict.fromkeys([*kept, *texts]))[:DOCUMENTS]) + "\n"
    )
    (folder / "qrels.tsv").write_text("\n".join([header, *judged]) + "\n")
    (folder / "queries.jsonl").write_text(
        "".join(json.dumps({**query, "type": TASK}) + "\n" for query in queries)
    )
    (folder / "answers.jsonl").write_bytes((DATA / "answers.jsonl").read_bytes())
    return folder


def dataset(folder: Path, workspace: Workspace) -> None:
    import_beir(
        workspace,
        folder,
        corpus_name="reports",
        dataset_name="FinanceBench",
        taxonomy=CRUD,
        answers=Path("answers.jsonl"),
        author="test",
    )


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[Key, Score]]]:
    """By layout the scores of the run as it came back in a fresh workspace; `""`: as it left."""
    place = tmp_path_factory.mktemp("financebench")
    files = few(place / "files")
    with ExitStack() as opened:
        here, there = (
            opened.enter_context(open_workspace(place / name, create=True))
            for name in ("here", "there")
        )
        dataset(files, here)
        queue(here, Evaluate(NewRun("bm25", "FinanceBench@1", "left")))
        work_here(here.folder)
        dataset(files, there)
        for layout, bring_in in BACK.items():
            export_runs(here, ["left"], layout, place / layout)
            bring_in(there, place / layout)
        work_here(there.folder)
        yield {"": facts(here, "left")} | {layout: facts(there, layout) for layout in BACK}


def facts(workspace: Workspace, run: str) -> dict[Key, Score]:
    return {
        (row["item"], row["variant"], row["metric"], row["judge"]): (
            row["state"],
            row["value"],
            row["reason"],
        )
        for row in views.rows(workspace.db, "scores", run=run)
    }


def _jsonl(workspace: Workspace, folder: Path) -> ImportedRun:
    return import_predictions(
        workspace,
        folder / "left/predictions.jsonl",
        run_name="jsonl",
        dataset="FinanceBench@1",
        top_k=TOP_K,
    )


def _trec(workspace: Workspace, folder: Path) -> ImportedRun:
    return import_trec_run(
        workspace, folder / "left.trec", run_name="trec", dataset="FinanceBench@1", top_k=TOP_K
    )


def _omnieval(workspace: Workspace, folder: Path) -> ImportedRun:
    return import_omnieval(
        workspace,
        [folder / "left"],
        run_name="omnieval",
        dataset="FinanceBench@1",
        taxonomy=CRUD,
        top_k=TOP_K,
        author="test",
    )


def _crud(workspace: Workspace, folder: Path) -> ImportedRun:
    return import_crud(
        workspace,
        [folder / "left"],
        run_name="crud",
        dataset="FinanceBench@1",
        taxonomy=CRUD,
        author="test",
    )


BACK: dict[str, Callable[[Workspace, Path], ImportedRun]] = {
    "jsonl": _jsonl,
    "trec": _trec,
    "omnieval": _omnieval,
    "crud": _crud,
}
RANKING = {
    (variant, name)
    for variant in ("standard", "omnieval")
    for name in metric_names(variant, "ranking", (1, 3, TOP_K))
}
OF_RETRIEVED = {("standard", "hallucination"), ("standard", "utilization")}
HOLDS: dict[str, Callable[[tuple[str, str]], bool]] = {
    "jsonl": lambda metric: True,
    "trec": lambda metric: metric in RANKING,
    "omnieval": lambda metric: True,
    "crud": lambda metric: metric not in RANKING | OF_RETRIEVED,
}
"""The metrics, by variant and name, that rest on what each layout holds."""


@pytest.mark.parametrize("layout", BACK)
def test_a_run_comes_back_with_identical_scores(
    layout: str, scores: dict[str, dict[Key, Score]]
) -> None:
    held, left = scores[layout], scores[""]
    kept = {key: value for key, value in left.items() if HOLDS[layout]((key[1], key[2]))}
    assert {key: held[key] for key in kept} == kept
    assert len({key[0] for key in kept}) == QUERIES
    assert any(value not in (None, 0, 1) for _, value, _ in kept.values())


def test_every_layout_with_an_import_is_there() -> None:
    one_way = {"csv", "parquet", "sqlite", "financerag"}
    assert set(BACK) == set(RUN_LAYOUTS) - one_way
