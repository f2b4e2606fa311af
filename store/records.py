"""The domain types, defined once for rows, JSON documents and messages.

Every type is frozen. Character offsets count Unicode code points in a document's
normalised text, start inclusive and end exclusive. Times are UTC, ISO 8601 text.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

Lang = Literal["zh", "en"]

UNASSIGNED = "unassigned"
"""The topic or task key of whatever fits no topic or task; always shown, never dropped."""


class ItemState(StrEnum):
    DRAFTED = "drafted"
    ACCEPTED = "accepted"
    DISCARDED = "discarded"
    NEEDS_CORRECTION = "needs_correction"
    CORRECTED = "corrected"


ITEM_TRANSITIONS: dict[ItemState, frozenset[ItemState]] = {
    ItemState.DRAFTED: frozenset(
        {ItemState.ACCEPTED, ItemState.DISCARDED, ItemState.NEEDS_CORRECTION}
    ),
    ItemState.NEEDS_CORRECTION: frozenset({ItemState.CORRECTED}),
    ItemState.CORRECTED: frozenset({ItemState.ACCEPTED}),
    ItemState.ACCEPTED: frozenset(),
    ItemState.DISCARDED: frozenset(),
}
"""Forward moves only; an undo is an event that restores the state before it."""


class JobState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


JOB_TRANSITIONS: dict[JobState, frozenset[JobState]] = {
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.PAUSED, JobState.CANCELLED}),
    JobState.RUNNING: frozenset(
        {JobState.QUEUED, JobState.PAUSED, JobState.DONE, JobState.FAILED, JobState.CANCELLED}
    ),
    JobState.PAUSED: frozenset({JobState.QUEUED, JobState.CANCELLED}),
    JobState.FAILED: frozenset({JobState.QUEUED}),
    JobState.CANCELLED: frozenset({JobState.QUEUED}),
    JobState.DONE: frozenset(),
}
"""A running job returns to the queue when its worker hands it back or its lease expires."""


class PauseReason(StrEnum):
    USER = "user"
    BUDGET = "budget"
    QUOTA = "quota"
    """The provider gives no more for now: its quota, or its limit of rate."""
    DISK_FULL = "disk full"
    ENDPOINT = "endpoint"
    """The endpoint is down, or refuses whatever it is asked."""
    REPLIES = "replies"
    """What a model writes is of no use, whatever it is asked."""


class PredictionState(StrEnum):
    PENDING = "pending"
    OK = "ok"
    REFUSED = "refused"
    FAILED = "failed"


class ScoreState(StrEnum):
    OK = "ok"
    NA = "na"
    """The metric does not apply to this prediction."""
    UNPARSED = "unparsed"
    OUT_OF_RANGE = "out_of_range"
    ERROR = "error"
    MISSING = "missing"
    """The prediction has not been scored, or could not be because it failed."""


class HistoryMode(StrEnum):
    """The earlier turns of a conversation that a system sees."""

    NONE = "none"
    QUESTIONS = "questions"
    GOLD = "gold"
    PREDICTED = "predicted"


class Span(Struct, frozen=True, order=True):
    """A stretch of a document's text; `start` and `end` are both null for the whole document."""

    document_id: str
    start: int | None = None
    end: int | None = None


Grade = Annotated[int, Meta(ge=1)]


class Evidence(Struct, frozen=True, omit_defaults=True):
    """The ground of a golden answer: a verbatim quote, or a whole document (null span)."""

    document_id: str
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    grade: Grade = 1
    """How relevant it is, 1 or more; the gain of nDCG. 1 is not stored, so that evidence without
    grades has the content hash that it always had."""

    @property
    def span(self) -> Span:
        return Span(self.document_id, self.start, self.end)


class Turn(Struct, frozen=True, omit_defaults=True):
    question: str
    golden_answers: tuple[str, ...] = ()
    """Surface forms of one answer; empty when the item has no golden answer (retrieval only)."""
    evidence: tuple[Evidence, ...] = ()
    expansions: dict[str, str] = {}
    """Given words to search for beside the question, by name, such as `keywords`."""
    keypoints: tuple[str, ...] = ()
    """What a whole answer conveys, point by point, where the item has it."""


Facet = str | int | float | bool


def join_turn_facet(values: Sequence[str]) -> str:
    """A facet that says something of each turn: the text of a single turn as it is, of several
    turns a JSON list with one entry a turn."""
    return values[0] if len(values) == 1 else msgspec.json.encode(list(values)).decode()


def split_turn_facet(facet: Facet | None, turns: int) -> list[str]:
    """The values that `join_turn_facet` was given; the text for every turn where it is no list."""
    if not isinstance(facet, str):
        return [""] * turns
    if turns > 1:
        try:
            values = msgspec.json.decode(facet, type=list[str])
        except msgspec.DecodeError:
            values = []
        if len(values) == turns:
            return values
    return [facet] * turns


class ItemContent(Struct, frozen=True, omit_defaults=True):
    """The content of a revision. Equal content has equal hash, whoever wrote it."""

    turns: tuple[Turn, ...]
    topic: str = UNASSIGNED
    task: str = UNASSIGNED
    lang: Lang = "en"
    facets: dict[str, Facet] = {}
    hidden: tuple[str, ...] = ()
    """Ids of documents that no system may see, their near-duplicates included: the source of an
    article to continue would give its continuation away."""

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of the documents that it names, in order: those of its evidence, then the hidden."""
        quoted = (unit.document_id for turn in self.turns for unit in turn.evidence)
        return tuple(dict.fromkeys((*quoted, *self.hidden)))


class ReleasedItem(Struct, frozen=True):
    """An item as a release froze it."""

    revision_id: int
    item_id: int
    item_key: str
    """The item's name within its dataset: the id of an imported query, or a content hash."""
    group_key: str
    """Items of one group (dialogue, source document, question) are resampled and split together."""
    content: ItemContent


class Source(Struct, frozen=True, omit_defaults=True):
    """The origin of a document's text."""

    path: str
    """File path, as given; `source` in search results unless `external_id` is set."""
    title: str = ""
    locator: str = ""
    """Place inside the file: `line 12`, `page 3`; empty when the file is one document."""
    external_id: str = ""
    """`_id` of a BEIR document, or the `id` field of a JSON record."""


class Document(Struct, frozen=True):
    """A text, identified by the hash of its normalised form."""

    id: str
    text: str
    lang: Lang
    tokens: int
    """Our own counter, see `engine.text.tokens`."""


class Chunk(Struct, frozen=True):
    document_id: str
    ordinal: int
    start: int
    end: int
    tokens: int


class ChunkingSettings(Struct, frozen=True):
    """`size` and `overlap` count `unit`s; a chunk prefers to end at a sentence end."""

    size: int = 2048
    overlap: int = 256
    unit: Literal["tokens", "chars"] = "tokens"


class Hit(Struct, frozen=True):
    """One retrieved chunk; higher `score` is better, ranks are the order of the list."""

    document_id: str
    start: int
    end: int
    score: float

    @property
    def chunk_id(self) -> str:
        return f"{self.document_id}:{self.start}-{self.end}"


class MixedQuery(Struct, frozen=True, omit_defaults=True):
    """A question whose vector is mixed with those of other texts."""

    question: str
    hypothetical: str = ""
    """A text that may answer it."""
    alpha: float = 1.0
    """The share of the question's vector, 0 to 1; the rest is that of `hypothetical`."""
    nearest: tuple[Hit, ...] = ()
    """Chunks whose vectors are averaged with that mix."""

    @property
    def words(self) -> str:
        """Its texts, for a search by words."""
        return f"{self.question}\n\n{self.hypothetical}" if self.hypothetical else self.question


SearchText = str | MixedQuery


class Passage(Struct, frozen=True):
    """A retrieved text: `text` is the document's text from `start` on."""

    document_id: str
    title: str
    text: str
    start: int = 0


class MetricScore(Struct, frozen=True, omit_defaults=True):
    """One metric's value for one prediction. `value` is null unless `state` is ok."""

    metric: str
    variant: str
    value: float | None
    state: ScoreState = ScoreState.OK
    reason: str = ""
    """The reason for the value, in words that a person can check."""


class ScoreRow(Struct, frozen=True):
    """One metric's value for one prediction of a run, with its place in the matrix."""

    item_key: str
    revision_id: int
    turn: int
    repeat: int
    group_key: str
    row: str
    col: str
    state: ScoreState | None
    """Null while the prediction is pending."""
    value: float | None
    """A finite number when `state` is ok, else null."""


class Topic(Struct, frozen=True):
    key: str
    zh: str
    en: str
    group_zh: str = ""
    group_en: str = ""
    terms: tuple[str, ...] = ()
    """Words that mark the topic, for lexical classification; both languages."""


class Task(Struct, frozen=True):
    key: str
    zh: str
    en: str
    group: str = ""
    requirement_zh: str = ""
    requirement_en: str = ""
    shape: Literal["single", "conversation"] = "single"
    builder: str = ""
    prompt: str = ""
    metrics: tuple[str, ...] = ()


class Taxonomy(Struct, frozen=True):
    key: str
    name: str
    topics: tuple[Topic, ...]
    tasks: tuple[Task, ...]
