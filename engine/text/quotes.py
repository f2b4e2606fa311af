"""Locates a quote in a document and returns the document's own words.

Models copy with small changes: other line breaks, other widths of punctuation, curly for straight
quotes. Such a quote is found by comparing without white space and over NFKC. They also drop a word
or put another: such a quote is found where one place alone is much like it and has the same
figures. What is stored is always what the document says.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from msgspec import Struct

from store.records import Evidence

_LEAST_FOLDED = 4
"""A tolerant match of fewer characters could stand anywhere."""
_LEAST_ALIKE = 16
"""Characters of the shortest quote that may differ in words."""
_ALIKENESS = 88.0
"""Least likeness of such a quote and its place, 0 to 100: 2 M / T over matching characters."""
_LONGEST_SOUGHT = 200_000
"""Characters of the longest document that is searched for likeness."""
_WRAPPING = "\"'“”‘’「」『』"
_ALIKE = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-"})
_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")
_ELLIPSIS = re.compile(r"^(?:\.{3,}|…+)|(?:\.{3,}|…+)$")


class Located(Struct, frozen=True):
    """The span of a quote in a document."""

    start: int
    end: int
    quote: str
    """The document's text from `start` to `end`."""
    is_exact: bool
    """Whether the quote was verbatim as given."""

    def evidence(self, document_id: str) -> Evidence:
        return Evidence(document_id, self.start, self.end, self.quote)


def locate(quote: str, text: str) -> Located | None:
    """The first place of `quote` in `text`, or None.

    Verbatim first; else equal apart from white space, character width, the shape of quotation
    marks and dashes, and an ellipsis or quotation marks around the quote; else the one place that
    differs in a few characters and none of its figures, unless a second place is as much like it.
    """
    stripped = quote.strip()
    if not stripped:
        return None
    at = text.find(stripped)
    if at >= 0:
        return Located(at, at + len(stripped), stripped, is_exact=True)
    for candidate in dict.fromkeys((stripped, _bare(stripped))):
        located = _tolerant(candidate, text)
        if located is not None:
            return located
    return _alike(_bare(stripped), text)


def _bare(quote: str) -> str:
    return _ELLIPSIS.sub("", quote.strip(_WRAPPING + " \t\n")).strip(_WRAPPING + " \t\n")


def _tolerant(quote: str, text: str) -> Located | None:
    folded_quote, _ = _fold(quote)
    if len(folded_quote) < _LEAST_FOLDED:
        return None
    folded, places = _fold_text(text)
    at = folded.find(folded_quote)
    if at < 0:
        return None
    start, end = places[at], places[at + len(folded_quote) - 1] + 1
    return Located(start, end, text[start:end], is_exact=False)


def _alike(quote: str, text: str) -> Located | None:
    """The only place that is very similar to the quote."""
    folded_quote, _ = _fold(quote)
    if not len(folded_quote) >= _LEAST_ALIKE or len(text) > _LONGEST_SOUGHT:
        return None
    folded, places = _fold_text(text)
    best = _most_alike(folded_quote, folded)
    if best is None:
        return None
    at, end = best
    if _most_alike(folded_quote, folded[:at]) or _most_alike(folded_quote, folded[end:]):
        return None  # nobody knows which place was meant
    start, stop = _whole_words(text, places[at], places[end - 1] + 1)
    if _FIGURES.findall(folded_quote) != _FIGURES.findall(_fold(text[start:stop])[0]):
        return None
    return Located(start, stop, text[start:stop], is_exact=False)


def _most_alike(folded_quote: str, folded: str) -> tuple[int, int] | None:
    from rapidfuzz import fuzz

    if len(folded) < len(folded_quote) * 0.8:
        return None
    alignment = fuzz.partial_ratio_alignment(folded_quote, folded, score_cutoff=_ALIKENESS)
    if alignment is None or alignment.dest_end == alignment.dest_start:
        return None
    return alignment.dest_start, alignment.dest_end


def _whole_words(text: str, start: int, stop: int) -> tuple[int, int]:
    """The span extended to whole Latin words and figures; Chinese may be cut anywhere."""
    while start and _is_within(text[start - 1], text[start]):
        start -= 1
    while stop < len(text) and _is_within(text[stop - 1], text[stop]):
        stop += 1
    return start, stop


def _is_within(before: str, after: str) -> bool:
    return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()


@lru_cache(maxsize=16)
def _fold_text(text: str) -> tuple[str, tuple[int, ...]]:
    return _fold(text)


def _fold(text: str) -> tuple[str, tuple[int, ...]]:
    """`text` as compared, and for each of its characters the place in `text` it came from."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for folded in unicodedata.normalize("NFKC", character).translate(_ALIKE):
            if not folded.isspace():
                characters.append(folded)
                places.append(place)
    return "".join(characters), tuple(places)
