"""Runs: everything that is, was or will be worked on, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget

from store import jobs
from store.jobs import Job
from store.records import JobState
from store.workspace import Workspace
from tui.keymap import REGISTRY
from tui.live.facts import Facts, WorkFact
from tui.screens.confirm import Confirm
from tui.screens.place import PlaceScreen
from tui.screens.work_rows import COLUMNS, details, work_row
from tui.widgets.row_source import ListSource
from tui.widgets.rows import Rows
from tui.widgets.sheet import Sheet


class RunsScreen(PlaceScreen):
    PLACE = "runs"
    BINDINGS: ClassVar[list[BindingType]] = [*REGISTRY.bindings("runs")]

    def __init__(self) -> None:
        super().__init__()
        self.list = Rows(
            ListSource(),
            COLUMNS,
            empty="No run yet. + starts one: choose a system and a released dataset.",
            id="runs",
        )
        self.details = Sheet(title="Details", id="details")
        self._detailed: WorkFact | None = None
        self._awaited = ""

    def compose_body(self) -> Iterator[Widget]:
        with Container(id="runs-body"):
            yield self.list
            yield self.details

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        self.list.replace_source(ListSource([work_row(fact) for fact in facts.work]))
        self.details.display = bool(facts.work)
        if self._awaited and facts.find(self._awaited) is not None:
            self.show_work(self._awaited)
        self._show_details()

    def show_work(self, key: str) -> None:
        """Put the cursor on this run or job, as soon as it is there."""
        keys = [fact.key for fact in self.desk.facts.work]
        self._awaited = "" if key in keys else key
        if key in keys:
            self.list.move_to(keys.index(key))
        self.list.focus()

    @property
    def current(self) -> WorkFact | None:
        row = self.list.current
        return self.desk.facts.find(str(row.key)) if row is not None else None

    def _show_details(self) -> None:
        fact = self.current
        if fact is None or fact == self._detailed:
            return
        is_same = self._detailed is not None and self._detailed.key == fact.key
        self._detailed = fact
        job = fact.job
        events = self.desk.read(lambda db: jobs.events(db, job.id)) if job is not None else []
        self.details.show(details(fact, events or []), title=f"{fact.title}", from_top=not is_same)

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        self._show_details()

    async def on_rows_chosen(self, message: Rows.Chosen) -> None:
        fact = self.current
        if fact is not None and fact.run is not None:
            await self.desk.show_run(fact.run.id)

    # Actions

    def action_pause(self) -> None:
        fact = self.current
        if fact is None or fact.job is None:
            return
        job_id = fact.job.id
        if fact.status in ("pausing", "cancelling") or fact.can_resume:
            self._ask("resuming", lambda workspace: _resume(workspace, job_id))
        elif fact.is_active:
            self._ask("pausing", lambda workspace: _request(workspace, job_id, "pause"))
        else:
            self.desk.show_problem(
                f"{fact.title} is {fact.status}; there is nothing to pause or to resume.",
                is_trouble=False,
            )

    def action_cancel(self) -> None:
        fact = self.current
        if fact is None or fact.job is None:
            return
        job_id = fact.job.id
        if fact.job.state in (JobState.DONE, JobState.CANCELLED, JobState.FAILED):
            self.desk.show_problem(
                f"{fact.title} is {fact.status}; there is nothing to cancel.", is_trouble=False
            )
            return

        def decided(is_sure: bool | None) -> None:
            if is_sure:
                self._ask("cancelling", lambda workspace: _request(workspace, job_id, "cancel"))

        self.app.push_screen(
            Confirm(
                f"Cancel {fact.title}?",
                f"{_kept(fact)} What is left is not done; z can take it up again later.",
                "cancel it",
            ),
            decided,
        )

    def _ask(self, what: str, task: Callable[[Workspace], Job]) -> None:
        self.desk.in_thread(what, task, lambda job: None, group="jobs")


def _kept(fact: WorkFact) -> str:
    """What stays when the work is cancelled."""
    if fact.run is None:
        return "What is done stays."
    return f"{fact.done:,} of {fact.total:,} answers are there and stay."


def _request(workspace: Workspace, job_id: int, request: str) -> Job:
    with workspace.write() as db:
        return jobs.ask(db, job_id, request)


def _resume(workspace: Workspace, job_id: int) -> Job:
    # imported in the thread that needs it: it brings the answerers with it
    from engine.jobs.launch import ensure_worker

    with workspace.write() as db:
        job = jobs.resume(db, job_id)
    ensure_worker(workspace)
    return job
