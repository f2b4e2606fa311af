"""The question that starts a run: system, release, seed, repeats and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.evaluate.systems import systems
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import RagdeskError
from store.messages import plural
from store.records import SystemConfig
from tui.runs.queries import RunFigures, RunQuery
from tui.screens.destinations import AtWork
from tui.screens.form import Line, Pick, Values
from tui.screens.host import Host
from tui.screens.job_requests import queue_job
from tui.screens.model_form import ModelForm, budget_of, calls_words
from tui.screens.release import ask_release

MOST_REPEATS = 100


class LaunchScreen(ModelForm[RunFigures]):
    """Says what the run takes while one chooses; `+` starts from a list at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("plus", "start", "start", show=False),
    ]

    def __init__(
        self,
        host: Host,
        systems: Mapping[str, SystemConfig],
        releases: Sequence[Release],
        chosen: str = "",
    ) -> None:
        """`releases` are shown in this order, with the cursor on the one called `chosen`."""
        super().__init__(
            "New run",
            host,
            parts=(
                Pick("system", "System", [*map(_system_option, systems.values())], most_lines=6),
                Pick(
                    "release",
                    "Released dataset",
                    [(release.label, plural(release.items, "item")) for release in releases],
                    chosen,
                    3,
                ),
                Line("seed", "Seed", "0", "of the order of items"),
                Line("repeats", "Repeats", "1", "how often each item is answered"),
            ),
            estimate=lambda values: RunQuery(new_run(values)),
            words=run_words,
            models_of=lambda values: (systems[values["system"]].generator,),
            trouble=numbers_trouble,
        )

    def action_start(self) -> None:
        self.press()


def new_run(values: Values) -> NewRun:
    """The run that is asked for, of values without `numbers_trouble`."""
    return NewRun(
        values["system"],
        values["release"],
        seed=int(values["seed"]),
        repeats=int(values["repeats"]),
    )


def numbers_trouble(values: Values) -> str:
    """Why the seed or the repeats will not do; empty when they will."""
    if not values["seed"].lstrip("-").isdecimal():
        return "The seed is a whole number, such as 0."
    repeats = values["repeats"]
    if not repeats.isdecimal() or not 1 <= int(repeats) <= MOST_REPEATS:
        return f"Repeats are 1 to {MOST_REPEATS}."
    return ""


def run_words(figures: RunFigures, model: str) -> list[str]:
    """What a run takes, in sentences."""
    answers = f"{plural(figures.predictions, 'answer')}."
    if not figures.calls:
        return [answers, "No model is asked."]
    if figures.stands_in:
        answers += " Golden answers stand in for the system's own earlier ones."
    if figures.at_least:
        answers += " Questions stand in for search texts not known yet; more calls may follow."
    return [answers, *calls_words(figures, model)]


def _system_option(system: SystemConfig) -> tuple[str, str]:
    return system.name, ("baseline: " if system.baseline else "") + system.description


def read_releases(host: Host) -> list[Release] | None:
    """All releases by dataset, the latest of each dataset first; None where they cannot be read."""
    return host.read(
        lambda db: [
            release
            for dataset in datasets.listing(db)
            for release in reversed(datasets.releases(db, dataset))
        ]
    )


def open_launch(host: Host, chosen: str = "") -> None:
    """Asks, then has the run queued and makes sure that a worker runs. Where no dataset has been
    released, that is asked first."""
    if not host.facts.datasets:
        text = "There is no dataset to run on. F1 Home says how to bring one in."
        host.show_problem(text, is_trouble=False)
        return
    releases = read_releases(host)
    if releases is None:
        return
    if not releases:
        ask_release(host, "", lambda label: open_launch(host, label))
        return
    try:
        form = LaunchScreen(host, systems(host.folder), releases, chosen)
    except RagdeskError as error:
        host.show_problem(str(error))
        return

    def decided(values: Values | None) -> None:
        if values is not None:
            queue_job(
                host,
                values["system"],
                Evaluate(new_run(values), budget=budget_of(values)),
                lambda job: host.open(AtWork(f"run {job.run_id}")),
            )

    host.push_screen(form, decided)
