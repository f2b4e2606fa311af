"""The BEIR layout: `corpus.jsonl`, `queries.jsonl` and judgements, with answers added."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from store.errors import InputError
from store.formats.faults import not_utf8
from store.formats.jsonl import read_jsonl
from store.records import Facet

DOCUMENTS = "corpus.jsonl"
QUERIES = "queries.jsonl"
JUDGEMENTS = "qrels/test.tsv"
"""Where the loader of the package `beir` looks for judgements by default."""


NO_FACETS = ("topic", "task", "lang", "type")
"""Members of `meta` that are no facets: axes of their own."""


class BeirDocument(msgspec.Struct, frozen=True):
    id: str = msgspec.field(name="_id")
    text: str
    title: str | None = None
    meta: dict[str, Any] | None = None


class BeirQuery(msgspec.Struct, frozen=True):
    id: str = msgspec.field(name="_id")
    text: str
    answers: str | list[str] | None = None
    lang: str | None = None
    type: str | None = None
    meta: dict[str, Any] | None = None

    @property
    def facets(self) -> dict[str, Facet]:
        """The texts, numbers, true and false of `meta`, and of `meta.facets` in exports of ours."""
        meta = self.meta or {}
        own = meta.get("facets")
        given = {**meta, **own} if isinstance(own, dict) else meta
        return {
            name: value
            for name, value in given.items()
            if isinstance(value, str | int | float) and value != "" and name not in NO_FACETS
        }

    @property
    def source_files(self) -> tuple[str, ...]:
        """The files that `meta.source_docs` names as the ground of the answer."""
        given = (self.meta or {}).get("source_docs")
        return tuple(str(name) for name in given) if isinstance(given, list) else ()

    @property
    def golden_answers(self) -> tuple[str, ...]:
        return _answers(self.answers)


class QueryText(msgspec.Struct, frozen=True):
    """A query's other wording, such as one with keywords added."""

    id: str = msgspec.field(name="_id")
    text: str


class _Answer(msgspec.Struct, frozen=True):
    id: str = msgspec.field(name="_id")
    answer: str | list[str] | None = None
    answers: str | list[str] | None = None


def read_documents(folder: Path) -> Iterator[BeirDocument]:
    """Yields the documents. Raises InputError for an id that occurs twice."""
    file = folder / DOCUMENTS
    seen: set[str] = set()
    for number, document in read_jsonl(file, BeirDocument):
        _refuse_second(file, number, document.id, seen)
        yield document


def read_queries(place: Path) -> list[BeirQuery]:
    """All queries of a file, or of `queries.jsonl` in a folder. Raises InputError for an id that
    occurs twice.
    """
    file = place / QUERIES if place.is_dir() else place
    seen: set[str] = set()
    queries = []
    for number, query in read_jsonl(file, BeirQuery):
        _refuse_second(file, number, query.id, seen)
        queries.append(query)
    return queries


def read_query_texts(file: Path) -> Iterator[tuple[int, QueryText]]:
    """(line number, wording) of a file with `_id` and `text` lines."""
    yield from read_jsonl(file, QueryText)


def read_answers(file: Path) -> dict[str, tuple[str, ...]]:
    """Query id to answers, from lines with `_id` and `answer` or `answers`."""
    return {
        row.id: _answers(row.answer if row.answer is not None else row.answers)
        for _, row in read_jsonl(file, _Answer)
    }


def judgements_file(folder: Path) -> Path:
    """`qrels.tsv` of a BEIR folder, or where there is none `qrels/test.tsv`."""
    plain, of_test = folder / "qrels.tsv", folder / JUDGEMENTS
    return of_test if of_test.exists() and not plain.exists() else plain


def read_qrels(file: Path) -> dict[str, dict[str, int]]:
    """Query id to {document id: grade}; tab-separated, with or without the header line.

    Accepts BEIR's three columns (query, document, grade) and trec_eval's four.
    """
    qrels: dict[str, dict[str, int]] = {}
    try:
        text = file.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise not_utf8(file.read_bytes(), str(file)) from error
    # not splitlines, which would also break at characters that an id may hold
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        fields = line.split("\t") if "\t" in line else line.split()
        if not line.strip() or (number == 1 and not _is_whole(fields[-1])):
            continue
        if len(fields) not in (3, 4) or not _is_whole(fields[-1]):
            raise InputError(
                f"{file}, line {number}: expected query id, document id and a whole grade,"
                f" tab-separated, found {line!r}.",
                "Mend that line and try again.",
            )
        query, document = fields[0], fields[-2]
        qrels.setdefault(query, {})[document] = int(fields[-1])
    return qrels


def _refuse_second(file: Path, number: int, id: str, seen: set[str]) -> None:
    if id in seen:
        raise InputError(
            f"{file}, line {number}: field `_id`: {id!r} occurs twice.",
            "Give every line an id of its own.",
        )
    seen.add(id)


def _is_whole(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()


def _answers(value: str | list[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(text for text in ([value] if isinstance(value, str) else value) if text.strip())
