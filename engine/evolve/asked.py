"""The request for an evolution, and the estimate of its cost."""

from __future__ import annotations

from engine.difficulty.difficulty_job import EMBEDDING
from engine.difficulty.formulas import LAMBDA
from engine.jobs.model_choice import ModelOperation
from engine.jobs.operation import Estimate
from store.systems import Retrieval


class EvolveEstimate(Estimate, frozen=True, kw_only=True):
    """`calls` is the least, if no round changed anything; of an evolution by rule there is none."""

    calls_at_most: int = 0
    """If every round went on and every condition held."""


class EvolutionAsked(ModelOperation, frozen=True):
    """Initial questions and what is to be grown from them. The settings of Algorithm 1 are those of
    the paper where it says them."""

    corpus: str
    dataset: str
    """Made if missing."""
    initial: int
    """Initial questions to write, each of which begins a family."""
    source: str = ""
    """A dataset whose items are the initial questions; empty for questions that are written."""
    embedding: str = EMBEDDING
    weight: float = LAMBDA
    threshold: float = 1.2
    queue: int = 2
    gain: float = 0.01
    partners: int = 3
    rounds: int = 5
    past_threshold: bool = False
    seed: int = 0
    rewrite: bool = False
    """Whether a model rewrites each initial question plainly too, to compare with."""
    retrieval: Retrieval | None = None
    """What the embedding's name stands for, once it is queued; so for the graph's number."""
    graph: int | None = None
