"""The questions that lead to the form of a new system, judge or provider."""

from __future__ import annotations

from collections.abc import Callable

from engine.settings.fields import Variant, variant_of
from engine.settings.file import Table, snapshot
from store.errors import RagdeskError
from tui.language import tr
from tui.screens.choose import Choose, named_rows
from tui.screens.host import Host
from tui.screens.place import PlaceScreen
from tui.settings.form import TableForm
from tui.settings.kinds import KINDS, Kind
from tui.widgets.row_source import Cell, Column, Row

COPY = "copy"


def ask_new(
    host: Host, kind: Kind, done: Callable[[str], None], copied: tuple[str, Table] | None = None
) -> None:
    """Asks which form the new table has, or whether it begins as a copy, and opens its form; `done`
    gets its name once it is written."""
    if copied is None and len(kind.variants) == 1:
        open_form(host, kind, kind.variants[0], done)
        return
    rows = named_rows((one.name, one.about) for one in kind.variants)
    if copied is not None:
        about = tr("begins with the same settings")
        rows.insert(
            0,
            Row(
                COPY,
                (Cell(tr("a copy of {copied}", copied=copied[0]), "strong"), Cell(about, "muted")),
            ),
        )

    def chosen(name: str | None) -> None:
        if name == COPY and copied is not None:
            open_form(host, kind, variant_of(kind.variants, copied[1]), done, table=copied[1])
        elif name is not None:
            variant = next(one for one in kind.variants if one.name == name)
            open_form(host, kind, variant, done)

    columns = (Column(minimum=24), Column(minimum=30))
    host.push_screen(Choose(tr("Which new {noun}?", noun=kind.noun), columns, rows), chosen)


def open_form(
    host: Host,
    kind: Kind,
    variant: Variant,
    done: Callable[[str], None],
    name: str = "",
    table: Table | None = None,
) -> None:
    """Opens the form of a table; a broken ragdesk.toml is said instead."""
    try:
        form = TableForm(kind, variant, snapshot(host.folder), name, table)
    except RagdeskError as error:
        host.show_problem(str(error))
        return
    host.question(form, done)


def ask_new_system(screen: PlaceScreen) -> None:
    _ask_over(screen, "systems")


def ask_new_judge(screen: PlaceScreen) -> None:
    _ask_over(screen, "judges")


def ask_new_provider(screen: PlaceScreen) -> None:
    _ask_over(screen, "providers")


def _ask_over(screen: PlaceScreen, key: str) -> None:
    """Asks over any screen; what was written is said there."""
    kind = KINDS[key]

    def written(name: str) -> None:
        screen.host.advise(
            "The {noun} {name} is in ragdesk.toml. P lists it.", noun=kind.noun, name=name
        )

    ask_new(screen.host, kind, written)
