"""A scrolling text that is laid out for the width at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from textual.binding import BindingType
from textual.strip import Strip

from engine.text.tables.finding import tables
from engine.text.wrapping import cell_width, pad, wrap
from tui.language import tr
from tui.shell.clipboard import Copyable, copyable
from tui.shell.keys import widget_bindings
from tui.widgets.line import MARGIN, Piece
from tui.widgets.marks import Mark, marked
from tui.widgets.scrolling import ScrollingLines
from tui.widgets.tables import GridLine, laid

Lay = Callable[[int], list[list[Piece]]]
"""From a width in cells to lines of at most that width."""

LONGEST = 90
"""Cells of a line that is still read with ease."""


class Block(NamedTuple):
    """A label and a text beside it that wraps in its own column."""

    label: str
    text: str
    role: str = ""
    label_role: str = "muted"
    marks: tuple[Mark, ...] = ()
    part: str = ""
    """What this is of that is to be read before it is judged; empty where it need not be."""


class BlockLine(list[Piece]):
    """A line of a block."""

    def __init__(self, pieces: Iterable[Piece], part: str) -> None:
        super().__init__(pieces)
        self.part = part


class TableLine(BlockLine):
    """A line of a table among other lines: all of it, or from a column on."""

    def __init__(self, start: Piece, grid: GridLine, block: Block) -> None:
        """`start` is what stands before the table."""
        self.start, self.grid, self.block = start, grid, block
        super().__init__([start, *grid.whole()], block.part)

    def from_column(self, first: int) -> list[Piece]:
        """The line with column `first` next to the one that stays."""
        return [self.start, *self.grid.pieces(first, self.block.marks, role=self.block.role)]


def numbered(number: int, text: str) -> str:
    """The text with its number before it; on a line of its own where it begins with a table."""
    found = tables(text)
    return (
        f"{number}\n{text}" if found and not text[: found[0].start].strip() else f"{number} {text}"
    )


def lay_blocks(blocks: Sequence[Block], width: int, label_width: int = 0) -> list[list[Piece]]:
    """The lines of some blocks; labels share a column of `label_width`, or of the widest."""
    blocks = [block._replace(label=tr(block.label)) for block in blocks]
    column = label_width or max((cell_width(block.label) for block in blocks), default=0)
    lines: list[list[Piece]] = []
    for block in blocks:
        start: Piece = (pad(block.label, column) + "  ", block.label_role)
        shown = laid(block.text, max(width - column - 2, 1))
        for at, (begin, end) in enumerate(shown.lines or [(0, 0)]):
            if at in shown.grid:
                lines.append(TableLine(start, shown.grid[at], block))
                start = (" " * (column + 2), "")
                continue
            pieces = marked(block.text, begin, end, block.marks, role=block.role)
            lines.append(BlockLine([start, *pieces], block.part))
            start = (" " * (column + 2), "")
    return lines


class Unseen(NamedTuple):
    """What was never on the screen of what is to be read."""

    parts: str
    verb: str
    """Of the action that shows it."""


class Sheet(ScrollingLines):
    """Scrolls by lines; what it shows is laid out again when its width changes.

    It knows which of the parts that are to be read were on the screen, and names the others in its
    title.
    """

    DEFAULT_CSS = "Sheet { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [*widget_bindings("sheet")]

    def __init__(
        self, *, title: str = "", empty: str = "", loading: str = "", id: str | None = None
    ) -> None:
        super().__init__(empty=empty, loading=loading, id=id)
        self._title, self._source = title, ""
        self._lay: Lay | None = None
        self._lines: list[list[Piece]] = []
        self._laid_for = -1
        self._begin: Callable[[int], int] | None = None
        self._unseen: dict[int, str] = {}
        """The lines that were not drawn yet of what is to be read, and their parts."""
        self._is_read = True

    def show(
        self,
        lay: Lay | None,
        *,
        title: str | None = None,
        source: str = "",
        from_top: bool = True,
        begin: Callable[[int], int] = lambda width: 0,
    ) -> None:
        """Show other lines; `from_top` is for another subject, else the view stays. `source`
        is what the subject is known by beside its title.

        `begin` says for a width at which line another subject begins where not all of it fits.
        """
        self.is_loading = False
        self._lay = lay
        self._begin = begin if from_top else None
        self._title = self._title if title is None else title
        self._source = source
        self._laid_for = -1
        if from_top:
            self._top, self._first_column = 0, 1
            self._is_read = False
        self.refresh()

    def show_loading(self, text: str, *, title: str | None = None) -> None:
        """Shows that other contents are on their way."""
        self.show(None, title=title)
        self.is_loading, self.loading_text = True, text

    # What was read

    @property
    def lines(self) -> int:
        """How many lines there are, the title not counted."""
        self._lay_out()
        return len(self._lines)

    @property
    def lines_to_read(self) -> int:
        """How many lines from the first on hold all that is to be read."""
        self._lay_out()
        return max((at + 1 for at, _ in self._parts()), default=0)

    @property
    def unseen(self) -> Unseen | None:
        """What was never on the screen of what is to be read; None where all was."""
        if self._is_read:
            return None
        if not self.size.height:
            return Unseen(self._title, "whole")
        above, below = self._out_of_view()
        return Unseen(below or above, "page_down" if below else "page_up")

    def _parts(self) -> Iterator[tuple[int, str]]:
        for at, line in enumerate(self._lines):
            if isinstance(line, BlockLine) and line.part:
                yield at, line.part

    def _out_of_view(self) -> tuple[str, str]:
        """The unseen parts above the view, and those below it."""
        above = (part for at, part in self._unseen.items() if at < self._top)
        below = (part for at, part in self._unseen.items() if at >= self._top + self._page)
        return _names(above), _names(below)

    def _position(self) -> str:
        above, below = self._out_of_view()
        return "  ".join(
            filter(
                None,
                (
                    above and tr("above: {parts}", parts=above),
                    below and tr("below: {parts}", parts=below),
                    super()._position(),
                ),
            )
        )

    @property
    def text(self) -> str:
        """All lines as plain text, in view or not."""
        self._lay_out()
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self._lines)

    def copies(self) -> Iterator[Copyable]:
        """All its lines."""
        if text := self.text:
            yield copyable(self._title or "text", text)

    def on_resize(self) -> None:
        self._scroll(self._top)
        self.refresh()

    def _lay_out(self) -> None:
        width = max(self.size.width - MARGIN, 1)
        if width != self._laid_for:
            self._laid_for = width
            self._lines = self._lay(width - 1) if self._lay is not None else []
            if self._begin is not None and self.size.height:
                self._top, self._begin = self._begin(width - 1), None
            self._top = min(self._top, max(len(self._lines) - self._page, 0))
            if not self._is_read:
                self._unseen = dict(self._parts())
            self._grid = {
                at: line.grid for at, line in enumerate(self._lines) if isinstance(line, TableLine)
            }
            self._tell_width()

    def render_line(self, y: int) -> Strip:
        self._lay_out()
        width = self.size.width
        if y == 0:
            return self._title_strip(self._title, self._position(), width, self._source)
        if not self._lines:
            return self.placeholder_strip(y - 1)
        index = self._index_at(y)
        self._unseen.pop(index, None)
        self._is_read = self._is_read or not self._unseen
        pieces = self._lines[index] if index < len(self._lines) else []
        if isinstance(pieces, TableLine):
            pieces = pieces.from_column(self._first_column)
        return self.strip_of([(" " * MARGIN, ""), *pieces], width)


def _names(parts: Iterable[str]) -> str:
    """Parts in their order; of many the first and the last."""
    names = list(dict.fromkeys(parts))
    return ", ".join(names) if len(names) < 3 else f"{names[0]} - {names[-1]}"


def wrapped(text: str, width: int, role: str = "") -> list[list[Piece]]:
    """The lines of one paragraph, all of a role; none for no text."""
    return [[(text[start:end], role)] for start, end in wrap(text, max(width, 1))]


def paragraphs(text: str) -> Lay:
    """Sentences to read, a line of the text a paragraph."""

    def lay(width: int) -> list[list[Piece]]:
        lines: list[list[Piece]] = [[]]
        for paragraph in text.split("\n"):
            lines += wrapped(paragraph, min(width, LONGEST))
        return lines

    return lay
