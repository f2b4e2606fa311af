"""From the command to the first full picture of the app, over workspaces of several sizes.

The app runs in a terminal of its own; its first picture is full when it says how many items there
are and what the keys do. One peer only imports what every Textual app imports; the other is
harlequin, a Textual app over an SQLite file of one empty table, full when its catalogue stands:
left out where it is not installed. Then the memory of the app and of the process that computes for
it, and the start of a command against the import of a library of that kind. All sides find their
bytecode as an installed program does: the round that is not counted writes it.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from terminal import Terminal  # noqa: E402

from benchmarks import label_scale, pairs, workspaces  # noqa: E402
from store.workspace import open_workspace  # noqa: E402

PAINT_TARGET, HARLEQUIN_TARGET, HELP_TARGET, MEMORY_TARGET_MB = 3.0, 0.75, 1.2, 60.0
COMMAND = [sys.executable, "-c", "from tui.cli import entry; entry()"]


class Memory(NamedTuple):
    """Resident megabytes of the processes of an app that is open."""

    app: float
    calculator: float


SETTLE_SECONDS = 1.5
"""Until the memory is read: what the start leaves behind is collected by then."""


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=9)
    parser.add_argument("--items", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--subjects", type=int, default=100_000, help="of a sample being labelled")
    parser.add_argument("--harlequin", default="harlequin", help="the peer's command")
    args = parser.parse_args()
    if args.quick:
        args.items, args.subjects, args.pairs = [300], 60, 1
    with tempfile.TemporaryDirectory() as made:
        bench = _Bench(Path(made), args.pairs, shutil.which(args.harlequin))
        for items in args.items:
            bench.paint(f"{items:,} items", items, lambda folder, n=items: make(folder, n))
        what = f"{args.subjects:,} subjects"
        bench.paint(what, args.subjects, lambda folder: label_scale.make(folder, args.subjects))
        bench.help_text()
    pairs.print_table("peer", bench.lines)
    print("\n".join(bench.memory))


def make(folder: Path, items: int) -> None:
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        release = workspaces.make_release(db, items)
        workspaces.make_scored_run(db, release, "first", 3)


class _Bench:
    """Measures the app over one workspace after another, beside its peers."""

    def __init__(self, folder: Path, count: int, harlequin: str | None) -> None:
        self.lines: list[pairs.Line] = []
        self.memory: list[str] = []
        self._folder, self._count, self._harlequin = folder, count, harlequin
        self._environ = {
            "PYTHONPYCACHEPREFIX": f"{folder}/bytecode",
            "PYTHONDONTWRITEBYTECODE": "",
        }

    def paint(self, what: str, items: int, build: Callable[[Path], object]) -> None:
        folder = self._folder / what.replace(" ", "-")
        with pairs.progress(f"making a workspace of {what}"):
            build(folder)
        memory: list[Memory] = []
        shown = f"{items:,}"

        def ours(_: int) -> pairs.Cost:
            argv = [*COMMAND, "--workspace", str(folder)]
            return self._open(argv, (shown, "? keys"), memory)

        imports = pairs.alternate(
            ours, lambda _: self._run("-c", "import textual.app"), self._count
        )
        self._slower(f"{what} / textual.app", imports, PAINT_TARGET)
        if self._harlequin:
            empty = self._folder / "empty.db"
            with contextlib.closing(sqlite3.connect(empty)) as db:
                db.execute("CREATE TABLE IF NOT EXISTS item (id INTEGER)")
            argv = [self._harlequin, "--adapter", "sqlite", str(empty)]
            found = pairs.alternate(ours, lambda _: self._open(argv, ("main",)), self._count)
            self._slower(f"{what} / harlequin", found, HARLEQUIN_TARGET)
        app, calculator = (statistics.median(column) for column in zip(*memory, strict=True))
        verdict = "met" if max(app, calculator) <= MEMORY_TARGET_MB else "MISSED"
        self.memory.append(
            f"memory, {what}: app {app:.1f} MB, calculator {calculator:.1f} MB"
            f" (each <= {MEMORY_TARGET_MB:g} MB: {verdict})"
        )

    def help_text(self) -> None:
        found = pairs.alternate(
            lambda _: self._run(*COMMAND[1:], "--help"),
            lambda _: self._run("-c", "import sqlite_utils"),
            self._count,
        )
        self._slower("--help / sqlite_utils", found, HELP_TARGET)

    def _slower(self, what: str, found: pairs.Comparison, target: float) -> None:
        self.lines.append(pairs.slower_line(what, found, "", 1, target))

    def _run(self, *argv: str) -> pairs.Cost:
        return pairs.measure_process([sys.executable, *argv], ROOT, self._environ)

    def _open(
        self, argv: Sequence[str], texts: Sequence[str], memory: list[Memory] | None = None
    ) -> pairs.Cost:
        """Opens a program until its texts stand on the terminal."""
        began = time.perf_counter()
        with Terminal(argv, columns=120, lines=40, environ=self._environ, folder=ROOT) as terminal:
            terminal.wait_for(lambda screen: all(text in screen for text in texts))
            wall = time.perf_counter() - began
            cpu = _cpu_seconds(terminal.pid)
            if memory is not None:
                time.sleep(SETTLE_SECONDS)
                memory.append(Memory(_megabytes(terminal.pid), _children(terminal.pid)))
        return pairs.Cost(wall, cpu)


def _cpu_seconds(pid: int) -> float:
    """Of a process that runs, so far, in the kernel's ticks of 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _children(pid: int) -> float:
    """Resident memory of the processes that a process has started, in MB."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(_megabytes(int(child)) for child in children)


def _megabytes(pid: int) -> float:
    """Resident memory of a process."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    main()
