"""Drafts of items, and the checks that stand beside a draft."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from store.records import ItemContent


class Aspect(StrEnum):
    """The five checks of an item, in the order in which a rater sees them."""

    TASK = "task"
    """(a) The question meets the requirement of the task."""
    TOPIC = "topic"
    """(b) The question belongs to the topic."""
    QUESTION = "question"
    """(c) The question is complete and clear by itself."""
    ANSWER = "answer"
    """(d) The answer is correct and complete."""
    PASSAGES = "passages"
    """(e) The passages are verbatim and suffice."""


class Grade(StrEnum):
    MET = "met"
    PARTLY = "partly"
    FAILED = "failed"


class Check(Struct, frozen=True):
    """The result of one check by rule, with its reason in the item's language."""

    aspect: Aspect
    grade: Grade
    reason: str


class Draft(Struct, frozen=True):
    """An item made by rule: a baseline, not the work of a person or a model."""

    content: ItemContent
    checks: tuple[Check, ...]
    """One for each aspect, in the order of `Aspect`."""
    score: int
    """1 to 5 as a rater scores, higher is better; see `checks.score_of`."""

    @property
    def document_ids(self) -> tuple[str, ...]:
        """The documents its evidence stands in, in order of first use."""
        ids = (passage.document_id for turn in self.content.turns for passage in turn.evidence)
        return tuple(dict.fromkeys(ids))


class Problem(Struct, frozen=True):
    """Something wrong with a reply or an item, in words for the log and the screen."""

    code: str
    """What it is, for counting: `evidence_not_verbatim`, `too_few_turns`."""
    message: str
    turn: int = 0
    is_fatal: bool = True
    """Whether the item cannot be taken with it; else it was mended, or a rater should look."""
