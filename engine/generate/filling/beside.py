"""What stands beside a document, looked up in child processes: partners, and related reports."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.corpus.source_documents import source_documents
from engine.generate import pool_tasks
from engine.generate.filling.quota import Attempt
from engine.generate.filling.setup import Scope
from engine.generate.items import ReadItem
from engine.generate.partners import (
    MOST,
    MOST_BY_RULE,
    needs_partners,
    set_beside,
    takes_partners,
    way_of,
)
from engine.generate.related import (
    STAGE,
    Related,
    Sought,
    is_reversed,
    sought_before,
    sought_for,
    with_reports,
)
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.retrieve.in_child import prepare_index
from store.corpora import corpora
from store.datasets import generation_steps
from store.datasets.generation_steps import Step
from store.datasets.generations import AttemptRow, AttemptState
from store.records import Task


async def open_beside(context: JobContext, scope: Scope, commits: GroupCommit) -> Beside:
    """What stands beside the documents of a generation; builds the indexes that it is found by,
    where needed."""
    fingerprint = corpora.fingerprint(context.workspace.db, scope.corpus)
    tasks = [scope.task(task) for task in dict.fromkeys(task for _, task in scope.targets)]
    reverses = any(map(is_reversed, tasks))
    indexes = [pool_tasks.PARTNERS] if reverses or any(map(takes_partners, tasks)) else []
    if reverses:
        indexes.append(scope.settings.related_by)
    for index in dict.fromkeys(indexes):
        await context.in_child(prepare_index, scope.corpus.id, index, fingerprint)
    return Beside(context, scope, fingerprint, commits)


class Beside:
    """Partners of documents, and the reports that are to stand in a document's place; see
    `partners` and `related`."""

    def __init__(
        self, context: JobContext, scope: Scope, fingerprint: str, commits: GroupCommit
    ) -> None:
        self._context = context
        self._scope = scope
        self._fingerprint = fingerprint
        self._commits = commits
        self._partners: dict[str, tuple[str, ...]] = {}
        self._has_reports: dict[Sought, bool] = {}

    async def documents(self, attempt: Attempt) -> tuple[str, ...] | None:
        """The documents to write from; None when the document cannot be used in that way."""
        task, first = self._scope.task(attempt.task), attempt.document_id
        if is_reversed(task) and not await self._can_hide(first, task):
            return None
        if self._scope.provider is None:
            partners = await self._partners_of(first) if takes_partners(task) else ()
            return (first, *partners) if partners or not needs_partners(task) else None
        way = way_of(task, first, attempt.round)
        return set_beside(first, await self._partners_of(first) if way else (), way)

    async def with_reports(
        self, row: AttemptRow, items: Sequence[ReadItem]
    ) -> tuple[ReadItem, ...]:
        """The items of an attempt; of a task that hides the report they were made from, each with
        other reports in its place. Which these are is stored."""
        task = self._scope.task(row.task)
        if not is_reversed(task):
            return tuple(items)
        return tuple([await self._with_reports(row, item, task) for item in items])

    async def _partners_of(self, document_id: str) -> tuple[str, ...]:
        if document_id not in self._partners:
            most = MOST_BY_RULE if self._scope.provider is None else MOST
            self._partners[document_id] = await self._context.in_child(
                pool_tasks.partners, self._scope.corpus.id, self._fingerprint, document_id, most
            )
        return self._partners[document_id]

    async def _can_hide(self, document_id: str, task: Task) -> bool:
        """Whether other reports tell of a document's matter, as far as can be told before an item
        is made of it."""
        db = self._context.workspace.db
        (document,) = source_documents(db, self._scope.corpus, [document_id])
        sought = sought_before(document, task)
        if sought is None:
            return False
        if sought not in self._has_reports:
            self._has_reports[sought] = bool((await self._related(sought)).reports)
        return self._has_reports[sought]

    async def _with_reports(self, row: AttemptRow, item: ReadItem, task: Task) -> ReadItem:
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
