"""Evolving families, several at a time.

A family depends on its number, the seed and the replies to its requests alone, and is stored whole
with its items. So a family that a kill interrupted is done again to the same end, with what was
answered before taken from the cache.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from typing import Protocol

from engine.evolve.algorithm import Author, Evolution, Made, Settings
from engine.evolve.asked import EvolutionAsked
from engine.evolve.by_model import make_model_author
from engine.evolve.by_rule import RuleAuthor
from engine.evolve.qra import Qra, Rejected
from engine.evolve.scope import EvolveScope
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.fan_out import side_by_side
from engine.retrieve.in_child import prepare_index
from store.corpora import corpora
from store.datasets import datasets, lineages
from store.datasets.lineages import LineageStep
from store.errors import Conflict
from store.hashing import content_hash
from store.jobs import jobs

REWRITING = "rewriting"


class FamilyAuthor(Author, Protocol):
    in_flight: int
    most_families: int
    """Families that there can be at most."""

    async def initial(self, family: int, drawn: random.Random) -> tuple[str, Qra | Rejected]:
        """The initial question of a family and the entity that it is on."""

    async def rewritten(self, qra: Qra) -> Qra | Rejected | None:
        """A plain rewriting of a question, to compare with; None where none is asked for."""


async def evolve_families(context: JobContext, asked: EvolutionAsked) -> None:
    """Evolves until there are as many initial questions as asked for, or no more can be had."""
    db = context.workspace.db
    assert asked.retrieval is not None, "a queued job knows its embedding"
    assert asked.graph is not None, "a queued job knows its graph"
    corpus = corpora.get(db, asked.corpus)
    scope = EvolveScope(db, corpus, asked.graph, asked.retrieval, asked.seed)
    await context.in_child(prepare_index, corpus.id, asked.retrieval, scope.fingerprint)
    commits = GroupCommit(context.workspace)
    if asked.source and asked.provider is None:
        context.note(
            jobs.WARNING,
            "rules join questions as they are: those that do not name what they are about do not"
            " stand alone",
        )
    items = scope.items_by_chunk(datasets.get(db, asked.source)) if asked.source else None
    author: FamilyAuthor = (
        RuleAuthor(context, scope, items)
        if asked.provider is None
        else make_model_author(context, asked, asked.provider, scope, commits, items)
    )
    work = _Families(context, asked, author, commits)
    await work.all()


class _Families:
    def __init__(
        self, context: JobContext, asked: EvolutionAsked, author: FamilyAuthor, commits: GroupCommit
    ) -> None:
        self._context = context
        self._asked = asked
        self._author = author
        self._commits = commits
        self._job_id = context.job.id
        self._dataset = datasets.get(context.workspace.db, asked.dataset)
        self._settings = Settings(
            asked.weight,
            asked.threshold,
            asked.queue,
            asked.gain,
            asked.partners,
            asked.rounds,
            asked.past_threshold,
        )

    async def all(self) -> None:
        """Works the families in waves, each as large as what is lacking: so it is the first
        families that are worked, however many at a time."""
        while True:
            begun = lineages.begun(self._context.workspace.db, self._job_id)
            have = sum(begun.values())
            lacking = self._asked.initial - have
            left = [
                number
                for number in range(min(len(begun) + lacking, self._author.most_families))
                if number not in begun
            ]
            if not left:
                break
            await side_by_side(self._context, iter(left), self._author.in_flight, self._family)
            self._context.raise_if_stopping()
        if lacking > 0:
            self._context.note(
                jobs.WARNING,
                f"{have:,} initial questions could be written, {lacking:,} fewer than asked for",
            )

    async def _family(self, number: int) -> None:
        drawn = random.Random(f"{self._asked.seed}:{number}")
        entity, initial = await self._author.initial(number, drawn)
        if isinstance(initial, Rejected):
            refused = Made(
                0, "initial", entity, (), 0, None, outcome="rejected", reason=initial.reason
            )
            await self._store(number, [refused], None)
            return
        evolution = Evolution(self._author, self._settings, drawn)
        best = await evolution.run(initial, entity)
        made = [*evolution.made, *await self._rewriting(initial, len(evolution.made))]
        is_hard = best.rgd(self._asked.weight) > self._asked.threshold
        await self._store(number, made, best if is_hard else None)

    async def _rewriting(self, initial: Qra, number: int) -> Sequence[Made]:
        rewritten = await self._author.rewritten(initial)
        if rewritten is None:
            return ()
        if isinstance(rewritten, Rejected):
            reason = rewritten.reason
            return (Made(number, REWRITING, "", (0,), 0, None, outcome="rejected", reason=reason),)
        rd, gd = await self._author.measure(rewritten)
        return (Made(number, REWRITING, "", (0,), 0, rewritten, rd, gd, "kept"),)

    async def _store(self, family: int, made: Sequence[Made], best: Made | None) -> None:
        def write(db: sqlite3.Connection) -> None:
            root = f"e{content_hash([self._job_id, family]).removeprefix('b2:')[:12]}"
            wanted = {0, *(() if best is None else (best.number,))}
            wanted |= {one.number for one in made if one.operation == REWRITING}
            steps = [self._step(db, root, one, one.number in wanted, made) for one in made]
            lineages.put_family(db, self._job_id, family, steps)
            done = sum(lineages.begun(db, self._job_id).values())
            jobs.set_progress(db, self._job_id, done, self._asked.initial)

        await self._commits.write(write)

    def _step(
        self, db: sqlite3.Connection, root: str, one: Made, is_item: bool, made: Sequence[Made]
    ) -> LineageStep:
        """A step as it is stored; with its item where it becomes one."""
        content = item = None
        reason = one.reason
        if one.qra is not None:
            content = one.qra.content(
                root=root, stage=_stage(one), evolutions=_evolutions(one, made)
            )
        if content is not None and is_item:
            try:
                item = datasets.add_item(
                    db,
                    self._dataset,
                    root if not one.number else f"{root}-{one.number}",
                    root,
                    content,
                    author="offline"
                    if self._asked.provider is None
                    else self._asked.provider.model,
                    reason=f"evolved by job {self._job_id}",
                )
            except Conflict as error:
                reason = error.message
        return LineageStep(
            one.number,
            one.operation,
            one.entity,
            one.parents,
            one.round,
            content,
            one.rd,
            one.gd,
            one.outcome,
            reason,
            item,
        )


def _stage(one: Made) -> str:
    if one.operation == REWRITING:
        return "rewritten"
    return "evolved" if one.parents else "initial"


def _evolutions(one: Made, made: Sequence[Made]) -> int:
    """How many operations lead from the initial question to one."""
    if not one.parents or one.operation == REWRITING:
        return 0
    return 1 + _evolutions(made[one.parents[0]], made)
