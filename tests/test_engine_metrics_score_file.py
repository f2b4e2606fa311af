"""`ragdesk score` reads one object a line and says what every metric made of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.metrics.score_file import encode, score_lines
from store.errors import InputError, UsageError

PARITY = Path(__file__).parent / "data/parity"
OMNIEVAL = json.loads((PARITY / "omnieval_metrics.json").read_text("utf-8"))
CRUD = json.loads((PARITY / "crud_ranking_claims.json").read_text("utf-8"))


def score(*lines, **options):
    raw = (json.dumps(line, ensure_ascii=False).encode() for line in lines)
    return list(score_lines(raw, "predictions.jsonl", **options))


def test_a_line_gets_the_metrics_of_what_it_carries():
    text, ranking, both, nothing = score(
        {"id": 1, "prediction": "2亿元", "golden_answers": "2亿元"},
        {"id": 2, "retrieved_ids": ["a"], "relevant_ids": ["a"]},
        {"id": "3", "prediction": "x", "golden_answers": ["y"], "retrieved_ids": []},
        {"id": 4},
    )
    assert list(text.scores) == ["em", "f1", "rouge1", "rouge2", "rougeL", "bleu"]
    assert list(ranking.scores) == [
        *("map", "mrr"),
        *(f"{base}@{k}" for base in ("ndcg", "recall", "precision", "hit") for k in (1, 3, 5, 10)),
    ]
    assert set(text.scores.values()) == {1}
    assert list(both.scores) == [*text.scores, *ranking.scores]
    assert both.states["em"] == "ok"
    assert both.states["map"] == "na"
    assert nothing.scores == nothing.states == {}


def test_named_metrics_are_reported_for_every_line_with_the_state_that_is_true():
    names = ("f1", "ndcg@7")
    answered, unanswered, ungraded = score(
        {"id": 1, "prediction": "a", "golden_answers": ["a"], "relevance": {"d": 2}},
        {"id": 2, "golden_answers": ["a"], "retrieved_ids": [], "relevance": {"d": 2}},
        {"id": 3, "prediction": "a", "retrieved_ids": ["d"]},
        metrics=names,
    )
    assert answered.scores == {"f1": 1, "ndcg@7": None}
    assert answered.states == {"f1": "ok", "ndcg@7": "missing"}
    assert unanswered.scores == {"f1": None, "ndcg@7": 0}
    assert unanswered.states == {"f1": "missing", "ndcg@7": "ok"}
    assert ungraded.states == {"f1": "na", "ndcg@7": "na"}


def test_multihop_goes_by_texts_and_facts():
    found, lost, other = score(
        {"id": 1, "retrieved_texts": ["a", "净利润 增长"], "facts": ["净利润增长"]},
        {"id": 2, "facts": ["b"]},
        {"id": 3, "retrieved_ids": ["a"], "relevant_ids": ["a"]},
        variant="multihop",
    )
    assert (found.scores["mrr@10"], found.scores["hit@1"]) == (0.5, 0.0)
    assert set(lost.states.values()) == {"missing"}
    assert other.scores == {}


def test_a_plain_text_is_one_golden_answer():
    (line,) = score({"id": 1, "prediction": "abc", "golden_answers": "abc"}, metrics=("em",))
    assert line.scores == {"em": 1}


def test_grades_count_and_ids_may_be_numbers():
    (graded,) = score(
        {"id": 1, "retrieved_ids": [7, "8"], "relevant_ids": [9], "relevance": {"7": 1, "8": 2}},
        metrics=("map", "ndcg@2"),
    )
    assert graded.scores["map"] == pytest.approx(2 / 3)
    ideal = 2 + 1 / 1.584962500721156
    assert graded.scores["ndcg@2"] == pytest.approx((1 + 2 / 1.584962500721156) / ideal)


def test_k_cuts_map_and_mrr():
    line = {"id": 1, "retrieved_ids": ["x", "a"], "relevant_ids": ["a"]}
    cut, whole = score({**line, "k": 1}, {**line, "id": 2}, metrics=("map", "mrr", "recall@5"))
    assert cut.scores == {"map": 0, "mrr": 0, "recall@5": 1}
    assert whole.scores == {"map": 0.5, "mrr": 0.5, "recall@5": 1}


@pytest.mark.parametrize("case", OMNIEVAL["generation"], ids=lambda case: case["id"])
def test_generation_parity_holds_from_a_file(case):
    (line,) = score(case, variant="omnieval")
    for name, expected in case["expected"].items():
        if isinstance(expected, str | dict):
            assert line.scores[name] is None
            assert line.states[name] == ("na" if expected == "NaN" else "error")
        else:
            assert line.scores[name] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("case", OMNIEVAL["retrieval"], ids=lambda case: case["id"])
def test_retrieval_parity_holds_from_a_file(case):
    row = {name: case[name] for name in ("id", "retrieved_ids", "k")}
    (line,) = score({**row, "relevant_ids": case["relevant_node"]}, variant="omnieval")
    expected = {"map": case["expected"]["MAP"], "mrr": case["expected"]["MRR"]}
    assert line.scores == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("case", CRUD["generation"], ids=lambda case: case["id"])
def test_crud_parity_holds_from_a_file(case):
    row = {"id": case["id"], "prediction": case["prediction"], "golden_answers": case["reference"]}
    (line,) = score(row, variant="crud")
    bleus = [line.scores[name] for name in ("bleu", "bleu1", "bleu2", "bleu3", "bleu4")]
    assert bleus == pytest.approx(case["expected"]["bleu"], abs=1e-9)
    assert line.scores["rougeL"] == pytest.approx(case["expected"]["rougeL"], abs=1e-9)


def test_output_lines_are_json_with_a_score_and_a_state_each():
    (line,) = score({"id": "q", "prediction": "净利润", "golden_answers": []}, metrics=("em",))
    assert encode(line) == b'{"id":"q","scores":{"em":null},"states":{"em":"na"}}\n'


def test_blank_lines_and_a_byte_order_mark_are_passed_over():
    raw = [b'\xef\xbb\xbf{"id": 1}\r\n', b"\n", b'{"id": 2}']
    assert [line.id for line in score_lines(raw, "f.jsonl")] == [1, 2]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'{"prediction": "x"}', ["line 2", "field id"]),
        (b'{"id": 1, "prediction": 12.5}', ["line 2", "field prediction", "in quotes"]),
        (b'{"id": 1, "golden_answers": [1]}', ["line 2", "field golden_answers", "list of texts"]),
        (b'{"id": 1, "retrieved_ids": "a"}', ["line 2", "field retrieved_ids", "list of ids"]),
        (b'{"id": 1, "relevance": {"a": "b"}}', ["line 2", "field relevance", "grade"]),
        (b'{"id": 1, "k": 0}', ["line 2", "field k", "1 or more"]),
        (b'["id"]', ["line 2", "one JSON object on each line"]),
        (b'{"id": 1,', ["line 2", "one JSON object on each line"]),
        (b'{"id": "\xff"}', ["line 2", "UTF-8"]),
    ],
)
def test_a_bad_line_is_named_with_its_field_and_what_to_do(raw, said):
    with pytest.raises(InputError) as refusal:
        list(score_lines([b'{"id": 0}', raw], "answers.jsonl"))
    message = str(refusal.value)
    assert message.startswith("answers.jsonl, ")
    assert all(part.lower() in message.lower() for part in said)


@pytest.mark.parametrize(
    "options",
    [{"metrics": ["rougel"]}, {"variant": "squad"}, {"metrics": ["accuracy"]}],
)
def test_an_unknown_metric_or_variant_is_refused_before_a_line_is_read(options):
    def unread():
        raise AssertionError("a line was read")
        yield b""

    with pytest.raises(UsageError):
        score_lines(unread(), "f.jsonl", **options)


def test_a_second_line_of_one_id_is_refused():
    lines = [b'{"id": "q", "prediction": "a"}\n', b"\n", b'{"id": "q", "prediction": "b"}\n']
    with pytest.raises(InputError, match="line 3, field id: 'q' stands at line 1 already"):
        list(score_lines(lines, "file"))
