"""The earlier turns of a conversation as prompts show them."""

from __future__ import annotations

from collections.abc import Sequence

from store.records import Lang

_TEXTS: dict[Lang, tuple[str, str, str]] = {
    "zh": ("此前的对话：\n", "问：{}\n", "答：{}\n"),
    "en": ("The conversation so far:\n", "Question: {}\n", "Answer: {}\n"),
}


def history_text(history: Sequence[tuple[str, str]], lang: Lang) -> str:
    """The (question, answer) pairs under a heading, with an empty line behind; empty for none.

    An empty answer has no line.
    """
    if not history:
        return ""
    head, question_line, answer_line = _TEXTS[lang]
    lines = [
        question_line.format(question) + (answer_line.format(answer) if answer else "")
        for question, answer in history
    ]
    return f"{head}{''.join(lines)}\n"
