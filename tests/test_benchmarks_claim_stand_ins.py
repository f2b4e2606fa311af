"""The table of stand-ins for claims is computed from annotated pairs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import claim_stand_ins

SUBJECTS = ("rate", "profit", "revenue", "deposit", "dividend", "premium", "bond", "fund")


def pair(number: int, subject: str) -> dict[str, object]:
    golden = f"The {subject} of the company grew by 5%. It was stable in {1990 + number}."
    good, bad = {"response": golden}, {"response": "The moon is made of cheese, as all agree."}
    is_second = number % 2 == 0
    label = 2 if is_second else -2
    aspects = ("correctness_label", "completeness_label", "overall_label")
    return {
        "dataset": "d",
        "query_id": str(number),
        "query": f"What of the {subject}?",
        "gt_answer": golden,
        "model1": {"model_name": "a", **(bad if is_second else good)},
        "model2": {"model_name": "b", **(good if is_second else bad)},
        "labels": [dict.fromkeys(aspects, label), dict.fromkeys(aspects, label)],
    }


def test_a_stand_in_that_prefers_what_people_prefer_correlates_with_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pairs.jsonl"
    pairs = [pair(number, subject) for number, subject in enumerate(SUBJECTS)]
    file.write_text("".join(json.dumps(one) + "\n" for one in pairs), "utf-8")
    claim_stand_ins.main([str(file), "--aspect", "completeness"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "annotators with each other: Pearson 1.00, Spearman 1.00, n 8"
    (words,) = [line for line in lines if line.startswith("claim F1 by words, the default")]
    assert (words.split()[6], words.split()[9]) == ("1.00", "1.00")
    held = [line for line in lines if line.startswith("with another figure")]
    assert held[0].endswith("the default: 0 of 8")
    assert held[1].endswith("not checked: 8 of 8")
