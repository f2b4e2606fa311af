"""What a builder of items is given, and how its stages ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from msgspec import Struct

from engine.corpus.document import SourceDocument, shown_documents
from engine.generate.items import ReadItem
from engine.prompts.languages import by_lang, name_in
from engine.taxonomy.requests import topic_name
from store.records import Lang, Task, Topic

T = TypeVar("T")

MAIN = ""
"""The stage whose prompt is the one that the task's row names."""


class Nothing(Exception):
    """Raised by a builder where its documents give no item of the task, with the reason."""


class Material(Struct, frozen=True):
    """The documents of one attempt, and what is to be made of them."""

    topic: Topic
    task: Task
    documents: tuple[SourceDocument, ...]
    """The one whose turn it is, then those set beside it."""
    count: int
    """Items that are asked for, at most."""
    round: int = 0
    """The turn of the document for the task."""

    @property
    def document(self) -> SourceDocument:
        return self.documents[0]

    @property
    def lang(self) -> Lang:
        return self.document.lang

    @property
    def values(self) -> dict[str, str]:
        """What the slots that every prompt may have are filled with."""
        lang = self.lang
        return {
            "topic": topic_name(self.topic, lang),
            "task": name_in(lang, self.task),
            "requirement": by_lang(lang, self.task.requirement_zh, self.task.requirement_en),
            "count": str(self.count),
            "documents": shown_documents(self.documents, lang),
        }


class Ask(Protocol):
    """Asks the model for what a stage needs, again where a reply cannot be used, and stores it."""

    async def __call__(
        self,
        stage: str,
        values: Mapping[str, str],
        kind: type[T],
        fault: Callable[[T], str],
        otherwise: T,
    ) -> T:
        """The JSON of the reply to the stage's prompt, read as `kind`.

        `values` fill the slots of that stage, and go before those of `Material.values`. `fault`
        says what is wrong with a reply of that form, empty for nothing. `otherwise` is what a dry
        run goes on with, where the reply is not known.
        """


class StagePrompt(Struct, frozen=True):
    id: str
    """Of the template; where the stage is `MAIN`, of the one that serves a task without its own."""
    slots: tuple[str, ...]
    """Slots that the template has to have."""


class Builder(Protocol):
    """Makes items of a task in stages. It keeps nothing between attempts."""

    @property
    def prompts(self) -> Mapping[str, StagePrompt]:
        """By stage, in the order in which they are asked."""

    @property
    def most_items(self) -> int:
        """Items of one attempt."""

    async def build(self, material: Material, ask: Ask) -> tuple[ReadItem, ...]:
        """The items. Raises Nothing, and whatever `ask` raises."""
