"""A trec run becomes a run of a system that only retrieves, with trec_eval's values."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytrec_eval
from score_run import mean, score_run
from tiny_workspaces import TAXONOMY, make_corpus, make_release, question

from engine.importers.beir import import_qrels
from engine.importers.trec import import_trec_run
from store.errors import InputError
from store.workspace import Workspace

RUN = """\
a Q0 bonds.md 1 2.0 t
a Q0 rates.md 2 1.5 t
a Q0 nowhere 3 1.0 t
"""


@pytest.fixture
def gold(workspace: Workspace) -> Workspace:
    with workspace.write() as db:
        make_release(db, make_corpus(db), contents={"a": question(), "b": question("基金？")})
    return workspace


def write(folder: Path, text: str) -> Path:
    file = folder / "run.trec"
    file.write_text(text, "utf-8")
    return file


def test_lists_are_scored_and_answers_do_not_apply(gold: Workspace, tmp_path: Path):
    made = import_trec_run(gold, write(tmp_path, RUN), run_name="theirs", dataset="gold@1")
    assert (made.predictions, made.not_provided, made.failed) == (2, 0, 0)
    assert made.unknown_documents == ("nowhere",)
    score_run(gold, made.job)
    # the query without a line found nothing and counts 0
    assert mean(gold, "theirs", "mrr") == 0.5 / 2
    assert mean(gold, "theirs", "hit@3") == 1 / 2
    assert mean(gold, "theirs", "em") is None
    assert mean(gold, "theirs", "accuracy") is None


def test_unknown_queries_and_empty_files_are_refused(gold: Workspace, tmp_path: Path):
    file = write(tmp_path, RUN + "zz Q0 rates.md 1 1 t\n")
    with pytest.raises(InputError, match="line 4: gold@1 has no item 'zz'"):
        import_trec_run(gold, file, run_name="theirs", dataset="gold")
    with pytest.raises(InputError, match="no retrieved document"):
        import_trec_run(gold, write(tmp_path, "\n"), run_name="theirs", dataset="gold")


def test_ndcg_over_graded_judgements_is_that_of_trec_eval(workspace: Workspace, tmp_path: Path):
    qrels = {
        "q0": {"rates.md": 1, "bonds.md": 2},
        "q1": {"基金.md": 3, "rates.md": 0, "bonds.md": 1},
    }
    ranked = {"q0": {"rates.md": 3.0, "基金.md": 2.0, "bonds.md": 1.0}, "q1": {"bonds.md": 1.0}}
    with workspace.write() as db:
        make_corpus(db)
    queries = tmp_path / "queries.jsonl"
    queries.write_text("".join(f'{{"_id": "{query}", "text": "?"}}\n' for query in qrels))
    (tmp_path / "qrels").write_text(
        "".join(f"{q} 0 {doc} {grade}\n" for q in qrels for doc, grade in qrels[q].items())
    )
    import_qrels(
        workspace,
        tmp_path / "qrels",
        queries=queries,
        corpus_name="tiny",
        dataset_name="graded",
        taxonomy=TAXONOMY,
        author="test",
    )
    lines = (f"{q} Q0 {doc} 1 {score} t\n" for q in ranked for doc, score in ranked[q].items())
    made = import_trec_run(
        workspace, write(tmp_path, "".join(lines)), run_name="theirs", dataset="graded@1"
    )
    score_run(workspace, made.job)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.3", "map", "recip_rank"})
    values = theirs.evaluate(ranked).values()
    for ours, name in (("ndcg@3", "ndcg_cut_3"), ("map", "map"), ("mrr", "recip_rank")):
        expected = sum(value[name] for value in values) / len(values)
        assert mean(workspace, "theirs", ours) == pytest.approx(expected, abs=1e-9), ours
