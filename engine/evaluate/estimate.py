"""The estimate of a run, found by building its prompts; no model is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec.structs import asdict, replace

from engine.answer.halves import ask_for_answer
from engine.answer.history import visible_history
from engine.answer.prompt import AnswerPrompts
from engine.evaluate.new_run import (
    NewRun,
    answering_provider,
    run_prompts,
    stage_providers,
    with_frozen_stages,
)
from engine.evaluate.systems import find_system
from engine.jobs.operation import Estimate, Progress
from engine.jobs.request_count import NotAsked, RequestCount
from engine.judge.base import JudgeSpec
from engine.judge.estimate import JudgeEstimate, estimate_ahead
from engine.models.chat import ChatReply, ChatRequest
from engine.own.request import own_request
from engine.prompts.templates import FrozenPrompts, PromptText
from engine.retrieve.hidden import HiddenDocuments, Visible, search_visible
from engine.retrieve.index.base import Retriever
from engine.retrieve.index.bm25 import Bm25
from engine.retrieve.passages import passages
from engine.retrieve.pipeline import open_retriever
from engine.retrieve.refining import refined_chunk, unrefined
from engine.retrieve.stage import TurnState
from engine.retrieve.stages import (
    StageFailed,
    first_state,
    plain_search,
    stages_of,
    vector_index,
    word_index,
)
from store.datasets import datasets
from store.datasets.datasets import Release
from store.hashing import canonical_json
from store.records import HistoryMode, Hit, ItemContent, Lang, Passage, ReleasedItem, SearchText
from store.runs.stages import QueryValue, RetrieveValue
from store.systems import SystemConfig
from store.workspace import Workspace


class RunEstimate(Estimate, frozen=True, kw_only=True):
    """The cost of a run; one call a prediction where no stage before the answer asks."""

    predictions: int
    stands_in: bool = False
    """Whether golden answers stood in for the system's own earlier ones, which are not known yet:
    the later turns of conversations are then estimates in number too."""
    judging: JudgeEstimate | None = None
    """What a judge would take that scores the answers afterwards."""
    at_least: bool = False
    """Whether more may be asked that depends on replies of stages which are not there yet. Where
    a search text or an order is not known for want of one, that before the stage stands in, and so
    do the chunks' own texts for those that a model is to make of them."""


def estimate_run(
    workspace: Workspace, new: NewRun, progress: Progress, judge: JudgeSpec | None = None
) -> RunEstimate:
    """Builds every prompt of the run and counts it; reads the cache, writes nothing but the index.

    With a `judge`, also what it takes to score the answers. Where a system sees its own earlier
    answers, the golden ones stand in for them. `progress` is given items.
    """
    system = find_system(workspace.folder, new.system)
    release = datasets.find_release(workspace.db, new.dataset)
    items = list(datasets.released_items(workspace.db, release.id))
    made = estimate_system(workspace, system, release, items, new.repeats, progress)
    if judge is None:
        return made
    ahead = estimate_ahead(workspace, system, release, items, new.repeats, judge)
    return replace(made, judging=ahead)


def estimate_system(
    workspace: Workspace,
    system: SystemConfig,
    release: Release,
    items: Sequence[ReleasedItem],
    repeats: int,
    progress: Progress,
    shared: dict[bytes, RequestCount] | None = None,
) -> RunEstimate:
    """The same of a system over some items of a release.

    Estimates that are given the same `shared` count, by provider, what all of them together ask.
    """
    predictions = repeats * sum(len(item.content.turns) for item in items)
    system = with_frozen_stages(workspace, system)
    own = answering_provider(workspace, system)
    asked = {**({} if own is None else {"": own}), **stage_providers(workspace, system)}
    if not asked:
        return RunEstimate(predictions=predictions)
    have = {} if shared is None else shared
    counts = {
        name: have.setdefault(canonical_json(provider), RequestCount(workspace, provider))
        for name, provider in asked.items()
    }
    requests = _Requests(workspace, system, release, counts)
    at_least = asyncio.run(requests.count(items, repeats, progress))
    return RunEstimate(
        **asdict(Estimate.total([count.estimate for count in counts.values()])),
        predictions=predictions,
        stands_in=system.history is HistoryMode.PREDICTED
        and any(len(item.content.turns) > 1 for item in items),
        at_least=at_least,
    )


class _Requests:
    """The requests that a run would make; lends its stages what only counts."""

    def __init__(
        self,
        workspace: Workspace,
        system: SystemConfig,
        release: Release,
        counts: Mapping[str, RequestCount],
    ) -> None:
        self._db = workspace.db
        self._system = system
        self._counts = counts
        self._stages = stages_of(system)
        texts = run_prompts(workspace, system, release.id)
        self._prompts = AnswerPrompts(texts)
        self._frozen = FrozenPrompts(texts)
        self._corpus = datasets.corpus_of(workspace.db, release.id)
        plain, self._depth = (None, 0) if system.retrieval is None else plain_search(system)
        self._unrefined = unrefined(workspace.db, self._corpus, system.retrieval)
        if self._unrefined is not None:
            system = replace(system, corpus=())
            plain = plain_search(system)[0]
        self._retriever, self._words, self._vectors = (
            None if retrieval is None else open_retriever(workspace, self._corpus, retrieval)
            for retrieval in (plain, word_index(system), vector_index(system))
        )
        self._retrieved: tuple[tuple[tuple[SearchText, ...], tuple[str, ...]], Visible] = (
            ((), ()),
            Visible(()),
        )
        """The latest, which every repeat of a turn shares."""
        predicted = system.history is HistoryMode.PREDICTED
        self._history = HistoryMode.GOLD if predicted else system.history
        self._repeat = 0
        self._at_least = False

    async def count(self, items: Sequence[ReleasedItem], repeats: int, progress: Progress) -> bool:
        """Counts them all; returns whether some are not known yet."""
        await self._count_refining()
        for number, item in enumerate(items, 1):
            for turn in range(len(item.content.turns)):
                for self._repeat in range(repeats):
                    try:
                        state = await self._prepared(item.content, turn)
                    except StageFailed:
                        self._at_least = True
                    else:
                        await self._count_answer(state)
            progress(number, len(items))
        return self._at_least

    async def _count_refining(self) -> None:
        """Counts what is asked for the texts of chunks; those without any stage stand in."""
        if self._unrefined is None:
            return
        self._at_least = True
        _, _, chunks = self._unrefined
        for _, chunk in chunks:
            with suppress(NotAsked):
                await refined_chunk(chunk, self._system.corpus, self.ask, self._frozen)

    async def _prepared(self, content: ItemContent, turn: int) -> TurnState:
        history = visible_history(content.turns, turn, self._history, ())
        state = first_state(content, turn, history, self._system)
        if self._system.is_own:
            return state
        for stage in self._stages:
            try:
                value, _ = await stage.make(state, self)
            except StageFailed:
                if stage.value is RetrieveValue:
                    hits = self._retrieved[1].hits[: self._system.top_k]
                    state = replace(state, hits=hits)
                elif stage.value is not QueryValue:
                    raise
                self._at_least = True
            else:
                state = stage.apply(state, value)
        return state

    async def _count_answer(self, state: TurnState) -> None:
        if "" not in self._counts:  # answers are extracted
            return
        if self._system.is_own:
            request = own_request(self._db, self._corpus, self._system, state)
            self._counts[""].add(request, self._repeat)
            return
        texts = state.passages
        if texts is None and state.hits is not None:
            texts = self.read(state.hits)
        turn = state.content, state.number, state.history
        await ask_for_answer(self._prompts, *turn, texts, self._system, self._answered)

    async def _answered(self, request: ChatRequest) -> ChatReply:
        """The reply that is there, else an empty one, to go on with."""
        return self._counts[""].add(request, self._repeat) or ChatReply("", "stop")

    async def retrieve(
        self, queries: tuple[SearchText, ...], hidden: tuple[str, ...]
    ) -> tuple[Visible, float]:
        assert self._retriever is not None, "a system with stages retrieves"
        asked = (queries, hidden)
        if self._retrieved[0] != asked:
            visible = self._search(self._retriever, queries, self._depth, hidden)
            self._retrieved = (asked, visible)
        return self._retrieved[1], 0.0

    def _search(
        self,
        retriever: Retriever,
        queries: tuple[SearchText, ...],
        k: int,
        hidden: tuple[str, ...],
    ) -> Visible:
        hides = HiddenDocuments(self._db, self._corpus, hidden) if hidden else None
        return search_visible(retriever, queries, k, hides)

    def read(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        return tuple(passages(self._db, self._corpus, hits))

    async def ask(self, request: ChatRequest, provider: str = "") -> ChatReply:
        return await self._counts[provider].ask(request, self._repeat)

    async def key_terms(self, text: str, most: int) -> tuple[str, ...]:
        assert isinstance(self._words, Bm25), "only a stage that weighs words asks for them"
        return self._words.key_terms(text, most)

    async def nearest(
        self, query: SearchText, most: int, hidden: tuple[str, ...]
    ) -> tuple[Hit, ...]:
        assert self._vectors is not None, "only a stage that needs vectors asks for them"
        return self._search(self._vectors, (query,), most, hidden).hits

    def prompt(self, id: str, lang: Lang) -> PromptText:
        return self._frozen.find(id, lang)
