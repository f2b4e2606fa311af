"""The job `ingest`: reading files into a corpus in the background."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from engine.corpus.chunking import check_settings
from engine.corpus.ingest import IngestReport, ingest
from engine.corpus.readers import ReadDocument, Refusal, read_paths
from engine.corpus.readers.expected import expected_documents
from engine.jobs.context import JobContext
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import ChunkingSettings
from store.workspace import Workspace, open_workspace


class IngestParams(Struct, frozen=True, omit_defaults=True):
    corpus: str
    paths: tuple[str, ...]
    chunking: ChunkingSettings | None = None


def queue_ingest(
    workspace: Workspace,
    corpus: str,
    paths: Sequence[Path],
    chunking: ChunkingSettings | None = None,
) -> Job:
    """A job that ingests `paths`; no worker is started.

    Raises InputError for a path that does not exist and UsageError for an impossible chunking.
    """
    if chunking is not None:
        check_settings(chunking)
    read_paths(paths)  # refuses a wrong path now, while the person is looking
    absolute = tuple(str(path.absolute()) for path in paths)
    params = IngestParams(corpus, absolute, chunking)
    what = paths[0].absolute().name if len(paths) == 1 else f"{len(paths)} paths"
    title = f"{what} into {corpus}"
    with workspace.write() as db:
        return jobs.enqueue(db, "ingest", title, params=msgspec.to_builtins(params))


async def ingest_in_background(context: JobContext) -> None:
    """Reads in a thread, with a connection of its own, so that the worker's leases stay fresh.

    Nothing is read twice by being resumed: what is stored already is recognised as unchanged.
    """
    report = await asyncio.to_thread(_ingest, context)
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


def _ingest(context: JobContext) -> IngestReport:
    params = msgspec.convert(context.job.params, IngestParams)
    paths = [Path(path) for path in params.paths]
    total = expected_documents(paths)
    with open_workspace(context.workspace.folder) as workspace:

        def count(db: sqlite3.Connection, report: IngestReport) -> None:
            done = report.seen + len(report.refusals)
            jobs.set_progress(db, context.job.id, done, max(total, done))

        documents = _until_stopped(context, read_paths(paths))
        return ingest(workspace, params.corpus, documents, params.chunking, count=count)


def _until_stopped(
    context: JobContext, documents: Iterator[ReadDocument | Refusal]
) -> Iterator[ReadDocument | Refusal]:
    """Ends by raising: a file that was not read to its end must not retire what it holds."""
    for document in documents:
        context.raise_if_stopping()
        yield document
