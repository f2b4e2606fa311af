"""The rows of a list of runs to choose from."""

from __future__ import annotations

from tui.live.facts import Facts, WorkFact
from tui.live.labels import state_text, system_text
from tui.widgets.row_source import Cell, Column, Row

RUN_COLUMNS = (
    Column("run", minimum=20),
    Column("system", 22, drop=1),
    Column("dataset", 14, drop=2),
    Column("state", 13),
    Column("done", 15, "right"),
)


def run_row(fact: WorkFact) -> Row:
    progress = fact.progress
    return Row(
        fact.key,
        (
            Cell(fact.title, "strong"),
            system_text(fact),
            fact.release,
            state_text(fact.status),
            f"{progress.finished:,}/{progress.total:,}",
        ),
    )


def runs_beside(facts: Facts, fact: WorkFact) -> list[WorkFact]:
    """Returns the scored runs of the same dataset: this one first, then the newest."""
    dataset = fact.release.rpartition("@")[0]
    others = [
        other
        for other in facts.work
        if other.run is not None
        and other.key != fact.key
        and other.release.rpartition("@")[0] == dataset
        and other.progress.scored
    ]
    return [fact, *others]
