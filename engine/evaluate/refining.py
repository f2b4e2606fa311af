"""Has the chunks of a run's corpus refined where its system's settings let a model do that."""

from __future__ import annotations

import sqlite3

from engine.evaluate.answering import RunModels
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.fan_out import side_by_side
from engine.models.errors import ModelError
from engine.prompts.templates import FrozenPrompts
from engine.retrieve.refine.change import ChunkText
from engine.retrieve.refining import refined_chunk, unrefined
from store.corpora.corpora import Corpus
from store.errors import RagdeskError
from store.jobs import jobs
from store.messages import plural
from store.records import Span
from store.runs import refinements
from store.runs.refinements import RefinedChunk
from store.runs.runs import Run

REFINING = "refining the corpus"


async def refine_corpus(
    context: JobContext, run: Run, corpus: Corpus, models: RunModels, commits: GroupCommit
) -> None:
    """Asks for the text of every chunk that has none, and stores each as soon as it is there.

    Raises Stopped when the job has to end before that, Conflict when the corpus has changed since
    the run began, and RagdeskError when some chunks got no reply.
    """
    db, stages = context.workspace.db, run.system.corpus
    left = unrefined(db, corpus, run.system.retrieval, run.settings.corpus_fingerprint)
    if left is None:
        return
    fingerprint, count, chunks = left
    with context.workspace.write() as db:
        refinement = refinements.begin(db, corpus, fingerprint, stages)
    prompts = FrozenPrompts(run.settings.prompts)
    failures: list[ModelError] = []
    done = 0

    def store(db: sqlite3.Connection, span: Span, made: RefinedChunk) -> None:
        nonlocal done
        done += 1
        refinements.put(db, refinement.id, span, made, context.job.id)
        jobs.set_phase(db, context.job.id, REFINING, done, count)

    async def work(subject: tuple[Span, ChunkText]) -> None:
        span, chunk = subject
        try:
            made = await refined_chunk(
                *(chunk, stages, lambda request, name: models.ask(request, 0, name), prompts)
            )
        except ModelError as error:
            failures.append(error)
        else:
            await commits.write(lambda db: store(db, span, made))

    context.enter(REFINING)
    await side_by_side(context, chunks, models.in_flight, work)
    context.enter(None)
    context.raise_if_stopping()
    if failures:
        raise RagdeskError(
            f"{plural(len(failures), 'chunk')} of corpus {corpus.name!r} got no reply; the last"
            f" failure: {failures[-1].message}",
            f"{failures[-1].remedy} Then resume the job, which asks for what is missing.",
        )
    with context.workspace.write() as db:
        refinements.finish(db, refinement.id)
    unusable, total = refinements.unusable(db, refinement.id)
    said = f"a model changed what {plural(total, 'chunk')} are indexed by"
    if unusable:
        said += f"; {unusable:,} stayed as they were, because it gave no usable reply, twice"
    context.note("corpus", said)
