"""Two ways to do one job, timed in alternating pairs, and the table that says the ratio.

A machine that others use is slow for one minute and fast for the next. Both sides of a pair meet
the same minute, so their ratio holds where their times do not; the median of the pairs drops the
rest.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct


class Cost(NamedTuple):
    wall: float
    """Seconds on the clock."""
    cpu: float
    """Seconds of processor time, user and system: blind to whoever else used the machine."""


class Comparison(Struct, frozen=True):
    """Both sides' costs, pair by pair; each ratio is the median of the pairs' ratios."""

    ours: tuple[Cost, ...]
    peer: tuple[Cost, ...]

    @property
    def faster(self) -> float:
        """How many times as long as ours the peer took, by the clock."""
        return _median_ratio([cost.wall for cost in self.peer], [cost.wall for cost in self.ours])

    @property
    def faster_cpu(self) -> float:
        return _median_ratio([cost.cpu for cost in self.peer], [cost.cpu for cost in self.ours])

    @property
    def slower(self) -> float:
        """How many times as long as the peer ours took, by the clock."""
        return _median_ratio([cost.wall for cost in self.ours], [cost.wall for cost in self.peer])

    @property
    def slower_cpu(self) -> float:
        return _median_ratio([cost.cpu for cost in self.ours], [cost.cpu for cost in self.peer])

    def median(self, side: str) -> Cost:
        """The medians of `ours` or of `peer`."""
        costs: tuple[Cost, ...] = getattr(self, side)
        return Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))


class Stopwatch:
    """Runs from its making; `cost` is what this process has spent since."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    @property
    def cost(self) -> Cost:
        return Cost(time.perf_counter() - self._wall, time.process_time() - self._cpu)


def measure(work: Callable[[], object]) -> Cost:
    """What `work` costs in this process."""
    watch = Stopwatch()
    work()
    return watch.cost


def measure_process(command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> Cost:
    """What a process costs from its start to its end; raises CalledProcessError if it fails."""
    began = time.perf_counter()
    child = subprocess.Popen(
        command, cwd=folder, env={**os.environ, **environ}, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return Cost(wall, usage.ru_utime + usage.ru_stime)


def alternate(
    ours: Callable[[int], Cost], peer: Callable[[int], Cost], pairs: int, *, warm: bool = True
) -> Comparison:
    """Both sides `pairs` times; which one goes first alternates. Each is told the pair's number.

    With `warm` pair 0 is done once before, and not counted.
    """
    if warm:
        ours(0)
        peer(0)
    left, right = [], []
    for pair in range(pairs):
        if pair % 2:
            right.append(peer(pair))
            left.append(ours(pair))
        else:
            left.append(ours(pair))
            right.append(peer(pair))
    return Comparison(tuple(left), tuple(right))


class Line(Struct, frozen=True):
    """A line of the table. `target` is what `ratio` is held against, `at_least` from which side."""

    what: str
    ours: str
    peer: str
    ratio: float
    cpu: float | None = None
    target: float | None = None
    at_least: bool = True

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        met = self.ratio >= self.target if self.at_least else self.ratio <= self.target
        sign = ">=" if self.at_least else "<="
        return f"{sign} {self.target:g}: {'met' if met else 'MISSED'}"


def faster_line(
    what: str, found: Comparison, unit: str, count: float, target: float | None = None
) -> Line:
    """The line of a comparison that is to be won; each side's cost is that of one of `count`."""
    ours, peer = found.median("ours").wall / count, found.median("peer").wall / count
    return Line(
        what,
        f"{seconds(ours)}{unit}",
        f"{seconds(peer)}{unit}",
        found.faster,
        found.faster_cpu,
        target,
    )


def slower_line(
    what: str, found: Comparison, unit: str, count: float, target: float | None = None
) -> Line:
    """The line of a comparison in which ours may take at most `target` times as long."""
    ours, peer = found.median("ours").wall / count, found.median("peer").wall / count
    return Line(
        what,
        f"{seconds(ours)}{unit}",
        f"{seconds(peer)}{unit}",
        found.slower,
        found.slower_cpu,
        target,
        at_least=False,
    )


def seconds(value: float) -> str:
    """`1.20 s`, `34.5 ms`, `120 us`."""
    for size, unit, digits in ((1.0, "s", 2), (1e-3, "ms", 1)):
        if value >= size:
            return f"{value / size:.{digits}f} {unit}"
    return f"{value * 1e6:.0f} us"


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f} x"


def print_table(peer: str, lines: Sequence[Line]) -> None:
    """The table; `ratio` is by the clock, `cpu` by processor time."""
    head = ("", "ours", peer, "ratio", "cpu", "target")
    rows = [
        (line.what, line.ours, line.peer, times(line.ratio), times(line.cpu), line.verdict)
        for line in lines
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
        print("  ".join([*cells, row[-1]]).rstrip(), flush=True)


def arguments(description: str | None, *, pairs: int) -> argparse.ArgumentParser:
    """A parser with the options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--pairs", type=int, default=pairs, help=f"default {pairs}")
    parser.add_argument("--quick", action="store_true", help="a tiny size, to see that it runs")
    return parser


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Says what is being prepared, and how long it took."""
    print(f"{what} ...", end=" ", flush=True)
    began = time.perf_counter()
    yield
    print(f"{time.perf_counter() - began:.1f} s", flush=True)


def _median_ratio(above: Sequence[float], below: Sequence[float]) -> float:
    return statistics.median(a / b for a, b in zip(above, below, strict=True))
