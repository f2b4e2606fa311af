"""Reading ahead: the next subjects, and the figures of the day, while one is being labelled."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import msgspec

from store.clock import start_of_day
from store.errors import RagdeskError
from store.labels.log.events import Subject
from store.labels.samples import progress, queue
from store.labels.samples.progress import CellLabels
from store.labels.samples.queue import Filter
from store.workspace import Workspace, open_workspace

AHEAD = 3
"""Subjects that are read ahead."""

Load = Callable[[sqlite3.Connection, Subject], Any]
T = TypeVar("T")


class Foreseen(NamedTuple):
    """What lies before a rater."""

    subjects: tuple[Subject, ...] = ()
    """The queue's next, the open one left out."""
    loaded: Mapping[Subject, Any] = MappingProxyType({})
    cells: Mapping[Subject, tuple[str, str]] = MappingProxyType({})
    """Topic and task of each."""


class Figures(NamedTuple):
    """How far a rater is."""

    cell: CellLabels | None = None
    """Of the open subject."""
    progress: tuple[CellLabels, ...] = ()
    waiting: int = 0
    """Subjects that the queue still gives the rater, as Home counts them."""
    done: int = 0
    """Subjects that the rater is done with."""
    done_today: int = 0
    median_seconds: float | None = None

    def with_one_more(self) -> Figures:
        """What they will be, most likely, now that the open subject is done."""
        cell = self.cell
        if cell is not None:
            done = min(cell.done + 1, cell.wanted)
            cell = msgspec.structs.replace(cell, done=done, by_rater=cell.by_rater + 1)
        progress = tuple(cell if one is self.cell and cell else one for one in self.progress)
        return self._replace(
            cell=cell,
            progress=progress,
            waiting=max(self.waiting - 1, 0),
            done=self.done + 1,
            done_today=self.done_today + 1,
        )

    def at(self, place: tuple[str, str] | None) -> Figures:
        """With another subject open, of this topic and task."""
        here = (one for one in self.progress if (one.topic, one.task) == place)
        return self._replace(cell=next(here, None))


class Prefetcher:
    """One thread with a connection of its own. What it cannot read is left for the screen to find
    out: reading ahead never reports an error."""

    def __init__(self, folder: Path, form_key: str, rater: str, load: Load) -> None:
        self._folder = folder
        self._form = form_key
        self._rater = rater
        self._load = load
        self._workspace: Workspace | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="prefetcher")
        self.foreseen = Foreseen()
        self.figures = Figures()
        self._wants_look = False
        self._is_looking = False

    async def look(
        self, place: Callable[[], tuple[Subject | None, Filter] | None], show: Callable[[], None]
    ) -> bool:
        """Reads what comes after the open subject until what is open has been looked past; False
        where that goes on already.

        `place` gives the open subject and the part of the queue, None while there is no workspace;
        `show` is called when there are new figures. A look that a key overtakes is finished, and
        what it found is used: a rater who is faster than it would else never have anything
        foreseen.
        """
        self._wants_look = True
        if self._is_looking:
            return False
        self._is_looking = True
        try:
            while self._wants_look and (now := place()) is not None:
                self._wants_look = False
                # the figures first: they are on the screen, the queue is for the next key
                figures = await self._ask(self._count, *now)
                if figures is not None and not self._wants_look:
                    self.figures = figures
                    show()
                foreseen = await self._ask(self._read, *now)
                after = place()
                if foreseen is not None and after is not None and now[1] == after[1]:
                    self.foreseen = foreseen
        finally:
            self._is_looking = False
        return True

    def close(self) -> None:
        """Ends the thread once it has finished what it does."""
        self._thread.submit(self._end)
        self._thread.shutdown(wait=False)

    async def _ask(
        self,
        question: Callable[[sqlite3.Connection, Subject | None, Filter], T],
        here: Subject | None,
        filter: Filter,
    ) -> T | None:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._answer, question, here, filter)

    def _answer(
        self,
        question: Callable[[sqlite3.Connection, Subject | None, Filter], T],
        here: Subject | None,
        filter: Filter,
    ) -> T | None:
        try:
            if self._workspace is None:
                self._workspace = open_workspace(self._folder).keep_small()
            return question(self._workspace.db, here, filter)
        except (RagdeskError, sqlite3.Error):
            self._end()
            return None

    def _read(self, db: sqlite3.Connection, here: Subject | None, filter: Filter) -> Foreseen:
        queued = [
            one
            for one in queue.upcoming(db, self._form, self._rater, limit=AHEAD + 1, filter=filter)
            if one.subject != here
        ]
        return Foreseen(
            tuple(one.subject for one in queued),
            {one.subject: self._load(db, one.subject) for one in queued},
            {one.subject: (one.topic, one.task) for one in queued},
        )

    def _count(self, db: sqlite3.Connection, here: Subject | None, filter: Filter) -> Figures:
        sample = filter.sample
        cells = progress.cell_progress(db, self._form, self._rater, sample=sample)
        samples = [
            one
            for one in queue.by_sample(db, self._form, self._rater)
            if sample in (None, one.sample)
        ]
        place = progress.cell_of(db, self._form, here) if here is not None else None
        return Figures(
            None,
            tuple(cells),
            *queue.together(db, self._form, self._rater, samples),
            progress.done_since(db, self._form, self._rater, start_of_day()),
            progress.median_seconds(db, self._form, self._rater),
        ).at(place)

    def _end(self) -> None:
        if self._workspace is not None:
            self._workspace.close()
            self._workspace = None
