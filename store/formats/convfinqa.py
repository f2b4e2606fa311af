"""ConvFinQA: conversations of numeric questions about a page of a report.

In the cleaned form: `doc` holds the text before and after a table, `dialogue` holds lists of equal
length, one entry a turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from store.errors import InputError
from store.formats.jsonl import read_records
from store.formats.tables import number_text, pipe_table, rows_of_columns


class Page(Struct, frozen=True):
    pre_text: str | list[str] = ""
    post_text: str | list[str] = ""
    table: dict[str, dict[str, Any]] | list[list[Any]] = {}
    """By column and row name, or as rows."""

    @property
    def text(self) -> str:
        """The page from top to bottom, its table as a pipe table."""
        rows = self.table if isinstance(self.table, list) else rows_of_columns(self.table)
        parts = (_lines(self.pre_text), pipe_table(rows), _lines(self.post_text))
        return "\n\n".join(part for part in parts if part.strip())


class Dialogue(Struct, frozen=True):
    conv_questions: list[str]
    conv_answers: list[str | float]
    turn_program: list[str] = []
    executed_answers: list[str | float] = []
    qa_split: list[bool] = []
    """Whether a turn belongs to the second of the two questions that a conversation was made of."""


class Conversation(Struct, frozen=True):
    id: str
    doc: Page
    dialogue: Dialogue
    features: dict[str, Any] = {}

    @property
    def page(self) -> str:
        """The report's page: `UNP/2011/page_76.pdf` of `Single_UNP/2011/page_76.pdf-1`."""
        name, _, number = self.id.rpartition("-")
        name = name if number.isdigit() else self.id
        return name.removeprefix("Single_").removeprefix("Double_")

    def answers(self, turn: int) -> tuple[str, ...]:
        """The ways to write one answer: as the annotators did, and as the program computes it."""
        given = [self.dialogue.conv_answers[turn], *self.dialogue.executed_answers[turn : turn + 1]]
        texts = (
            number_text(answer) if isinstance(answer, float) else answer.strip() for answer in given
        )
        return tuple(dict.fromkeys(text for text in texts if text))


def read_conversations(file: Path) -> Iterator[tuple[str, Conversation]]:
    """(place, conversation); InputError names file, line and field."""
    for place, conversation in read_records(file, Conversation):
        _check(place, conversation)
        yield place, conversation


def _check(place: str, conversation: Conversation) -> None:
    turns = len(conversation.dialogue.conv_questions)
    if not turns:
        raise InputError(f"{place}: field `dialogue.conv_questions` is empty.")
    for name in ("conv_answers", "turn_program", "executed_answers", "qa_split"):
        entries = getattr(conversation.dialogue, name)
        if len(entries) != turns and (entries or name == "conv_answers"):
            raise InputError(
                f"{place}: field `dialogue.{name}` has {len(entries)} entries for {turns} turns.",
                "Mend that line and try again.",
            )


def _lines(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "\n".join(text)
