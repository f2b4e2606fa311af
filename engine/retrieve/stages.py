"""The stages of a system before its answer: what each is given and gives, and those by name.

A system makes search texts of a turn, retrieves, and shows its generator what it retrieved. Its
settings may name stages on both sides: those under `query` change what is searched for, those under
`context` what the generator reads. What a stage gave is stored with the calls that it took, so that
it is not worked again.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from msgspec import structs

from engine.models.cached import call_refs
from engine.models.chat import ChatReply, ChatRequest
from engine.models.errors import ModelError
from engine.prompts.languages import LANGS
from engine.prompts.templates import PromptText, load_prompt
from engine.retrieve.asking_rerank import rerank_by_model
from engine.retrieve.context import (
    best,
    min_score,
    near_duplicates,
    order,
    sentences,
    token_limit,
)
from engine.retrieve.expression import read_expression
from engine.retrieve.fusion import DEPTH, FUSIONS
from engine.retrieve.hidden import Visible
from engine.retrieve.index.base import question_of, words_of
from engine.retrieve.names import asking_kind, vector_side
from engine.retrieve.query import (
    aqe,
    decomposition,
    hyde,
    keywords,
    paraphrase,
    rewriting,
    tfidf_keywords,
)
from engine.retrieve.refined import CORPUS_STAGES
from engine.retrieve.stage import (
    ContextTransform,
    NamedStage,
    QueryTransform,
    Tools,
    TurnState,
    open_stage,
    search_text,
)
from store.errors import UsageError
from store.records import Hit, ItemContent, Lang, Passage, SearchText
from store.runs.stages import ContextValue, QueryValue, RetrieveValue
from store.systems import Retrieval, StageConfig, SystemConfig

GIVEN = "context/1/own"
"""The row of the passages that a system of one's own gave with its answer."""

T = TypeVar("T")
Value = TypeVar("Value")


class Stage(Protocol[Value]):
    """A step from one state of a turn to the next."""

    name: str
    """Of the row that keeps what it gave."""
    value: type[Value]

    async def make(self, state: TurnState, tools: Tools) -> tuple[Value, float]:
        """The result that the row keeps, and the milliseconds that it took. Raises StageFailed."""

    def apply(self, state: TurnState, value: Value) -> TurnState:
        """The state with what the row keeps."""


class StageFailed(Exception):
    """A stage got no reply that it needs; the turn has no answer."""

    def __init__(self, error: ModelError) -> None:
        super().__init__(error)
        self.error = error


QUERY_STAGES: dict[str, NamedStage[QueryTransform]] = {
    "aqe": aqe.STAGE,
    "decomposition": decomposition.STAGE,
    "hyde": hyde.STAGE,
    "keywords": keywords.STAGE,
    "paraphrase": paraphrase.STAGE,
    "rewriting": rewriting.STAGE,
    "tfidf_keywords": tfidf_keywords.STAGE,
}
CONTEXT_STAGES: dict[str, NamedStage[ContextTransform]] = {
    "best": best.STAGE,
    "min_score": min_score.STAGE,
    "near_duplicates": near_duplicates.STAGE,
    "order": order.STAGE,
    "sentences": sentences.STAGE,
    "token_limit": token_limit.STAGE,
}


class _Query:
    value = QueryValue

    def __init__(self, name: str, transform: QueryTransform, provider: str) -> None:
        self.name = name
        self._transform = transform
        self._provider = provider

    async def make(self, state: TurnState, tools: Tools) -> tuple[QueryValue, float]:
        made, replies, elapsed = await _transformed(
            self._transform, state, _Noting(tools, self._provider)
        )
        return QueryValue(made.texts, call_refs(replies), made.unusable), elapsed

    def apply(self, state: TurnState, value: QueryValue) -> TurnState:
        return structs.replace(state, queries=value.queries)


class _Retrieve:
    name = "retrieve"
    value = RetrieveValue

    def __init__(self, system: SystemConfig) -> None:
        self._top_k = system.top_k
        self._asking = [
            (kind, stage) for stage in system.rerank if (kind := asking_kind(stage.reranker))
        ]

    async def make(self, state: TurnState, tools: Tools) -> tuple[RetrieveValue, float]:
        visible, elapsed = await tools.retrieve(state.queries, state.content.hidden)
        hits, unusable, replies = visible.hits, 0, []
        for kind, stage in self._asking:
            noting = _Noting(tools, stage.reranker.provider)
            begin = time.perf_counter()
            question = question_of(state.queries[0])
            try:
                hits, failed = await rerank_by_model(
                    *(kind, stage.reranker, question, hits[: stage.depth], state, noting)
                )
            except ModelError as error:
                raise StageFailed(error) from error
            unusable += failed
            replies += noting.replies
            elapsed += _since(begin)
        return RetrieveValue(
            "\n\n".join(map(words_of, state.queries)),
            hits[: self._top_k],
            visible.hidden,
            call_refs(replies),
            unusable,
        ), elapsed

    def apply(self, state: TurnState, value: RetrieveValue) -> TurnState:
        return structs.replace(state, hits=value.hits)


class _Context:
    value = ContextValue

    def __init__(self, name: str, transform: ContextTransform, provider: str) -> None:
        self.name = name
        self._transform = transform
        self._provider = provider

    async def make(self, state: TurnState, tools: Tools) -> tuple[ContextValue, float]:
        if state.passages is None:
            state = structs.replace(state, passages=tools.read(state.hits or ()))
        passages, replies, elapsed = await _transformed(
            self._transform, state, _Noting(tools, self._provider)
        )
        return ContextValue(tuple(passages), call_refs(replies)), elapsed

    def apply(self, state: TurnState, value: ContextValue) -> TurnState:
        return structs.replace(state, passages=value.passages)


class _Given:
    """The passages of a system of one's own: they come with its answer, and no stage makes them."""

    name = GIVEN
    value = ContextValue

    async def make(self, state: TurnState, tools: Tools) -> tuple[ContextValue, float]:
        raise AssertionError("they are stored with the answer")

    def apply(self, state: TurnState, value: ContextValue) -> TurnState:
        return structs.replace(state, passages=value.passages)


def stages_of(system: SystemConfig) -> list[Stage[Any]]:
    """The stages of a system up to its answer; none where nothing is retrieved.

    Raises UsageError for a stage that there is not, with options that it does not take, or without
    the vectors that it needs.
    """
    if system.retriever is None:
        return []
    if system.is_own:
        return [_Retrieve(system), _Given()]
    stages: list[Stage[Any]] = [
        *(
            _Query(
                f"query/{number}/{config.name}",
                open_stage(QUERY_STAGES, config, "query"),
                config.provider,
            )
            for number, config in enumerate(system.query, 1)
        ),
        _Retrieve(system),
        *(
            _Context(
                f"context/{number}/{config.name}",
                open_stage(CONTEXT_STAGES, config, "context"),
                config.provider,
            )
            for number, config in enumerate(system.context, 1)
        ),
    ]
    if system.retrieval is not None and vector_side(system.retrieval) is None:
        for config in system.query:
            if QUERY_STAGES[config.name].needs_vectors:
                raise UsageError(
                    f"Stage {config.name!r} needs vectors, and {system.retriever!r} has none.",
                    "Retrieve by lsa or an embedding, alone or in a fusion.",
                )
    return stages


def plain_search(system: SystemConfig) -> tuple[Retrieval, int]:
    """The part of a system's retrieval that asks no language model, and how many chunks of it are
    wanted: what the first reranker that asks one reads, or all that the system retrieves."""
    assert system.retrieval is not None, "the system retrieves"
    rerank = system.rerank
    asking = [stage for stage in rerank if asking_kind(stage.reranker)]
    plain = tuple(stage for stage in rerank if stage not in asking)
    depth = asking[0].depth if asking else system.top_k
    return structs.replace(system.retrieval, rerank=plain), depth


def finds_beginnings(system: SystemConfig) -> bool:
    """Whether the system with a smaller top k would retrieve the beginning of what it retrieves."""
    assert system.retriever is not None, "the system retrieves"
    if system.top_k > DEPTH:  # other lists are joined then
        return False
    joined = read_expression(system.retriever).joined
    return bool(system.rerank) or joined not in FUSIONS or FUSIONS[joined].is_nested


def asked_providers(system: SystemConfig) -> tuple[str, ...]:
    """The names of the providers that stages and rerankers of the system ask, each once; empty for
    its own model."""
    asked = [
        config.provider
        for config, stage in zip(_configs(system), _named(system), strict=True)
        if stage.asks_model
    ]
    asked += [stage.reranker.provider for stage in system.rerank if asking_kind(stage.reranker)]
    return tuple(dict.fromkeys(asked))


def word_index(system: SystemConfig) -> Retrieval | None:
    """The index by which stages of the system weigh words; None where none does."""
    if not any(stage.weighs_words for stage in _named(system)):
        return None
    return Retrieval("bm25", chunking=system.chunking)


def vector_index(system: SystemConfig) -> Retrieval | None:
    """The retrieval by which stages of the system find the chunks nearest to a vector; None where
    none does."""
    if system.retrieval is None or not any(stage.needs_vectors for stage in _named(system)):
        return None
    return vector_side(system.retrieval)


def stage_prompts(system: SystemConfig, overrides: Path) -> dict[str, str]:
    """The texts of the prompts that the stages and rerankers of a system ask with, by `LANG/ID`;
    those in the folder `overrides` win.

    Raises InputError for a template whose slots are not those that the stage fills.
    """
    texts = {}
    kinds = [asking_kind(stage.reranker) for stage in system.rerank]
    asking = [stage.prompts for stage in _named(system)]
    for templates in (*asking, *(kind.prompts for kind in kinds if kind)):
        for id, slots in templates.items():
            for lang in LANGS:
                prompt = load_prompt(id, lang, overrides)
                prompt.fill(dict.fromkeys(slots, ""))
                texts[f"{lang}/{id}"] = prompt.text
    return texts


def _configs(system: SystemConfig) -> tuple[StageConfig, ...]:
    return (*system.corpus, *system.query, *system.context)


def _named(system: SystemConfig) -> list[NamedStage[Any]]:
    return [
        *(CORPUS_STAGES[stage.name] for stage in system.corpus),
        *(QUERY_STAGES[stage.name] for stage in system.query),
        *(CONTEXT_STAGES[stage.name] for stage in system.context),
    ]


def first_state(
    content: ItemContent,
    number: int,
    history: tuple[tuple[str, str], ...],
    system: SystemConfig,
) -> TurnState:
    """The turn before any stage."""
    query = search_text(content.turns[number], history, system.expansion)
    return TurnState(content, number, history, (query,))


class _Noting:
    """The tools of a stage, which asks one provider; notes the replies that it got."""

    def __init__(self, tools: Tools, provider: str) -> None:
        self.replies: list[ChatReply] = []
        self._provider = provider
        self._tools = tools

    async def retrieve(
        self, queries: tuple[SearchText, ...], hidden: tuple[str, ...]
    ) -> tuple[Visible, float]:
        return await self._tools.retrieve(queries, hidden)

    def read(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        return self._tools.read(hits)

    async def ask(self, request: ChatRequest, provider: str = "") -> ChatReply:
        self.replies.append(await self._tools.ask(request, provider or self._provider))
        return self.replies[-1]

    async def key_terms(self, text: str, most: int) -> tuple[str, ...]:
        return await self._tools.key_terms(text, most)

    async def nearest(
        self, query: SearchText, most: int, hidden: tuple[str, ...]
    ) -> tuple[Hit, ...]:
        return await self._tools.nearest(query, most, hidden)

    def prompt(self, id: str, lang: Lang) -> PromptText:
        return self._tools.prompt(id, lang)


async def _transformed(
    transform: Callable[[TurnState, Tools], Awaitable[T]], state: TurnState, noting: _Noting
) -> tuple[T, list[ChatReply], float]:
    """What a transform gives, the replies that it took, and the milliseconds."""
    begin = time.perf_counter()
    try:
        given = await transform(state, noting)
    except ModelError as error:
        raise StageFailed(error) from error
    return given, noting.replies, _since(begin)


def _since(begin: float) -> float:
    """The milliseconds since a moment of `time.perf_counter`."""
    return round((time.perf_counter() - begin) * 1000, 3)
