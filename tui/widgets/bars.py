"""Lines that show the progress of jobs: bar, count, rate and the time left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.geometry import Size
from textual.strip import Strip

from engine.text.wrapping import cell_width, pad, truncate
from tui.language import tr
from tui.live.facts import WorkFact
from tui.live.labels import state_role, state_text
from tui.shell.theme import SIGNS
from tui.widgets.line import LineWidget, Piece

GAP = "  "
LEAST_BAR = 6
LONGEST_BAR = 32


class JobProgress(NamedTuple):
    label: str
    done: int
    total: int | None
    """None while nobody knows how much there is; then there is no bar."""
    per_second: float | None = None
    """Over the last while; None when nothing is being done."""
    note: str = ""
    """A state or a reason, such as `paused: budget`."""
    note_role: str = "muted"


def job_progress(fact: WorkFact) -> JobProgress:
    """A line for the work, without a rate unless it is running."""
    note = tr(fact.phase) if fact.status == "running" else state_text(fact).strip()
    return JobProgress(
        fact.title,
        *fact.counts,
        fact.per_second if fact.status == "running" and fact.per_second > 0 else None,
        note,
        state_role(fact),
    )


def bar_text(done: int, total: int, width: int) -> str:
    """A bar of `width` cells, exact to half a cell; full only when all is done."""
    halves = 2 * width
    filled = halves if total <= done else max(done, 0) * halves // max(total, 1)
    full, half = divmod(filled, 2)
    empty = width - full - half
    return SIGNS.bar_full * full + SIGNS.bar_half * half + SIGNS.bar_empty * empty


def rate_text(per_second: float) -> str:
    """`41/s`, `3.2/s`, `18/min`."""
    if per_second >= 10:
        return f"{per_second:,.0f}/s"
    if per_second >= 1:
        return f"{per_second:.1f}/s"
    return f"{per_second * 60:.0f}/min" if per_second * 60 >= 1 else f"{per_second * 3600:.0f}/h"


def duration_text(seconds: float) -> str:
    """`23 s`, `4 min 10 s`, `2 h 05 min`, `3 d 4 h`."""
    whole = round(seconds)
    if whole < 60:
        return tr("{seconds} s", seconds=whole)
    if whole < 3600:
        return tr("{minutes} min {seconds:02} s", minutes=whole // 60, seconds=whole % 60)
    if whole < 86_400:
        return tr("{hours} h {minutes:02} min", hours=whole // 3600, minutes=whole % 3600 // 60)
    return tr("{days} d {hours} h", days=whole // 86_400, hours=whole % 86_400 // 3600)


def about_text(seconds: float) -> str:
    """In one unit: `23 s`, `4 min`, `2 h`, `3 d`."""
    return " ".join(duration_text(seconds).split()[:2])


def progress_lines(items: Sequence[JobProgress], width: int) -> list[list[Piece]]:
    """One line each, in columns: label, bar, count; then rate, time left and note as they fit."""
    label = min(max((cell_width(item.label) for item in items), default=0), max(width // 3, 8))
    counts = [
        f"{item.done:,}" if item.total is None else f"{item.done:,}/{item.total:,}"
        for item in items
    ]
    count = max(map(len, counts), default=0)
    extras = [_extras(item) for item in items]
    wanted = max(
        (sum(cell_width(text) + len(GAP) for text, _ in line) for line in extras), default=0
    )
    room = width - label - count - 2 * len(GAP)
    bar = max(min(room - wanted, LONGEST_BAR), min(LEAST_BAR, max(room, 0)))
    return [
        [
            (pad(item.label, label) + GAP, ""),
            (" " * bar if item.total is None else bar_text(item.done, item.total, bar), "bar"),
            (f"{GAP}{text:>{count}}", "strong"),
            *_fitting(line, room - bar),
        ]
        for item, text, line in zip(items, counts, extras, strict=True)
    ]


def _extras(item: JobProgress) -> list[Piece]:
    extras: list[Piece] = []
    if item.per_second and (item.total is None or item.done < item.total):
        extras.append((rate_text(item.per_second), "muted"))
        if item.total is not None:
            left = (item.total - item.done) / item.per_second
            extras.append((tr("eta {time}", time=duration_text(left)), ""))
    if item.note:
        extras.append((item.note, item.note_role))
    return extras


def _fitting(extras: list[Piece], room: int) -> list[Piece]:
    kept: list[Piece] = []
    for text, role in extras:
        if room <= len(GAP) + 3:
            break
        shown = truncate(text, room - len(GAP))
        kept += [(GAP, ""), (shown, role)]
        room -= cell_width(shown) + len(GAP)
    return kept


class ProgressLines(LineWidget):
    """One line for each job; only the lines that differ are repainted."""

    DEFAULT_CSS = "ProgressLines { height: auto; min-height: 1; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._items: tuple[JobProgress, ...] = ()

    def show(self, items: Sequence[JobProgress]) -> None:
        """Show these, one a line."""
        before, self._items = self._items, tuple(items)
        if len(before) != len(self._items):
            self.refresh(layout=True)
            return
        width = self.size.width
        old_lines, new_lines = progress_lines(before, width), progress_lines(self._items, width)
        for line, (old, new) in enumerate(zip(old_lines, new_lines, strict=True)):
            if old != new:
                self.repaint_lines(line)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(len(self._items), 1)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y >= len(self._items):
            return Strip.blank(width, self.rich_style)
        return self.strip_of(progress_lines(self._items, width)[y], width)
