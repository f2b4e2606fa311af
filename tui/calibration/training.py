"""Training a light judge on people's labels."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec import Struct

from store.messages import plural
from store.workspace import Workspace
from tui.language import tr
from tui.screens.form import Form, Line, Pick, Values
from tui.screens.host import Host
from tui.screens.place import PlaceScreen
from tui.screens.sheet import Report, Said, Table, show_report

if TYPE_CHECKING:
    from engine.statistics.agreement.statistic import Statistic
    from engine.training.light.report import PartReport

NEW, REPLACE = tr("a new judge"), "replace"


class Teaching(Struct, frozen=True):
    """What there is to teach a judge by."""

    sides: dict[str, int]
    """Labelled answers by the side that they have or would get."""
    least: int
    """Fewer answers to learn from teach nothing."""


class TeachingQuery(Struct, frozen=True):
    def answer(self, workspace: Workspace) -> Teaching:
        """Counts the labelled answers; stores nothing."""
        from engine.training.data.cases import labelled_cases
        from engine.training.data.sides import assign_sides
        from engine.training.light.training import LEAST_CASES

        cases = labelled_cases(workspace.db)
        placed = assign_sides(workspace, cases, keep=False) if cases else {}
        sides: dict[str, int] = {}
        for case in cases:
            side = placed[case.name].side or tr("left out")
            sides[side] = sides.get(side, 0) + 1
        return Teaching(sides, LEAST_CASES)


class TrainQuery(Struct, frozen=True):
    """Train a light judge."""

    name: str
    metrics: tuple[str, ...]
    replace: bool

    def answer(self, workspace: Workspace) -> Report:
        """What it learned from, and how it does against people beside the rules. Raises what
        `train_light` raises."""
        from engine.training.light.training import train_light

        report = train_light(workspace, self.name, metrics=self.metrics, replace=self.replace)
        counts = {side: report.cases.get(side, 0) for side in ("train", "validation", "test")}
        taught = plural(counts["train"], "answer")
        return (
            Said(
                tr(
                    "Judge {name} learned from {taught}; {validation:,} are for validation and "
                    "{test:,} for the test.",
                    name=report.name,
                    taught=taught,
                    validation=counts["validation"],
                    test=counts["test"],
                )
            ),
            *(
                Said(tr("{name} has no model: {why}", name=name, why=why), "warn")
                for name, why in report.skipped.items()
            ),
            *(said for part in report.parts for said in part_report(part)),
            Said(tr("The card is in {folder}.", folder=report.folder)),
        )


def part_report(part: PartReport) -> Report:
    """The judge and the rules against people, on one side of the split."""
    from engine.training.light.report import gain_sentences

    if not part.judge:
        return (Said(tr("The {part} side has no answers.", part=part.part), "warn"),)
    rules = {row.metric: row for row in part.rules}
    rows = [
        (
            row.metric or tr("all, pooled"),
            f"{row.n:,}",
            _figure(row.accuracy),
            _figure(row.kappa),
            _figure(rules[row.metric].accuracy) if row.metric in rules else "",
            _figure(rules[row.metric].kappa) if row.metric in rules else "",
        )
        for row in part.judge
    ]
    head = ("metric", "n", "accuracy", "kappa", tr("rules: accuracy"), "kappa")
    gains: Report = ()
    if part.test is not None and part.test.pooled.difference is not None:
        lines = map(Said, gain_sentences(part.test))
        gains = (Said(tr("Accuracy, this judge minus the rules:")), *lines)
    return (
        Said(tr("On the {part} side, against people:", part=part.part), "strong"),
        Table((head, *rows)),
        *gains,
    )


def _figure(statistic: Statistic) -> str:
    return "-" if statistic.value is None else f"{statistic.value:.3f}"


def ask_train(screen: PlaceScreen) -> None:
    """Counts what there is to learn from, asks, trains, and shows what came of it."""
    host = screen.host
    if host.facts.is_open:
        host.ask_apart(
            tr("counting labels"), TeachingQuery(), lambda teaching: _ask(host, teaching)
        )


def _ask(host: Host, teaching: Teaching) -> None:
    from engine.judge.base import LABELLED
    from engine.judge.registry import judges

    train = teaching.sides.get("train", 0)
    if train < teaching.least:
        host.advise(
            "{answers} to learn from; it takes {least}. F7 Label, then + draws more "
            "answers to label.",
            answers=plural(train, "labelled answer"),
            least=teaching.least,
        )
        return
    known = host.read(lambda _: judges(host.folder)) or {}
    trained = [name for name, spec in known.items() if spec.kind == "trained"]
    sides = ", ".join(f"{count:,} {side}" for side, count in sorted(teaching.sides.items()))

    def trouble(values: Values) -> str:
        name, is_new = values["name"], values["how"] == NEW
        if not name or set(name) & set("/\\@:"):
            return tr("Name the judge, without / \\ @ and :.")
        if name in known and (is_new or name not in trained):
            return tr("There is a judge {name}; use another name.", name=name)
        if not is_new and name not in trained:
            return tr("There is no trained judge {name} to replace.", name=name)
        return ""

    def decided(values: Values) -> None:
        metrics = tuple(values["metrics"].splitlines())
        query = TrainQuery(values["name"], metrics, values["how"] == REPLACE)
        host.ask_apart(
            tr("training {name}", name=values["name"]),
            query,
            lambda report: show_report(host, tr("judge {name}, trained", name=query.name), report),
        )

    options = [(NEW, tr("by a name that is free"))]
    options += [(REPLACE, tr("one of {trained}", trained=", ".join(trained)))] if trained else []
    host.question(
        Form(
            tr("Train a light judge"),
            [
                Line("name", tr("Name"), _free(known), tr("of the judge"), trained),
                Pick("how", tr("As"), options, most_lines=2),
                Pick(
                    "metrics",
                    tr("Metrics"),
                    [(metric, "") for metric in LABELLED],
                    most_lines=5,
                    many=True,
                    taken=LABELLED,
                ),
            ],
            tr("Train it"),
            note=tr(
                "Labelled answers: {sides}. It takes seconds, asks no model and costs nothing.",
                sides=sides,
            ),
            trouble=trouble,
        ),
        decided,
    )


def _free(known: Collection[str]) -> str:
    """A name that no judge has."""
    names = (f"light-{number}" for number in range(1, len(known) + 2))
    return next(name for name in names if name not in known)
