"""The Providers screen: the model endpoints of the workspace, and whether they answer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from engine.models.settings import Provider, providers
from store.errors import RagdeskError
from tui.providers.form import ProviderForm
from tui.providers.keys import ACTIONS
from tui.screens.place import PlaceScreen
from tui.shell.actions import bindings
from tui.widgets.line import Piece
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows
from tui.widgets.sheet import Block, Sheet, lay_blocks

if TYPE_CHECKING:
    from engine.models.probe import ProbeResult

COLUMNS = (
    Column("provider", minimum=12),
    Column("model", minimum=16),
    Column("address", minimum=24, drop=2),
    Column("key in", 24),
    Column("price", 24, drop=3),
    Column("test", 10),
)


class ProvidersScreen(PlaceScreen):
    PLACE = "providers"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("providers", ACTIONS)]

    def __init__(self) -> None:
        super().__init__()
        self.list = Rows(ListSource(), COLUMNS, id="providers")
        self.connection = Sheet(
            title="Connection", empty="ctrl+r makes one small call.", id="connection"
        )
        self.known: dict[str, Provider] = {}
        self.results: dict[str, ProbeResult | None] = {}
        """By provider; None while it is being asked."""

    def compose_body(self) -> Iterator[Widget]:
        yield self.list
        yield self.connection

    def on_mount(self) -> None:
        super().on_mount()
        self.connection.styles.height = 8
        self.list.focus()
        self._read()

    def _read(self) -> None:
        try:
            self.known = providers(self.host.folder)
        except RagdeskError as error:
            self.host.show_problem(str(error))
        self._show()

    def _show(self) -> None:
        rows = [
            _row(provider, _state(self.results, provider.name)) for provider in self.known.values()
        ]
        self.list.replace_source(ListSource(rows))
        self._show_connection()

    @property
    def current(self) -> Provider | None:
        row = self.list.current
        return self.known.get(str(row.key)) if row is not None else None

    def _show_connection(self) -> None:
        provider = self.current
        name = provider.name if provider is not None else ""
        result = self.results.get(name)
        if name in self.results and result is None:
            blocks = [Block("", "Asking; at most 30 s.", "muted")]
        elif result is not None:
            role = "good" if result.ok else "bad"
            blocks = [Block("", result.sentences[0], role)]
            blocks += [Block("", sentence) for sentence in result.sentences[1:]]
        else:
            blocks = []

        def lay(width: int) -> list[list[Piece]]:
            return lay_blocks(blocks, width)

        self.connection.show(lay if blocks else None, title=f"Connection to {name}")

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        self._show_connection()

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        provider = self.current
        if provider is not None and provider.kind == "offline":
            self.host.show_problem(
                f"{provider.name} is built in; there is nothing to set.", is_trouble=False
            )
        elif provider is not None:
            self._open_form(provider)

    # Actions

    def action_add(self) -> None:
        self._open_form(None)

    def _open_form(self, provider: Provider | None) -> None:
        def decided(kept: Provider | None) -> None:
            if kept is None:
                return
            self.results.pop(kept.name, None)
            self._read()
            self.list.move_to(list(self.known).index(kept.name))

        self.app.push_screen(ProviderForm(provider, self.host.folder), decided)

    def action_test(self) -> None:
        provider = self.current
        if provider is not None and self.results.get(provider.name, False) is not None:
            self.run_worker(self._test(provider), group="probe")

    async def _test(self, provider: Provider) -> None:
        self.results[provider.name] = None
        self._show()
        probe_apart = await asyncio.to_thread(_load_probe)
        self.results[provider.name] = await probe_apart(provider)
        self._show()


def _load_probe() -> Callable[[Provider], Awaitable[ProbeResult]]:
    # imported when it is asked for: nothing else in the app speaks to endpoints
    from engine.models.probe import probe_apart

    return probe_apart


def _state(results: dict[str, ProbeResult | None], name: str) -> Cell:
    if name not in results:
        return Cell("")
    result = results[name]
    if result is None:
        return Cell("asking", "muted")
    return Cell("answers", "good") if result.ok else Cell("fails", "bad")


def _row(provider: Provider, state: Cell) -> Row:
    return Row(
        provider.name,
        (
            Cell(provider.name, "strong"),
            provider.model or Cell("built in", "muted"),
            Cell(provider.base_url, "muted"),
            _key_cell(provider.api_key_env),
            _price_text(provider),
            state,
        ),
    )


def _key_cell(variable: str) -> Cell:
    if variable and not os.environ.get(variable, "").strip():
        return Cell(f"{variable} (not set)", "warn")
    return Cell(variable)


def _price_text(provider: Provider) -> str:
    prices = provider.prices
    if prices is None:
        return ""
    per = "1M" if prices.per_tokens == 1_000_000 else f"{prices.per_tokens:,}"
    return f"{prices.input:g}/{prices.output:g} {prices.currency} per {per}"
