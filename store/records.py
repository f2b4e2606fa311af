"""The domain types, defined once: rows, JSON documents and messages all use these.

Every type is frozen. Character offsets count Unicode code points in a document's
normalised text, start inclusive and end exclusive. Times are UTC, ISO 8601 text.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from msgspec import Struct

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
    """What a system sees of the earlier turns of a conversation."""

    NONE = "none"
    QUESTIONS = "questions"
    GOLD = "gold"
    PREDICTED = "predicted"


class Span(Struct, frozen=True, order=True):
    """A stretch of a document's text; `start` and `end` are both null for the whole document."""

    document_id: str
    start: int | None = None
    end: int | None = None


class Evidence(Struct, frozen=True, omit_defaults=True):
    """Where a golden answer is founded: a verbatim quote, or a whole document (null span)."""

    document_id: str
    start: int | None = None
    end: int | None = None
    quote: str | None = None

    @property
    def span(self) -> Span:
        return Span(self.document_id, self.start, self.end)


class Turn(Struct, frozen=True, omit_defaults=True):
    question: str
    golden_answers: tuple[str, ...] = ()
    """Surface forms of one answer; empty when the item has no golden answer (retrieval only)."""
    evidence: tuple[Evidence, ...] = ()


Facet = str | int | float | bool


class ItemContent(Struct, frozen=True, omit_defaults=True):
    """What a revision holds. Equal content has equal hash, whoever wrote it."""

    turns: tuple[Turn, ...]
    topic: str = UNASSIGNED
    task: str = UNASSIGNED
    lang: Lang = "en"
    facets: dict[str, Facet] = {}


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
    """Where a document's text came from."""

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
    """Our own counter, see `engine.corpus.tokens`."""


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


class MetricScore(Struct, frozen=True, omit_defaults=True):
    """One metric's value for one prediction. `value` is null unless `state` is ok."""

    metric: str
    variant: str
    value: float | None
    state: ScoreState = ScoreState.OK
    reason: str = ""
    """Why the value is what it is, in words a person can check."""


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


IMPORTED = "imported"
"""The retriever or generator of a system that worked elsewhere, and whose results were imported."""

NO_ANSWERS = "none"
"""The generator of a system that only retrieves."""


class SystemConfig(Struct, frozen=True, omit_defaults=True):
    """A retriever and a generator, by name. A run freezes one of these."""

    name: str
    retriever: str | None = None
    """`bm25`, `bm25-okapi`, `lsa`, `imported`; null for closed-book."""
    generator: str = "extractive"
    top_k: int = 5
    history: HistoryMode = HistoryMode.GOLD
    baseline: bool = False
    """Whether to call the system a baseline wherever it is shown."""
    description: str = ""

    @property
    def is_imported(self) -> bool:
        """Whether it worked elsewhere: nothing can be retrieved or answered with it here."""
        return IMPORTED in (self.retriever, self.generator)
