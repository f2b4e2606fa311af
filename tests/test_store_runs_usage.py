"""What answers took: latency, tokens and cost, with the stages before them and from the cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    make_workspace,
    provider_table,
    questions,
    queue,
    system_table,
    write_settings,
)
from score_run import mean
from scripted_server import Request, ScriptedServer
from worker_here import work_here

from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import compare_runs, rank_runs
from store.errors import UsageError
from store.runs import runs, usage
from store.workspace import Workspace, open_workspace
from tui.cli import main

ITEMS = 3
PRICES = {"prices.input": 1.0, "prices.output": 10.0, "prices.per_tokens": 10}


def reply(request: Request):
    asked = request.body["messages"][-1]["content"]
    if asked.endswith("Keywords:"):
        return scripted.answer("rate", tokens_in=20, tokens_out=1)
    if asked.endswith("Grade:"):
        return scripted.answer("7", tokens_in=30, tokens_out=1)
    return scripted.answer("3.5 percent", tokens_in=50, tokens_out=5)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = make_workspace(tmp_path_factory.mktemp("usage") / "w", questions(ITEMS))
    keywords = 'query = ["keywords"]\n'
    with ScriptedServer(reply=reply) as server:
        write_settings(
            folder,
            provider_table("priced", server.base_url, **PRICES),
            provider_table("free", server.base_url, model="free"),
            system_table("priced", "priced", "bm25") + keywords,
            system_table("again", "priced", "bm25", top_k=4) + keywords,
            system_table("free", "free"),
            system_table("offline", "extractive", "bm25"),
            '[rerankers.grader]\nkind = "pointwise"\nprovider = "priced"\n',
            system_table("graded", "free", "bm25", reranker="grader", rerank_depth=2, top_k=2),
        )
        for system in ("priced", "again", "free", "offline", "graded"):
            queue(folder, system, name=system)
            work_here(folder)
    with open_workspace(folder) as workspace:
        yield workspace


def taken(held: Workspace, run: str) -> list[usage.Usage]:
    return list(usage.of_answers(held.db, runs.get(held.db, run).id).values())


def test_an_answer_takes_what_its_stages_take_from_the_cache_or_not(held: Workspace) -> None:
    for run in ("priced", "again"):
        assert [one.tokens for one in taken(held, run)] == [76] * ITEMS
        # (20 + 50) at 1 and (1 + 5) at 10 for 10 tokens
        assert [one.cost for one in taken(held, run)] == pytest.approx([13.0] * ITEMS)
        assert all(one.latency_ms > 0 for one in taken(held, run))


def test_without_prices_there_is_no_cost_and_without_a_model_nothing(held: Workspace) -> None:
    assert [(one.tokens, one.cost) for one in taken(held, "free")] == [(55, None)] * ITEMS
    assert [(one.tokens, one.cost) for one in taken(held, "offline")] == [(0, 0.0)] * ITEMS


def test_the_mean_of_a_run_counts_rerankers_and_lacks_what_is_unknown(held: Workspace) -> None:
    graded = usage.mean_of_answers(held.db, runs.get(held.db, "graded").id)
    assert graded is not None
    assert (graded.tokens, graded.cost) == (55 + 2 * 31, None)
    priced = usage.mean_of_answers(held.db, runs.get(held.db, "priced").id)
    assert priced is not None
    assert (priced.tokens, priced.cost) == (76, pytest.approx(13))


def test_runs_have_matrices_of_it_and_are_compared_by_it(
    held: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mean(held, "priced", "tokens", variant="usage") == 76
    assert mean(held, "free", "tokens", variant="usage") == 55  # closed-book
    query = MetricQuery("cost", "usage")
    compared = compare_runs(held.db, "priced", "offline", query).comparison
    assert compared.overall.difference == pytest.approx(13)
    _, board = rank_runs(held.db, ["priced", "offline"], query)
    assert [standing.run for standing in board.standings] == ["offline", "priced"]  # less is better
    assert mean(held, "free", "cost", variant="usage") is None
    words = ["matrix", "priced", "--metric", "cost", "--variant", "usage"]
    assert main(["--workspace", str(held.folder), *words]) == 0
    assert "cost" in capsys.readouterr().out
    with pytest.raises(UsageError, match="no metric 'time'"):
        MetricQuery("time", "usage").key(held.db, runs.get(held.db, "free").id)


def test_a_file_of_answers_does_not_say_what_they_took(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"id": 1, "prediction": "a", "golden_answers": ["a"]}', "utf-8")
    assert main(["score", str(file), "--variant", "usage"]) == 2
    assert "cannot be computed from a file" in capsys.readouterr().err
