"""What the Build screen asks of the process that computes: estimates, jobs, changed taxonomies.

The app itself imports none of what does this: its modules hold dictionaries of words.
"""

from __future__ import annotations

from msgspec import Struct

from store.records import Lang


class Bounds(Struct, frozen=True):
    """What a job may spend before it pauses; null means no bound."""

    max_tokens: int | None = None
    max_cost: float | None = None


class DraftsRequest(Struct, frozen=True, tag=True):
    """Generation: what it would take, or with `starts` the job in the queue."""

    corpus: str
    dataset: str
    taxonomy: str
    targets: tuple[tuple[str, str, int], ...]
    """Topic, task and items of each cell that is to be filled."""
    model: str
    seed: int = 0
    bounds: Bounds = Bounds()
    inspect_by: str | None = None
    starts: bool = False


class TopicsRequest(Struct, frozen=True, tag=True):
    """Classification of a corpus: what it would take, or the job in the queue."""

    corpus: str
    taxonomy: str
    model: str
    again: bool = False
    bounds: Bounds = Bounds()
    starts: bool = False


class VerdictsRequest(Struct, frozen=True, tag=True):
    """Inspection of a dataset's drafts: what it would take, or the job in the queue."""

    dataset: str
    model: str
    bounds: Bounds = Bounds()
    starts: bool = False


class ProposalRequest(Struct, frozen=True, tag=True):
    """A job that proposes a tree of topics for a corpus, in the queue."""

    corpus: str
    name: str
    model: str
    domain: str = ""
    count: int = 12
    tasks_from: str = "omnieval"
    bounds: Bounds = Bounds()


class PruneRequest(Struct, frozen=True, tag=True):
    """Topics taken out of a taxonomy or renamed; of a copy where it has a new name."""

    taxonomy: str
    drop: tuple[str, ...] = ()
    rename: dict[str, str] = {}
    lang: Lang | None = None
    new_name: str = ""


class FileRequest(Struct, frozen=True, tag=True):
    """A taxonomy read from a file and kept."""

    path: str
    name: str = ""
    tasks_from: str = "omnieval"


BuildRequest = (
    DraftsRequest | TopicsRequest | VerdictsRequest | ProposalRequest | PruneRequest | FileRequest
)


class Built(Struct, frozen=True):
    """The answer to any of these; what does not apply is null or 0."""

    job: int | None = None
    """The job that is in the queue now."""
    taxonomy: str = ""
    """The taxonomy that is kept now."""
    freed: int = 0
    """Documents that lost their topic by it."""
    asks_model: bool = False
    missing: int = 0
    """Items that the targets still ask for."""
    open_cells: int = 0
    unreachable: int = 0
    """Cells below their target that nothing can be tried for."""
    calls: int = 0
    calls_at_most: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    """Null where the provider has no prices."""
    currency: str | None = None
