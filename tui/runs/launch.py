"""The question that starts a run: system, release, seed, repeats and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.evaluate.systems import systems
from engine.jobs.operation import Estimate
from engine.judge.base import JudgeSpec
from engine.judge.judge_job import JudgeRun
from engine.judge.registry import judges
from store.datasets import datasets
from store.datasets.datasets import Release
from store.messages import no_such, plural
from store.systems import SystemConfig
from tui.language import read, tr
from tui.runs.queries import RunFigures, RunQuery
from tui.screens.destinations import AtWork
from tui.screens.form import Line, Pick, Values, seed_trouble
from tui.screens.host import Host
from tui.screens.job_requests import queue_job
from tui.screens.judge_choice import metrics_of, metrics_trouble, models_asked
from tui.screens.model_form import ModelForm, ask_model, budget_of, calls_words
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
        judges: Mapping[str, JudgeSpec],
        chosen: str = "",
    ) -> None:
        """`releases` are shown in this order, with the cursor on the one called `chosen`."""
        others = [name for name, spec in judges.items() if spec.kind != "rules"]
        super().__init__(
            tr("New run"),
            host,
            parts=(
                Pick("system", "System", [*map(_system_option, systems.values())], most_lines=5),
                Pick(
                    "release",
                    "Released dataset",
                    [(release.label, plural(release.items, "item")) for release in releases],
                    chosen,
                    2,
                ),
                Line("seed", "Seed", "0", "of the order of items"),
                Line("repeats", "Repeats", "1", "how often each item is answered"),
                Line(
                    "judge",
                    "Judge",
                    hint=tr(
                        "none but the rules; or {judges}",
                        judges=", ".join(others) or tr("one made by + on P"),
                    ),
                    suggestions=others,
                ),
                Line("metrics", "Its metrics", hint="all that the judge gives"),
            ),
            estimate=lambda values: RunQuery(new_run(values), values["judge"], metrics_of(values)),
            words=run_words,
            models_of=lambda values: (
                systems[values["system"]].generator,
                *(models_asked(judges[values["judge"]]) if values["judge"] else ()),
            ),
            trouble=lambda values: numbers_trouble(values) or judge_trouble(values, judges),
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
    if trouble := seed_trouble(values):
        return trouble
    repeats = values["repeats"]
    if not repeats.isdecimal() or not 1 <= int(repeats) <= MOST_REPEATS:
        return tr("Repeats are 1 to {most_repeats}.", most_repeats=MOST_REPEATS)
    return ""


def judge_trouble(values: Values, judges: Mapping[str, JudgeSpec]) -> str:
    """Why the judge or its metrics will not do; empty when they will."""
    name = values["judge"]
    if not name:
        return tr("Metrics are a judge's: name one.") if values["metrics"] else ""
    if name not in judges:
        return str(no_such("judge", name, judges, "Judges"))
    return metrics_trouble(values, judges[name])


def judge_of(values: Values) -> JudgeRun | None:
    """What scores the answers once they are there; None where no judge is named."""
    return JudgeRun("", values["judge"], metrics_of(values)) if values["judge"] else None


def run_words(figures: RunFigures, model: str) -> list[str]:
    """What a run takes, in sentences."""
    answers = f"{read(plural(figures.predictions, 'answer'))}."
    judging = [] if figures.judging is None else judging_words(figures.judging)
    if not figures.calls:
        return [answers, *(judging or [tr("No model is asked.")])]
    if figures.stands_in:
        answers += tr(" Golden answers stand in for the system's own earlier ones.")
    if figures.at_least:
        answers += tr(" Questions stand in for search texts not known yet; more calls may follow.")
    return [answers, *calls_words(figures, model), *judging]


def judging_words(judging: Estimate) -> list[str]:
    """What judging the answers takes, in one sentence."""
    if not judging.calls:
        return [tr("Judging asks no model for a reply.")]
    calls, tokens = calls_words(judging, "")
    return [
        tr(
            "Judging, with golden answers in the place of the run's: {calls} {tokens}",
            calls=calls,
            tokens=tokens,
        )
    ]


def _system_option(system: SystemConfig) -> tuple[str, str]:
    about = read(system.description)
    return system.name, tr("baseline: {about}", about=about) if system.baseline else about


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
        host.advise("There is no dataset to run on. F1 Home says how to bring one in.")
        return
    releases = read_releases(host)
    if releases is None:
        return
    if not releases:
        ask_release(host, "", lambda label: open_launch(host, label))
        return
    ask_model(
        host,
        lambda: LaunchScreen(host, systems(host.folder), releases, judges(host.folder), chosen),
        lambda values: queue_job(
            host,
            values["system"],
            Evaluate(new_run(values), judge=judge_of(values), budget=budget_of(values)),
            lambda job: host.open(AtWork(f"run {job.run_id}")),
        ),
    )
