"""Ranking metrics that runs do not store are computed from the rankings that they do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from score_run import mean
from tiny_workspaces import TEXTS, make_corpus, make_release
from worker_here import work_here

from engine.importers.predictions import import_predictions
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import compare_runs, rank_runs
from store.errors import NotFound, UsageError
from store.hashing import text_id
from store.records import Evidence, ItemContent, Turn
from store.workspace import Workspace, open_workspace

RATES, BONDS, FUND, COVER = (text_id(text) for text in TEXTS.values())
FACT = "Bond prices fell"
RETRIEVED = {
    # bonds.md comes twice: by documents the list is rates, bonds
    "quoted": ["rates.md", "rates.md", "bonds.md"],
    "graded": ["基金.md", "rates.md"],
    "hidden": ["基金.md"],
    "none": ["rates.md"],
}


def item(*evidence: Evidence, hidden: tuple[str, ...] = ()) -> ItemContent:
    return ItemContent((Turn("?", ("!",), evidence),), "rates", "extractive", hidden=hidden)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Two runs of four items, `first` with lists and `empty` without a hit."""
    place = tmp_path_factory.mktemp("derived")
    with open_workspace(place / "workspace", create=True) as workspace:
        contents = {
            "quoted": item(Evidence(BONDS, 0, len(FACT), FACT), Evidence(COVER)),
            "graded": item(Evidence(RATES, grade=3), Evidence(FUND)),
            "hidden": item(Evidence(FUND), Evidence(COVER), hidden=(COVER,)),
            "none": item(),
        }
        with workspace.write() as db:
            make_release(db, make_corpus(db), contents=contents)
        for run in ("first", "empty"):
            rows = [
                {"id": key, "answer": "!", "retrieved": names if run == "first" else []}
                for key, names in RETRIEVED.items()
            ]
            file = place / f"{run}.jsonl"
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))
            import_predictions(workspace, file, run_name=run, dataset="gold@1", top_k=3)
        work_here(workspace.folder)
        yield workspace


def test_financerag_goes_by_documents_and_their_grades(held: Workspace) -> None:
    # quoted: bonds at rank 2 of two relevant ones; graded: 1 and 3 for 3 and 1; hidden: 1 of 1
    quoted = 0.6309297535714575 / (1 + 0.6309297535714575)
    graded = (1 + 3 * 0.6309297535714575) / (3 + 0.6309297535714575)
    assert mean(held, "first", "ndcg@3", variant="financerag") == pytest.approx(
        (quoted + graded + 1) / 3
    )
    assert mean(held, "first", "recall@1", variant="financerag") == pytest.approx(1.5 / 3)


def test_per_gold_goes_by_every_document_of_the_evidence(held: Workspace) -> None:
    # quoted: at rank 2, of two; graded: at ranks 1 and 3; hidden: at rank 1 of what may be seen
    expected = (1 / 2 / 2 + (1 + 1 / 3) / 2 + 1) / 3
    assert mean(held, "first", "mrr", variant="per_gold") == pytest.approx(expected)
    assert mean(held, "empty", "mrr@3", variant="per_gold") == 0.0


def test_multihop_goes_by_the_words_of_the_evidence(held: Workspace) -> None:
    # of three items with evidence one quotes it, and its second fact has no words
    assert mean(held, "first", "mrr@3", variant="multihop") == pytest.approx(1 / 3 / 3)
    assert mean(held, "first", "map@3", variant="multihop") == pytest.approx(1 / 3 / 2 / 3)
    assert mean(held, "empty", "hit@3", variant="multihop") == 0.0


def test_multihop_does_not_apply_where_nothing_is_quoted(
    workspace: Workspace, tmp_path: Path
) -> None:
    with workspace.write() as db:
        make_release(db, make_corpus(db), contents={"a": item(Evidence(RATES))})
    (tmp_path / "answers.jsonl").write_text('{"id": "a", "answer": "!", "retrieved": ["rates.md"]}')
    import_predictions(
        workspace, tmp_path / "answers.jsonl", run_name="r", dataset="gold@1", top_k=3
    )
    work_here(workspace.folder)
    assert mean(workspace, "r", "mrr@3", variant="multihop") is None
    assert mean(workspace, "r", "ndcg@3", variant="financerag") == 1.0


def test_runs_are_compared_and_ranked_by_them(held: Workspace) -> None:
    query = MetricQuery("recall@3", "financerag")
    comparison = compare_runs(held.db, "first", "empty", query).comparison
    assert comparison.overall.items == 3
    assert comparison.overall.difference == pytest.approx((0.5 + 1 + 1) / 3)
    _, board = rank_runs(held.db, ["empty", "first"], query)
    assert [standing.run for standing in board.standings] == ["first", "empty"]


def test_what_there_is_not_is_refused(held: Workspace) -> None:
    with pytest.raises(UsageError, match="no metric 'mrr' in variant financerag"):
        mean(held, "first", "mrr", variant="financerag")
    with pytest.raises(NotFound, match=r"'ndcg@10': its system retrieves 3") as refused:
        mean(held, "first", "ndcg@10", variant="financerag")
    assert "Take ndcg@3" in str(refused.value)
