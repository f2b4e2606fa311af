"""The answers of one's own system become a run that stands beside the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from score_run import mean, score_run
from tiny_workspaces import TEXTS, Released

from engine.importers.predictions import import_predictions
from engine.results.run_matrix import run_status
from store.errors import InputError, UsageError
from store.hashing import text_id
from store.records import Hit, PredictionState, ScoreState
from store.runs import details, predictions, runs
from store.runs.details import PredictionDetail
from store.verify import verify
from store.workspace import Workspace

RATES, BONDS = TEXTS["en/rates.md"], TEXTS["en/bonds.md"]
ALL = [
    {"id": "a", "answer": "3.5 percent", "retrieved": ["bonds.md", "en/rates.md"]},
    {"id": "b", "answer": "2.1%", "retrieved": []},
    *({"id": "c", "turn": turn, "answer": "3.5 percent"} for turn in range(3)),
]


def write(folder: Path, lines: list[dict[str, object]]) -> Path:
    file = folder / "mine.jsonl"
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    return file


def detail(workspace: Workspace, run_id: int, key: str, turn: int = 0) -> PredictionDetail:
    (found,) = [
        one
        for row in predictions.by_key(workspace.db, run_id).values()
        if (one := details.prediction(workspace.db, row.id)).item_key == key and one.turn == turn
    ]
    return found


def test_answers_are_scored_like_those_of_any_run(
    workspace: Workspace, released: Released, tmp_path: Path
):
    made = import_predictions(workspace, write(tmp_path, ALL), run_name="mine", dataset="gold@1")
    assert (made.predictions, made.not_provided, made.failed, made.refused) == (5, 0, 0, 0)
    assert made.run.system.is_imported
    score_run(workspace, made.job)

    status = run_status(workspace.db, made.run)
    assert (status.imported, status.baseline, status.finished) == (True, False, 5)
    assert mean(workspace, "mine", "em") == 4 / 5
    first = detail(workspace, made.run.id, "a")
    assert first.hits == (
        Hit(text_id(BONDS), 0, len(BONDS), 0.0),
        Hit(text_id(RATES), 0, len(RATES), 0.0),
    )
    assert first.answer_reason == f"imported from {tmp_path / 'mine.jsonl'}, line 1"
    assert mean(workspace, "mine", "mrr") == (0.5 + 0) / 2
    assert verify(workspace.db).ok


def test_what_was_not_said_to_be_retrieved_is_unknown_and_an_empty_list_is_nothing_found(
    workspace: Workspace, released: Released, tmp_path: Path
):
    made = import_predictions(workspace, write(tmp_path, ALL), run_name="mine", dataset="gold")
    score_run(workspace, made.job)

    def ranking(key: str) -> tuple[ScoreState, str]:
        scores = detail(workspace, made.run.id, key).scores
        (found,) = [
            one.score
            for one in scores
            if (one.score.metric, one.score.variant) == ("map", "standard")
        ]
        return found.state, found.reason

    assert ranking("b") == (ScoreState.OK, "")
    assert ranking("c") == (ScoreState.NA, "the answer came without what was retrieved")


def test_turns_that_the_file_leaves_out_stay_visible_as_missing(
    workspace: Workspace, released: Released, tmp_path: Path
):
    lines = [
        {"id": "a", "answer": "", "refused": True},
        {"id": "b", "error": "timeout after 60 s", "answer": "HTTP 504"},
        {"id": "c", "turn": 1, "answer": "3.5 percent"},
    ]
    made = import_predictions(workspace, write(tmp_path, lines), run_name="mine", dataset="gold")
    assert (made.not_provided, made.failed, made.refused) == (2, 1, 1)
    failed = detail(workspace, made.run.id, "b")
    assert (failed.state, failed.answer) == (PredictionState.FAILED, None)
    assert (failed.error_kind, failed.error_text) == ("reported", "timeout after 60 s")
    missing = detail(workspace, made.run.id, "c", turn=2)
    assert missing.error_kind == "not_provided"
    assert detail(workspace, made.run.id, "a").state is PredictionState.REFUSED
    progress = runs.progress(workspace.db, made.run.id)
    assert (progress.total, progress.failed, progress.pending) == (5, 3, 0)


def test_retrieved_places_are_spans_where_they_are_said_or_found(
    workspace: Workspace, released: Released, tmp_path: Path
):
    words = "3.5 percent in March"
    start = RATES.index(words)
    lines = [
        {
            "id": "a",
            "answer": "x",
            "retrieved": [
                {"source": "rates.md", "text": words, "score": 3},
                {"id": text_id(RATES), "start": 4, "end": 9},
                f"{text_id(BONDS)}:0-4",
                {"source": "bonds.md", "text": "words that it lacks"},
                {"source": "elsewhere.md", "text": "unknown"},
                {"text": BONDS},
            ],
        }
    ]
    made = import_predictions(workspace, write(tmp_path, lines), run_name="mine", dataset="gold")
    assert detail(workspace, made.run.id, "a").hits == (
        Hit(text_id(RATES), start, start + len(words), 3.0),
        Hit(text_id(RATES), 4, 9, 0.0),
        Hit(text_id(BONDS), 0, 4, 0.0),
        Hit(text_id(BONDS), 0, len(BONDS), 0.0),
        Hit("elsewhere.md", 0, 0, 0.0),
        Hit(text_id(BONDS), 0, len(BONDS), 0.0),
    )
    assert (made.unknown_documents, made.unlocated) == (("elsewhere.md",), 1)
    score_run(workspace, made.job)
    assert mean(workspace, "mine", "mrr") == 1


def test_repeats_are_counted_from_the_file(
    workspace: Workspace, released: Released, tmp_path: Path
):
    lines = [{"id": "a", "repeat": repeat, "answer": str(repeat)} for repeat in range(3)]
    made = import_predictions(workspace, write(tmp_path, lines), run_name="mine", dataset="gold")
    assert made.run.settings.repeats == 3
    assert (made.predictions, made.not_provided) == (15, 12)


def test_a_system_that_only_retrieves_gives_no_answers(
    workspace: Workspace, released: Released, tmp_path: Path
):
    lines = [{"id": key, "retrieved": ["rates.md"]} for key in "ab"]
    made = import_predictions(workspace, write(tmp_path, lines), run_name="mine", dataset="gold")
    assert (made.run.system.retriever, made.run.system.generator) == ("imported", "none")


def test_a_closed_book_system_is_one_that_retrieves_nothing(
    workspace: Workspace, released: Released, tmp_path: Path
):
    made = import_predictions(
        workspace,
        write(tmp_path, [{"id": "a", "answer": "x"}]),
        run_name="mine",
        dataset="gold",
        system_name="a model",
        closed_book=True,
    )
    system = made.run.system
    assert (system.name, system.retriever, system.generator) == ("a model", None, "imported")


@pytest.mark.parametrize(
    ("lists", "asked", "top_k"),
    [([2, 4], None, 4), ([30], None, 10), ([30], 20, 20), ([0], None, 5)],
)
def test_ranking_is_cut_at_the_longest_list_or_at_ten(
    workspace: Workspace,
    released: Released,
    tmp_path: Path,
    lists: list[int],
    asked: int | None,
    top_k: int,
):
    lines = [
        {"id": key, "answer": "x", "retrieved": [f"no {n}" for n in range(length)]}
        for key, length in zip("ab", lists, strict=False)
    ]
    made = import_predictions(
        workspace, write(tmp_path, lines), run_name="mine", dataset="gold", top_k=asked
    )
    assert made.run.system.top_k == top_k


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"id": "zzz", "answer": "x"}, "gold@1 has no item 'zzz'"),
        ({"id": "a", "turn": 1, "answer": "x"}, "item 'a' has no turn 1"),
        ({"id": "b", "answer": "x"}, "was answered already at"),
        ({"id": "a"}, "field `answer` is missing"),
        ({"id": "a", "answer": "x", "retrieved": [{}]}, "names no document"),
        (
            {"id": "a", "answer": "x", "retrieved": [{"id": "rates.md", "start": 5}]},
            "has no characters 5 to None",
        ),
        (
            {"id": "a", "answer": "x", "retrieved": [{"id": "rates.md", "start": 0, "end": 999}]},
            "has no characters 0 to 999",
        ),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_stored(
    workspace: Workspace,
    released: Released,
    tmp_path: Path,
    line: dict[str, object],
    said: str,
):
    file = write(tmp_path, [{"id": "b", "answer": "y"}, line])
    with pytest.raises(InputError) as refusal:
        import_predictions(workspace, file, run_name="mine", dataset="gold")
    assert said in str(refusal.value)
    assert f"{file}, line 2" in str(refusal.value)
    assert runs.listing(workspace.db) == []


def test_an_empty_file_and_a_taken_name_are_refused(
    workspace: Workspace, released: Released, tmp_path: Path
):
    with pytest.raises(InputError, match="holds no prediction"):
        import_predictions(workspace, write(tmp_path, []), run_name="mine", dataset="gold")
    file = write(tmp_path, ALL)
    import_predictions(workspace, file, run_name="mine", dataset="gold")
    with pytest.raises(UsageError, match="There is a run 'mine' already"):
        import_predictions(workspace, file, run_name="mine", dataset="gold")
    with pytest.raises(InputError, match="closed-book"):
        import_predictions(workspace, file, run_name="other", dataset="gold", closed_book=True)
