"""From the command to the first full picture of the app, over a workspace of 100,000 items.

The app runs in a terminal of its own; its first picture is full when it says how many items there
are and what the keys do. The peer only imports what every Textual app imports. Then the memory of
the app's process, and the start of a command against the import of a library of that kind. Both
sides find their bytecode as an installed program does: the round that is not counted writes it.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from terminal import Terminal  # noqa: E402

from benchmarks import pairs, workspaces  # noqa: E402
from store.workspace import open_workspace  # noqa: E402

PAINT_TARGET, HELP_TARGET, MEMORY_TARGET_MB = 3.0, 1.2, 60.0
COMMAND = [sys.executable, "-c", "from tui.cli import entry; entry()"]
SETTLE_SECONDS = 1.5
"""Until the memory is read: what the start leaves behind is collected by then."""


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=9)
    parser.add_argument("--items", type=int, default=100_000)
    args = parser.parse_args()
    if args.quick:
        args.items, args.pairs = 300, 1
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "workspace"
        with pairs.progress(f"making a workspace of {args.items:,} items"):
            make(folder, args.items)
        environ = {"PYTHONPYCACHEPREFIX": f"{made}/bytecode", "PYTHONDONTWRITEBYTECODE": ""}

        def run(*argv: str) -> pairs.Cost:
            return pairs.measure_process(argv, ROOT, environ)

        memory: list[float] = []
        paint = pairs.alternate(
            lambda _: _open_app(folder, args.items, memory, environ),
            lambda _: run(sys.executable, "-c", "import textual.app"),
            args.pairs,
        )
        help_text = pairs.alternate(
            lambda _: run(*COMMAND, "--help"),
            lambda _: run(sys.executable, "-c", "import sqlite_utils"),
            args.pairs,
        )
    pairs.print_table(
        "import",
        [
            pairs.slower_line("first paint / textual.app", paint, "", 1, PAINT_TARGET),
            pairs.slower_line("--help / sqlite_utils", help_text, "", 1, HELP_TARGET),
        ],
    )
    megabytes = statistics.median(memory)
    verdict = "met" if megabytes <= MEMORY_TARGET_MB else "MISSED"
    print(f"memory of the app: {megabytes:.1f} MB (<= {MEMORY_TARGET_MB:g} MB: {verdict})")


def make(folder: Path, items: int) -> None:
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        release = workspaces.make_release(db, items)
        workspaces.make_scored_run(db, release, "first", 3)


def _open_app(folder: Path, items: int, memory: list[float], environ: dict[str, str]) -> pairs.Cost:
    argv = [*COMMAND, "--workspace", str(folder)]
    began = time.perf_counter()
    with Terminal(argv, columns=120, lines=40, environ=environ, folder=ROOT) as terminal:
        terminal.wait_for(lambda text: f"{items:,}" in text and "? keys" in text)
        wall = time.perf_counter() - began
        cpu = _cpu_seconds(terminal.pid)
        time.sleep(SETTLE_SECONDS)
        memory.append(_megabytes(terminal.pid))
    return pairs.Cost(wall, cpu)


def _cpu_seconds(pid: int) -> float:
    """Of a process that runs, so far, in the kernel's ticks of 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _megabytes(pid: int) -> float:
    """Resident memory of a process."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    main()
