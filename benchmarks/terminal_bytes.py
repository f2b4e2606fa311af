"""What a key costs on the line to the terminal and in processor time, against Textual's driver.

The app is opened twice over one workspace, on terminals of 120 x 40; the same keys go to both, one
at a time. Bytes are exact on any machine. With `--workspace DIR --keys "f2 tab down"` each of these
keys is measured over a workspace of one's own.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from terminal import Terminal, changed_bytes, open_app  # noqa: E402

from benchmarks import pairs, texts  # noqa: E402
from store.corpora import corpora  # noqa: E402
from store.hashing import text_id  # noqa: E402
from store.records import Chunk, ChunkingSettings, Document, Source  # noqa: E402
from store.workspace import open_workspace  # noqa: E402

QUIET = 0.12
"""Seconds without a byte after which a key is done."""


class Job(Struct, frozen=True):
    """Keys that lead to a state, the keys that are measured there, and the share of bytes."""

    what: str
    before: tuple[str, ...]
    keys: tuple[str, ...]
    target: float
    budget: Callable[[int], float] = lambda _: math.inf
    """Most bytes that a key may take, from the UTF-8 bytes of the cells that it changes."""


JOBS = (
    Job("a row in a list", ("f2", "tab"), ("down", "up"), 0.8, lambda _: 700),
    Job("a scrolled row", ("f2", "tab", "pagedown"), ("down",), 0.1, lambda _: 700),
    Job("a page of a list", ("f2", "tab"), ("pagedown",), 0.5),
    Job("the next text", ("f2", "tab", "enter"), ("]",), 0.5, lambda text: 1.3 * text + 600),
    Job(
        "a scrolled line in a pane",
        ("f2", "tab", "enter"),
        ("down",),
        0.2,
        lambda text: 1.3 * text + 300,
    ),
    Job("a typed character", ("f2", "tab", "+", "z"), ("q", "行"), 0.5, lambda _: 150),
)


class Key(Struct, frozen=True):
    """What one key took: bytes, of which so many had to be, seconds to the last, CPU seconds."""

    written: int
    changed: int
    seconds: float
    cpu: float


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=12)
    parser.add_argument("--workspace", type=Path, help="a workspace of one's own")
    parser.add_argument("--keys", default="", help="keys to press there, parted by spaces")
    args = parser.parse_args()
    if args.workspace:
        _print_keys(args.workspace, args.keys.split())
        return
    count = 2 if args.quick else args.pairs
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "workspace"
        with pairs.progress("making 200 documents"):
            _make(folder)
        jobs = [(job, *_measure(folder, job, count)) for job in JOBS]
    pairs.print_table("textual", [_line(*done) for done in jobs])
    for job, ours, _ in jobs:
        most = max(key.written - job.budget(key.changed) for key in ours)
        times = sorted(key.seconds for key in ours)
        verdict = "within its" if most <= 0 else "ABOVE its"
        print(
            f"{job.what}: {verdict if most > -math.inf else 'no'} budget of bytes;"
            f" to the last byte {pairs.seconds(statistics.median(times))},"
            f" at most {pairs.seconds(times[-1])}"
        )


def _measure(folder: Path, job: Job, count: int) -> tuple[list[Key], list[Key]]:
    """Both drivers' keys, alternating; each key of the job is pressed `count` times."""
    ours: list[Key] = []
    peer: list[Key] = []
    with ExitStack() as opened:
        terminals = [
            (opened.enter_context(open_app(folder, *options)), keys)
            for options, keys in (((), ours), (("--full-redraw",), peer))
        ]
        for terminal, _ in terminals:
            terminal.wait_for("What next")
            for key in job.before:
                terminal.settle(0.3)
                terminal.press(key)
            terminal.settle(0.3)
        for number in range(count):
            for key in job.keys:
                for terminal, keys in terminals[:: -1 if number % 2 else 1]:
                    keys.append(_press(terminal, key))
    return ours, peer


def _press(terminal: Terminal, key: str) -> Key:
    before, cpu = terminal.cells, _cpu_seconds(terminal.pid)
    answer = terminal.measure(key, QUIET)
    spent = _cpu_seconds(terminal.pid) - cpu
    changed = changed_bytes(before, terminal.cells)
    return Key(len(answer.data), changed, answer.seconds, spent)


def _cpu_seconds(pid: int) -> float:
    """Of all threads of a process that runs, so far."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def _line(job: Job, ours: Sequence[Key], peer: Sequence[Key]) -> pairs.Line:
    mine, other = (statistics.median(key.written for key in keys) for keys in (ours, peer))
    cpu = [statistics.median(key.cpu for key in keys) for keys in (ours, peer)]
    return pairs.Line(
        job.what,
        f"{mine:,.0f} B",
        f"{other:,.0f} B",
        mine / other,
        cpu[0] / cpu[1],
        job.target,
        at_least=False,
    )


def _print_keys(folder: Path, keys: Sequence[str]) -> None:
    with open_app(folder) as terminal:
        terminal.wait_for("What next")
        terminal.settle(0.3)
        print(f"{'key':12}{'bytes':>8}{'changed':>9}{'last byte':>11}")
        for key in keys:
            found = _press(terminal, key)
            took = pairs.seconds(found.seconds)
            print(f"{key:12}{found.written:8,}{found.changed:9,}{took:>11}")


def _make(folder: Path) -> None:
    """200 documents, each several screens long."""
    made = texts.documents(200)
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        corpus = corpora.create(db, "texts", ChunkingSettings())
        for number in range(len(made)):
            text = "\n\n".join(made[number : number + 8] + made[: max(number - 192, 0)])
            document = Document(text_id(text), text, "zh", len(text))
            row = corpora.put_document(db, document)
            corpora.put_chunks(db, corpus, row, [Chunk(document.id, 0, 0, len(text), len(text))])
            corpora.put_source(db, corpus, row, Source(f"{number:03}.md", text[:20]), {})


if __name__ == "__main__":
    main()
