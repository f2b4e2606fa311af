"""The differences of two texts and of two items: by words, Chinese by characters. Pure.

A difference is marked as in a word diff, `[-gone-]` and `{+new+}`, so it needs no colour.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal, NamedTuple

from engine.corpus.evidence_facets import value_name
from engine.labelling.items.corrections import SAID
from store.records import Evidence, ItemContent, Turn
from tui.language import language, tr

Kind = Literal["same", "gone", "new"]

_TOKEN = re.compile(
    r"[0-9０-９]+(?:[.,][0-9０-９]+)*%?|[^\W\d_\u2e80-\U0010ffff]+|\s+|.", re.DOTALL
)
_GAP = 2
"""A stretch of at most this many characters in common does not part two differences."""


class Part(NamedTuple):
    kind: Kind
    text: str


class DiffLine(NamedTuple):
    """One part of an item, as it was and as it is."""

    label: str
    parts: tuple[Part, ...]

    @property
    def is_changed(self) -> bool:
        return any(part.kind != "same" for part in self.parts)


def tokens(text: str) -> list[str]:
    """Words, numbers and runs of space; everything else by character."""
    return _TOKEN.findall(text)


def text_diff(before: str, after: str) -> tuple[Part, ...]:
    """The parts in reading order: joined without the new ones they are `before`, without those
    that are gone `after`. Texts with little in common are replaced as a whole."""
    if before == after:
        return (Part("same", before),) if before else ()
    old, new = tokens(before), tokens(after)
    # most changes are in one place, and to match all else would take its length squared
    start = _in_common(old, new)
    end = _in_common(old[start:][::-1], new[start:][::-1])
    all_tokens, first, last = len(old) + len(new), old[:start], old[len(old) - end :]
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    same = start + end + sum(block.size for block in matcher.get_matching_blocks())
    if 2 * same < 0.3 * all_tokens:
        return _kept([Part("gone", before), Part("new", after)])
    parts = [Part("same", "".join(first))]
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            parts.append(Part("same", "".join(old[a:b])))
        else:
            parts += [Part("gone", "".join(old[a:b])), Part("new", "".join(new[c:d]))]
    parts.append(Part("same", "".join(last)))
    return _kept(_bridged([part for part in parts if part.text]))


def _in_common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many tokens the beginnings share."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _bridged(parts: Sequence[Part]) -> list[Part]:
    """Short common stretches between two differences become part of both."""
    gone = new = ""
    out: list[Part] = []
    for number, part in enumerate(parts):
        is_between = 0 < number < len(parts) - 1
        if part.kind == "same" and not (is_between and len(part.text) <= _GAP):
            out += [Part("gone", gone), Part("new", new), part]
            gone = new = ""
        else:
            gone += part.text if part.kind != "new" else ""
            new += part.text if part.kind != "gone" else ""
    return [*out, Part("gone", gone), Part("new", new)]


def _kept(parts: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(part for part in parts if part.text)


def item_diff(
    before: ItemContent, after: ItemContent, name: Callable[[str, str], str]
) -> list[DiffLine]:
    """Every part of two items, side by side; `name` says what a topic, task or document is called,
    by its sort and key."""
    lines: list[DiffLine] = []
    turns = max(len(before.turns), len(after.turns))
    for number, (earlier, later) in enumerate(zip_longest(before.turns, after.turns)):
        mark = f" {number + 1}" if turns > 1 else ""
        label = tr("question") + mark
        lines += _turn_lines(earlier or Turn(""), later or Turn(""), label, name)
    for sort, label in (("topic", tr("topic")), ("task", tr("task"))):
        keys = [getattr(content, sort) for content in (before, after)]
        texts = [name(sort, key) for key in keys]
        parts = [Part("same", texts[0])]
        if keys[0] != keys[1]:
            parts = [Part("gone", texts[0]), Part("new", texts[1])]
        lines.append(DiffLine(label, tuple(parts)))
    for facet in SAID:
        old, new = (str(content.facets.get(facet, "")) for content in (before, after))
        if old != new:
            parts = [Part("gone", value_name(facet, old, language()))] if old else []
            parts += [Part("new", value_name(facet, new, language()))] if new else []
            lines.append(DiffLine(tr(facet), tuple(parts)))
    hidden = [[name("document", key) for key in content.hidden] for content in (before, after)]
    for gone, new in _paired(*hidden):
        lines.append(DiffLine(tr("hidden"), text_diff(gone, new)))
    return lines


def _turn_lines(
    old: Turn, new: Turn, label: str, name: Callable[[str, str], str]
) -> list[DiffLine]:
    lines = [DiffLine(label, text_diff(old.question, new.question))]
    for before, after in _paired(old.golden_answers, new.golden_answers):
        lines.append(DiffLine(tr("answer"), text_diff(before, after)))
    shown = [tuple(evidence_text(one, name) for one in turn.evidence) for turn in (old, new)]
    for before, after in _paired(*shown):
        lines.append(DiffLine(tr("evidence"), text_diff(before, after)))
    return lines


def evidence_text(evidence: Evidence, name: Callable[[str, str], str]) -> str:
    """A passage with where it stands, so that the same words elsewhere are another passage."""
    title = name("document", evidence.document_id)
    quote = " ".join((evidence.quote or tr("the whole document")).split())
    place = "" if evidence.start is None else f" {evidence.start}-{evidence.end}"
    return f"{quote}  [{title}{place}]"


def _paired(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    """What became of each: equal ones together, the others in their order."""
    pairs: list[tuple[str, str]] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        pairs += zip_longest(old[a:b], new[c:d], fillvalue="")
    return pairs
