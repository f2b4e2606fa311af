"""A rater at a terminal, with an evaluation going on in the worker: bytes and times of each key.

A workspace of 10,000 Chinese items over long documents; terminals of 80 x 24 and 120 x 40. The
rater scores one item after the other by one key each, looks around in one, corrects it, and scrolls
a list. Bytes are exact on any machine; times are those of this one, with all else that it does.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from inspection_workspaces import inspection_workspace, seeded_scores  # noqa: E402
from scripted_rater import BYTES, NEXT, Rater, at_work, evaluation  # noqa: E402

from benchmarks import pairs  # noqa: E402

SIZES = ((80, 24), (120, 40))
MEMORY_TARGET_MB, PAINT_TARGET = 60.0, 0.4
TEXT = "不低于，中a文 1。“字”x"


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=150)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--idle", action="store_true", help="with no evaluation going on")
    args = parser.parse_args()
    scores = 6 if args.quick else args.pairs
    items = 60 if args.quick else args.items
    for size in SIZES[:1] if args.quick else SIZES:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made) / "workspace"
            with pairs.progress(f"{size[0]} x {size[1]}: making {items:,} items"):
                inspection_workspace(folder, items, documents=200, characters=6000).close()
            if args.idle:
                _judge(folder, size, scores)
            else:
                with evaluation(folder) as answered:
                    before = answered()
                    _judge(folder, size, scores)
                    print(f"answers of the evaluation meanwhile: {answered() - before:,}")


def _judge(folder: Path, size: tuple[int, int], scores: int) -> None:
    began = time.perf_counter()
    with at_work(folder, size) as rater:
        paint = rater.first_paint
        rater.score(seeded_scores(scores))
        rater.look_around(min(scores, 5))
        rater.correct(TEXT)
        megabytes = _megabytes(rater.terminal.pid)
        rater.terminal.press("escape")
        rater.terminal.wait_for("propose")
        rater.terminal.press("enter")
        rater.terminal.wait_for(" 5 excellent")
        rater.scroll_list(10)
    _print(rater)
    verdict = "met" if megabytes <= MEMORY_TARGET_MB else "MISSED"
    print(
        f"memory {megabytes:.1f} MB (<= {MEMORY_TARGET_MB:g} MB: {verdict}); from the command to"
        f" the first picture {pairs.seconds(paint)} (<= {PAINT_TARGET} s on a quiet machine);"
        f" all of it {time.perf_counter() - began:.0f} s"
    )


def _print(rater: Rater) -> None:
    width = max(map(len, BYTES))
    print(f"{'':{width}}  {'keys':>5}{'bytes':>8}{'most':>8}{'p50':>10}{'p99':>10}")
    for what in BYTES:
        strokes = rater.of(what)
        if not strokes:
            continue
        half = sorted(one.written for one in strokes)[len(strokes) // 2]
        most = rater.most(what)
        verdict = "met" if most.excess <= 0 else "MISSED"
        budget = BYTES[what](most.changed)
        times = (pairs.seconds(rater.seconds(what, share)) for share in (0.5, 0.99))
        print(
            f"{what:{width}}  {len(strokes):5,}{half:8,}{most.written:8,}"
            f"{''.join(f'{one:>10}' for one in times)}  {most.written / budget:.2f} x"
            f" of its budget of bytes <= 1: {verdict}"
        )
    count = len(rater.of(NEXT))
    print(f"{count} items by {count} keys")


def _megabytes(pid: int) -> float:
    """Resident memory of a process."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    main()
