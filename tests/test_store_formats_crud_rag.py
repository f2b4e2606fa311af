"""CRUD-RAG's output and question files are read with their tasks, questions and metrics."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import InputError
from store.formats.crud_rag import Original, read_output, read_questions


def result(id: object, **fields: object) -> dict[str, object]:
    return {
        "id": id,
        "metrics": {"rouge-L": 0.5, "bertScore": 0.8, "QA_avg_F1": 0.25},
        "log": {
            "generated_text": "央行下调利率。",
            "ground_truth_text": "央行下调了利率。",
            "quest_eval_save": {"questions_gt": ["谁？", "做了什么？"]},
            "evaluateDatetime": "2024-01-01",
        },
        "valid": True,
        **fields,
    }


def write(folder: Path, name: str, content: object) -> Path:
    file = folder / name
    file.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return file


@pytest.mark.parametrize(
    ("name", "info", "task"),
    [
        ("ContinueWriting_gpt.json", {}, "continuation"),
        ("out.json", {"task": "QuestAnswer1Doc", "llm": "gpt-3.5"}, "qa_1doc"),
        ("out.json", {"task": "QuestAnswer2Docs"}, "qa_2doc"),
        ("QuestAnswer3Doc_m.json", {"llm": {"model": "x"}}, "qa_3doc"),
        ("HalluModified_m.json", {}, "hallucination_fix"),
        ("Summary_m.json", {}, "summarization"),
    ],
)
def test_info_or_file_name_says_the_task(tmp_path: Path, name: str, info: object, task: str):
    output = read_output(write(tmp_path, name, {"info": info, "results": [result("n1")]}))
    assert output.task == task
    (read,) = output.results
    assert (read.id, read.generated, read.golden) == ("n1", "央行下调利率。", "央行下调了利率。")
    assert (read.metrics["bertScore"], read.questions, read.valid) == (0.8, 2, True)


@pytest.mark.parametrize(
    ("name", "data", "original"),
    [
        ("Summary", {"event": "央行降息", "text": "…"}, Original("央行降息")),
        ("ContinueWriting", {"beginning": "昨日，"}, Original("昨日，")),
        (
            "HalluModified",
            {"newsBeginning": "昨日，", "hallucinatedContinuation": "央行加息。"},
            Original("昨日，\n央行加息。"),
        ),
        (
            "QuestAnswer2Docs",
            {"questions": "谁降息？", "answers": "央行", "news1": "甲文", "news2": "乙文"},
            Original("谁降息？", ("甲文", "乙文")),
        ),
        ("Summary", {"text": "…"}, None),
    ],
)
def test_the_question_is_the_field_that_their_retrieval_asks_with(
    tmp_path: Path, name: str, data: object, original: Original | None
):
    row = result(1, original_data=data)
    output = read_output(write(tmp_path, f"{name}_m.json", {"results": [row]}))
    assert output.results[0].original == original


def test_their_question_file_gives_questions_by_task_and_id(tmp_path: Path):
    file = write(
        tmp_path,
        "split_merged.json",
        {
            "event_summary": [{"ID": "s1", "event": "央行降息"}],
            "questanswer_1doc": [{"ID": "q1", "questions": "谁？", "news1": "甲文"}],
            "other": [{"ID": "x"}],
        },
    )
    assert read_questions(file) == {
        ("summarization", "s1"): Original("央行降息"),
        ("qa_1doc", "q1"): Original("谁？", ("甲文",)),
    }


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gpt.json", {"results": []}, "is a task of CRUD-RAG"),
        ("Summary_m.json", {"results": [result("a"), result("a")]}, "results[1].id"),
        ("Summary_m.json", {"results": [{"id": "a"}]}, "log"),
        ("Summary_m.json", [], "object"),
    ],
)
def test_a_file_of_another_shape_is_named(tmp_path: Path, name: str, content: object, said: str):
    with pytest.raises(InputError) as refusal:
        read_output(write(tmp_path, name, content))
    assert said in str(refusal.value)
    assert name in str(refusal.value)
