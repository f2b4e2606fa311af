"""The texts of retrieved passages as a page holds them: each character of a document once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.report.page.document import packed_block
from engine.report.page.records import Place, Report


def passages_block(report: Report, room: int) -> tuple[str, int | None]:
    """The block with the passages of a report, in at most `room` bytes where that can be; and the
    characters to which longer passages were cut for that, null where none was.

    Passages that overlap in their document share its text. Where all of it is too much, the
    longest are cut to one length, the same for all.
    """
    limit: int | None = None
    lengths = sorted(one.end - one.start for one in report.places)
    while True:
        block = packed_block(
            "held-passages", packed(report.places, report.names, report.texts, limit)
        )
        if report.texts is None or len(block) <= room or limit == 0:
            return block, limit
        kept = sum(min(one, limit) for one in lengths) if limit is not None else sum(lengths)
        # what there is room for, and a little less, as the rest may compress less well
        limit = _level(lengths, int(0.97 * kept * room / len(block)))


def _level(lengths: Sequence[int], total: int) -> int:
    """The length to which longer ones are cut for all to come to `total`; `lengths` rise."""
    for index, length in enumerate(lengths):
        level = total // (len(lengths) - index)
        if length > level:
            return level
        total -= length
    return lengths[-1] if lengths else 0


def packed(
    places: Sequence[Place],
    names: Mapping[str, str],
    texts: Mapping[str, str] | None,
    limit: int | None = None,
) -> dict[str, Any]:
    """`names` of documents, `texts`, and `places`, each `[name, text, start, end, is cut]`.

    `text` is null where there is none: none was asked for, or the document is gone. `start` and
    `end` are within the text, in the UTF-16 units of JavaScript. Places are cut to `limit`
    characters.
    """
    documents = list(dict.fromkeys(place.document for place in places))
    number = {document: index for index, document in enumerate(documents)}
    ends = [_end(place, limit) for place in places]
    wanted: dict[str, list[tuple[int, int]]] = {}
    if texts is not None:
        for place, end in zip(places, ends, strict=True):
            if place.document in texts:
                wanted.setdefault(place.document, []).append((place.start, end))
    stretches: list[str] = []
    at: dict[str, list[tuple[int, int]]] = {}
    for document, spans in wanted.items():
        for start, end in _joined(spans):
            at.setdefault(document, []).append((start, len(stretches)))
            stretches.append((texts or {})[document][start:end])
    return {
        "names": [names[document] for document in documents],
        "texts": stretches,
        "places": [
            [number[place.document], *_within(place, end, at, stretches), end < place.end]
            for place, end in zip(places, ends, strict=True)
        ],
    }


def _end(place: Place, limit: int | None) -> int:
    return place.end if limit is None else min(place.end, place.start + limit)


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that touch or overlap as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _within(
    place: Place, end: int, at: Mapping[str, Sequence[tuple[int, int]]], stretches: Sequence[str]
) -> tuple[int | None, int, int]:
    """The text that holds a place, and where in it, in UTF-16 units."""
    holding = [one for one in at.get(place.document, ()) if one[0] <= place.start]
    if not holding:
        return None, 0, 0
    first, index = holding[-1]
    text = stretches[index]
    return index, _units(text[: place.start - first]), _units(text[: end - first])


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
