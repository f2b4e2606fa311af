"""The protocol of judges: the answers they read, the model they may ask, the scores they give."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from engine.judge.settings import JudgeTable
from engine.metrics.spec import MetricSpec, resolve
from engine.models.chat import Ask, ChatReply, ChatRequest
from engine.models.settings import Provider
from engine.prompts.templates import PromptText
from store.hashing import content_hash
from store.records import Lang, MetricScore, Passage

LABELLED = (
    "accuracy",
    "completeness",
    "hallucination",
    "utilization",
    "numerical_accuracy",
)
"""Metrics that people label too, in the form `judge_labels`, in its order."""


class Case(Struct, frozen=True):
    """One answer with everything that a judge may look at."""

    prediction_id: int
    question: str
    history: tuple[tuple[str, str], ...]
    """(question, answer) of the earlier turns of a conversation."""
    golden_answers: tuple[str, ...]
    """Forms of one answer; none where the item has none."""
    answer: str
    """Empty for an answer that a filter withheld."""
    passages: tuple[Passage, ...]
    """What was retrieved, best first."""
    lang: Lang
    closed_book: bool = False
    retrieval_unknown: bool = False
    """An answer made elsewhere that came without its retrieved texts."""
    keypoints: tuple[str, ...] = ()
    """What a whole answer conveys, where the item says it."""
    evidence: tuple[Passage, ...] = ()
    """What the golden answer is founded on, in the item's order; titles are left out."""


class Judgement(Struct, frozen=True):
    """A score, and how it came to be."""

    score: MetricScore
    """In the variant of the judge's own spec of the metric: mostly `standard`, since a judge is a
    column of its own."""
    prompt: PromptText | None = None
    """What asked for the reply that was read for the score; none where nothing was asked."""
    replies: tuple[ChatReply, ...] = ()
    """All that the score rests on, in the order asked."""
    repaired: bool = False
    """Whether the JSON of a reply had to be mended."""
    details: dict[str, Any] | None = None
    """What the score was counted from, as plain JSON: claims and verdicts, questions and answers.

    It is stored beside the score, exported with it and shown under it, a list of objects as a
    numbered list of what is their `text`, each with its other members below."""


class Judge(Protocol):
    """Gives answers their scores. Equal cases get equal scores, apart from what a model replies."""

    @property
    def metrics(self) -> tuple[MetricSpec, ...]:
        """The specs of its metrics: the scale of each, and what an answer needs for it to apply."""

    def judge(self, case: Case, metrics: Collection[str], ask: Ask) -> AsyncIterator[Judgement]:
        """Yields a judgement of each of `metrics`, all of which it gives, as soon as it is known.

        What was yielded is stored before the next is asked for. `ask` may be called any number of
        times; a judge that computes calls it never. A ModelError that a judge lets through becomes
        the state `error` of the metrics that are not yielded yet.
        """


class JudgeSpec(Struct, frozen=True):
    """A judge by name, with all that its scores depend on."""

    name: str
    kind: str
    """Of the method that judges; see `engine.judge.registry.METHODS`."""
    metrics: tuple[str, ...]
    config: dict[str, Any]
    """Plain JSON with the judge's name in it; equal configurations give equal scores."""
    provider: Provider | None = None
    """The model that it asks, with the prices and limits that `config` leaves out; null for a judge
    that computes, which is done in the child processes."""
    repeats: int = 1
    """How often it judges each answer."""
    embeds_at: str = ""
    """The provider that a judge which computes asks for vectors, once an answer; mostly none."""
    stands_in: bool = False
    """Whether it computes, as a stand-in, what the method means a model to say."""
    members: tuple[JudgeSpec, ...] = ()
    """The judges that have to score an answer before it does, each with the metrics it needs."""

    @property
    def hash(self) -> str:
        """Of the configuration: what scores and calibrations are bound to."""
        return content_hash(self.config)


class JudgeMethod(Struct, frozen=True):
    """A way of judging."""

    kind: str
    """Its name in stored configurations, in jobs, and as `method` of a `[judges.NAME]` table."""
    metrics: tuple[MetricSpec, ...]
    """What its judges can give."""
    find: Callable[[Path, Sequence[JudgeTable]], Sequence[JudgeSpec]]
    """The judges of this method in the workspace of a folder, those of the given tables among
    them. Raises InputError, naming the place, for broken settings."""
    open: Callable[[Path, JudgeSpec], Judge]
    """The judge, ready for work, from its configuration. Raises InputError when what it needs of
    the workspace is not there any more."""


def specs_of(metrics: Collection[str]) -> tuple[MetricSpec, ...]:
    """The specs of metrics that are no method's own."""
    return tuple(resolve(metric) for metric in metrics)


def compute(
    judge: Judge, cases: Sequence[Case], metrics: Collection[str]
) -> list[tuple[Judgement, ...]]:
    """The judgements of a judge that asks no model, for each case."""

    async def judge_all() -> list[tuple[Judgement, ...]]:
        return [
            tuple([made async for made in judge.judge(case, metrics, _ask_nobody)])
            for case in cases
        ]

    # such a judge waits for nothing, so that it needs no event loop and works inside another's
    work = judge_all()
    try:
        work.send(None)
    except StopIteration as done:
        made: list[tuple[Judgement, ...]] = done.value
        return made
    finally:
        work.close()
    raise TypeError("a judge without a provider computes, and waits for nothing")


async def _ask_nobody(request: ChatRequest) -> ChatReply:
    raise TypeError("a judge without a provider has no model to ask")
