"""The possible answers to each line of the Export screen."""

from __future__ import annotations

from collections.abc import Sequence

from engine.labelling.forms import load_form
from store.datasets import splits
from store.labels.samples import samples
from store.messages import plural
from store.records import ItemState, Task, Topic
from tui.exporting.choices import (
    FORMS,
    KINDS,
    PAIR_SHAPES,
    RATERS,
    REPLIES,
    RUN_KINDS,
    SHAPES,
    Choices,
    judged_metrics,
)
from tui.language import local_name, tr
from tui.live.facts import DatasetFact, Facts
from tui.screens.choose import named_rows
from tui.screens.host import Host
from tui.widgets.row_source import Cell, Column, Row, widest

WIDEST_NAME = 44
"""Cells of a name, where something is said of it."""


def answers(host: Host, chosen: Choices, name: str) -> list[Row]:
    """Returns the possible answers to the line of this key; empty if there is nothing to choose."""
    fact = _dataset(host.facts, chosen)
    match name:
        case "kind":
            return named_rows(KINDS.items())
        case "layout":
            return named_rows(RUN_KINDS.items())
        case "raters":
            return named_rows(RATERS.items())
        case "reply":
            return named_rows(REPLIES.items())
        case "shapes":
            return named_rows((PAIR_SHAPES if chosen.kind == "preference" else SHAPES).items())
        case "field":
            return named_rows(
                (field.key, field.help_en) for field in load_form("preference").fields
            )
        case "metrics":
            return named_rows((one, "") for one in judged_metrics())
        case "states":
            return named_rows((str(one), "") for one in ItemState)
        case "runs":
            runs = (one.run for one in host.facts.work if one.run is not None)
            return named_rows((run.name, run.system.name) for run in runs)
        case "sample":
            return _sample_rows(host, FORMS[chosen.kind])
        case "dataset":
            return _dataset_rows(host.facts)
        case "topics" if fact is not None:
            return named_rows((one.key, _name(one)) for one in fact.taxonomy.topics)
        case "tasks" if fact is not None:
            return named_rows((one.key, _name(one)) for one in fact.taxonomy.tasks)
        case "side" if fact is not None:
            return _side_rows(host)
    return []


def choice_columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    """Returns the columns for a name and its note, or for the name alone if no name has a note."""
    names, notes = (
        [one.text if isinstance(one, Cell) else one for one in column]
        for column in zip(*(row.cells for row in rows), strict=True)
    )
    if not any(notes):
        return (Column(),)
    return (Column(width=min(widest(names), WIDEST_NAME)), Column())


def first_dataset(facts: Facts) -> str:
    """The latest release of the first dataset that has one, else the first dataset."""
    released = [fact.latest.label for fact in facts.datasets if fact.latest is not None]
    return next(iter(released), facts.datasets[0].dataset.name if facts.datasets else "")


def _dataset(facts: Facts, chosen: Choices) -> DatasetFact | None:
    name = chosen.dataset.partition("@")[0]
    return next((one for one in facts.datasets if one.dataset.name == name), None)


def _name(topic_or_task: Topic | Task) -> str:
    """Returns the name in the person's language, else in the other one."""
    return local_name(topic_or_task) or topic_or_task.zh or topic_or_task.en


def _sample_rows(host: Host, form: str) -> list[Row]:
    drawn = host.read(lambda db: samples.listing(db, form)) or []
    return [
        Row("", (Cell(tr("all labels"), "strong"), "")),
        *named_rows((one.name, "") for one in drawn),
    ]


def _side_rows(host: Host) -> list[Row]:
    every = host.read(splits.listing) or []
    sides = [(f"{one.name}:{side.name}", "") for one in every for side in one.sides]
    kept = [one for one in sides if not one[0].startswith("judge data:")]
    return [Row("", (Cell("all", "strong"), "")), *named_rows(kept)] if kept else []


def _dataset_rows(facts: Facts) -> list[Row]:
    rows: list[Row] = []
    for fact in facts.datasets:
        name = fact.dataset.name
        rows.append(Row(name, (Cell(name, "strong"), Cell(tr("as it stands now"), "muted"))))
        for release in reversed(fact.releases):
            count = Cell(f"{plural(release.items, 'item')}, frozen", "muted")
            rows.append(Row(release.label, (Cell(release.label, "strong"), count)))
    return rows
