"""Which subjects a rater may choose to go through: cells, topics, tasks, and their own lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from engine.labelling.session import WHOLE_QUEUE, LabelSession, Route
from store.labels.samples.progress import CellLabels
from store.labels.samples.queue import Filter, Listing
from tui.language import tr
from tui.screens.labels import task_and_topic
from tui.widgets.row_source import Cell, Row

LISTS: tuple[tuple[Listing, str], ...] = (
    ("flagged", tr("flagged by you")),
    ("uncorrected", tr("waiting for your correction")),
    ("postponed", tr("postponed by you")),
    ("partial", tr("begun by you")),
    ("excluded", tr("excluded by you")),
    ("complete", tr("labelled by you")),
)


class Offer(NamedTuple):
    route: Route
    what: str
    amount: str
    share: str = ""
    """How far it is, for a part of the queue."""


def routes(
    session: LabelSession, names: Mapping[str, str], home: Route = WHOLE_QUEUE
) -> list[Offer]:
    """The whole queue, the rater's lists that hold something, tasks, topics, cells; what is
    furthest from its target first. `names` are those of topics and tasks, by key."""
    cells = session.progress(home.filter.sample)
    offers = [_part(home, tr("the whole queue"), cells)]
    for listing, name in LISTS:
        subjects = session.listed(listing)
        if subjects:
            offers.append(Offer(Route(name, Filter(), listing), name, f"{len(subjects):,}"))
    offers += _parts(cells, names, home, by_topic=False, by_task=True)
    offers += _parts(cells, names, home, by_topic=True, by_task=False)
    return offers + _parts(cells, names, home, by_topic=True, by_task=True)


def route_rows(offers: list[Offer]) -> list[Row]:
    return [
        Row(str(at), (Cell(one.what), Cell(one.amount, "muted"), Cell(one.share, "muted")))
        for at, one in enumerate(offers)
    ]


def _parts(
    cells: list[CellLabels], names: Mapping[str, str], home: Route, *, by_topic: bool, by_task: bool
) -> list[Offer]:
    groups: dict[tuple[str | None, str | None], list[CellLabels]] = defaultdict(list)
    for cell in cells:
        groups[cell.topic if by_topic else None, cell.task if by_task else None].append(cell)
    if len(groups) < 2:
        return []
    ordered = sorted(groups.items(), key=lambda one: (_done(one[1]), one[0]))
    return [
        _part(Route(name, Filter(home.filter.sample, topic, task)), name, group)
        for (topic, task), group in ordered
        if (name := named(names, topic or "", task or ""))
    ]


def named(names: Mapping[str, str], topic: str, task: str) -> str:
    """A cell, a topic or a task by its name; empty for none of them."""
    return task_and_topic(names.get(task, task), names.get(topic, topic))


def _done(cells: list[CellLabels]) -> float:
    wanted = sum(cell.wanted for cell in cells)
    return sum(cell.done for cell in cells) / wanted if wanted else 1.0


def _part(route: Route, what: str, cells: list[CellLabels]) -> Offer:
    done, wanted = sum(cell.done for cell in cells), sum(cell.wanted for cell in cells)
    return Offer(
        route,
        what,
        tr("{done:,}/{wanted:,} labels", done=done, wanted=wanted),
        f"{_done(cells):.0%}",
    )
