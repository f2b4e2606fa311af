"""The texts that the chunks of a corpus are indexed by where a system's settings change them.

They are made once and kept as an artefact beside the indexes over them; what a model has a part in
is stored before, chunk by chunk, by the run that asks. A chunk stays the stretch of its document
that it was, so evidence is found as ever, and generators read the document's words.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from engine.retrieve.index.base import IndexColumns, Progress, index_text
from engine.retrieve.refine import context, model_context, model_summary, summary, tables
from engine.retrieve.refine.change import AskedChange, Change, ChunkText
from engine.retrieve.stage import NamedStage, open_stage
from store.corpora import corpora
from store.corpora.corpora import Corpus, IndexRow
from store.errors import InputError
from store.records import Hit
from store.runs import refinements
from store.systems import StageConfig

if TYPE_CHECKING:
    from engine.retrieve.index.ranking import ChunkTable

CORPUS_STAGES: dict[str, NamedStage[Change]] = {
    "context": context.STAGE,
    "model_context": model_context.STAGE,
    "model_summary": model_summary.STAGE,
    "summary": summary.STAGE,
    "tables": tables.STAGE,
}
VERSION = 1
"""Raise it whenever a stage gives another text for the same chunk."""

_TEXTS = "texts.json"


def open_changes(stages: Sequence[StageConfig]) -> list[Change]:
    """The changes that settings name. Raises UsageError for one that there is not, or with options
    that it does not take."""
    return [open_stage(CORPUS_STAGES, config, "corpus") for config in stages]


def ask_model(stages: Sequence[StageConfig]) -> bool:
    """Whether a model has a part in the texts that stages give."""
    return any(CORPUS_STAGES[config.name].asks_model for config in stages)


def refined_columns(
    db: sqlite3.Connection,
    corpus: Corpus,
    fingerprint: str,
    rows: Sequence[IndexRow],
    stages: Sequence[StageConfig],
) -> IndexColumns:
    """The chunks, which have that fingerprint, with the texts that they are indexed by after all
    stages, titles before them; `rows` has those of a document together.

    Raises InputError where a model has a part in them and no run has asked it for all of them.
    """
    if ask_model(stages):
        made = _stored(db, corpus, fingerprint, rows, stages)
    else:
        made = _changed(db, corpus, rows, stages)
    texts = [index_text(row.title, text) for row, text in zip(rows, made, strict=True)]
    return IndexColumns(
        [row.document_id for row in rows],
        [row.start for row in rows],
        [row.end for row in rows],
        texts,
    )


def _changed(
    db: sqlite3.Connection, corpus: Corpus, rows: Sequence[IndexRow], stages: Sequence[StageConfig]
) -> Iterator[str]:
    changes = open_changes(stages)
    for chunk in chunk_texts(db, corpus, rows):
        for change in changes:
            assert not isinstance(change, AskedChange), "such texts are stored"
            chunk = replace(chunk, text=change(chunk))
        yield chunk.text


def _stored(
    db: sqlite3.Connection,
    corpus: Corpus,
    fingerprint: str,
    rows: Sequence[IndexRow],
    stages: Sequence[StageConfig],
) -> Iterator[str]:
    refinement = refinements.find(db, corpus, fingerprint, stages)
    if refinement is None or not refinement.is_finished:
        raise InputError(
            f"The texts that a model makes of the chunks of corpus {corpus.name!r} are not there.",
            "Run the system first.",
            "ragdesk run --system NAME --dataset NAME",
        )
    for document_id, own in groupby(rows, key=lambda row: row.document_id):
        texts = refinements.texts(db, refinement.id, document_id)
        yield from (texts[row.start] for row in own)


def chunk_texts(
    db: sqlite3.Connection, corpus: Corpus, rows: Iterable[IndexRow]
) -> Iterator[ChunkText]:
    """The chunks before any change, in their order; those of a document stand together."""
    for document_id, own in groupby(rows, key=lambda row: row.document_id):
        document = corpora.documents_by_id(db, corpus, [document_id])[document_id]
        for row in own:
            yield ChunkText(
                row.text,
                document.text,
                row.start,
                row.title,
                "zh" if document.lang == "zh" else "en",
            )


class RefinedTexts:
    """An artefact of the texts themselves; it is given them, and finds the text of a chunk."""

    name = "texts"
    libraries: tuple[str, ...] = ()

    def __init__(self, stages: Sequence[StageConfig]) -> None:
        self._stages = stages

    def parameters(self) -> Mapping[str, int | float | str]:
        stages = msgspec.json.encode(self._stages, order="sorted").decode()
        return {"version": VERSION, "stages": stages}

    def build(self, texts: Sequence[str], folder: Path, progress: Progress) -> None:
        (folder / _TEXTS).write_bytes(msgspec.json.encode(texts))
        progress("index", 1, 1)

    def load(self, folder: Path, chunks: ChunkTable) -> KeptTexts:
        return KeptTexts(
            msgspec.json.decode((folder / _TEXTS).read_bytes(), type=list[str]), chunks
        )


class KeptTexts:
    """The texts of an artefact, by chunk."""

    def __init__(self, texts: Sequence[str], chunks: ChunkTable) -> None:
        self._texts = texts
        self._chunks = chunks

    def of(self, hits: Sequence[Hit]) -> list[str]:
        """The text of each chunk."""
        return [self._texts[self._chunks.row(hit)] for hit in hits]

    def columns(self) -> IndexColumns:
        """The chunks with their texts, to be indexed."""
        hits = self._chunks.all()
        return IndexColumns(
            [hit.document_id for hit in hits],
            [hit.start for hit in hits],
            [hit.end for hit in hits],
            self._texts,
        )
