"""A kind of job of its own, and the worker that knows it: counting the tokens of a corpus.

Run as a script it is the worker: WORKSPACE. A child process of the pool imports this file again.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from engine.corpus.source_documents import source_documents
from engine.jobs import worker
from engine.jobs.context import JobContext
from engine.jobs.fan_out import side_by_side
from engine.jobs.operation import Estimate, Operation, Progress, no_progress, put
from engine.jobs.pool import child_workspace
from engine.jobs.registry import OPERATIONS
from engine.text.tokens import count_tokens
from store.corpora import corpora
from store.errors import InputError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.workspace import Workspace

KIND = "count-tokens"
SECONDS_A_DOCUMENT = 0.05
IN_FLIGHT = 2


class CountTokens(Operation, frozen=True, tag=KIND):
    corpus: str

    def check(self, workspace: Workspace) -> None:
        if corpora.is_empty(workspace.db, corpora.get(workspace.db, self.corpus)):
            raise InputError(f"Corpus {self.corpus!r} is empty.")

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> Estimate:
        return Estimate()

    def enqueue(self, workspace: Workspace) -> Job:
        return put(workspace.db, self, f"tokens of {self.corpus}")

    async def run(self, context: JobContext) -> None:
        db = context.workspace.db
        corpus = corpora.get(db, self.corpus)
        counted = {event.text.split()[0] for event in jobs.events(db, context.job.id)}
        names = sorted(corpora.source_names(db, corpus))
        left = [name for name in names if name not in counted]

        async def count(name: str) -> None:
            tokens = await context.pool.call(count_document, corpus.id, name)
            with context.workspace.write() as write:
                jobs.note(write, context.job.id, "counted", f"{name} {tokens}")
                done = jobs.get(write, context.job.id).done + 1
                jobs.set_progress(write, context.job.id, done, len(names))

        await side_by_side(context, iter(left), IN_FLIGHT, count)
        if len(jobs.events(db, context.job.id)) < len(names):
            context.raise_if_stopping()


def count_document(corpus_id: int, name: str) -> int:
    """The tokens of a document; long enough that somebody can ask for a pause meanwhile."""
    time.sleep(SECONDS_A_DOCUMENT)
    db = child_workspace().db
    (document,) = source_documents(db, corpora.get_by_id(db, corpus_id), [name])
    return count_tokens(document.text)


def register() -> None:
    OPERATIONS[KIND] = "token_counting:CountTokens"


if __name__ == "__main__":
    register()
    worker.main(Path(sys.argv[1]))
