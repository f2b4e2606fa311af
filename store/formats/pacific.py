"""PACIFIC: conversations over a table and its paragraphs, with questions asked back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from store.errors import InputError
from store.formats.jsonl import read_records
from store.formats.tables import number_text, pipe_table


class _Table(Struct, frozen=True):
    uid: str
    table: list[list[Any]]


class Paragraph(Struct, frozen=True):
    order: int
    text: str


class Question(Struct, frozen=True):
    question: str
    answer: str | int | float | list[str | int | float]
    answer_type: str = ""
    """`question` where the system is to ask back; else span, multi-span, arithmetic, count."""
    order: int = 0
    original_question: str = ""
    """The question as it would be asked alone."""
    derivation: str = ""
    scale: str = ""
    answer_from: str = ""
    rel_paragraphs: list[str | int] = []
    follow_up: bool = False
    req_clari: bool = False

    @property
    def answers(self) -> tuple[str, ...]:
        """The ways to write one answer. Several spans are one answer together; a number stands
        with its scale first, and alone."""
        parts = self.answer if isinstance(self.answer, list) else [self.answer]
        texts = [_text(part) for part in parts]
        text = ", ".join(part for part in texts if part)
        if not text:
            return ()
        if self.scale == "percent":
            return (f"{text}%", f"{text} percent", text) if "%" not in text else (text,)
        return (f"{text} {self.scale}", text) if self.scale else (text,)


class Context(Struct, frozen=True):
    table: _Table
    paragraphs: list[Paragraph]
    questions: list[Question]

    @property
    def id(self) -> str:
        return self.table.uid

    @property
    def turns(self) -> list[Question]:
        return sorted(self.questions, key=lambda question: question.order)

    @property
    def table_text(self) -> str:
        return pipe_table(self.table.table)

    @property
    def text(self) -> str:
        """The paragraphs in their order, then the table as a pipe table."""
        ordered = sorted(self.paragraphs, key=lambda paragraph: paragraph.order)
        parts = [paragraph.text.strip() for paragraph in ordered]
        return "\n".join(part for part in parts if part) + f"\n\n{self.table_text}"

    def passages(self, question: Question) -> list[str]:
        """The passages that the answer is founded on, as the annotators marked them."""
        orders = {str(order) for order in question.rel_paragraphs}
        marked = [
            paragraph.text.strip()
            for paragraph in self.paragraphs
            if str(paragraph.order) in orders
        ]
        return [*marked, self.table_text] if "table" in question.answer_from else marked


def read_contexts(file: Path) -> Iterator[tuple[str, Context]]:
    """(place, context with its conversation); InputError names file, line and field."""
    for place, context in read_records(file, Context):
        if not context.questions:
            raise InputError(f"{place}: field `questions` is empty.", "Remove that line.")
        yield place, context


def _text(value: str | int | float) -> str:
    if isinstance(value, float):
        return number_text(value)
    return str(value).strip()
