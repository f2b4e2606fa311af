"""The question that starts a run: system, release, seed and repeats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widgets import Input

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.evaluate.systems import systems
from store.datasets.datasets import Release
from store.errors import RagdeskError
from store.records import SystemConfig
from tui.live.facts import Facts
from tui.screens.destinations import AtWork
from tui.screens.form import FieldsScreen
from tui.screens.host import Host
from tui.screens.job_requests import queue_job
from tui.widgets.heading import FieldLine, SectionLine
from tui.widgets.pressed import PressLine
from tui.widgets.row_source import Cell, Column, ListSource, Row, widest
from tui.widgets.rows import Rows

MOST_REPEATS = 100


class LaunchScreen(FieldsScreen[NewRun | None]):
    """Enter goes from field to field and starts from the last; `+` starts from a list at once."""

    DEFAULT_CSS = """
    LaunchScreen #choices { height: auto; }
    LaunchScreen #choices > Vertical { height: auto; margin-bottom: 1; }
    LaunchScreen #numbers { height: 1; margin-bottom: 1; }
    LaunchScreen #numbers > SectionLine { width: 12; }
    LaunchScreen Input { width: 12; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("plus", "start", "start", show=False),
    ]

    def __init__(
        self, systems: Iterable[SystemConfig], releases: Sequence[Release], chosen: str = ""
    ) -> None:
        """`releases` are shown in this order, with the cursor on the one called `chosen`."""
        super().__init__()
        self._systems = {system.name: system for system in systems}
        self._releases = {release.label: release for release in releases}
        self._chosen = chosen
        self.systems = Rows(
            ListSource([_system_row(system) for system in self._systems.values()]),
            (Column("", widest(list(self._systems))), Column(minimum=20, drop=1)),
            id="systems",
        )
        self.releases = Rows(
            ListSource([_release_row(release) for release in releases]),
            (Column(minimum=10), Column("", 14, "right")),
            id="releases",
        )
        self.seed = Input("0", type="integer", max_length=9, id="seed", compact=True)
        self.repeats = Input("1", type="integer", max_length=3, id="repeats", compact=True)
        self.start = PressLine("Start", "Enter or +; it works in the background")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield SectionLine("New run", "Tab or Enter: next field   Esc: cancel")
            with Container(id="choices"):
                with Vertical():
                    yield SectionLine("System")
                    yield self.systems
                with Vertical():
                    yield SectionLine("Released dataset")
                    yield self.releases
            with FieldLine(id="numbers"):
                yield SectionLine("Seed")
                yield self.seed
                yield SectionLine("Repeats")
                yield self.repeats
            yield self.start

    def on_mount(self) -> None:
        self.systems.styles.height = min(len(self._systems), 6)
        self.releases.styles.height = min(len(self._releases), 5)
        labels = list(self._releases)
        if self._chosen in labels:
            self.call_after_refresh(self.releases.move_to, labels.index(self._chosen))
        self.systems.focus()

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        (self.releases if message.rows is self.systems else self.seed).focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        (self.repeats if message.input is self.seed else self.start).focus()

    def on_press_line_pressed(self, message: PressLine.Pressed) -> None:
        self.action_start()

    def on_input_changed(self, message: Input.Changed) -> None:
        self.start.say(self._trouble())

    def action_start(self) -> None:
        system, release = self.systems.current, self.releases.current
        if system is None or release is None or self._trouble():
            return
        self.dismiss(
            NewRun(
                str(system.key),
                str(release.key),
                seed=int(self.seed.value),
                repeats=int(self.repeats.value),
            )
        )

    def _trouble(self) -> str:
        """Returns what is wrong with the numbers; empty if nothing is."""
        if not self.seed.value.lstrip("-").isdigit():
            return "The seed is a whole number, such as 0."
        if not self.repeats.value.isdigit() or not 1 <= int(self.repeats.value) <= MOST_REPEATS:
            return f"Repeats are 1 to {MOST_REPEATS}."
        return ""


def _system_row(system: SystemConfig) -> Row:
    note = "baseline: " if system.baseline else ""
    return Row(system.name, (Cell(system.name, "strong"), Cell(note + system.description, "muted")))


def _release_row(release: Release) -> Row:
    count = Cell(f"{release.items:,} items", "muted")
    return Row(release.label, (Cell(release.label, "strong"), count))


def releases_of(facts: Facts) -> list[Release]:
    """Returns all releases by dataset, the latest of each dataset first."""
    return [release for fact in facts.datasets for release in reversed(fact.releases)]


def open_launch(host: Host, chosen: str = "") -> None:
    """Asks, then has the run queued and makes sure that a worker runs."""
    releases = releases_of(host.facts)
    if not releases:
        host.show_problem(_nothing_to_run(host.facts), is_trouble=False)
        return
    try:
        known = systems(host.folder)
    except RagdeskError as error:
        host.show_problem(str(error))
        return

    def decided(new: NewRun | None) -> None:
        if new is not None:
            queue_job(
                host,
                new.system,
                Evaluate(new),
                lambda job: host.open(AtWork(f"run {job.run_id}")),
            )

    host.push_screen(LaunchScreen(known.values(), releases, chosen), decided)


def _nothing_to_run(facts: Facts) -> str:
    if facts.datasets:
        name = facts.datasets[0].dataset.name
        return (
            f"No dataset has a release, and only a frozen version can be run."
            f" Freeze one: ragdesk release --dataset {name}"
        )
    return "There is no dataset to run on. F1 Home says how to bring one in."
