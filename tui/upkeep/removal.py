"""Archiving and removing runs, datasets and corpora, and bringing archived ones back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from store.errors import Conflict
from store.lifecycle import archiving, purging
from store.lifecycle.archiving import Thing
from store.lifecycle.purging import Removal
from store.workspace import Workspace
from tui.language import tr
from tui.screens.choose import Choose
from tui.screens.form import Form, Line, Pick, Values
from tui.screens.host import Host
from tui.screens.place import PlaceScreen
from tui.screens.workspace import has_workspace
from tui.widgets.row_source import Cell, Column, Row

if TYPE_CHECKING:
    from engine.retrieve.purging import Purged

ARCHIVE, REMOVE = "archive", "remove"
NO_WAY_BACK = tr(
    "There is no way back from a removal; a backup keeps a copy. What people "
    "labelled is never removed."
)


def ask_delete(screen: PlaceScreen) -> None:
    """Asks what is to go and how, then archives or removes it."""
    host = screen.host
    if not has_workspace(host):
        return
    kept = [thing for thing in _things(host) if thing.archived_at is None]
    if not kept:
        host.advise("There is no run, dataset or corpus to delete.")
        return
    _choose(host, tr("Delete which?"), kept, lambda thing: _ask_how(host, thing))


def ask_restore(screen: PlaceScreen) -> None:
    """Asks which archived thing shall come back, then restores it."""
    host = screen.host
    if not has_workspace(host):
        return
    archived = [thing for thing in _things(host) if thing.archived_at is not None]
    if not archived:
        host.advise("Nothing is archived: there is nothing to restore.")
        return
    _choose(host, tr("Restore which?"), archived, lambda thing: _restore(host, thing))


def _things(host: Host) -> list[Thing]:
    return host.read(archiving.things) or []


def _choose(host: Host, title: str, things: list[Thing], done: Callable[[Thing], None]) -> None:
    by_key = {f"{thing.kind} {thing.id}": thing for thing in things}
    rows = [
        Row(key, (Cell(thing.kind, "muted"), Cell(thing.name, "strong"), _since(thing)))
        for key, thing in by_key.items()
    ]
    host.question(
        Choose(title, (Column("", 8), Column(minimum=24), Column("", 20, drop=1)), rows),
        lambda key: done(by_key[key]),
    )


def _since(thing: Thing) -> str:
    return (
        tr("archived {archived_at}", archived_at=thing.archived_at[:10])
        if thing.archived_at
        else ""
    )


# Archiving and removing


def _ask_how(host: Host, thing: Thing) -> None:
    """Counts what a removal would take, then asks whether to archive or to remove."""

    def count(workspace: Workspace) -> Removal | str:
        try:
            return purging.plan(workspace.db, thing)
        except Conflict as error:
            return str(error)

    host.in_thread("counting", count, lambda removal: _show_choice(host, thing, removal))


def _show_choice(host: Host, thing: Thing, removal: Removal | str) -> None:
    refused = removal if isinstance(removal, str) else ""
    takes = (
        tr("cannot be done")
        if isinstance(removal, str)
        else tr("for good: {counts}", counts=_counts(removal))
    )
    options = [(ARCHIVE, tr("lists leave it out; restore brings it back")), (REMOVE, takes)]

    def trouble(values: Values) -> str:
        if values["how"] == ARCHIVE:
            return ""
        if refused:
            return tr("It cannot be removed, as said above; archive it.")
        return (
            "" if values["name"] == thing.name else tr("Type {name} to remove it.", name=thing.name)
        )

    def decided(values: Values) -> None:
        if values["how"] == ARCHIVE:
            host.in_thread(
                tr("archiving {name}", name=thing.name),
                lambda workspace: _archive(workspace, thing),
                lambda samples: _say_archived(host, thing, samples),
            )
            return
        host.in_thread(
            tr("removing {name}", name=thing.name),
            lambda workspace: _purge(workspace, thing),
            lambda done: _say_removed(host, done),
        )

    host.question(
        Form(
            tr("Delete {thing}", thing=thing),
            [
                Pick("how", tr("How"), options),
                Line(
                    "name",
                    tr("Its name"),
                    hint=tr("{name}, typed, removes it for good", name=thing.name),
                ),
            ],
            tr("Delete it"),
            note=refused or NO_WAY_BACK,
            trouble=trouble,
        ),
        decided,
    )


def _counts(removal: Removal) -> str:
    parts = [f"{label} {rows:,}" for label, rows in removal.counts.items()]
    return ", ".join(parts) if parts else tr("nothing but its name")


def _archive(workspace: Workspace, thing: Thing) -> list[str]:
    """Returns the open samples whose raters are still asked about it."""
    with workspace.write(durable=True) as db:
        archiving.archive(db, thing)
    return archiving.open_samples(workspace.db, thing)


def _say_archived(host: Host, thing: Thing, samples: list[str]) -> None:
    text = tr("Archived {thing}; nothing was removed, and restore brings it back.", thing=thing)
    if samples:
        text += tr(
            " Raters are still asked about it by the samples {samples}.", samples=", ".join(samples)
        )
    host.advise(text)


def _purge(workspace: Workspace, thing: Thing) -> Purged:
    # imported on use: it brings the indexes with it
    from engine.retrieve.purging import purge

    return purge(workspace, thing)


def _say_removed(host: Host, done: Purged) -> None:
    text = tr("Removed {thing}: {counts}.", thing=done.removal.thing, counts=_counts(done.removal))
    if done.left:
        text += tr(
            " These indexes could not be removed, and nothing uses them: {left}",
            left=", ".join(done.left),
        )
    host.advise(text)


# Bringing back


def _restore(host: Host, thing: Thing) -> None:
    def restore(workspace: Workspace) -> Thing | None:
        """Returns what still hides it."""
        with workspace.write(durable=True) as db:
            archiving.restore(db, thing)
        return archiving.hidden_by(workspace.db, thing.kind, thing.id)

    def say(above: Thing | None) -> None:
        hidden = (
            tr(" It stays out of sight with its {above}: restore that too.", above=above)
            if above
            else ""
        )
        host.advise("Restored {thing}.{hidden}", thing=thing, hidden=hidden)

    host.in_thread(tr("restoring {name}", name=thing.name), restore, say)
