"""The earlier turns of a conversation as a system sees them."""

from __future__ import annotations

from collections.abc import Sequence

from store.records import HistoryMode, Turn


def visible_history(
    turns: Sequence[Turn], turn: int, mode: HistoryMode, answers: Sequence[str | None]
) -> tuple[tuple[str, str], ...]:
    """(question, answer) of the turns before `turn`, as `mode` lets the system see them.

    `answers` are the system's own answers to those turns (None where it failed); they are used
    by `predicted` only. With `questions` the answers are empty.
    """
    if mode is HistoryMode.NONE:
        return ()
    pairs = []
    for number, earlier in enumerate(turns[:turn]):
        answer = ""
        if mode is HistoryMode.GOLD and earlier.golden_answers:
            answer = earlier.golden_answers[0]
        elif mode is HistoryMode.PREDICTED:
            answer = answers[number] or ""
        pairs.append((earlier.question, answer))
    return tuple(pairs)
