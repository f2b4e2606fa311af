"""A stage that settings can name: what it is given, what it gives, and how it is described."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

from engine.models.chat import ChatReply, ChatRequest
from engine.prompts.templates import PromptText
from engine.retrieve.hidden import Visible
from store.errors import UsageError
from store.messages import choices
from store.records import Hit, ItemContent, Lang, Passage, SearchText, Turn
from store.systems import StageConfig

T = TypeVar("T")


class TurnState(Struct, frozen=True):
    """A turn, and what the stages so far have made of it."""

    content: ItemContent
    """The item that it is of; a stage looks at no later turn."""
    number: int
    history: tuple[tuple[str, str], ...]
    """(question, answer) of the earlier turns, as the system sees them."""
    queries: tuple[SearchText, ...]
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
        self, queries: tuple[SearchText, ...], hidden: tuple[str, ...]
    ) -> tuple[Visible, float]:
        """The hits of the system's retriever outside the hidden documents and their near-
        duplicates, and the milliseconds that it took."""

    def read(self, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        """The texts of hits."""

    async def ask(self, request: ChatRequest, provider: str = "") -> ChatReply:
        """The reply of the provider of that name, which a stage leaves to its settings, or of the
        system's model. Raises ModelError when there is none."""

    async def key_terms(self, text: str, most: int) -> tuple[str, ...]:
        """The `most` words of a text that weigh most by TF-IDF over the system's chunks, in their
        order in the text. For stages that say so by `weighs_words`."""

    async def nearest(
        self, query: SearchText, most: int, hidden: tuple[str, ...]
    ) -> tuple[Hit, ...]:
        """The `most` chunks nearest to a query by the vectors that the system retrieves with,
        outside the hidden documents. For stages that say so by `needs_vectors`."""

    def prompt(self, id: str, lang: Lang) -> PromptText:
        """The template of that id as the run froze it."""


class Queries(Struct, frozen=True):
    """What a query stage gives."""

    texts: tuple[SearchText, ...]
    """They take the place of `state.queries`."""
    unusable: int = 0
    """How many search texts stayed as they were because a model gave no usable reply, twice."""


QueryTransform = Callable[[TurnState, Tools], Awaitable[Queries]]
ContextTransform = Callable[[TurnState, Tools], Awaitable[Sequence[Passage]]]
"""Gives the passages that take the place of `state.passages`, which are there."""


class NamedStage(Struct, Generic[T], frozen=True):
    """A stage that settings can name."""

    options: type[Struct]
    """What may stand beside its name."""
    open: Callable[[Any], T]
    """The transform for options of that type."""
    asks_model: bool = False
    weighs_words: bool = False
    """Whether it needs the corpus' own index of words, whatever the system retrieves by."""
    needs_vectors: bool = False
    """Whether it works only where the system retrieves by vectors."""
    prompts: Mapping[str, tuple[str, ...]] = {}
    """The templates that it asks with, by id, each with its slots."""


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


def open_stage(have: Mapping[str, NamedStage[T]], config: StageConfig, kind: str) -> T:
    """What a stage of settings does. Raises UsageError for one that there is not, or with options
    or a provider that it does not take."""
    if config.name not in have:
        raise UsageError(
            f"There is no {kind} stage {config.name!r}.", choices(config.name, have, "Stages")
        )
    stage = have[config.name]
    if config.provider and not stage.asks_model:
        raise UsageError(
            f"Stage {config.name!r} asks no model, so it takes no provider.", "Remove `provider`."
        )
    fields = stage.options.__struct_fields__
    for option in config.options:
        if option not in fields:
            remedy = choices(option, fields, "Its options") if fields else "It has none."
            raise UsageError(f"Stage {config.name!r} has no option {option!r}.", remedy)
    try:
        return stage.open(msgspec.convert(config.options, stage.options))
    except msgspec.ValidationError as error:
        raise UsageError(f"Stage {config.name!r}: {error}.", "Correct its options.") from error
