"""A predictions file is read line by line; what is wrong is named by file, line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import InputError
from store.formats.predictions import FileHit, FilePrediction, read_predictions


def write(folder: Path, *lines: str) -> Path:
    file = folder / "预测.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    return file


def test_a_line_needs_an_id_only_and_other_fields_are_ignored(tmp_path: Path):
    file = write(tmp_path, '{"id": 7, "latency": 3}', "", '{"id": "乙", "answer": "二亿元"}')
    assert list(read_predictions(file)) == [
        (1, FilePrediction(7)),
        (3, FilePrediction("乙", answer="二亿元")),
    ]


def test_retrieved_entries_are_names_or_objects(tmp_path: Path):
    file = write(
        tmp_path,
        '{"id": "a", "retrieved": ["d1", 2, {"id": 3, "source": "报告.md", "score": 0.5}]}',
    )
    ((_, row),) = read_predictions(file)
    assert row.retrieved == ["d1", 2, FileHit(id=3, source="报告.md", score=0.5)]
    assert row.retrieved[2].names == ("3", "报告.md")


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('{"answer": "x"}', "id"),
        ('{"id": "a", "turn": -1}', "turn"),
        ('{"id": "a", "answer": 3}', "answer"),
        ('{"id": "a", "retrieved": "d1"}', "retrieved"),
        ("{", "line 2"),
    ],
)
def test_a_line_of_another_shape_is_named(tmp_path: Path, line: str, field: str):
    file = write(tmp_path, '{"id": "ok"}', line)
    with pytest.raises(InputError) as refusal:
        list(read_predictions(file))
    assert f"{file}, line 2" in str(refusal.value)
    assert field in str(refusal.value)
