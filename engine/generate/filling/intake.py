"""The fate of written items: each is kept in the dataset or refused with a reason."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from engine.corpus.evidence_facets import with_facets
from engine.generate.filling.quota import QuotaPlan
from engine.generate.filling.setup import Scope
from engine.generate.items import ReadItem
from engine.generate.related import is_reversed, sources_of
from engine.text.duplicates import NearDuplicates
from store.datasets import datasets, generations
from store.datasets.generations import KEPT, AttemptRow, Outcome
from store.errors import Conflict
from store.hashing import content_hash
from store.records import ItemContent, ItemState
from store.workspace import Workspace

DUPLICATE = "duplicate"
SURPLUS = "surplus"
_NO_ITEM = frozenset({"no_question", "no_answer", "not_an_object"})
"""Outcomes of what is no question with an answer at all, whatever the document."""


class _Decided(Struct, frozen=True):
    """An item with what is to become of it."""

    outcome: str
    reason: str = ""
    key: str = ""
    content: ItemContent | None = None


class Taken(Struct, frozen=True):
    decided: tuple[_Decided, ...]

    @property
    def kept(self) -> int:
        return sum(decision.outcome == KEPT for decision in self.decided)

    @property
    def is_useless(self) -> bool:
        """Whether something was written and none of it is an item."""
        return bool(self.decided) and all(decision.outcome in _NO_ITEM for decision in self.decided)


class DraftIntake:
    """Knows every question of the dataset, those that others add meanwhile included."""

    def __init__(self, workspace: Workspace, scope: Scope, plan: QuotaPlan) -> None:
        assert scope.dataset is not None
        self._db = workspace.db
        self._dataset = scope.dataset
        self._corpus = scope.corpus
        self._model = scope.settings.model
        self._tasks = {task.key: task for task in scope.taxonomy.tasks}
        self._plan = plan
        self._seen = NearDuplicates[str]()
        self._keys: set[str] = set()
        self._last = 0
        self._look()

    def take(self, row: AttemptRow, items: Sequence[ReadItem]) -> Taken:
        """Decides on the items of a reply, in their order. Call `store` for what it returns."""
        self._look()
        room = self._plan.room((row.topic, row.task))
        decided: list[_Decided] = []
        for item in items:
            decision = self._decide(row, item, room)
            room -= decision.outcome == KEPT
            decided.append(decision)
        return Taken(tuple(decided))

    def store(self, db: sqlite3.Connection, row: AttemptRow, taken: Taken) -> list[Outcome]:
        """Writes the items that are kept; what became of each, in order."""
        return [self._store(db, row, decision) for decision in taken.decided]

    def _store(self, db: sqlite3.Connection, row: AttemptRow, decision: _Decided) -> Outcome:
        if decision.content is None:
            return Outcome(decision.outcome, None, decision.reason)
        try:
            item_id = datasets.add_item(
                db,
                self._dataset,
                decision.key,
                group_of(decision.content, row.documents),
                decision.content,
                author=self._model,
                reason=f"generated with {_prompt_name(row)}",
            )
        except Conflict as error:
            # another process wrote the very item in the moment since it was decided on
            return Outcome(DUPLICATE, None, error.message)
        return Outcome(decision.outcome, item_id, decision.reason)

    def _decide(self, row: AttemptRow, item: ReadItem, room: int) -> _Decided:
        if item.content is None:
            fatal = next(problem for problem in item.problems if problem.is_fatal)
            return _Decided(fatal.code, fatal.message)
        key = item_key(item.content)
        asked = question_text(item.content)
        like = self._seen.find(asked)
        if like is not None or key in self._keys:
            other, alike = (like.key, like.similarity) if like is not None else (key, 1.0)
            return _Decided(DUPLICATE, f"the question is like that of {other} ({alike:.2f})")
        if room <= 0:
            return _Decided(SURPLUS, "the cell is full")
        self._seen.add(key, asked)
        self._keys.add(key)
        facets = {**item.content.facets, "model": self._model, "prompt": _prompt_name(row)}
        mended = "; ".join(problem.message for problem in item.problems)
        content = replace(item.content, facets=facets, hidden=self._hidden(row, item.content))
        return _Decided(KEPT, mended, key, with_facets(self._db, self._corpus, content))

    def _hidden(self, row: AttemptRow, content: ItemContent) -> tuple[str, ...]:
        """The documents that an item is to hide: of a task whose answer can be copied from the
        text that the item was written from, that text and all that it quotes."""
        is_hidden = is_reversed(self._tasks[row.task])
        return sources_of(content, row.document_id) if is_hidden else ()

    def _look(self) -> None:
        """Takes in what the dataset got since: at the beginning all of it."""
        for item in generations.items_after(self._db, self._dataset.id, self._last):
            self._last = item.item_id
            if item.item_key in self._keys:
                continue
            self._keys.add(item.item_key)
            self._seen.add(item.item_key, question_text(item.content))
            if item.state is not ItemState.DISCARDED:
                self._plan.credit((item.content.topic, item.content.task), 1)


def question_text(content: ItemContent) -> str:
    """The text by which two items are compared: the questions of all turns."""
    return "\n".join(turn.question for turn in content.turns)


def item_key(content: ItemContent) -> str:
    """A name that the same item gets whenever it is written: by task, documents and questions."""
    documents = sorted({passage.document_id for turn in content.turns for passage in turn.evidence})
    digest = content_hash(
        {"task": content.task, "documents": documents, "question": question_text(content)}
    )
    return f"g{digest.removeprefix('b2:')[:16]}"


def group_of(content: ItemContent, documents: Sequence[str]) -> str:
    """The documents that an item quotes: items of one set are resampled and split together."""
    quoted = {
        passage.document_id
        for turn in content.turns
        for passage in turn.evidence
        if passage.start is not None
    }
    return "+".join(sorted(quoted or set(documents)))


def _prompt_name(row: AttemptRow) -> str:
    """`generate/contrast@1a2b3c4d`; of a rule its name alone."""
    digest = (row.prompt_hash or "").removeprefix("b2:")[:8]
    return f"{row.prompt_id}@{digest}" if digest else row.prompt_id
