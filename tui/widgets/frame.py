"""The frame of a screen: the top line, the bottom line with its keys, and problems over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from textual import events
from textual.geometry import Size
from textual.strip import Strip

from engine.text.wrapping import cell_width, truncate, wrap
from tui.language import later, read, tr
from tui.shell.actions import Action, KeyLabel, key_text, textual_key
from tui.shell.theme import SIGNS
from tui.widgets.line import LineWidget, Piece

MORE = KeyLabel("?", "keys", "question_mark")
MORE_WHILE_TYPING = KeyLabel("ctrl+p", "commands", "ctrl+p")
"""Where `?` is text."""
GAP = "  "
HINT = later("Esc closes this")
LINES = 6
PART = 22
"""Cells that a part of the context keeps beside a more special one."""
SAVED = 16
"""Cells for the last label: so wide that a first or a tenth one moves nothing, as a key costs a
line what it changes."""


class Where(NamedTuple):
    place: str = ""
    context: tuple[str, ...] = ()
    """From the general to the special: dataset, cell, item."""
    rater: str = ""
    saved: int | None = None
    """Number of the rater's last label that is on the disk; 0 before the first, None where nobody
    labels."""
    status: str = ""
    """What goes on meanwhile: `2 jobs running`."""


def top_pieces(where: Where, width: int) -> list[Piece]:
    """Place and context on the left, the rest on the right; the context gives way first."""
    saved = tr("label {number} saved", number=where.saved) if where.saved else ""
    right_parts = [
        where.status,
        tr("rater {name}", name=where.rater) if where.rater else "",
        "" if where.saved is None else " " * (SAVED - cell_width(saved)) + saved,
    ]
    right = "   ".join(filter(None, right_parts))
    place = truncate(where.place, width)
    right = truncate(right, max(width - cell_width(place) - 2, 0))
    room = width - cell_width(place) - cell_width(right)
    shown = _fitted(where.context, max(room - 5, 0))
    left = f"   {shown}" if shown else ""
    space = " " * max(room - cell_width(left), 0)
    return [(place, "strong"), (left, ""), (space, ""), (right, "muted")]


def _fitted(context: Iterable[str], width: int) -> str:
    """The context in at most `width` cells: what is general gives way to what is special."""
    parts = list(filter(None, context))
    between = f" {SIGNS.separator} "
    over = cell_width(between.join(parts)) - width
    for at in sorted(range(len(parts) - 1), key=lambda at: -cell_width(parts[at])):
        whole = cell_width(parts[at])
        parts[at] = truncate(parts[at], max(whole - max(over, 0), min(whole, PART)))
        over -= whole - cell_width(parts[at])
    return truncate(between.join(parts), width)


class TopLine(LineWidget):
    """One line that is repainted only when what it says has changed."""

    DEFAULT_CSS = "TopLine { dock: top; height: 1; padding: 0 1; background: $panel; }"

    def __init__(self, where: Where) -> None:
        super().__init__()
        self.where = where

    def show(self, where: Where) -> None:
        """Shows this; `topline.show(topline.where._replace(saved=7))` changes one part."""
        if where != self.where:
            self.where = where
            self.repaint_lines(0)

    def on_click(self) -> None:
        """Offers the places, as `g` does."""
        self.app.simulate_key("g")

    def render_line(self, y: int) -> Strip:
        return self.strip_of(top_pieces(self.where, self.size.width), self.size.width)


def key_labels(actions: Iterable[Action]) -> list[KeyLabel]:
    """Actions as a footer shows them: a key that several share by the first alone."""
    by_key: dict[str, KeyLabel] = {}
    for action in actions:
        key = action.keys[0]
        by_key.setdefault(key, KeyLabel(key_text(key), action.label, textual_key(key)))
    return list(by_key.values())


def fitting(items: Sequence[KeyLabel], width: int, more: KeyLabel = MORE) -> list[KeyLabel]:
    """As many items as fit into `width` together with `more`, the first before the later ones; then
    `more`."""
    room = width - _width(more)
    kept: list[KeyLabel] = []
    for item in items:
        if (taken := _width(item) + len(GAP)) <= room:
            room -= taken
            kept.append(item)
    return [*kept, more]


def _translated(item: KeyLabel) -> KeyLabel:
    return item._replace(label=tr(item.label))


def _width(item: KeyLabel) -> int:
    return cell_width(item.shown) + 1 + cell_width(item.label)


class FooterLine(LineWidget):
    """The keys of the place; or a message in their stead, until it is taken back."""

    DEFAULT_CSS = "FooterLine { dock: bottom; height: 1; padding: 0 1; background: $panel; }"

    def __init__(self) -> None:
        super().__init__()
        self._items: tuple[KeyLabel, ...] = ()
        self._more = _translated(MORE)
        self._message: Piece | None = None

    def show(self, items: Iterable[KeyLabel], more: KeyLabel = MORE) -> None:
        """Show as many of these as fit; `more` says where the rest is."""
        shown = tuple(_translated(item) for item in items if item.key != more.key)
        more = _translated(more)
        if (shown, more) != (self._items, self._more):
            self._items, self._more = shown, more
            self.repaint_lines(0)

    def say(self, message: str, role: str = "") -> None:
        """Show a message in place of the actions; an empty one shows the actions again."""
        wanted = (read(message), role) if message else None
        if wanted != self._message:
            self._message = wanted
            self.repaint_lines(0)

    def on_click(self, event: events.Click) -> None:
        """Presses the key that stands there."""
        offset = event.get_content_offset(self)
        if offset is None or self._message:
            return
        end = 0
        for item in fitting(self._items, self.size.width, self._more):
            start, end = end, end + _width(item) + len(GAP)
            if start <= offset.x < end - len(GAP) and item.key:
                self.app.simulate_key(item.key)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self._message:
            return self.strip_of([self._message], width)
        pieces: list[Piece] = []
        for item in fitting(self._items, width, self._more):
            if pieces:
                pieces.append((GAP, ""))
            pieces += [(item.shown, "key"), (f" {item.label}", "")]
        return self.strip_of(pieces, width)


class ProblemLines(LineWidget):
    """Lies over the content instead of pushing it away, so that nothing jumps."""

    DEFAULT_CSS = """
    ProblemLines {
        layer: over; dock: bottom; height: auto; max-height: 8; margin-bottom: 1; padding: 0 1;
        background: $panel; display: none;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._is_trouble = True

    @property
    def text(self) -> str:
        """What is shown; empty when all is well."""
        return self._text

    def show(self, text: str, *, is_trouble: bool = True) -> None:
        """Show a problem, or else advice; an empty text takes it away."""
        text = read(text)
        if text != self._text:
            self._text, self._is_trouble = text, is_trouble
            self.display = bool(text)
            self.refresh(layout=True)

    def on_click(self) -> None:
        self.show("")

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        lines = self._lines(width)
        return self.strip_of(lines[y] if y < len(lines) else [], width)

    def _lines(self, width: int) -> list[list[Piece]]:
        spans = wrap(self._text, max(width - 2, 1))[:LINES]
        sign = (SIGNS.bad, "bad strong") if self._is_trouble else (SIGNS.cursor, "key")
        lines: list[list[Piece]] = [
            [(f"{sign[0]} " if start == 0 else "  ", sign[1]), (self._text[start:end], "")]
            for start, end in spans
        ]
        return [*lines, [("  ", ""), (tr(HINT), "muted")]]
