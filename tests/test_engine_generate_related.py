"""Other reports that stand in for a hidden one, chosen by another retriever than those tested."""

from __future__ import annotations

import os
import statistics
from pathlib import Path
from unittest.mock import patch

import pytest
import staged_server as staged
from endpoint_workspaces import ENVIRON, provider_table, write_settings
from news_reports import make_news
from scripted_server import ScriptedServer
from worker_here import work_here

from engine.corpus.document import SourceDocument
from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.generate.filling.generate_job import Generate
from engine.generate.related import LEAST_SHARE, MOST_REPORTS, choose_reports
from engine.jobs import operation
from engine.taxonomy.definitions import load_taxonomy
from store.corpora import corpora
from store.datasets import datasets, generations
from store.errors import UsageError
from store.records import UNASSIGNED, ItemState, ScoreState
from store.runs import results, runs
from store.runs.results import MetricKey
from store.workspace import open_workspace

NEWS = Path(__file__).parents[2] / "shared" / "data" / "zh_crud_news"
TOPICS = (*(topic.key for topic in load_taxonomy("crud").topics), UNASSIGNED)
RECALL = MetricKey("recall@10", "standard")
TESTED = {"lsa": ("bm25", "bm25-okapi"), "bm25": ("lsa",)}
"""By what chose the gold, the retrievers that are tested on it."""


def document(name: str, text: str) -> SourceDocument:
    return SourceDocument(name, "", text, "en")


def test_a_report_holds_half_of_the_weightiest_words_and_the_best_come_first():
    words = ("tram", "harbour", "rails", "fare")
    found = choose_reports(
        words,
        [
            document("few", "A tram went by."),
            document("half", "The tram runs along the harbour."),
            document("most", "The tram, its rails and the fare."),
        ],
    )
    assert [report.document_id for report in found] == ["most", "half"]
    assert found[0].words == ("tram", "rails", "fare")
    assert found[1].share == LEAST_SHARE
    many = [document(str(number), "tram harbour rails fare") for number in range(20)]
    assert len(choose_reports(words, many)) == MOST_REPORTS
    assert choose_reports((), many) == ()


def test_what_chooses_must_be_known_and_cost_nothing(tmp_path: Path):
    folder = make_news(tmp_path)
    (folder / "ragdesk.toml").write_text(
        '[providers.p]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
        '[embeddings.paid]\nprovider = "p"\n'
    )
    with open_workspace(folder) as workspace:
        for named, problem in (("nobody", "no retriever 'nobody'"), ("paid", "asks an endpoint")):
            asked = Generate(
                "news", "made", 1, (UNASSIGNED,), ("continuation",), "crud", related_by=named
            )
            with pytest.raises(UsageError, match=problem):
                asked.check(workspace)


@pytest.mark.slow
@pytest.mark.skipif(not NEWS.exists(), reason="the shared data is not here")
def test_fifty_continuations_and_summaries_over_news_measure_other_retrievers(tmp_path: Path):
    folder = tmp_path / "workspace"
    with open_workspace(folder, create=True) as workspace:
        ingest(workspace, "news", read_paths([NEWS / "corpus.jsonl"]))
    with ScriptedServer(reply=staged.writes) as server:
        systems = "".join(
            f'[systems."{name}"]\nretriever = "{name}"\ngenerator = "extractive"\ntop_k = 10\n'
            for name in ("bm25", "bm25-okapi", "lsa")
        )
        write_settings(folder, provider_table("writer", server.base_url), systems)
        for by in TESTED:
            for task, model in (("continuation", ""), ("summarization", "writer")):
                asked = Generate(
                    "news", f"by_{by}", 50, (UNASSIGNED,), (task,), "crud", model, related_by=by
                )
                with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
                    operation.queue(workspace, asked)
                work_here(folder)
    means = {}
    for by, tested in TESTED.items():
        with open_workspace(folder) as workspace:
            with workspace.write() as db:
                made = datasets.get(db, f"by_{by}")
                items = generations.items_after(db, made.id, 0)
                for item in items:
                    datasets.set_state(db, item.item_id, ItemState.DRAFTED, ItemState.ACCEPTED)
                datasets.release(db, made)
            assert len(items) == 100
            texts = {
                one.document_id: one.text
                for one in corpora.documents(workspace.db, corpora.get(workspace.db, "news"))
            }
            for item in items:
                for unit in item.content.turns[0].evidence:
                    if unit.start is not None:
                        assert texts[unit.document_id][unit.start : unit.end] == unit.quote
            for name in tested:
                operation.queue(workspace, Evaluate(NewRun(name, f"by_{by}", name=f"{by}-{name}")))
        work_here(folder)
        with open_workspace(folder) as workspace:
            for name in tested:
                run = runs.get(workspace.db, f"{by}-{name}")
                rows = results.score_rows(workspace.db, run.id, RECALL, "task", "lang")
                assert {row.state for row in rows} == {ScoreState.OK}
                for task in ("continuation", "summarization"):
                    values = [row.value for row in rows if row.row == task]
                    assert len(values) == 50
                    means[by, name, task] = statistics.fmean(values)
    for (by, name, task), mean in means.items():
        print(f"gold by {by:5} {task:14} {name:11} recall@10 {mean:.3f}")
    assert all(0.2 < mean < 1 for mean in means.values())
