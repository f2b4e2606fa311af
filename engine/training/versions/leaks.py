"""What a version of a judge has seen of answers that shall test it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from engine.text.tokens import CJK_CHARACTERS

RUN = 8
"""Tokens in a row that a prompt shares with a question or golden answer by chance seldom."""
_TOKEN = re.compile(rf"[{CJK_CHARACTERS}]|[^\W_]+")


def leaks(config: Mapping[str, Any], told: Iterable[str], questions: Iterable[str]) -> list[str]:
    """The places in a judge's configuration that hold something of a side.

    `questions` are those of the side: an example must not be about one of them. `told` are its
    questions and golden answers: no prompt may hold `RUN` tokens of one in a row, nor the whole of
    a shorter one of at least half as many.
    """
    asked = {tuple(tokens(question)) for question in questions}
    found = [
        f"examples[{place}]"
        for place, example in enumerate(config.get("examples", ()))
        if tuple(tokens(example["question"])) in asked
    ]
    runs = {run for text in told for run in _runs(tokens(text))}
    sizes = {len(run) for run in runs}
    for id, text in sorted(config.get("prompts", {}).items()):
        words = tokens(text)
        held = (
            tuple(words[at : at + size]) for size in sizes for at in range(len(words) - size + 1)
        )
        if any(run in runs for run in held):
            found.append(f"prompt {id}")
    return found


def tokens(text: str) -> list[str]:
    """Words and CJK characters, folded; marks are left out."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def _runs(words: list[str]) -> Iterable[tuple[str, ...]]:
    if len(words) >= RUN:
        return (tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))
    return (tuple(words),) if 2 * len(words) >= RUN else ()
