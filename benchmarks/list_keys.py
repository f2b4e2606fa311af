"""A key in a list of a million answers against one in a list of a hundred.

The list is the one that the app shows, reading its rows from the store as it moves; the same keys
go to both, one at a time, each until it is painted. The ratio is of processor time: by the clock, a
key takes as long as the test driver waits.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from benchmarks import pairs, workspaces
from store.runs import results
from store.runs.results import MetricKey
from store.workspace import Workspace, open_workspace
from tui.shell.theme import DARK
from tui.widgets.row_source import Cell, Column, Row
from tui.widgets.rows import Rows

TARGET = 1.5
METRIC = MetricKey("rougeL", "standard")
KEYS = {
    "a line": ("down",) * 8 + ("up",) * 8,
    "a page": ("pagedown", "pagedown", "pageup", "pageup") * 2,
    "an end": ("end", "home") * 4,
}
REPEATS = 600
"""Answers of each item in the long list, so that it needs no million items."""


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=7)
    parser.add_argument("--rows", type=int, default=1_000_000)
    args = parser.parse_args()
    if args.quick:
        args.rows, args.pairs = 2_000, 2
    with tempfile.TemporaryDirectory() as made:
        with pairs.progress(f"making {args.rows:,} answers"):
            folder = _make(Path(made) / "workspace", args.rows)
        with open_workspace(folder) as workspace:
            lines = asyncio.run(_measure(workspace, args.pairs))
    pairs.print_table("of a hundred", lines)


class Answers:
    """The rows of a list, read from the store a block at a time."""

    def __init__(self, workspace: Workspace, ids: Sequence[int]) -> None:
        self._workspace = workspace
        self._ids = ids

    def count(self) -> int:
        return len(self._ids)

    def rows(self, start: int, stop: int) -> Sequence[Row]:
        found = results.prediction_rows(self._workspace.db, METRIC, self._ids[start:stop])
        return [
            Row(one.id, (Cell(one.item_key, "strong"), one.question, Cell(one.answer or "-")))
            for one in found
        ]


class ListApp(App[None]):
    def __init__(self, source: Answers) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        columns = (Column("item", 12), Column("question"), Column("answer"))
        self.list = Rows(source, columns)

    def compose(self) -> ComposeResult:
        yield self.list


async def _measure(workspace: Workspace, count: int) -> list[pairs.Line]:
    ids = [number for (number,) in workspace.db.execute("SELECT id FROM prediction ORDER BY id")]
    lines = []
    async with AsyncExitStack() as opened:
        long = await opened.enter_async_context(_list(workspace, ids))
        short = await opened.enter_async_context(_list(workspace, ids[:100]))
        for what, keys in KEYS.items():
            ours: list[pairs.Cost] = []
            peer: list[pairs.Cost] = []
            for pair in range(count + 1):
                for pilot, costs in ((long, ours), (short, peer))[:: -1 if pair % 2 else 1]:
                    costs.append(await _press(pilot, keys))
            # the first pair reads what the cursor has not been near
            found = pairs.Comparison(tuple(ours[1:]), tuple(peer[1:]))
            ours_ms, peer_ms = (
                f"{pairs.seconds(found.median(side).cpu / len(keys))} a key"
                for side in ("ours", "peer")
            )
            lines.append(
                pairs.Line(what, ours_ms, peer_ms, found.slower_cpu, None, TARGET, at_least=False)
            )
    return lines


@asynccontextmanager
async def _list(workspace: Workspace, ids: Sequence[int]) -> AsyncIterator[Pilot[None]]:
    app = ListApp(Answers(workspace, ids))
    async with app.run_test(size=(120, 40)) as pilot:
        app.list.focus()
        await pilot.pause()
        yield pilot


async def _press(pilot: Pilot[None], keys: Sequence[str]) -> pairs.Cost:
    watch = pairs.Stopwatch()
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    return watch.cost


def _make(folder: Path, rows: int) -> Path:
    """A run of so many answers, not scored."""
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        release = workspaces.make_release(db, -(-rows // REPEATS))
        workspaces.make_run(db, release, "long", REPEATS)
    return folder


if __name__ == "__main__":
    main()
