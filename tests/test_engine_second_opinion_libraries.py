"""Other people's libraries score a sample of a run again, and what differs is found."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs
from sample_workspaces import copy_workspace
from tiny_workspaces import SYSTEM, TEXTS, make_corpus, make_release, prediction_ids, question
from worker_here import PoolHere, work_here

from engine.importers.predictions import import_predictions
from engine.jobs import pool
from engine.jobs.context import JobContext
from engine.jobs.operation import queue, stored_operation
from engine.models.endpoints import Endpoints
from engine.retrieve.pipeline import open_retriever
from engine.second_opinion.libraries import LIBRARIES, library_opinion
from engine.second_opinion.opinions import LibraryOpinion, Value, tally
from engine.second_opinion.verify_job import VerifyMetrics, stored_opinions
from store.corpora import corpora
from store.datasets import datasets
from store.errors import InputError, UsageError
from store.hashing import text_id
from store.jobs import jobs
from store.records import Evidence, ItemContent, PredictionState, Turn
from store.runs import runs, stages
from store.runs.runs import Run, RunSettings
from store.runs.stages import RetrieveValue
from store.systems import Retrieval, SystemConfig
from store.workspace import Workspace, open_workspace
from tui.cli import main

RATES, FUNDS = (text_id(TEXTS[name]) for name in ("en/rates.md", "zh/基金.md"))
QUESTIONS = {
    "en": Turn("What rose?", ("the rate rose, and loans cost more",), (Evidence(RATES),)),
    "zh": Turn("基金怎样？", ("基金净值上涨2.1%。", "上涨"), (Evidence(FUNDS, 0, 12, ""),)),
    "one": Turn("Who?", ("loans",), (Evidence(RATES, 0, 10, ""),)),
    "both": Turn("Both?", ("a b",), (Evidence(RATES, 0, 10, ""), Evidence(RATES, 12, 22, ""))),
}
ANSWERS = [
    {"id": "en", "answer": "the the rate rose", "retrieved": ["bonds.md", "rates.md"]},
    {"id": "zh", "answer": "净值上涨2.1%。\n规模增长", "retrieved": ["基金.md", "rates.md"]},
    {"id": "one", "answer": "loans", "retrieved": ["rates.md"]},
    {"id": "both", "answer": "", "retrieved": ["rates.md", "基金.md"]},
]


@pytest.fixture(scope="module")
def scored_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workspace with the scored run `mine` in two languages."""
    folder = tmp_path_factory.mktemp("opinion") / "workspace"
    with open_workspace(folder, create=True) as workspace:
        with workspace.write() as db:
            contents = {
                key: ItemContent((turn,), "rates", "extractive", "zh" if key == "zh" else "en")
                for key, turn in QUESTIONS.items()
            }
            make_release(db, make_corpus(db), contents=contents)
        file = folder.parent / "answers.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in ANSWERS), "utf-8")
        import_predictions(workspace, file, run_name="mine", dataset="gold@1", top_k=2)
    work_here(folder)
    return folder


@pytest.fixture
def mine(scored_folder: Path, tmp_path: Path) -> Iterator[Workspace]:
    """A copy of it."""
    with open_workspace(copy_workspace(scored_folder, tmp_path / "copy")) as workspace:
        yield workspace


def opinion(workspace: Workspace, library: str, run: str = "mine") -> LibraryOpinion:
    pool.use_folder(workspace.folder)
    return library_opinion(runs.get(workspace.db, run).id, library, 100, 0)


def change(workspace: Workspace, item: str, metric: str, variant: str, value: float) -> None:
    with workspace.write() as db:
        changed = db.execute(
            "UPDATE score SET value = ? WHERE prediction_id = (SELECT prediction_id FROM v1_scores"
            " WHERE item = ? LIMIT 1) AND metric_id IN (SELECT id FROM metric WHERE name = ? AND"
            " variant = ?)",
            (value, item, metric, variant),
        )
        assert changed.rowcount == 1


@pytest.mark.parametrize(
    ("library", "metrics"),
    [
        ("rouge_chinese", {"f1", "rouge1", "rouge2", "rougeL", "rougeL (crud)", "f1 (crud)"}),
        ("sacrebleu", {"bleu", "bleu (crud)", "bleu1 (crud)", "bleu4 (crud)"}),
        ("pytrec_eval", {"map", "mrr", "ndcg@2", "recall@1", "precision@2", "hit@1"}),
    ],
)
def test_stored_values_equal_those_of_the_library(mine, library, metrics):
    found = opinion(mine, library)
    assert found.version
    assert {one.name for one in found.metrics} >= metrics
    assert found.different == 0
    assert all(one.values >= 2 for one in found.metrics)


@pytest.mark.parametrize(
    ("library", "metric", "variant"),
    [
        ("rouge_chinese", "rougeL", "standard"),
        ("rouge_chinese", "rouge2", "omnieval"),
        ("sacrebleu", "bleu", "standard"),
        ("pytrec_eval", "ndcg@2", "standard"),
        ("pytrec_eval", "map", "omnieval"),
    ],
)
def test_a_value_that_is_wrong_is_found_with_its_turn(mine, library, metric, variant):
    change(mine, "zh", metric, variant, 0.123)
    found = opinion(mine, library)
    (wrong,) = [one for one in found.metrics if one.different]
    assert (wrong.metric, wrong.variant, wrong.place) == (metric, variant, "zh")
    assert (wrong.different, wrong.ours) == (1, 0.123)
    assert wrong.largest == abs(wrong.theirs - 0.123)


def test_what_is_defined_otherwise_is_left_out_and_counted(mine):
    left_out = opinion(mine, "rouge_chinese").left_out
    assert {reason.partition(",")[0]: count for reason, count in left_out.items()} == {
        "of equal texts of one word": 1,
        # four metrics of tokens and two of CRUD-RAG's, of the empty answer
        "a text without tokens has no value there": 6,
    }
    (shared,) = opinion(mine, "pytrec_eval").left_out.items()
    assert "several pieces of evidence" in shared[0]
    assert shared[1] == len(["map", *(f"{base}@{k}" for base in ("ndcg", "recall", "precision")
                                      for k in (1, 2))])  # fmt: skip


def test_a_library_that_is_missing_is_named_with_its_package(mine, monkeypatch):
    monkeypatch.setitem(sys.modules, "pytrec_eval", None)
    found = opinion(mine, "pytrec_eval")
    assert (found.metrics, found.problem) == (
        (),
        "not installed here; `pip install pytrec-eval-terrier` adds it",
    )


def test_the_largest_difference_is_kept_with_its_place():
    values = [
        Value("f1", "standard", "a", 0.5, 0.5 + 1e-12),
        Value("f1", "standard", "b", 0.5, 0.75),
        Value("f1", "standard", "c", 0.5, 0.6),
        Value("f1", "standard", "d", 0.5, None, "too long"),
    ]
    found = tally("lib", "1", values)
    (one,) = found.metrics
    assert (one.values, one.different, one.largest, one.place) == (3, 2, 0.25, "b")
    assert found.left_out == {"too long": 1}
    assert found.sentence == (
        "lib 1: 3 values of 1 metric, 2 different, most f1 of b: 0.5, there 0.75"
    )


# rankings


@pytest.fixture
def ranked(workspace: Workspace):
    """Runs over `gold@1` by a retriever, as the worker stores them; gives the function that does.

    Chunks are twelve characters; a question's words stand in several, so that many scores tie.
    """
    with workspace.write() as db:
        contents = {
            "a": question("the rate after prices fell"),
            "b": question("基金净值"),
            "hides": structs.replace(question("bond rate"), hidden=(RATES,)),
        }
        released = make_release(db, make_corpus(db), contents=contents)
    corpus = released.corpus
    settings = RunSettings(corpus_fingerprint=corpora.fingerprint(workspace.db, corpus))

    def make(name: str, system: SystemConfig, settings: RunSettings = settings) -> Run:
        release = released.release
        items = list(datasets.released_items(workspace.db, release.id))
        with workspace.write() as db:
            order = [(item.revision_id, 1) for item in items]
            run = runs.create(db, name, release.id, system, settings, order)
        retriever = open_retriever(workspace, corpus, Retrieval("bm25-okapi"))
        with workspace.write() as db:
            for number, item in zip(prediction_ids(db, run), items, strict=True):
                text = item.content.turns[0].question
                (hits,) = retriever.search([text], 50)
                seen = [hit for hit in hits if hit.document_id not in item.content.hidden]
                value = RetrieveValue(text, tuple(seen[: system.top_k]), item.content.hidden)
                stages.put(db, number, "retrieve", value, elapsed_ms=1.0)
                stages.finish_prediction(db, number, PredictionState.OK, answer="x")
        return run

    return make


OKAPI = structs.replace(SYSTEM, name="okapi", retriever="bm25-okapi", top_k=3)


def test_rankings_of_okapi_are_those_of_rank_bm25(workspace, ranked):
    ranked("mine", OKAPI)
    found = opinion(workspace, "rank_bm25")
    counted = {one.metric: (one.values, one.largest) for one in found.metrics}
    assert counted["number of hits"] == (3, 0.0)
    assert counted["score of a hit"] == counted["score at a rank"] == (6, 0.0)


@pytest.mark.parametrize("fault", ["score", "order", "missing"])
def test_a_ranking_that_is_wrong_is_found(workspace, ranked, fault):
    run = ranked("mine", OKAPI)
    number = prediction_ids(workspace.db, run)[0]
    stored = stages.get(workspace.db, number, "retrieve", RetrieveValue)
    first, *rest = stored.hits
    hits = {
        "score": (structs.replace(first, score=first.score + 0.01), *rest),
        "order": (*rest, first),
        "missing": tuple(rest),
    }[fault]
    with workspace.write() as db:
        db.execute("DELETE FROM stage_result WHERE prediction_id = ?", (number,))
        changed = structs.replace(stored, hits=hits)
        stages.put(db, number, "retrieve", changed, elapsed_ms=1.0)
    found = opinion(workspace, "rank_bm25")
    wrong = {one.metric for one in found.metrics if one.different}
    assert (
        wrong
        == {
            "score": {"score of a hit", "score at a rank"},
            "order": {"score at a rank"},
            "missing": {"number of hits", "score at a rank"},
        }[fault]
    )


@pytest.mark.parametrize(
    ("system", "fingerprint", "reason"),
    [
        (SYSTEM, "", "the rankings are of bm25; it scores those of bm25-okapi alone"),
        (structs.replace(SYSTEM, retriever=None), "", "the system retrieves nothing"),
        (structs.replace(SYSTEM, retriever="imported"), "", "the rankings were made elsewhere"),
        (OKAPI, "another", "the corpus has changed since the run"),
    ],
)
def test_rankings_that_it_cannot_check_have_the_reason(
    workspace, ranked, system, fingerprint, reason
):
    ranked("mine", system, RunSettings(corpus_fingerprint=fingerprint))
    assert opinion(workspace, "rank_bm25").problem == reason


# the job


def test_a_job_stores_each_opinion_and_asks_no_library_twice(mine):
    asked = VerifyMetrics(of_run="mine", sample=2, seed=1)
    job = queue(mine, asked)
    work_here(mine.folder)
    stored = stored_opinions(mine.db, job.id)
    assert [one.library for one in stored] == list(LIBRARIES)
    assert {one.values for one in stored[2].metrics} <= {1, 2}

    async def again() -> None:
        async with Endpoints() as endpoints:
            here = PoolHere(mine.folder, size=1)
            done = jobs.get(mine.db, job.id)
            await stored_operation(done).run(JobContext(mine, done, here, endpoints))

    asyncio.run(again())
    assert stored_opinions(mine.db, job.id) == stored
    told = [event.text for event in jobs.events(mine.db, job.id) if event.kind == "checked"]
    assert told[0] == "rank_bm25: the rankings were made elsewhere"
    assert len(told) == len(LIBRARIES)
    assert "all equal" in told[-1]


def test_what_cannot_be_checked_is_refused_before_it_is_queued(mine):
    with pytest.raises(UsageError, match="size of the sample is 0"):
        queue(mine, VerifyMetrics(of_run="mine", sample=0))
    with pytest.raises(UsageError, match="nothing-so-called"):
        queue(mine, VerifyMetrics(of_run="nothing-so-called"))


def test_a_run_without_scores_is_refused(workspace, ranked):
    ranked("mine", OKAPI)
    with pytest.raises(InputError, match="Nothing of run 'mine' is scored yet"):
        queue(workspace, VerifyMetrics(of_run="mine"))


def test_the_command_prints_what_differs_and_says_it_by_its_exit_code(mine, capsys):
    def call(*words: str) -> tuple[int, str, str]:
        code = main(["--workspace", str(mine.folder), "verify", "--metrics", "mine", *words])
        out = capsys.readouterr()
        return code, out.out, out.err

    code, out, _ = call()
    assert code == 0
    assert "rank_bm25: the rankings were made elsewhere" in out
    assert "given by no library here: accuracy (judge rules)" in out
    assert "equal within 1e-09" in out
    change(mine, "en", "rougeL", "standard", 0.5)
    code, out, _ = call("--json")
    told = json.loads(out)
    assert (code, told["different"], told["sample"]) == (1, 1, 200)
    assert [one["library"] for one in told["libraries"]] == list(LIBRARIES)
    with mine.write() as db:
        db.execute("UPDATE score SET value = NULL, state = 'na'")
    code, out, _ = call("--sample", "1")
    assert (code, "nothing could be compared" in out) == (1, True)
    code, _, err = call("--export", "somewhere")
    assert (code, "are two checks" in err) == (2, True)
    code = main(["--workspace", str(mine.folder), "verify", "--seed", "3"])
    assert (code, "belongs to --metrics" in capsys.readouterr().err) == (2, True)
