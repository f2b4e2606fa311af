"""The job `ingest`, which reads files into a corpus in the background.

The readers are imported on use, because screens build operations.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.corpus.paths import path_of, path_text
from engine.jobs.operation import Estimate, Operation, Progress, no_progress, put
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import ChunkingSettings
from store.sharing.modes import is_shared
from store.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from engine.corpus.ingest import IngestReport
    from engine.corpus.readers import ReadDocument, Refusal
    from engine.jobs.context import JobContext


class Ingest(Operation, frozen=True, tag="ingest"):
    corpus: str
    paths: tuple[str, ...]
    """As `path_text` writes them; absolute once it is queued."""
    chunking: ChunkingSettings | None = None
    """Null for a corpus that exists: it keeps its own."""
    follow_links: bool = False
    """Whether links in folders are read that lead out of them."""

    def check(self, workspace: Workspace) -> None:
        """Raises InputError for a path that does not exist or holds no file, and UsageError for an
        impossible chunking."""
        from engine.corpus.chunking import check_settings
        from engine.corpus.readers import ReadOptions, read_paths

        if self.chunking is not None:
            check_settings(self.chunking)
        # refuses a wrong path now, while the person is looking
        read_paths(self._paths, ReadOptions(follow_links=self.follow_links))

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> Estimate:
        return Estimate()

    def enqueue(self, workspace: Workspace) -> Job:
        absolute = tuple(path_text(path.absolute()) for path in self._paths)
        what = Path(absolute[0]).name if len(absolute) == 1 else f"{len(absolute)} paths"
        return put(workspace.db, replace(self, paths=absolute), f"{what} into {self.corpus}")

    async def run(self, context: JobContext) -> None:
        """Reads in a thread, with a connection of its own, so that the worker's leases stay fresh.

        Nothing is read twice by being resumed: what is stored already is recognised as unchanged.
        """
        report = await asyncio.to_thread(self._ingest, context)
        for refusal in report.refusals:
            place = f"{refusal.path}, {refusal.locator}" if refusal.locator else refusal.path
            context.note("refused", f"{place}: {refusal.reason}")
        for warning in report.warnings:
            context.note("warning", warning)
        context.note(
            "ingested",
            f"{report.added} added, {report.edited} edited, {report.unchanged} unchanged,"
            f" {report.superseded} superseded, {len(report.refusals)} refused",
        )

    @property
    def _paths(self) -> list[Path]:
        return [path_of(path) for path in self.paths]

    def _ingest(self, context: JobContext) -> IngestReport:
        from engine.corpus.ingest import ingest
        from engine.corpus.readers import ReadOptions, read_paths
        from engine.corpus.readers.reading import expected_documents

        total = expected_documents(self._paths, follow_links=self.follow_links)
        with open_workspace(context.workspace.folder) as workspace:

            def count(db: sqlite3.Connection, report: IngestReport) -> None:
                done = report.seen + len(report.refusals)
                jobs.set_progress(db, context.job.id, done, max(total, done))

            # what a job names lies in a file that each member can write, and the worker may read
            # more than they may
            folder = workspace.folder
            group = folder.stat().st_gid if is_shared(folder) else None
            options = ReadOptions(follow_links=self.follow_links, group=group)
            documents = _until_stopped(context, read_paths(self._paths, options))
            return ingest(workspace, self.corpus, documents, self.chunking, count=count)


def _until_stopped(
    context: JobContext, documents: Iterator[ReadDocument | Refusal]
) -> Iterator[ReadDocument | Refusal]:
    """Passes documents on, and raises when the job is stopped, so that an unfinished file retires
    none of its sources.
    """
    for document in documents:
        context.raise_if_stopping()
        yield document
