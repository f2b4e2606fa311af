"""The archive of a dataset with its whole history as JSON Lines, as `export items` writes it.

Revisions and events are numbered within their item and file, so that the numbers of one workspace
mean nothing outside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from store.datasets.question_sets import QuestionSet
from store.datasets.splits import Side
from store.errors import InputError
from store.formats.jsonl import read_jsonl
from store.jobs.prompts import PromptRow
from store.labels.forms import Form
from store.labels.guidelines import Guideline
from store.records import ChunkingSettings, ItemContent, ItemState, Source, Taxonomy

DATASET = "dataset.json"
DOCUMENTS = "documents.jsonl"
ITEMS = "items.jsonl"
EVENTS = "events.jsonl"


class ReleaseLine(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    note: str
    at: str


class FormLine(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    form: Form


class SplitLine(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    sides: tuple[Side, ...]
    seed: int


class DatasetFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The parts of an archive that all its items share."""

    name: str
    corpus: str
    chunking: ChunkingSettings
    taxonomy: Taxonomy
    forms: tuple[FormLine, ...]
    guidelines: tuple[Guideline, ...]
    splits: tuple[SplitLine, ...]
    prompts: tuple[PromptRow, ...]
    """The texts that provenance and verdicts name by their hash."""
    releases: tuple[ReleaseLine, ...]


class SourceLine(Struct, frozen=True, forbid_unknown_fields=True):
    source: Source
    meta: dict[str, Any] = {}
    is_live: bool = True
    """False where the file has another text by now."""


class DocumentLine(Struct, frozen=True, forbid_unknown_fields=True):
    document_id: str
    text: str
    sources: tuple[SourceLine, ...]


class RevisionLine(Struct, frozen=True, forbid_unknown_fields=True):
    number: int
    parent: int | None
    author: str
    reason: str
    at: str
    content: ItemContent


class InspectionLine(Struct, frozen=True, forbid_unknown_fields=True):
    """An automatic inspection of a revision, or a call that gave none."""

    revision: int
    repeat: int
    inspector: str
    prompt: str | None
    """Hash of the prompt; null for a verdict by rule."""
    state: str
    evaluation: int | None
    reason: str
    checks: Any
    correction: int | None
    """Number of the revision that the inspector wrote of it."""
    at: str


class JudgementLine(Struct, frozen=True, forbid_unknown_fields=True):
    """The item's state before people judged a revision, and the number of people who decide."""

    form: str
    revision: int
    state_before: ItemState
    head_before: int
    quorum: int


class Provenance(Struct, frozen=True, forbid_unknown_fields=True):
    """The model, prompt and documents that an item was generated with."""

    model: str
    prompt_id: str
    prompt: str | None
    documents: tuple[str, ...]
    at: str


class ReleasedLine(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    revision: int
    state: ItemState


class PlacedLine(Struct, frozen=True, forbid_unknown_fields=True):
    split: str
    side: str | None
    group: str
    stratum: str
    reason: str


class QuestionSetLine(Struct, frozen=True, forbid_unknown_fields=True):
    """What judges ask answers to an item, under the name that their settings have for it."""

    name: str
    golden: str
    """Id of the golden answer that the questions were made from."""
    content: QuestionSet


class ItemLine(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    """The item's key in its dataset."""
    group: str
    state: ItemState
    at: str
    head: int
    """Number of the revision that is the item's text."""
    revisions: tuple[RevisionLine, ...]
    verdicts: tuple[InspectionLine, ...] = ()
    judgements: tuple[JudgementLine, ...] = ()
    released: tuple[ReleasedLine, ...] = ()
    placed: tuple[PlacedLine, ...] = ()
    provenance: Provenance | None = None
    question_sets: tuple[QuestionSetLine, ...] = ()

    @property
    def text(self) -> RevisionLine:
        """The revision that is the item's present text."""
        return next(revision for revision in self.revisions if revision.number == self.head)


class EventLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A label event about a revision, in the order in which they happened."""

    number: int
    at: str
    rater: str
    form: str
    form_version: int
    item: str
    revision: int
    repeat: str
    """Empty, or the mark of a hidden repeat: `#1`."""
    field: str
    value: Any
    """Where the field holds a revision, its number within the item."""
    kind: str
    undoes: int | None
    origin: str
    active_ms: int | None
    guideline: str
    weighed: tuple[int, ...] = ()
    """Of an adjudication: the events that lay before the adjudicator."""
    reason: str = ""
    """Of an adjudication: why the adjudicator ruled so, where they said."""
    account: str = ""
    """Who gave it in the name of the rater; empty for the rater."""


def is_archive(folder: Path) -> bool:
    return (folder / DATASET).is_file() and (folder / ITEMS).is_file()


def read_dataset(folder: Path) -> DatasetFile:
    file = folder / DATASET
    try:
        return msgspec.json.decode(file.read_bytes(), type=DatasetFile)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}.", "Export the dataset anew.") from error


def read_documents(folder: Path) -> Iterator[tuple[int, DocumentLine]]:
    yield from read_jsonl(folder / DOCUMENTS, DocumentLine)


def read_items(folder: Path) -> Iterator[tuple[int, ItemLine]]:
    yield from read_jsonl(folder / ITEMS, ItemLine)


def read_events(folder: Path) -> Iterator[tuple[int, EventLine]]:
    yield from read_jsonl(folder / EVENTS, EventLine)
