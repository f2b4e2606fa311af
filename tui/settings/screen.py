"""The Settings screen: the systems, judges and providers that a workspace has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from textual.widget import Widget

from engine.settings.fields import variant_of
from engine.settings.file import Snapshot, Table, put_table, snapshot, toml_text, users
from store.errors import RagdeskError
from tui.language import tr
from tui.screens.choose import Choose
from tui.screens.confirm import confirm
from tui.screens.place import PlaceScreen
from tui.settings.asking import ask_new, open_form
from tui.settings.keys import ACTIONS
from tui.settings.kinds import KINDS, Cells, Tested
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows
from tui.widgets.sheet import Block, Lay, Sheet, lay_blocks

COMMANDS = {"providers": ("providers", "list"), "systems": ("systems",), "judges": ("judges",)}
"""By kind, the words of the command that lists the same, where there is one."""


class Listed(NamedTuple):
    cells: Cells
    table: Table | None
    """Its settings; None for what has none."""
    is_built_in: bool
    trouble: str = ""


class SettingsScreen(PlaceScreen, actions=ACTIONS):
    PLACE = "settings"
    DEFAULT_CSS = "SettingsScreen #details { height: 10; margin-top: 1; background: $surface; }"

    def __init__(self, kind: str = "providers") -> None:
        super().__init__()
        self.kind = KINDS[kind]
        self.list = Rows(
            ListSource(), self.kind.columns, empty=tr("None yet. + describes one."), id="settings"
        )
        self.details = Sheet(title=tr("Settings"), id="details")
        self.known: dict[str, Listed] = {}
        self.tested: dict[str, Tested | None] = {}
        """By name; None while it is being asked."""

    def compose_body(self) -> Iterator[Widget]:
        yield self.list
        yield self.details

    def on_mount(self) -> None:
        super().on_mount()
        self.list.focus()
        self._read()

    def context(self) -> tuple[str, ...]:
        return (*super().context(), tr(self.kind.key))

    def command(self) -> Sequence[str]:
        return COMMANDS.get(self.kind.key, ())

    def _read(self, at: str = "") -> None:
        """Reads the file and lists what there is, with the cursor on the one called `at`."""
        try:
            self.known = self._listed(snapshot(self.host.folder))
        except RagdeskError as error:
            self.host.show_problem(str(error))
            self.known = {}
        rows = [
            Row(name, one.cells, "bad" if one.trouble else "") for name, one in self.known.items()
        ]
        self.list.replace_source(ListSource(rows), self.kind.columns)
        self.list.move_to_key(at)
        self._show_details()
        self.show_where()

    def _listed(self, seen: Snapshot) -> dict[str, Listed]:
        tables = seen.tables(self.kind.key)
        listed = {
            name: Listed(cells, table, True)
            for name, (cells, table) in self.kind.built_in(seen.folder).items()
        }
        for name, table in tables.items():
            try:
                listed[name] = Listed(self.kind.row(seen.folder, name, table), table, False)
            except RagdeskError as error:
                cells = (Cell(name, "strong"), Cell(tr("cannot be read"), "bad"))
                blank = [""] * (len(self.kind.columns) - 2)
                trouble = str(error).removeprefix(f"{seen.file}: ")
                listed[name] = Listed((*cells, *blank), table, False, trouble)
        return listed

    @property
    def name_here(self) -> str:
        """The name under the cursor; empty in an empty list."""
        row = self.list.current
        return str(row.key) if row is not None and row.key in self.known else ""

    def _show_details(self) -> None:
        name = self.name_here
        if not name:
            self.details.show(None, title=self.kind.key)
        else:
            lay = _details(self.known[name], name in self.tested, self.tested.get(name))
            self.details.show(lay, title=f"{self.kind.noun} {name}")

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        self._show_details()

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        name = self.name_here
        one = self.known[name]
        if one.is_built_in or one.table is None:
            text = tr("{name} is built in; there is nothing to set.", name=name)
            if one.table is not None:
                text = tr(
                    "{name} is built in; + makes a copy of it that can be changed.", name=name
                )
            self.host.advise(text)
            return
        variant = variant_of(self.kind.variants, one.table)
        open_form(self.host, self.kind, variant, self._written, name, one.table)

    def _written(self, name: str) -> None:
        self.tested.pop(name, None)
        self._read(name)

    def idle_keys(self) -> Collection[str]:
        one = self.known.get(self.name_here)
        if one is None:
            return ("everywhere.settings", "settings.test", "settings.remove")
        can_test = one.table is not None and self._can_test(one.table)
        can_remove = one.table is not None and not one.is_built_in
        return [
            "everywhere.settings",
            *([] if can_test else ["settings.test"]),
            *([] if can_remove else ["settings.remove"]),
        ]

    # Actions

    def action_add(self) -> None:
        name = self.name_here
        table = self.known[name].table if name else None
        copied = (name, table) if table is not None else None
        ask_new(self.host, self.kind, self._written, copied)

    def action_axes(self) -> None:
        rows = [Row(key, (Cell(key, "strong"),)) for key in KINDS]

        def chosen(key: str) -> None:
            self.kind = KINDS[key]
            self.tested.clear()
            self._read()

        self.host.question(Choose(tr("Show"), (Column(minimum=16),), rows, self.kind.key), chosen)

    def action_test(self) -> None:
        name, test = self.name_here, self.kind.test
        table = self.known[name].table if name else None
        if test is None or table is None or not self._can_test(table):
            self.host.advise(
                "Providers and systems of one's own can be asked a question; not this."
            )
            return

        def told(result: Tested) -> None:
            self.tested[name] = result
            self._show_details()

        if self.tested.get(name, "") is None:
            return
        self.tested[name] = None
        self._show_details()
        self.host.in_thread(
            tr("asking {name}", name=name),
            lambda workspace: test(workspace.folder, name, table),
            told,
        )

    def _can_test(self, table: Table) -> bool:
        return self.kind.can_test(variant_of(self.kind.variants, table))

    def action_remove(self) -> None:
        name = self.name_here
        if not name or self.known[name].is_built_in or self.known[name].table is None:
            self.host.advise("What is built in stays.")
            return
        try:
            seen = snapshot(self.host.folder)
            used = users(seen, self.kind.key, name)
        except RagdeskError as error:
            self.host.show_problem(str(error))
            return
        if used:
            self.host.advise(
                "{name} is named by {used}; change or remove that first.",
                name=name,
                used=", ".join(used),
            )
            return
        confirm(
            self.host,
            tr("Remove {noun} {name}?", noun=self.kind.noun, name=name),
            tr(
                "[{key}.{name}] goes out of ragdesk.toml. Runs and scores stay, with the "
                "settings that they were made by.",
                key=self.kind.key,
                name=name,
            ),
            "remove",
            lambda: self._remove(seen, name),
        )

    def _remove(self, seen: Snapshot, name: str) -> None:
        try:
            put_table(seen, self.kind.key, name, None)
        except RagdeskError as error:
            self.host.show_problem(str(error))
        self._read()


def _details(one: Listed, is_tested: bool, result: Tested | None) -> Lay:
    """What is wrong, what came of a test, and the settings as the file has them."""
    said = []
    if one.trouble:
        said.append(Block("", one.trouble, "bad"))
    if is_tested and result is None:
        said.append(Block("", tr("Asking."), "muted"))
    elif result is not None:
        first, *others = result.sentences
        said.append(Block("", first, "good" if result.ok else "bad"))
        said += [Block("", sentence) for sentence in others]
    settings = [Block(key, toml_text(value)) for key, value in (one.table or {}).items()]
    settings = settings or [Block("", tr("No settings."), "muted")]
    return lambda width: [*lay_blocks(said, width), *lay_blocks(settings, width)]
