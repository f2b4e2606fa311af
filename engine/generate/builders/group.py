"""Questions over two or three documents, by CRUD-RAG's stages: connect the documents, list what
they share, list how they differ, ask about the differences, make the parts depend on each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from engine.corpus.document import shown_documents
from engine.generate.builders.base import MAIN, Ask, Material, Nothing, StagePrompt
from engine.generate.items import ReadItem, read_item
from engine.taxonomy.shapes import shape_of


class Connected(Struct, frozen=True):
    """The documents that tell of one event, by their numbers from 1; none where no others do."""

    event: str = ""
    documents: tuple[int, ...] = ()


class Common(Struct, frozen=True):
    common: tuple[str, ...] = ()


class Point(Struct, frozen=True):
    """Something that one document says and the others do not, or say otherwise."""

    document: int
    says: str


class Different(Struct, frozen=True):
    different: tuple[Point, ...] = ()


class GroupBuilder:
    prompts: Mapping[str, StagePrompt] = {
        "connected": StagePrompt("crud/connected", ("documents", "number")),
        "common": StagePrompt("crud/common", ("documents", "event")),
        "different": StagePrompt("crud/different", ("documents", "event", "common")),
        MAIN: StagePrompt(
            "crud/qa_2doc",
            ("topic", "task", "requirement", "documents", "common", "different"),
        ),
        "rewrite": StagePrompt("crud/rewrite", ("documents", "items")),
    }
    most_items = 3

    async def build(self, material: Material, ask: Ask) -> tuple[ReadItem, ...]:
        number = shape_of(material.task).fewest_documents
        shown = len(material.documents)
        if shown < number:
            raise Nothing(f"it has {shown - 1} to set beside it, and the task takes {number}")
        connected = await ask(
            "connected",
            {"number": str(number)},
            Connected,
            lambda one: _misnumbered(one, number, shown),
            Connected("", tuple(range(1, number + 1))),
        )
        if not connected.documents:
            raise Nothing("the documents beside it tell of other events")
        chosen = tuple(material.documents[place - 1] for place in connected.documents)
        values = {
            "documents": shown_documents(chosen, material.lang),
            "event": connected.event,
        }
        common = await ask("common", values, Common, lambda one: _blank(one.common), Common(("",)))
        if not common.common:
            raise Nothing("the documents have nothing in common")
        values["common"] = _listed(common.common)
        points = tuple(Point(place, "") for place in range(1, number + 1))
        different = await ask(
            "different", values, Different, lambda one: _misplaced(one, number), Different(points)
        )
        if {point.document for point in different.different} != set(range(1, number + 1)):
            raise Nothing("one of the documents says nothing that the others do not")
        values["different"] = _listed(
            f"[{point.document}] {point.says}" for point in different.different
        )
        drafts = await self._items(MAIN, values, ask)
        values["items"] = json.dumps(drafts, ensure_ascii=False, indent=2)
        items = await self._items("rewrite", values, ask)
        return tuple(
            read_item([item], chosen, material.topic.key, material.task, material.lang)
            for item in items[: material.count]
        )

    async def _items(self, stage: str, values: Mapping[str, str], ask: Ask) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = await ask(
            stage, values, list[dict[str, Any]], lambda _: "", [{}]
        )
        if not items:
            raise Nothing("the model found no question that takes all of the documents")
        return items


def _misnumbered(connected: Connected, number: int, shown: int) -> str:
    places = connected.documents
    if not places:
        return ""
    if len(set(places)) != number or len(places) != number:
        return f"documents are to be {number} different numbers"
    if 1 not in places:
        return "document 1 is to be among the documents"
    return "" if set(places) <= set(range(1, shown + 1)) else "a number is that of no document"


def _blank(texts: tuple[str, ...]) -> str:
    return "" if all(text.strip() for text in texts) else "a text is blank"


def _misplaced(different: Different, number: int) -> str:
    if any(not 1 <= point.document <= number for point in different.different):
        return "a number is that of no document"
    return _blank(tuple(point.says for point in different.different))


def _listed(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)
