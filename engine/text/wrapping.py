"""Breaks text into lines by cell width, with the Chinese line-breaking rules.

Widths are those of `rich.cells`, which Textual draws with, so a line that fits here fits on the
screen. Tabs and control characters are measured as `printable` shows them.

The rules, after GB/T 15834 and JIS X 4051: closing punctuation and small marks never begin a
line, opening brackets never end one; a number keeps its sign, percent and unit; an English word
is whole unless it is wider than a line. Where a line is too narrow for all of them, a number
stays whole first, then the punctuation rules hold, then words.
"""

from __future__ import annotations

import re

from rich.cells import cell_len, split_graphemes

from engine.text.signs import draws_ascii

TAB_CELLS = 4
"""A tab is shown as this many spaces, wherever it stands."""

ELLIPSIS = "~" if draws_ascii() else "⋯"
"""Marks a cut. U+22EF is one cell in every terminal; U+2026 is two in some Chinese ones."""

Line = tuple[int, int]
"""Start and end offset of a line in the text, end exclusive."""

_CLOSING = (
    "，。、；：！？）】》〉」』〕〗〙〛｝］％‰℃～·・‧ー々〻ヽヾゝゞｰ﹐﹑﹒﹔﹕﹖﹗｡､"
    "ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ＂＇｠»”’!),.:;?]}%"
)
_OPENING = "（【《〈「『〔〖〘〚｛［｟“‘￥＄￡«([{$¥£€"
_NO_START = frozenset(_CLOSING)
_NO_END = frozenset(_OPENING)

_NUMERAL = "〇零一二三四五六七八九十百千万亿兆两"
_UNIT = (
    "(?:[十百千万亿兆]+)?(?:个百分点|百分点|个基点|基点|个月|小时|分钟|季度|年度|美元|港元|欧元|日元"
    "|英镑|平方米|公里|[年月日号时分秒点元角个倍股家名人次笔户项条件期届章节页天周岁吨米度％‰℃])"
    "|[十百千万亿兆]+"
)
_ENGLISH_UNIT = r"[%％‰℃]|(?:thousand|million|billion|trillion|percent|mn|bn|bps|pp)(?![^\W_])"
_MARK = (
    "\u0300-\u036f\u200d\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef"
)
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
# Everything Western or Korean that no other class claims: letters of any script written with
# spaces, their marks, digits, ASCII signs, and the full-width letters, digits and signs.
_WORD = (
    rf"(?:[^\s\u200b\u2018-\u201d\u2e80-\U0010ffff]|(?<=[^\W\d_])\u2019(?=[^\W\d_])|[\u00a0\u202f]"
    rf"|[\uac00-\ud7a3\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff0b\uff0d\uff0e{_MARK}])"
)


def _character_class(ranges: tuple[tuple[int, int], ...], without: str) -> str:
    """A regular expression class of `ranges` less some characters; a bitmap is fast to match."""
    parts = []
    for first, last in ranges:
        for code in sorted({ord(character) for character in without}):
            if first <= code <= last:
                if first < code:
                    parts.append(f"{chr(first)}-{chr(code - 1)}")
                first = code + 1
        if first <= last:
            parts.append(f"{chr(first)}-{chr(last)}")
    return f"[{''.join(parts)}]"


_IDEOGRAPHS = ((0x3041, 0x3096), (0x30A1, 0x30FA), (0x3400, 0x9FFF), (0xF900, 0xFAFF))
_PLAIN = _character_class((*_IDEOGRAPHS, (0x20000, 0x3FFFD)), f"第负{_NUMERAL}{_CLOSING}")
"""Ideographs and kana that may be parted anywhere: two cells each, scanned as one run."""

_CHINESE_NUMBER = rf"(?:第|负|[百千万]分之)*[{_NUMERAL}]+(?:点[{_NUMERAL}]+)?(?:{_UNIT})?"
_TOKEN = re.compile(
    rf"(?P<run>{_PLAIN}+)"
    r"|(?P<space>(?:[^\S\u00a0\u202f]|\u200b)+)"
    rf"|(?P<word>(?:第[ ]?(?=[0-9０-９]))?{_WORD}+)"
    rf"|(?P<numeral>{_CHINESE_NUMBER})"
    # Two letters of a flag, or any one character, with its marks and what a joiner adds to it.
    rf"|(?P<other>(?:[\U0001f1e6-\U0001f1ff]{{2}}|.)[{_MARK}]*(?:(?<=\u200d)[{_EMOJI}][{_MARK}]*)*)",
    re.DOTALL,
)
_NUMBER_UNIT = re.compile(rf"[ ]?(?:{_UNIT}|{_ENGLISH_UNIT})")
_NUMBER = re.compile(
    r"(?:第[ ]?)?[-+−±＋－]?[$¥£€￥＄￡]?[0-9０-９]+(?:[.,．][0-9０-９]+)*"
    rf"(?:[ ]?(?:{_UNIT}|{_ENGLISH_UNIT}))?|{_CHINESE_NUMBER}"
)
_HARD_BREAK = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")
_UNSHOWABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
    # A joiner that joins nothing: `rich.cells` would take the next character for joined.
    f"|(?<![{_EMOJI}{_MARK}])\u200d|\u200d(?![{_EMOJI}])"
)
_BREAK_AFTER = frozenset("/\\-_.,;:&?=#+|@")
_DIGITS = frozenset("0123456789０１２３４５６７８９")
_JOINER = "\u200d"
_SPACES = " \t\u3000"


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code == 9:
        return " " * TAB_CELLS
    if code < 32:
        return chr(0x2400 + code)
    if code == 127:
        return "\u2421"
    return "" if code > 0x9F else "\u2426"


def printable(text: str) -> str:
    """The text in the form that is safe to send to a terminal.

    A tab becomes spaces, a control character its visible picture, and what would reverse the
    direction of the line or join nothing vanishes: no document can move the cursor or forge a
    screen.
    """
    return text if text.isprintable() else _UNSHOWABLE.sub(_shown, text)


def cell_width(text: str) -> int:
    """Cells that the text takes in one line, as `printable` shows it."""
    return cell_len(printable(text))


def truncate(text: str, width: int) -> str:
    """The text cut to at most `width` cells; a cut text ends with `ELLIPSIS`."""
    text = printable(text)
    if cell_len(text) <= width:
        return text
    if width <= 0:
        return ""
    taken = 0
    for start, _end, cells in split_graphemes(text)[0]:
        if taken + cells > width - 1:
            return text[:start].rstrip() + ELLIPSIS
        taken += cells
    return text


def pad(text: str, width: int, align: str = "left") -> str:
    """The text in exactly `width` cells: cut with `truncate`, or filled with spaces.

    `align` is `left`, `right` or `center`.
    """
    text = truncate(text, width)
    room = width - cell_len(text)
    if align == "right":
        return " " * room + text
    if align == "center":
        return " " * (room // 2) + text + " " * (room - room // 2)
    return text + " " * room


def wrap(text: str, width: int) -> list[Line]:
    """Break `text` into lines of at most `width` cells, as offsets into `text`.

    Lines come in order and never overlap. What lies between two lines is a hard newline, or the
    spaces at which the line was broken. A newline at the very end opens no further line; an
    empty text is one empty line. A character wider than the line stands alone on it.
    """
    lines: list[Line] = []
    start = 0
    for newline in _HARD_BREAK.finditer(text):
        _wrap_paragraph(text, start, newline.start(), width, lines)
        start = newline.end()
    if start < len(text) or not lines:
        _wrap_paragraph(text, start, len(text), width, lines)
    return lines


def _wrap_paragraph(text: str, start: int, end: int, width: int, lines: list[Line]) -> None:
    filler = _Filler(text, start, max(width, 1), lines)
    quote_is_open = False
    position = start
    while match := _TOKEN.match(text, position, end):
        kind, after = match.lastgroup, match.end()
        if kind == "run":
            filler.add_run(position, after)
        elif kind == "space":
            filler.add_space(cell_width(match[0]))
        else:
            if text[after - 1] in _DIGITS and (unit := _NUMBER_UNIT.match(text, after, end)):
                after = unit.end()
            token = text[position:after]
            no_start, no_end = token[0] in _NO_START, token[-1] in _NO_END
            if '"' in token:
                # An ASCII quotation mark opens or closes by its place in the paragraph.
                no_start |= token[0] == '"' and quote_is_open
                quote_is_open ^= token.count('"') % 2 == 1
                no_end |= token[-1] == '"' and quote_is_open
            filler.add_word(position, token, no_start, no_end)
        position = after
    filler.finish()


class _Filler:
    """Puts units on lines: a unit is what the rules keep together, with the space before it.

    The newest unit stays open, because the next token may belong to it.
    """

    def __init__(self, text: str, start: int, width: int, lines: list[Line]) -> None:
        self._text = text
        self._paragraph = start
        self._width = width
        self._lines = lines
        self._line_start = self._line_end = -1
        self._column = 0
        self._first_line = True
        self._space_before = self._space_after = 0
        self._unit_start = self._unit_end = -1
        self._unit_cells = 0
        self._unit_binds_next = False

    def add_space(self, cells: int) -> None:
        self._space_after += cells

    def add_word(self, start: int, token: str, no_start: bool, no_end: bool) -> None:
        cells = cell_width(token)
        binds_previous = no_start or cells == 0 or token[0] == _JOINER
        if self._space_after and not (token[0] in _NO_START and set(token) <= _NO_START):
            binds_previous = False
        if self._unit_start >= 0 and (binds_previous or self._unit_binds_next):
            self._unit_cells += self._space_after + cells
            self._space_after = 0
        else:
            self._close_unit()
            self._unit_start = start
            self._unit_cells = cells
        self._unit_end = start + len(token)
        self._unit_binds_next = no_end or token[-1] == _JOINER

    def add_run(self, start: int, end: int) -> None:
        """Ideographs: the first may belong to the unit before, the last to the one after."""
        if self._unit_binds_next:
            self.add_word(start, self._text[start], no_start=True, no_end=False)
            start += 1
        if start == end:
            return
        self._close_unit()
        last = end - 1
        while start < last:
            room = self._width - self._column - self._space_before
            count = min(last - start, max(room // 2, 0))
            if count == 0:
                self._place(start, start + 1, 2)
                start += 1
            else:
                self._place(start, start + count, 2 * count)
                start += count
        self._unit_start, self._unit_end, self._unit_cells = last, end, 2

    def finish(self) -> None:
        self._close_unit()
        if self._line_start < 0:
            self._lines.append((self._paragraph, self._paragraph))
        else:
            self._end_line()

    def _close_unit(self) -> None:
        if self._unit_start >= 0:
            self._place(self._unit_start, self._unit_end, self._unit_cells)
        self._unit_start = -1
        self._unit_binds_next = False
        self._space_before, self._space_after = self._space_after, 0

    def _place(self, start: int, end: int, cells: int) -> None:
        wanted = self._column + self._space_before + cells
        if self._line_start >= 0 and wanted <= self._width:
            self._line_end, self._column = end, wanted
        else:
            is_indented = self._first_line and self._line_start < 0 and wanted <= self._width
            self._end_line()
            if cells > self._width:
                *whole, (start, end) = _split_wide(self._text, start, end, self._width)
                self._lines += whole
                cells = cell_width(self._text[start:end])
            self._line_start = self._paragraph if is_indented else start
            self._line_end = end
            self._column = wanted if is_indented else cells
        self._space_before = 0

    def _end_line(self) -> None:
        if self._line_start >= 0:
            self._lines.append((self._line_start, self._line_end))
        self._line_start = -1
        self._column = 0
        self._first_line = False


def _split_wide(text: str, start: int, end: int, width: int) -> list[Line]:
    """Split what is wider than a line, by the least harm, then as late as possible."""
    unit = text[start:end]
    # A control character is shown as a cell of its own, so it is no mark of the one before.
    clusters = split_graphemes(_UNSHOWABLE.sub(".", unit))[0]
    inside_numbers = {
        offset
        for number in _NUMBER.finditer(unit)
        if cell_width(number[0]) <= width
        for offset in range(number.start() + 1, number.end())
    }
    pieces: list[Line] = []
    first = 0
    while first < len(clusters):
        limit, cells = first, 0
        while limit < len(clusters):
            cells += cell_width(unit[clusters[limit][0] : clusters[limit][1]])
            if cells > width and limit > first:
                break
            limit += 1
        offsets = [cluster[0] for cluster in clusters[first : limit + 1]]
        cut = _least_harm(unit, offsets, inside_numbers) if limit < len(clusters) else limit - first
        piece_end = offsets[cut] if cut < len(offsets) else len(unit)
        piece = unit[offsets[0] : piece_end]
        if stripped := piece.strip(_SPACES):
            piece_start = start + offsets[0] + piece.index(stripped)
            pieces.append((piece_start, piece_start + len(stripped)))
        first += cut
    return pieces


def _least_harm(unit: str, offsets: list[int], inside_numbers: set[int]) -> int:
    """Index into `offsets` (not 0) of the best cut; half an empty line counts as harm."""
    middle = len(offsets) // 2
    harms = [
        _harm(unit, offset, inside_numbers) + (0 if index > middle else 2)
        for index, offset in enumerate(offsets)
        if index
    ]
    return len(harms) - harms[::-1].index(min(harms))


def _harm(unit: str, at: int, inside_numbers: set[int]) -> int:
    """The harm of a cut before offset `at`: to a number, a punctuation rule, a word, or none."""
    if at in inside_numbers:
        return 100
    before, after = unit[at - 1], unit[at]
    if after in _NO_START or before in _NO_END:
        return 10
    if before in _BREAK_AFTER or ord(before) > 0x2E80 or ord(after) > 0x2E80:
        return 0
    return 1
