"""What stages and judges asked and were told is read as it was sent."""

from __future__ import annotations

import pytest

from engine.text.wrapping import cell_width
from store.jobs.model_calls import ModelCall
from store.runs.calls import StoredCall
from tui.results.calls import NOTHING, calls_sheet

REQUEST = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "You grade answers."},
        {"role": "user", "content": "问题：利率是多少？\nGrade it."},
    ],
}


def call(**fields: object) -> ModelCall:
    given = {"reply": '{"value": 2}', "finish_reason": "stop", "latency_ms": 1234.5}
    return ModelCall("p", "m", REQUEST, **{**given, **fields})  # type: ignore[arg-type]


def lines(*calls: StoredCall, width: int = 60) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in calls_sheet(calls)(width)]


def test_messages_reply_and_cost_stand_below_each_other() -> None:
    asked = StoredCall(
        "judge gpt", ("accuracy",), 0, False, call(tokens_in=1200, tokens_out=5, reply_model="m-2")
    )
    assert [line.strip() for line in lines(asked)] == [
        "judge gpt  for accuracy",
        "told           You grade answers.",
        "asked          问题：利率是多少？",
        "Grade it.",
        'reply          {"value": 2}',
        "model          m-2; tokens in 1,200, out 5; 1,234 ms",
    ]


@pytest.mark.usefixtures("chinese")
def test_words_around_what_was_sent_are_those_of_the_interface() -> None:
    asked = StoredCall("judge gpt", ("accuracy",), 0, True, call(tokens_in=1200, tokens_out=5))
    assert [line.strip() for line in lines(asked)] == [
        "评判器 gpt  用于 accuracy",
        "指令        You grade answers.",
        "提问        问题：利率是多少？",
        "Grade it.",
        '回复        {"value": 2}',
        "模型        m; 输入 1,200 个 token，输出 5 个; 已有现成回复",
    ]


def test_lines_fit_a_narrow_pane() -> None:
    asked = StoredCall("judge gpt", ("accuracy", "completeness", "utilization"), 1, True, call())
    assert max(map(cell_width, lines(asked, width=30))) <= 30
    assert "repeat 2" in " ".join(lines(asked, width=30))


def test_a_cut_reply_and_a_purged_one_are_called_so() -> None:
    cut = StoredCall("judge gpt", ("accuracy",), 0, True, call(finish_reason="length"))
    gone = StoredCall("judge gpt", ("utilization",), 0, False, None)
    text = "\n".join(lines(cut, gone, width=90))
    assert "cut short by the limit of tokens; its reply was there already" in text
    assert "2 of 2  judge gpt  for utilization\n" in text
    assert "were purged" in text


def test_where_no_model_was_asked_the_sheet_says_so() -> None:
    assert [line.strip() for line in lines()] == [NOTHING]
