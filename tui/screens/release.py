"""The question that freezes the accepted items of a dataset as its next version."""

from __future__ import annotations

from collections.abc import Callable

from store.datasets import datasets
from store.labels import authoring
from store.messages import plural
from store.records import ItemState
from store.workspace import Workspace
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
        text = "There is no dataset to release. F1 Home says how to bring one in."
        host.show_problem(text, is_trouble=False)
    else:
        rows = [Row(name, (Cell(name, "strong"), _counted(host, name))) for name in names]
        host.push_screen(
            Choose("Release which dataset?", (Column(minimum=16), Column("", 20)), rows),
            lambda name: _confirm(host, name, done) if name is not None else None,
        )


def _states(host: Host, dataset: str) -> dict[str, int] | None:
    return host.read(lambda db: datasets.state_counts(db, datasets.get(db, dataset)))


def _counted(host: Host, dataset: str) -> str:
    states = _states(host, dataset) or {}
    return f"{states.get(ItemState.ACCEPTED, 0):,} accepted"


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
        host.show_problem(
            f"{dataset} has no accepted item to release. F4 Inspect accepts items by hand; I on"
            " Build has drafts inspected by the checks or by a model.",
            is_trouble=False,
        )
        return
    others = sum(states.values()) - accepted
    left_out = f" {plural(others, 'other item')} stay{'s' * (others == 1)} out." if others else ""
    confirm(
        host,
        f"Release {dataset}?",
        f"{plural(accepted, 'accepted item')} become{'s' * (accepted == 1)} a version that"
        f" never changes; runs need one.{left_out}",
        "release",
        lambda: _release(host, dataset, done),
    )


def _ask_what(
    host: Host, dataset: str, accepted: int, waiting: int, done: Callable[[str], None]
) -> None:
    """Asks whether authored questions that wait for their answer are frozen too, for systems to
    answer."""
    questions = plural(waiting, "question")
    rows = [Row("with", (Cell("with what is to be answered", "strong"), Cell(questions)))]
    if accepted:
        rows.insert(0, Row("", (Cell("accepted items alone", "strong"), Cell(f"{accepted:,}"))))
    host.push_screen(
        Choose(f"Release of {dataset}", (Column(minimum=28), Column("", 20)), rows),
        lambda key: (
            _release(host, dataset, done, unanswered=bool(key)) if key is not None else None
        ),
    )


def _release(
    host: Host, dataset: str, done: Callable[[str], None], *, unanswered: bool = False
) -> None:
    def released(made: tuple[str, int]) -> None:
        label, items = made
        text = f"Released {label} with {plural(items, 'item')}. + on Runs evaluates a system on it."
        host.show_problem(text, is_trouble=False)
        done(label)

    host.in_thread(
        f"releasing {dataset}",
        lambda workspace: _made(workspace, dataset, unanswered),
        released,
        group="release",
    )


def _made(workspace: Workspace, dataset: str, unanswered: bool) -> tuple[str, int]:
    # imported in the thread that needs it: it compares texts
    from engine.splitting.dataset import release_dataset

    release, _ = release_dataset(workspace, dataset, unanswered=unanswered)
    return release.label, release.items
