"""RAGChecker's compared answers: a dataset, a run a system, the labels of two annotators."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from engine.importers.ragchecker import import_ragchecker
from engine.labelling.figures.agreement_figures import agreement
from engine.labelling.forms import load_form
from engine.taxonomy.definitions import load_taxonomy
from store.errors import InputError, UsageError
from store.labels import standing
from store.labels.log import reading
from store.labels.log.events import Subject
from store.runs import runs
from store.verify import verify

PAIRS = Path(__file__).parents[2] / "shared" / "data" / "annotation_ragchecker" / "pairs.jsonl"
FIELDS = ("correctness", "completeness", "overall")


def labelled(values):
    return {f"{field}_label": value for field, value in zip(FIELDS, values, strict=True)}


def pair(number, one="bm25", other="e5", labels=((-2, 0, 1), (2, 1, 0)), **changed):
    return {
        "dataset": "fiqa",
        "query_id": number,
        "query": f"利率 {number}?",
        "gt_answer": "3.5 percent",
        "model1": {"model_name": one, "response": f"{one} says {number}", "critiques": ""},
        "model2": {"model_name": other, "response": f"{other} says {number}"},
        "labels": [
            {"instance_id": number}
            | {f"{field}_label": value for field, value in zip(FIELDS, own, strict=True)}
            for own in labels
        ],
        **changed,
    }


def bring_in(workspace, file, dataset="pairs"):
    return import_ragchecker(
        workspace,
        file,
        dataset=dataset,
        corpus_name=dataset,
        taxonomy=load_taxonomy("omnieval"),
        author="test",
    )


def write(file, rows):
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return file


def test_pairs_become_items_runs_and_labels(workspace, tmp_path):
    file = write(tmp_path / "p.jsonl", [pair("1"), pair("2", "e5", "gpt")])
    made = bring_in(workspace, file)
    assert (made.pairs, made.labels, made.raters) == (2, 12, ("ragchecker-1", "ragchecker-2"))
    assert made.runs == ("pairs/bm25", "pairs/e5", "pairs/gpt")
    rows = workspace.db.execute(
        "SELECT run.name, prediction.id, answer FROM prediction JOIN run ON run.id = run_id"
        " WHERE answer IS NOT NULL ORDER BY run.id, ordinal"
    ).fetchall()
    numbers = {(name, answer): number for name, number, answer in rows}
    a, b = numbers["pairs/bm25", "bm25 says 1"], numbers["pairs/e5", "e5 says 1"]
    subject = Subject("pair", f"{a}:{b}")
    assert reading.values(workspace.db, "preference", "ragchecker-1", subject) == {
        "correctness": -2,
        "completeness": 0,
        "overall": 1,
    }
    assert runs.progress(workspace.db, runs.get(workspace.db, "pairs/bm25").id).failed == 1
    assert verify(workspace.db).ok


def test_the_authors_own_list_holds_each_pair_once_an_annotator(workspace, tmp_path):
    rows = []
    for own in ((-2, 0, 1), (2, 1, 0)):
        row = pair(7)
        del row["labels"]
        rows.append(
            row | {f"{field}_label": value for field, value in zip(FIELDS, own, strict=True)}
        )
    file = tmp_path / "human_labeled_data.json"
    file.write_text(json.dumps(rows), "utf-8")
    made = bring_in(workspace, file)
    assert (made.pairs, made.labels, made.raters) == (1, 6, ("ragchecker-1", "ragchecker-2"))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([pair("1", labels=((3, 0, 0),))], "line 1: .*labels"),
        ([pair("1", labels=())], "line 1: there are no labels"),
        ([pair("1", one="e5")], "compared with itself"),
        ([], "no pairs"),
        ([pair("1"), pair("1", "bm25", "gpt", model1={"model_name": "bm25", "response": "x"})],
         "line 2: bm25 has another answer"),
    ],
)  # fmt: skip
def test_a_wrong_file_leaves_nothing(workspace, tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        bring_in(workspace, write(tmp_path / "p.jsonl", rows))
    assert runs.listing(workspace.db) == []
    assert reading.last_seq(workspace.db) == 0


def test_a_taken_name_is_refused(workspace, tmp_path):
    file = write(tmp_path / "p.jsonl", [pair("1")])
    bring_in(workspace, file)
    with pytest.raises(UsageError, match="exists already"):
        bring_in(workspace, file)


@pytest.mark.skipif(not PAIRS.exists(), reason="the shared data is not here")
def test_the_two_annotators_agree_as_an_independent_computation_says(workspace):
    made = bring_in(workspace, PAIRS)
    assert (made.pairs, made.labels) == (140, 840)
    form = load_form("preference")
    rows = agreement(standing.rated(workspace.db, form), form)
    read = [json.loads(line)["labels"] for line in PAIRS.read_text("utf-8").splitlines()]
    for field in FIELDS:
        one, two = ([each[at][f"{field}_label"] for each in read] for at in (0, 1))
        (found,) = [row for row in rows if row.field == field]
        assert found.n == 140
        values = {name: one.value for name, one in found.statistics.items()}
        assert values["raw"] == pytest.approx(np.mean(np.equal(one, two)))
        assert values["kappa_plain"] == pytest.approx(cohen_kappa_score(one, two))
        quadratic = cohen_kappa_score(one, two, labels=[-2, -1, 0, 1, 2], weights="quadratic")
        assert values["kappa_quadratic"] == pytest.approx(quadratic)
        assert values["spearman"] == pytest.approx(spearmanr(one, two).statistic)
