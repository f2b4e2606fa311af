"""UHGEval: beginnings of news texts, with continuations that a model partly made up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from store.formats.jsonl import read_records

_SEPARATOR = "<sep>"
_WRONG = "不合理"


class HallucinatedText(Struct, frozen=True, rename="camel"):
    id: str | int
    news_beginning: str
    hallucinated_continuation: str
    real_continuation: str = ""
    hallucinated_mod: str = ""
    """The text corrected, where CRUD-RAG added it."""
    news_remainder: str = ""
    head_line: str = ""
    broadcast_date: str = ""
    type: str = ""
    """The kind of invention: doc, gen, kno or num."""
    generated_by: str = ""
    annotations: list[str] = []
    """`KEYWORD<sep>合理`, or `KEYWORD<sep>不合理` with the reason."""

    @property
    def wrong_keywords(self) -> tuple[str, ...]:
        pairs = (annotation.partition(_SEPARATOR) for annotation in self.annotations)
        return tuple(word for word, _, verdict in pairs if verdict.startswith(_WRONG))


def read_texts(file: Path) -> Iterator[tuple[str, HallucinatedText]]:
    """(place, text); InputError names file, line and field."""
    yield from read_records(file, HallucinatedText)
