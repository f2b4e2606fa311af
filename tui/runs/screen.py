"""The Runs screen: all runs and jobs, with the actions on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from textual.containers import Container
from textual.widget import Widget

from store.jobs import jobs
from tui.live.facts import Facts, WorkFact
from tui.runs.keys import ACTIONS
from tui.runs.work_rows import COLUMNS, details, work_row
from tui.screens.destinations import AtJudges, AtRun, AtWork, Destination
from tui.screens.job_requests import cancel, idle_keys, pause_or_resume
from tui.screens.place import PlaceScreen
from tui.widgets.row_source import ListSource
from tui.widgets.rows import Rows
from tui.widgets.sheet import Sheet

JUDGES_BY = {"judge": "coverage", "audit": "audits"}
"""The table of Judges that shows what came of a job of this kind."""


class RunsScreen(PlaceScreen, actions=ACTIONS):
    PLACE = "runs"

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

    def arrive(self, destination: Destination) -> bool:
        if isinstance(destination, AtWork):
            self.show_work(destination.key)
        return True

    def show_work(self, key: str) -> None:
        """Moves the cursor to this run or job, as soon as it is listed."""
        self._awaited = "" if self.list.move_to_key(key) else key
        self.list.focus()

    @property
    def current(self) -> WorkFact | None:
        row = self.list.current
        return self.host.facts.find(str(row.key)) if row is not None else None

    @property
    def run_name(self) -> str:
        fact = self.current
        return fact.run.name if fact is not None and fact.run is not None else ""

    def idle_keys(self) -> Collection[str]:
        return idle_keys("runs", self.current)

    def command(self) -> Sequence[str]:
        fact = self.current
        return ("jobs", "show", str(fact.job.id)) if fact is not None and fact.job else ()

    def _show_details(self) -> None:
        fact = self.current
        if fact is None or fact == self._detailed:
            return
        is_same = self._detailed is not None and self._detailed.key == fact.key
        self._detailed = fact
        job = fact.job
        events = self.host.read(lambda db: jobs.events(db, job.id)) if job is not None else []
        self.details.show(details(fact, events or []), title=f"{fact.title}", from_top=not is_same)

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        self._show_details()
        self.show_footer()

    async def on_rows_chosen(self, message: Rows.Chosen) -> None:
        fact = self.current
        if fact is None:
            return
        if fact.run is not None:
            await self.host.open(AtRun(fact.run.id, back=self.PLACE))
        elif fact.job is not None and fact.job.kind in JUDGES_BY:
            await self.host.open(AtJudges(None, JUDGES_BY[fact.job.kind]))

    # Actions

    def action_pause(self) -> None:
        if (fact := self.current) is not None:
            pause_or_resume(self.host, fact)

    def action_cancel(self) -> None:
        if (fact := self.current) is not None:
            cancel(self.host, fact)

    def action_experiments(self) -> None:
        from tui.runs.experiments import ExperimentsScreen

        self.app.push_screen(ExperimentsScreen())
