"""Results as they are read: metrics, axes, cells, the worst first."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from tiny_workspaces import (
    Released,
    answer_and_score,
    f1,
    make_corpus,
    make_release,
    make_run,
    prediction_ids,
    question,
)

from engine.results.matrix import axis
from store.corpora.corpora import Corpus
from store.errors import NotFound, UsageError
from store.records import MetricScore, PredictionState, ScoreState, Task, Taxonomy, Topic
from store.runs import results, stages
from store.runs.results import MetricKey
from store.runs.runs import Run
from store.workspace import Workspace

F1 = MetricKey("f1", "standard")


def faceted(workspace: Workspace, corpus: Corpus, *facets: dict[str, Any]) -> Run:
    """A run over items that differ in their facets, each answered with F1 0, 0.1, 0.2, ..."""
    contents = {f"q{number}": question(f"{number}?", **each) for number, each in enumerate(facets)}
    with workspace.write() as db:
        run = make_run(db, make_release(db, corpus, "faceted", contents), "faceted")
        for number, prediction in enumerate(prediction_ids(db, run)):
            answer_and_score(db, prediction, [f1(number / 10)])
    return run


def score_all(workspace: Workspace, run: Run, *values: float | None) -> list[int]:
    """Scores the first predictions of a run; None is `na`."""
    predictions = prediction_ids(workspace.db, run)
    with workspace.write() as db:
        for prediction, value in zip(predictions, values, strict=False):
            answer_and_score(db, prediction, [f1(value)])
    return predictions


# Metrics


def test_a_run_has_the_metrics_that_it_has_scores_of(workspace: Workspace, run: Run) -> None:
    assert results.metrics(workspace.db, run.id) == []
    first = prediction_ids(workspace.db, run)[0]
    with workspace.write() as db:
        judge = stages.put_judge(db, "rules", {})
        answer_and_score(db, first, [f1(0.5), f1(0.25, "crud")])
        stages.put_scores(db, first, [MetricScore("accuracy", "standard", 2.0)], judge_id=judge)
    found = results.metrics(workspace.db, run.id)
    assert [key.label for key in found] == ["accuracy (judge rules)", "f1 (crud)", "f1"]


def test_a_metric_that_applies_nowhere_has_no_value(workspace: Workspace, run: Run) -> None:
    first, second, *_ = prediction_ids(workspace.db, run)
    with workspace.write() as db:
        answer_and_score(db, first, [f1(None), f1(None, "crud")])
        answer_and_score(db, second, [f1(0.5), f1(None, "crud")])
    assert len(results.metrics(workspace.db, run.id)) == 2
    assert [key.label for key in results.valued_metrics(workspace.db, run.id)] == ["f1"]


def test_a_metric_is_the_standard_one_unless_told(workspace: Workspace, run: Run) -> None:
    first = prediction_ids(workspace.db, run)[0]
    with workspace.write() as db:
        answer_and_score(db, first, [f1(0.5), f1(0.25, "crud"), f1(0.5, "omnieval")])
    assert results.find_metric(workspace.db, run.id, "f1") == F1
    assert results.find_metric(workspace.db, run.id, "f1", "crud").variant == "crud"
    with pytest.raises(NotFound, match="It has: f1"):
        results.find_metric(workspace.db, run.id, "rougeL")
    with pytest.raises(NotFound):
        results.find_metric(workspace.db, run.id, "f1", "financerag")


def test_a_score_without_a_standard_variant_asks_which(workspace: Workspace, run: Run) -> None:
    first = prediction_ids(workspace.db, run)[0]
    scores = [MetricScore("qe", variant, 1.0) for variant in ("crud", "omnieval")]
    with workspace.write() as db:
        answer_and_score(db, first, scores)
    with pytest.raises(UsageError, match=r"qe \(crud\), qe \(omnieval\).*Say which"):
        results.find_metric(workspace.db, run.id, "qe")


def test_a_score_of_two_judges_asks_which(workspace: Workspace, run: Run) -> None:
    first = prediction_ids(workspace.db, run)[0]
    accuracy = MetricScore("accuracy", "standard", 1.0)
    with workspace.write() as db:
        answer_and_score(db, first, [f1(0.5)])
        for name in ("rules", "model"):
            judge = stages.put_judge(db, name, {"judge": name})
            stages.put_scores(db, first, [accuracy], judge_id=judge)
    with pytest.raises(UsageError, match=r"judge rules.*judge model.*Say which"):
        results.find_metric(workspace.db, run.id, "accuracy")
    found = results.find_metric(workspace.db, run.id, "accuracy", judge="model")
    assert (found.judge, found.label) == ("model", "accuracy (judge model)")


def test_a_run_that_a_judge_has_not_scored_says_which_and_how(
    workspace: Workspace, released: Released
) -> None:
    with workspace.write() as db:
        run = make_run(db, released, "first")
    with pytest.raises(
        NotFound, match="Run 'first' has no scores of 'claim_f1' by judge 'c@12'"
    ) as raised:
        results.find_metric(workspace.db, run.id, "claim_f1", judge="c@12")
    assert raised.value.command == "ragdesk judge first --judge c"


# Axes


def test_axes_are_topic_task_lang_and_the_facets_that_occur(
    workspace: Workspace, corpus: Corpus
) -> None:
    run = faceted(workspace, corpus, {"hops": 2, "模态": "表格"}, {"easy": True, "topic": "x"}, {})
    found = results.axes(workspace.db, run.id)
    assert found == ["topic", "task", "lang", "easy", "hops", "模态"]


def test_tasks_that_a_taxonomy_groups_make_an_axis(workspace: Workspace, corpus: Corpus) -> None:
    taxonomy = Taxonomy(
        "grouped",
        "",
        (Topic("funds", "基金", "Funds"),),
        (
            Task("sum", "摘要", "Summary", "delete"),
            Task("ask", "问答", "QA", "read"),
            Task("t", "", ""),
        ),
    )
    tasks = ("ask", "sum", "ask", "t", "gone")
    contents = {
        f"q{number}": replace(question(f"{number}?", topic="funds"), task=task)
        for number, task in enumerate(tasks)
    }
    with workspace.write() as db:
        run = make_run(db, make_release(db, corpus, "grouped", contents, taxonomy))
    db = workspace.db
    assert results.axes(db, run.id) == ["topic", "task", "lang", "task_group"]
    cells = results.score_rows(db, run.id, F1, "task_group", "topic")
    assert [cell.row for cell in cells] == ["read", "delete", "read", "unassigned", "unassigned"]
    found = results.cell_prediction_ids(db, run.id, F1, rows="task_group", row="read")
    assert [prediction_ids(db, run).index(one) for one in found] == [0, 2]
    shown = axis("task_group", (cell.row for cell in cells), taxonomy, "zh")
    assert shown.labels == ("删除", "读取", "未分配")


@pytest.mark.parametrize(
    "name",
    ["plain", "模态", "a b", "a.b", 'a"b', "a\\b", "a'b", "$", "[0]", "a\nb", "😀", "é", "", "%"],
)
def test_a_facet_may_have_any_name(workspace: Workspace, corpus: Corpus, name: str) -> None:
    run = faceted(workspace, corpus, {name: "yes"}, {"another": "no"})
    assert name in results.axes(workspace.db, run.id)
    cells = results.score_rows(workspace.db, run.id, F1, name, "task")
    assert [cell.row for cell in cells] == ["yes", "unassigned"]
    by_row = results.cell_prediction_ids(workspace.db, run.id, F1, rows=name, row="yes")
    assert by_row == prediction_ids(workspace.db, run)[:1]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("表格", "表格"),
        ("", ""),
        (2, "2"),
        (-1, "-1"),
        (0.1, "0.1"),
        (2.0, "2.0"),
        (1e20, "1.0e+20"),
        (True, "true"),
        (False, "false"),
    ],
)
def test_a_facet_may_have_any_value_and_its_cell_is_found_again(
    workspace: Workspace, corpus: Corpus, value: Any, text: str
) -> None:
    run = faceted(workspace, corpus, {"f": value}, {"f": "other"}, {})
    cells = results.score_rows(workspace.db, run.id, F1, "f", "f")
    assert [(cell.row, cell.col) for cell in cells] == [
        (each, each) for each in (text, "other", "unassigned")
    ]
    found = results.cell_prediction_ids(workspace.db, run.id, F1, rows="f", row=text)
    assert found == prediction_ids(workspace.db, run)[:1]


def test_a_truth_value_is_no_number(workspace: Workspace, corpus: Corpus) -> None:
    run = faceted(workspace, corpus, {"f": True}, {"f": 1}, {"f": "true"})
    cells = results.score_rows(workspace.db, run.id, F1, "f", "task")
    assert [cell.row for cell in cells] == ["true", "1", "true"]


# Cells


def test_a_cell_holds_every_prediction_with_its_state(workspace: Workspace, run: Run) -> None:
    a, b, c, d, _ = prediction_ids(workspace.db, run)
    with workspace.write() as db:
        answer_and_score(db, a, [f1(0.5)])
        answer_and_score(db, b, [f1(None)])
        stages.finish_prediction(db, c, PredictionState.FAILED, error_kind="timeout")
        stages.finish_prediction(db, d, PredictionState.OK, answer="not scored yet")
    cells = results.score_rows(workspace.db, run.id, F1, "topic", "task")
    assert [(cell.row, cell.col, cell.state, cell.value) for cell in cells] == [
        ("rates", "extractive", ScoreState.OK, 0.5),
        ("funds", "extractive", ScoreState.NA, None),
        ("rates", "conversational", ScoreState.MISSING, None),
        ("rates", "conversational", ScoreState.MISSING, None),
        ("rates", "conversational", None, None),
    ]
    assert [cell.group_key for cell in cells[:3]] == ["group of a", "group of b", "group of c"]


def test_scores_of_other_variants_judges_and_repeats_stay_apart(
    workspace: Workspace, run: Run
) -> None:
    first = prediction_ids(workspace.db, run)[0]
    with workspace.write() as db:
        judge = stages.put_judge(db, "rules", {})
        answer_and_score(db, first, [f1(0.1), f1(0.2, "crud")])
        stages.put_scores(db, first, [f1(0.3)], judge_id=judge)
        stages.put_scores(db, first, [f1(0.4)], repeat=1)
    values = [
        results.score_rows(workspace.db, run.id, key, "topic", "task")[0].value
        for key in (F1, MetricKey("f1", "crud"), MetricKey("f1", "standard", judge, "rules"))
    ]
    assert values == [0.1, 0.2, 0.3]
    assert len(results.score_rows(workspace.db, run.id, F1, "topic", "task")) == 5


def test_the_worst_come_first_and_those_without_a_value_last(
    workspace: Workspace, run: Run
) -> None:
    a, b, c, d, e = score_all(workspace, run, 0.9, None, 0.2, 0.2)
    order = results.cell_prediction_ids(workspace.db, run.id, F1)
    assert order == [c, d, a, b, e]
    high = results.cell_prediction_ids(workspace.db, run.id, F1, worst_is_high=True)
    assert high == [a, c, d, b, e]


def test_predictions_are_picked_by_row_by_column_and_by_cell(
    workspace: Workspace, run: Run
) -> None:
    a, b, c, d, e = score_all(workspace, run, 0.5, 0.1, 0.3, 0.2, 0.4)

    def pick(**cell: Any) -> list[int]:
        return results.cell_prediction_ids(workspace.db, run.id, F1, **cell)

    assert pick(row="rates") == [d, c, e, a]
    assert pick(col="extractive") == [b, a]
    assert pick(row="rates", col="extractive") == [a]
    assert pick(row="funds", col="conversational") == []
    assert pick(rows="lang", cols="topic", row="en", col="funds") == [b]


def test_rows_come_in_the_order_asked(workspace: Workspace, run: Run) -> None:
    a, b, c, *_ = score_all(workspace, run, 0.5, None, 0.3)
    rows = results.prediction_rows(workspace.db, F1, [c, a, b])
    assert [row.id for row in rows] == [c, a, b]
    assert results.prediction_rows(workspace.db, F1, []) == []
    dialogue, single, other = rows
    assert (dialogue.item_key, dialogue.turn, dialogue.turns) == ("c", 0, 3)
    assert dialogue.question == "And then? (0)"
    assert (single.value, single.state, single.answer) == (0.5, ScoreState.OK, "3.5 percent")
    assert (other.question, other.value, other.state) == ("基金涨了多少？", None, ScoreState.NA)


def test_the_main_language_is_that_of_most_predictions(
    workspace: Workspace, released: Released, run: Run
) -> None:
    assert results.main_language(workspace.db, run.id) == "en"
    workspace.db.execute("DROP TRIGGER revision_is_final")
    workspace.db.execute("UPDATE revision SET lang = 'zh' WHERE turns = 3")
    assert results.main_language(workspace.db, run.id) == "zh"


def test_a_cut_deeper_than_the_run_has_says_what_to_do(workspace: Workspace):
    with workspace.write() as db:
        run = make_run(db, make_release(db, make_corpus(db)))
        scores = [MetricScore(f"ndcg@{k}", "standard", 0.5) for k in (1, 3, 5)]
        answer_and_score(db, prediction_ids(db, run)[0], scores)
    with pytest.raises(NotFound, match="retrieves 5 passages") as refused:
        results.find_metric(workspace.db, run.id, "ndcg@10")
    assert "Take ndcg@5" in refused.value.remedy
    assert "top_k = 10" in refused.value.remedy
