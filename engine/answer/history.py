"""What a system sees of the earlier turns of a conversation."""

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


def search_query(
    turn: Turn, history: Sequence[tuple[str, str]], expansion: str | None = None
) -> str:
    """What is searched for: the question, with the earlier questions that it may lean on, and
    with the expansion of that name where the turn has one, after a blank line.

    An expansion is added, never put in the question's place: that is what FinanceRAG found best
    (Lee and Roh 2024, table 1).

    Answers stay out: a wrong one of the system's own would drag the search after it.
    """
    query = "\n".join([*(earlier for earlier, _ in history), turn.question])
    words = turn.expansions.get(expansion, "") if expansion is not None else ""
    return f"{query}\n\n{words}" if words else query
