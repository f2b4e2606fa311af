"""The question that freezes the accepted items of a dataset as its next version."""

from __future__ import annotations

from collections.abc import Callable

from store.datasets import datasets
from store.labels.log import authoring
from store.messages import plural
from store.records import ItemState
from store.workspace import Workspace
from tui.language import read, tr
from tui.screens.choose import Choose
from tui.screens.confirm import confirm
from tui.screens.host import Host
from tui.widgets.row_source import Cell, Column, Row


def ask_release(host: Host, dataset: str, done: Callable[[str], None]) -> None:
    """Asks which dataset unless one is named, then whether to freeze it; `done` gets the label of
    the release."""
    names = [fact.dataset.name for fact in host.facts.datasets]
    if dataset in names or len(names) == 1:
        _confirm(host, dataset if dataset in names else names[0], done)
    elif not names:
        host.advise("There is no dataset to release. F1 Home says how to bring one in.")
    else:
        rows = [Row(name, (Cell(name, "strong"), _counted(host, name))) for name in names]
        host.question(
            Choose("Release which dataset?", (Column(minimum=16), Column("", 20)), rows),
            lambda name: _confirm(host, name, done),
        )


def _states(host: Host, dataset: str) -> dict[str, int] | None:
    return host.read(lambda db: datasets.state_counts(db, datasets.get(db, dataset)))


def _counted(host: Host, dataset: str) -> str:
    states = _states(host, dataset) or {}
    return tr("{get:,} accepted", get=states.get(ItemState.ACCEPTED, 0))


def _confirm(host: Host, dataset: str, done: Callable[[str], None]) -> None:
    states = _states(host, dataset)
    if states is None:
        return
    accepted = states.get(ItemState.ACCEPTED, 0)
    waiting = host.read(lambda db: authoring.unanswered(db, datasets.get(db, dataset)))
    if waiting:
        _ask_what(host, dataset, accepted, waiting, done)
        return
    if not accepted:
        host.advise(
            "{dataset} has no accepted item to release. F4 Inspect accepts items by "
            "hand; I on Build has drafts inspected by the checks or by a model.",
            dataset=dataset,
        )
        return
    others = sum(states.values()) - accepted
    what = tr("1 accepted item becomes a version that never changes; runs need one.")
    if accepted > 1:
        what = tr(
            "{number:,} accepted items become a version that never changes; runs need one.",
            number=accepted,
        )
    if others:
        left_out = tr("1 other item stays out.")
        if others > 1:
            left_out = tr("{number:,} other items stay out.", number=others)
        what = f"{what} {left_out}"
    confirm(
        host,
        tr("Release {dataset}?", dataset=dataset),
        what,
        tr("release"),
        lambda: _release(host, dataset, done),
    )


def _ask_what(
    host: Host, dataset: str, accepted: int, waiting: int, done: Callable[[str], None]
) -> None:
    """Asks whether authored questions that wait for their answer are frozen too, for systems to
    answer."""
    questions = plural(waiting, "question")
    rows = [Row("with", (Cell(tr("with what is to be answered"), "strong"), Cell(read(questions))))]
    if accepted:
        rows.insert(0, Row("", (Cell(tr("accepted items alone"), "strong"), Cell(f"{accepted:,}"))))
    host.question(
        Choose(
            tr("Release of {dataset}", dataset=dataset), (Column(minimum=28), Column("", 20)), rows
        ),
        lambda key: _release(host, dataset, done, unanswered=bool(key)),
    )


def _release(
    host: Host, dataset: str, done: Callable[[str], None], *, unanswered: bool = False
) -> None:
    def released(made: tuple[str, int]) -> None:
        label, items = made
        host.advise(
            "Released {label} with {items}. + on Runs evaluates a system on it.",
            label=label,
            items=plural(items, "item"),
        )
        done(label)

    host.in_thread(
        tr("releasing {dataset}", dataset=dataset),
        lambda workspace: _made(workspace, dataset, unanswered),
        released,
    )


def _made(workspace: Workspace, dataset: str, unanswered: bool) -> tuple[str, int]:
    # imported in the thread that needs it: it compares texts
    from engine.splitting.dataset import release_dataset

    release, _ = release_dataset(workspace, dataset, unanswered=unanswered)
    return release.label, release.items
