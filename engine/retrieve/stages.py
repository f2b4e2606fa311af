"""The stages of a system before its answer: what each is given and gives, and those by name.

A system makes search texts of a turn, retrieves, and shows its generator what it retrieved. Its
settings may name stages on both sides: those under `query` change what is searched for, those under
`context` what the generator reads. What a stage gave is stored with the calls that it took, so that
it is not worked again.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct, structs

from engine.models.cached import call_refs
from engine.models.chat import Ask, ChatReply, ChatRequest
from engine.models.errors import ModelError
from engine.retrieve.hidden import Visible
from store.errors import UsageError
from store.messages import choices
from store.records import Hit, ItemContent, Lang, Passage, StageConfig, SystemConfig, Turn
from store.runs.stages import ContextValue, QueryValue, RetrieveValue

T = TypeVar("T")
Value = TypeVar("Value")


class TurnState(Struct, frozen=True):
    """A turn, and what the stages so far have made of it."""

    content: ItemContent
    """The item that it is of; a stage looks at no later turn."""
    number: int
    history: tuple[tuple[str, str], ...]
    """(question, answer) of the earlier turns, as the system sees them."""
    queries: tuple[str, ...]
    """What is searched for; the hits of several are fused."""
    hits: tuple[Hit, ...] | None = None
    """None where nothing is retrieved, or it is not known what was."""
    passages: tuple[Passage, ...] | None = None
    """What the generator reads; None where these are the texts of the hits."""

    @property
    def turn(self) -> Turn:
        return self.content.turns[self.number]

    @property
    def lang(self) -> Lang:
        return self.content.lang


class Tools(Protocol):
    """The means that whoever works a system lends its stages."""

    async def retrieve(
        self, queries: tuple[str, ...], hidden: tuple[str, ...]
    ) -> tuple[Visible, float]:
        """The hits of the system's retriever outside the hidden documents and their near-
        duplicates, and the milliseconds that it took."""

    def read(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        """The texts of hits."""

    async def ask(self, request: ChatRequest) -> ChatReply:
        """The reply of the system's model. Raises ModelError when there is none."""


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


QueryTransform = Callable[[TurnState, Ask], Awaitable[Sequence[str]]]
"""Gives the search texts that take the place of `state.queries`."""
ContextTransform = Callable[[TurnState, Ask], Awaitable[Sequence[Passage]]]
"""Gives the passages that take the place of `state.passages`, which are there."""


class NamedStage(Struct, Generic[T], frozen=True):
    """A stage that settings can name."""

    options: type[Struct]
    """What may stand beside its name."""
    open: Callable[[Any], T]
    """The transform for options of that type."""
    asks_model: bool = False


QUERY_STAGES: dict[str, NamedStage[QueryTransform]] = {}
CONTEXT_STAGES: dict[str, NamedStage[ContextTransform]] = {}


class _Query:
    value = QueryValue

    def __init__(self, name: str, transform: QueryTransform) -> None:
        self.name = name
        self._transform = transform

    async def make(self, state: TurnState, tools: Tools) -> tuple[QueryValue, float]:
        queries, replies, elapsed = await _transformed(self._transform, state, tools)
        return QueryValue(tuple(queries), call_refs(replies)), elapsed

    def apply(self, state: TurnState, value: QueryValue) -> TurnState:
        return structs.replace(state, queries=value.queries)


class _Retrieve:
    name = "retrieve"
    value = RetrieveValue

    async def make(self, state: TurnState, tools: Tools) -> tuple[RetrieveValue, float]:
        visible, elapsed = await tools.retrieve(state.queries, state.content.hidden)
        return RetrieveValue("\n\n".join(state.queries), visible.hits, visible.hidden), elapsed

    def apply(self, state: TurnState, value: RetrieveValue) -> TurnState:
        return structs.replace(state, hits=value.hits)


class _Context:
    value = ContextValue

    def __init__(self, name: str, transform: ContextTransform) -> None:
        self.name = name
        self._transform = transform

    async def make(self, state: TurnState, tools: Tools) -> tuple[ContextValue, float]:
        if state.passages is None:
            state = structs.replace(state, passages=tools.read(state.hits or ()))
        passages, replies, elapsed = await _transformed(self._transform, state, tools)
        return ContextValue(tuple(passages), call_refs(replies)), elapsed

    def apply(self, state: TurnState, value: ContextValue) -> TurnState:
        return structs.replace(state, passages=value.passages)


def stages_of(system: SystemConfig) -> list[Stage[Any]]:
    """The stages of a system up to its answer; none where nothing is retrieved.

    Raises UsageError for a stage that there is not, or with options that it does not take.
    """
    if system.retriever is None:
        return []
    return [
        *(
            _Query(f"query/{number}/{config.name}", _opened(QUERY_STAGES, config, "query"))
            for number, config in enumerate(system.query, 1)
        ),
        _Retrieve(),
        *(
            _Context(f"context/{number}/{config.name}", _opened(CONTEXT_STAGES, config, "context"))
            for number, config in enumerate(system.context, 1)
        ),
    ]


def asks_model(system: SystemConfig) -> bool:
    """Returns whether a stage of the system needs a model."""
    return any(QUERY_STAGES[stage.name].asks_model for stage in system.query) or any(
        CONTEXT_STAGES[stage.name].asks_model for stage in system.context
    )


def first_state(
    content: ItemContent,
    number: int,
    history: tuple[tuple[str, str], ...],
    system: SystemConfig,
) -> TurnState:
    """The turn before any stage."""
    query = search_text(content.turns[number], history, system.expansion)
    return TurnState(content, number, history, (query,))


def search_text(
    turn: Turn, history: Sequence[tuple[str, str]], expansion: str | None = None
) -> str:
    """The text to search with: the question, with the earlier questions that it may lean on, and
    with the expansion of that name where the turn has one, after a blank line.

    An expansion is added, never put in the question's place: that is what FinanceRAG found best
    (Lee and Roh 2024, table 1).

    Answers stay out: a wrong one of the system's own would drag the search after it.
    """
    query = "\n".join([*(earlier for earlier, _ in history), turn.question])
    words = turn.expansions.get(expansion, "") if expansion is not None else ""
    return f"{query}\n\n{words}" if words else query


def _opened(have: Mapping[str, NamedStage[T]], config: StageConfig, kind: str) -> T:
    if config.name not in have:
        raise UsageError(
            f"There is no {kind} stage {config.name!r}.", choices(config.name, have, "Stages")
        )
    stage = have[config.name]
    try:
        return stage.open(msgspec.convert(config.options, stage.options))
    except msgspec.ValidationError as error:
        raise UsageError(f"Stage {config.name!r}: {error}.", "Correct its options.") from error


async def _transformed(
    transform: Callable[[TurnState, Ask], Awaitable[Sequence[T]]], state: TurnState, tools: Tools
) -> tuple[Sequence[T], list[ChatReply], float]:
    """The texts that a transform gives, the replies that it took, and the milliseconds."""
    replies: list[ChatReply] = []

    async def ask(request: ChatRequest) -> ChatReply:
        replies.append(await tools.ask(request))
        return replies[-1]

    begin = time.perf_counter()
    try:
        given = await transform(state, ask)
    except ModelError as error:
        raise StageFailed(error) from error
    return given, replies, round((time.perf_counter() - begin) * 1000, 3)
