"""The word diff: exact both ways, Chinese by characters, numbers whole, told without colour."""

from __future__ import annotations

import random

import msgspec
import pytest
from correction_workspaces import CHINESE, DIALOGUE, LIQUIDITY, quote_of

from engine.text.wrapping import cell_width
from store.records import Turn
from tui.correction.revision_diff import diff_lay
from tui.correction.text_diff import Part, item_diff, text_diff


def said(parts: tuple[Part, ...]) -> str:
    marks = {"same": "{}", "gone": "[-{}-]", "new": "{{+{}+}}"}
    return "".join(marks[kind].format(text) for kind, text in parts)


def name(sort: str, key: str) -> str:
    return f"{sort} {key[:8]}"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "", ""),
        ("同样", "同样", "同样"),
        ("", "新的", "{+新的+}"),
        ("上涨2.1%，规模", "上涨2.2%，规模", "上涨[-2.1%-]{+2.2%+}，规模"),
        ("监管要求是多少？", "最低监管要求是多少？", "{+最低+}监管要求是多少？"),
        ("The rate rose.", "The rate fell.", "The rate [-rose-]{+fell+}."),
        ("完全不同", "nothing alike", "[-完全不同-]{+nothing alike+}"),
    ],
)
def test_what_differs_is_marked(before: str, after: str, expected: str) -> None:
    assert said(text_diff(before, after)) == expected


def test_both_texts_can_be_read_out_of_any_diff() -> None:
    draw = random.Random(5)
    alphabet = ["净", "利", "润", "上涨", "，", "3.5%", " ", "rate", "\n", "。"]
    for _ in range(500):
        before, after = ("".join(draw.choices(alphabet, k=draw.randint(0, 20))) for _ in "ab")
        parts = text_diff(before, after)
        assert "".join(part.text for part in parts if part.kind != "new") == before
        assert "".join(part.text for part in parts if part.kind != "gone") == after
        assert all(part.text for part in parts)
        assert (before == after) == all(part.kind == "same" for part in parts)


def test_an_item_is_compared_part_by_part() -> None:
    turn = CHINESE.turns[0]
    after = msgspec.structs.replace(
        CHINESE,
        turns=(
            msgspec.structs.replace(
                turn,
                golden_answers=("100%", "百分之一百"),
                evidence=(quote_of(LIQUIDITY, "最低监管要求为不低于百分之一百"),),
            ),
        ),
        topic="funds",
    )
    lines: dict[str, list[tuple[bool, str]]] = {}
    for line in item_diff(CHINESE, after, name):
        lines.setdefault(line.label, []).append((line.is_changed, said(line.parts)))
    assert lines["question"] == [(False, "流动性覆盖率的最低监管要求是多少？")]
    assert [changed for changed, _ in lines["answer"]] == [True, False, True]
    assert lines["answer"][0][1] == "[-不低于100%-]"
    assert lines["topic"] == [(True, "[-topic rates-]{+topic funds+}")]
    assert lines["task"] == [(False, "task extracti")]
    ((is_changed, evidence),) = lines["evidence"]
    assert is_changed
    assert "{+" in evidence


@pytest.mark.usefixtures("chinese")
def test_an_added_and_a_deleted_turn_are_whole_lines() -> None:
    shorter = msgspec.structs.replace(DIALOGUE, turns=DIALOGUE.turns[:1])
    labels = [line.label for line in item_diff(shorter, DIALOGUE, name) if line.is_changed]
    assert labels == ["问题 2", "答案", "证据"]
    gone = item_diff(DIALOGUE, shorter, name)
    assert [said(line.parts) for line in gone if line.label == "问题 2"] == ["[-规模呢？-]"]


@pytest.mark.usefixtures("chinese")
def test_signs_tell_a_change_without_colour_and_lines_fit() -> None:
    after = msgspec.structs.replace(
        CHINESE, turns=(Turn("流动性覆盖率最低是多少？" * 4, ("不低于100%",)),)
    )
    lay = diff_lay(item_diff(CHINESE, after, name))
    lines = ["".join(text for text, _ in line) for line in lay(40)]
    assert all(cell_width(line) <= 40 for line in lines)
    assert lines[0].startswith("~ 问题")
    assert any("{+" in line for line in lines)
    assert any("[-" in line for line in lines)
    assert lines[-1].startswith("  任务")
