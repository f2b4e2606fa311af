"""A model's replies to requests for items, read strictly as parsed, empty, refused or unparsed.

Nothing fails open: an inspection that does not parse is no inspection, and an item with a fatal
problem is listed with it and not taken. How OmniEval's authors read replies is in `omnieval`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.corpus.document import SourceDocument
from engine.generate.drafts import Problem
from engine.generate.items import ReadItem, read_item
from engine.models.parse import parse_json
from engine.models.replies import ReplyState, unread_state, whole_number
from store.records import ItemContent, Lang, Task, Turn


class ReadGeneration(Struct, frozen=True):
    state: ReplyState
    items: tuple[ReadItem, ...] = ()
    """All items of the reply, those that cannot be taken included, with their problems."""
    problem: str = ""
    """Why the reply was not parsed, or what of its JSON was mended."""

    @property
    def taken(self) -> tuple[ItemContent, ...]:
        """The items without a fatal problem."""
        return tuple(item.content for item in self.items if item.content is not None)


class ReadInspection(Struct, frozen=True):
    state: ReplyState
    evaluation: int | None = None
    """0, 1 or 2; null unless the reply was parsed."""
    correction: ItemContent | None = None
    """What the inspector would make of an item it judged 1; null when there is none to use."""
    problems: tuple[Problem, ...] = ()
    """Of the correction; with a fatal one it is not used."""
    problem: str = ""


def read_generation(
    raw: str, documents: Sequence[SourceDocument], topic: str, task: Task, lang: Lang
) -> ReadGeneration:
    """The items of a reply, each checked against the documents it was to be written from.

    A list of objects is a list of items, or the turns of one dialogue where the task is a
    conversation; a list of lists is a list of dialogues. A lone object is one item.
    """
    parsed = parse_json(raw)
    if parsed.value is None:
        return ReadGeneration(unread_state(raw), problem=parsed.problem)
    members = [parsed.value] if isinstance(parsed.value, dict) else parsed.value
    if not isinstance(members, list):
        return ReadGeneration(ReplyState.UNPARSED, problem="the reply is no list of items")
    if not members:
        return ReadGeneration(ReplyState.EMPTY)
    items = tuple(
        read_item(group, documents, topic, task, lang) for group in _groups(members, task)
    )
    return ReadGeneration(ReplyState.PARSED, items, parsed.problem)


def _groups(members: list[Any], task: Task) -> list[list[Any]]:
    """The turns of each item: members of a list of lists, else all of them or each alone."""
    if all(isinstance(member, list) for member in members):
        return members
    if task.shape == "conversation":
        return [members]
    return [[member] for member in members]


def read_inspection(
    raw: str, content: ItemContent, documents: Sequence[SourceDocument], task: Task
) -> ReadInspection:
    """The verdict on an item, with its correction where one is offered and can be used.

    The number must be a whole 0, 1 or 2 (a string of one digit counts). A correction must have as
    many turns as the item and pass the checks of a newly written item. Whole documents that are
    evidence of the item stay.
    """
    parsed = parse_json(raw, "object")
    if parsed.value is None:
        return ReadInspection(unread_state(raw), problem=parsed.problem)
    evaluation = whole_number(parsed.value.get("evaluation"))
    if evaluation not in (0, 1, 2):
        return ReadInspection(ReplyState.UNPARSED, problem="evaluation is not 0, 1 or 2")
    offered = parsed.value.get("corrected_result")
    if evaluation != 1 or offered in (None, "", [], {}, "None", "null"):
        return ReadInspection(ReplyState.PARSED, evaluation, problem=parsed.problem)
    turns = offered if isinstance(offered, list) else [offered]
    read = read_item(turns, documents, content.topic, task, content.lang)
    problems = read.problems
    if len(turns) != len(content.turns):
        message = f"the correction has {len(turns)} turns, the item {len(content.turns)}"
        problems = (Problem("turns_differ", message), *problems)
    usable = read.content if not any(problem.is_fatal for problem in problems) else None
    if usable is not None:
        turns_kept = map(_with_whole_documents, usable.turns, content.turns)
        usable = replace(content, turns=tuple(turns_kept))
    return ReadInspection(ReplyState.PARSED, evaluation, usable, problems, parsed.problem)


def _with_whole_documents(corrected: Turn, before: Turn) -> Turn:
    """The corrected turn with the whole documents that were its evidence: an inspector is shown
    passages only, and offers no others."""
    whole = (unit for unit in before.evidence if unit.start is None)
    return replace(corrected, evidence=(*corrected.evidence, *whole))
