"""Where a quote stands in a document, and the document's own words for it.

Models copy with small changes: other line breaks, other widths of punctuation, curly for straight
quotes. Such a quote is found by comparing without white space and over NFKC, and what is stored is
always what the document says.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from msgspec import Struct

from store.records import Evidence

_LEAST_FOLDED = 4
"""A tolerant match of fewer characters could stand anywhere."""
_WRAPPING = "\"'“”‘’「」『』"
_ALIKE = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-"})
_ELLIPSIS = re.compile(r"^(?:\.{3,}|…+)|(?:\.{3,}|…+)$")


class Located(Struct, frozen=True):
    """A stretch of a document."""

    start: int
    end: int
    quote: str
    """The document's text from `start` to `end`."""
    is_exact: bool
    """Whether the quote was verbatim as given."""

    def evidence(self, document_id: str) -> Evidence:
        return Evidence(document_id, self.start, self.end, self.quote)


def locate(quote: str, text: str) -> Located | None:
    """The first place in `text` that says `quote`, or None.

    Verbatim first; else equal apart from white space, character width, the shape of quotation
    marks and dashes, and an ellipsis or quotation marks around the quote.
    """
    wanted = quote.strip()
    if not wanted:
        return None
    at = text.find(wanted)
    if at >= 0:
        return Located(at, at + len(wanted), wanted, is_exact=True)
    for candidate in dict.fromkeys((wanted, _bare(wanted))):
        found = _tolerant(candidate, text)
        if found is not None:
            return found
    return None


def _bare(quote: str) -> str:
    return _ELLIPSIS.sub("", quote.strip(_WRAPPING + " \t\n")).strip(_WRAPPING + " \t\n")


def _tolerant(quote: str, text: str) -> Located | None:
    wanted, _ = _fold(quote)
    if len(wanted) < _LEAST_FOLDED:
        return None
    folded, places = _fold_text(text)
    at = folded.find(wanted)
    if at < 0:
        return None
    start, end = places[at], places[at + len(wanted) - 1] + 1
    return Located(start, end, text[start:end], is_exact=False)


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
