"""Cuts a document's text into overlapping chunks that end at natural breaks.

The text is first parted into pieces at its natural breaks, each break with a strength: the end of
a paragraph or sentence, and, where that leaves a piece longer than half a chunk, of a line or
clause, of a word. Chunks are then filled with whole pieces: a chunk ends at the last of the
strongest breaks in the second half of its room, and the next one begins at the earliest sentence
(failing that line, clause, word) start within the overlap. Cost is linear in the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from engine.text.breaks import Break, Strength, strong_breaks, weak_breaks, word_breaks
from engine.text.tokens import continues_sequence, count_tokens, token_starts
from store.errors import UsageError
from store.records import ChunkingSettings

Ruler = Callable[[int], int]
"""The length of the text before a position, in the unit of the settings; ascending."""


def chunk(text: str, settings: ChunkingSettings) -> list[tuple[int, int, int]]:
    """Spans `(start, end, tokens)` of `text`, in order of start.

    A text within `size` is one span over the whole text. Otherwise no span begins or ends with
    white space, every other character lies in at least one span, a span measures at most `size`
    and shares at most `overlap` with the one before it (both in `unit`s). A number, a word or a
    combining sequence is cut only when it alone is larger than `size`. A text of white space
    alone has no span. Raises UsageError for settings that cannot be met.
    """
    check_settings(settings)
    if not text or text.isspace():
        return []
    if len(text) <= settings.size:  # no character measures more than one
        return [(0, len(text), count_tokens(text))]
    if settings.unit == "chars":
        spans = _trimmed(text, _Filling(text, settings, int).spans())
        return [(start, end, count_tokens(text[start:end])) for start, end in spans]
    before = partial(bisect_left, token_starts(text))
    if before(len(text)) <= settings.size:
        return [(0, len(text), before(len(text)))]
    spans = _trimmed(text, _Filling(text, settings, before).spans())
    return [(start, end, before(end) - before(start)) for start, end in spans]


def check_settings(settings: ChunkingSettings) -> None:
    """Raises UsageError unless `size` >= 1 and 0 <= `overlap` < `size`."""
    if settings.size < 1:
        raise UsageError(
            f"The chunk size is {settings.size}.", "Use a number of 1 or more.", "--chunk-size"
        )
    if not 0 <= settings.overlap < settings.size:
        raise UsageError(
            f"The chunk overlap is {settings.overlap} with a chunk size of {settings.size}.",
            "Use a number from 0 up to, but less than, the chunk size.",
            "--chunk-overlap",
        )


def _part(text: str, settings: ChunkingSettings, ruler: Ruler) -> list[Break]:
    """The breaks of `text`, the last at its end, so close together that a chunk can be half full.

    A piece is larger than half of `size` only when it is one word or number, and never larger
    than `size`.
    """
    half = max(1, settings.size // 2)
    breaks = strong_breaks(text)
    if not breaks or breaks[-1][0] < len(text):
        breaks.append((len(text), Strength.PARAGRAPH))
    breaks = _refine(text, breaks, weak_breaks, half, ruler)
    breaks = _refine(text, breaks, word_breaks, half, ruler)
    forced = partial(_forced_breaks, settings=settings)
    return _refine(text, breaks, forced, settings.size, ruler)


def _refine(
    text: str,
    breaks: list[Break],
    finer: Callable[[str], list[Break]],
    room: int,
    ruler: Ruler,
) -> list[Break]:
    """The breaks, with those that `finer` finds in pieces that measure more than `room`."""
    out: list[Break] = []
    start = before = 0
    for end, strength in breaks:
        upto = ruler(end)
        if upto - before > room:
            inner = finer(text[start:end])
            out += [(start + at, weaker) for at, weaker in inner if 0 < at < end - start]
        out.append((end, strength))
        start, before = end, upto
    return out


def _forced_breaks(piece: str, settings: ChunkingSettings) -> list[Break]:
    """Breaks inside a word or number that is longer than a chunk, as there are no better ones."""
    size = settings.size
    if settings.unit == "tokens":
        return [(at, Strength.NONE) for at in token_starts(piece)[size::size]]
    breaks: list[Break] = []
    last = 0
    while last + size < len(piece):
        last = _before_sequence(piece, last + 1, last + size)
        breaks.append((last, Strength.NONE))
    return breaks


def _before_sequence(piece: str, earliest: int, at: int) -> int:
    """The last position up to `at` that is not inside a combining sequence, else `at`."""
    places = range(at, earliest - 1, -1)
    return next((place for place in places if not continues_sequence(piece, place)), at)


class _Filling:
    """Chunks of whole pieces: `ends[i]` is the end of piece i, `sums[i]` the tokens up to it."""

    def __init__(self, text: str, settings: ChunkingSettings, ruler: Ruler) -> None:
        breaks = _part(text, settings, ruler)
        self.text = text
        self.settings = settings
        self.ruler = ruler
        self.ends = [end for end, _ in breaks]
        self.strengths = [strength for _, strength in breaks]
        self.sums = [ruler(end) for end in self.ends]

    def spans(self) -> Iterator[tuple[int, int]]:
        start, last = 0, -1
        while last + 1 < len(self.ends):
            last = self._last_piece(start, last)
            yield start, self.ends[last]
            if last + 1 < len(self.ends):
                start = self._next_start(start, last)

    def _last_piece(self, start: int, previous: int) -> int:
        """The last piece of the chunk that begins at `start`, after the previous chunk's last
        piece.
        """
        size = self.settings.size
        base = self.ruler(start)
        furthest = bisect_right(self.sums, base + size) - 1
        if furthest + 1 == len(self.ends):
            return furthest
        half = bisect_left(self.sums, base + (size + 1) // 2)
        choice = range(max(previous + 1, min(half, furthest)), furthest + 1)
        return max(choice, key=lambda piece: (self.strengths[piece], piece))

    def _next_start(self, start: int, last: int) -> int:
        """The start of the chunk after piece `last`: inside the overlap, with room for a piece."""
        end = self.ends[last]
        next_piece = self.sums[last + 1] - self.sums[last]
        shared = min(self.settings.overlap, self.settings.size - next_piece)
        least = self.sums[last] - shared
        choice = range(bisect_left(self.sums, least), last)
        starts = [(self._rank(piece), self.ends[piece]) for piece in choice]
        if not starts and shared:
            piece_start = self.ends[last - 1] if last else 0
            words = word_breaks(self.text[piece_start:end])
            starts = [(0, piece_start + at) for at, _ in words]
        possible = [
            (-rank, at) for rank, at in starts if start < at < end and self.ruler(at) >= least
        ]
        return min(possible)[1] if possible else end

    def _rank(self, piece: int) -> int:
        """A start after a paragraph is no better than after a sentence: both start a sentence."""
        return min(self.strengths[piece], Strength.SENTENCE)


def _trimmed(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans without white space at their ends; those with nothing new are left out."""
    reached = 0
    for start, end in spans:
        stretch = text[start:end]
        end -= len(stretch) - len(stretch.rstrip())
        start += len(stretch) - len(stretch.lstrip())
        if end > max(start, reached):
            yield start, end
            reached = end
