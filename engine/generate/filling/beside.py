"""What stands beside a document, looked up in a child process: partners, and related reports."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.corpus.source_documents import source_documents
from engine.generate import pool_tasks
from engine.generate.filling.setup import Scope
from engine.generate.items import ReadItem
from engine.generate.partners import MOST, MOST_BY_RULE
from engine.generate.related import (
    STAGE,
    Related,
    Sought,
    sought_before,
    sought_for,
    with_reports,
)
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from store.datasets import generation_steps
from store.datasets.generation_steps import Step
from store.datasets.generations import AttemptRow, AttemptState
from store.records import Task


class Partners:
    """Partners of documents, looked up once each, in a child process."""

    def __init__(self, context: JobContext, scope: Scope, fingerprint: str) -> None:
        self._most = MOST_BY_RULE if scope.provider is None else MOST
        self._context = context
        self._corpus_id = scope.corpus.id
        self._fingerprint = fingerprint
        self._known: dict[str, tuple[str, ...]] = {}

    async def of(self, document_id: str) -> tuple[str, ...]:
        if document_id not in self._known:
            self._known[document_id] = await self._context.in_child(
                pool_tasks.partners, self._corpus_id, self._fingerprint, document_id, self._most
            )
        return self._known[document_id]


class Reports:
    """Reports on the matter of a document, which are to stand in its place; see `related`."""

    def __init__(
        self, context: JobContext, scope: Scope, fingerprint: str, commits: GroupCommit
    ) -> None:
        self._context = context
        self._scope = scope
        self._fingerprint = fingerprint
        self._commits = commits
        self._known: dict[Sought, bool] = {}

    async def are_there(self, document_id: str, task: Task) -> bool:
        """Whether an item of the task can be made of a document, as far as can be told before."""
        (document,) = source_documents(
            self._context.workspace.db, self._scope.corpus, [document_id]
        )
        sought = sought_before(document, task)
        if sought is None:
            return False
        if sought not in self._known:
            self._known[sought] = bool((await self._related(sought)).reports)
        return self._known[sought]

    async def beside(self, row: AttemptRow, items: Sequence[ReadItem]) -> tuple[ReadItem, ...]:
        """The items of an attempt with the reports chosen for each; what was chosen is stored."""
        task = self._scope.task(row.task)
        return tuple([await self._beside(row, item, task) for item in items])

    async def _beside(self, row: AttemptRow, item: ReadItem, task: Task) -> ReadItem:
        if item.content is None:
            return item
        related = await self._related(sought_for(item.content, task, row.document_id))
        step = Step(STAGE, AttemptState.PARSED, msgspec.to_builtins(related))
        await self._commits.write(lambda db: generation_steps.put(db, row.id, step))
        return with_reports(item, related)

    async def _related(self, sought: Sought) -> Related:
        return await self._context.in_child(
            pool_tasks.related,
            self._scope.corpus.id,
            self._fingerprint,
            self._scope.settings.related_by,
            sought,
        )
