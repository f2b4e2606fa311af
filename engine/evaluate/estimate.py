"""What a run would take: calls, replies in the cache, tokens and cost, without asking any model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from msgspec import Struct

from engine.answer.history import visible_history
from engine.answer.prompt import AnswerPrompts, answer_request
from engine.jobs.launch import answer_prompts, answering_provider
from engine.models.cached import cache_key, served
from engine.models.chat import ChatReply, ChatRequest
from engine.models.errors import FailureKind, ModelError
from engine.models.estimate import Estimator
from engine.models.settings import Provider
from engine.retrieve.fusion import search_all
from engine.retrieve.passages import passages
from engine.retrieve.pipeline import open_retriever
from engine.retrieve.stages import StageFailed, first_state, stages_of
from store.corpora import corpora
from store.datasets import datasets
from store.datasets.datasets import Release
from store.jobs import model_calls
from store.records import HistoryMode, Hit, ItemContent, Passage, ReleasedItem, SystemConfig
from store.workspace import Workspace


class RunEstimate(Struct, frozen=True):
    """What a run would take. Tokens and cost are those of the calls that the cache does not save.

    `tokens_out` is an upper bound where the provider's `max_tokens` gives one. `cost` is null
    without prices.
    """

    predictions: int
    calls: int
    """One a prediction, those served from the cache included."""
    cached: int
    """Replies that are there already, or will be once an equal request of the run was answered."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    currency: str | None = None
    stands_in: bool = False
    """Whether golden answers stood in for the system's own earlier ones, which are not known yet:
    the later turns of conversations are then estimates in number too."""
    at_least: bool = False
    """Whether more will be asked that depends on replies of stages which are not there yet."""


def estimate_run(
    workspace: Workspace,
    system: SystemConfig,
    release: Release,
    *,
    repeats: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> RunEstimate:
    """Builds every prompt of the run and counts it; reads the cache, writes nothing but the index.

    Where a system sees its own earlier answers, the golden ones stand in for them.
    """
    items = list(datasets.released_items(workspace.db, release.id))
    predictions = repeats * sum(len(item.content.turns) for item in items)
    provider = answering_provider(workspace, system)
    if provider is None:
        return RunEstimate(predictions, 0, 0)
    count = RequestCount(workspace, provider)
    at_least = asyncio.run(
        _Requests(workspace, system, release, count).count(items, repeats, progress)
    )
    prices = provider.prices
    return RunEstimate(
        predictions,
        count.calls,
        count.cached,
        count.tokens_in,
        count.tokens_out,
        count.cost if prices else None,
        prices.currency if prices else None,
        stands_in=system.history is HistoryMode.PREDICTED
        and any(len(item.content.turns) > 1 for item in items),
        at_least=at_least,
    )


class _Requests:
    """The requests that a run would make; lends its stages what only counts."""

    def __init__(
        self, workspace: Workspace, system: SystemConfig, release: Release, count: RequestCount
    ) -> None:
        self._db = workspace.db
        self._system = system
        self._count = count
        self._stages = stages_of(system)
        self._prompts = AnswerPrompts(answer_prompts(workspace, system, release.id))
        dataset = datasets.get_by_id(workspace.db, release.dataset_id)
        self._corpus = corpora.get_by_id(workspace.db, dataset.corpus_id)
        retrieval = system.retrieval
        self._retriever = (
            None if retrieval is None else open_retriever(workspace, self._corpus, retrieval)
        )
        self._retrieved: tuple[tuple[str, ...], tuple[Hit, ...]] = ((), ())
        """The latest, which every repeat of a turn shares."""
        predicted = system.history is HistoryMode.PREDICTED
        self._history = HistoryMode.GOLD if predicted else system.history
        self._repeat = 0

    async def count(
        self, items: Sequence[ReleasedItem], repeats: int, progress: Callable[[int, int], None]
    ) -> bool:
        """Counts them all; returns whether some are not known yet."""
        at_least = False
        for number, item in enumerate(items, 1):
            for turn in range(len(item.content.turns)):
                for self._repeat in range(repeats):
                    try:
                        request = await self._request(item.content, turn)
                    except StageFailed:
                        at_least = True
                    else:
                        self._count.add(request, self._repeat)
            progress(number, len(items))
        return at_least

    async def _request(self, content: ItemContent, turn: int) -> ChatRequest:
        history = visible_history(content.turns, turn, self._history, ())
        state = first_state(content, turn, history, self._system)
        for stage in self._stages:
            value, _ = await stage.make(state, self)
            state = stage.apply(state, value)
        texts = state.passages
        if texts is None and state.hits is not None:
            texts = self.read(state.hits)
        return answer_request(self._prompts, content, turn, history, texts)

    async def retrieve(self, queries: tuple[str, ...]) -> tuple[tuple[Hit, ...], float]:
        assert self._retriever is not None, "a system with stages retrieves"
        if self._retrieved[0] != queries:
            hits = search_all(self._retriever, queries, self._system.top_k)
            self._retrieved = (queries, tuple(hits))
        return self._retrieved[1], 0.0

    def read(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        return tuple(passages(self._db, self._corpus, hits))

    async def ask(self, request: ChatRequest) -> ChatReply:
        return await self._count.ask(request, self._repeat)


class NotAsked(ModelError):
    """A request that was counted instead of asked; what depends on its reply is not known."""


class RequestCount:
    """Adds up requests: how many, how many the cache saves, what the others take."""

    def __init__(self, workspace: Workspace, provider: Provider) -> None:
        self._db = workspace.db
        self._provider = provider
        self._estimator = Estimator(provider)
        self._seen: set[str] = set()
        self.calls = self.cached = self.tokens_in = self.tokens_out = 0
        self.cost = 0.0
        self.currency = provider.prices.currency if provider.prices else None
        """Null where the provider has no prices, and `cost` says nothing."""

    def add(self, request: ChatRequest, repeat: int) -> ChatReply | None:
        """Counts a request; returns the reply to it that is stored, if one is."""
        self.calls += 1
        key = cache_key(self._provider, request, repeat)
        stored = model_calls.get(self._db, key)
        if stored is not None:
            self.cached += 1
            return served(stored, key)
        if key in self._seen:
            self.cached += 1
            return None
        self._seen.add(key)
        estimate = self._estimator.estimate(request)
        self.tokens_in += estimate.tokens_in
        self.tokens_out += estimate.tokens_out
        self.cost += estimate.cost or 0.0
        return None

    async def ask(self, request: ChatRequest, repeat: int) -> ChatReply:
        """Counts a request in the place of asking; raises NotAsked where no reply is stored."""
        reply = self.add(request, repeat)
        if reply is None:
            raise NotAsked(FailureKind.EMPTY_REPLY, "Nothing is asked while requests are counted.")
        return reply
