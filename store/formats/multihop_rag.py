"""MultiHop-RAG: news articles, and queries whose facts stand in several of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from store.formats.jsonl import read_records

CORPUS = "corpus.json"
QUERIES = "MultiHopRAG.json"
"""What the files are called where they are published."""


class Article(Struct, frozen=True):
    title: str
    body: str
    author: Any = None
    source: str | None = None
    published_at: str | None = None
    category: str | None = None
    url: str | None = None

    @property
    def name(self) -> str:
        """What queries refer to it by."""
        return self.url or self.title

    @property
    def meta(self) -> dict[str, Any]:
        """What is known of it besides its text and title."""
        fields = ("author", "source", "published_at", "category", "url")
        given = {field: getattr(self, field) for field in fields}
        return {field: value for field, value in given.items() if value not in (None, "")}


class Fact(Struct, frozen=True):
    fact: str
    title: str = ""
    url: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names that its article may have."""
        return tuple(name for name in (self.url, self.title) if name)


class Query(Struct, frozen=True):
    query: str
    answer: str
    question_type: str = ""
    """inference_query, comparison_query, temporal_query or null_query."""
    evidence_list: list[Fact] = []
    """Empty for a null query, which the articles do not answer."""


def read_articles(file: Path) -> Iterator[tuple[str, Article]]:
    """(place, article); InputError names file, entry and field."""
    yield from read_records(file, Article)


def read_queries(file: Path) -> Iterator[tuple[str, Query]]:
    """(place, query); InputError names file, entry and field."""
    yield from read_records(file, Query)
