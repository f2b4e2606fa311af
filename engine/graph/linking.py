"""One entity behind several names: names that are alike by Jaccard similarity, found through an
inverted index (after AutoEvolve, §3.2)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping

from msgspec import Struct

from engine.text.segmentation import CJK

THRESHOLD = 0.7
"""Similarity above which two names are one entity; the paper names none. At 0.5
`Deferred tax assets` and `Deferred tax liabilities`, or 国防部 and 俄国防部, are one."""

_TOKEN = re.compile(r"[^\W_]+")
_HAN = re.compile(f"[{CJK}]")
_FIGURES = re.compile(r"\d+")


class Entity(Struct, frozen=True):
    name: str
    """Of its names the one that most chunks have; the shortest of equals."""
    aliases: tuple[str, ...]
    """All its names, the most frequent first, `name` among them."""


def folded(name: str) -> str:
    """A name as it is compared: NFKC, lower case, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def parts(name: str) -> frozenset[str]:
    """What two names are compared by: the words of a spaced name, the pairs of neighbouring
    characters of one that holds Chinese."""
    plain = folded(name)
    if not _HAN.search(plain):
        return frozenset(_TOKEN.findall(plain)) or frozenset({plain})
    joined = plain.replace(" ", "")
    return frozenset(joined[at : at + 2] for at in range(max(1, len(joined) - 1)))


def likeness(first: str, second: str) -> float:
    """Jaccard similarity of the parts of two names, 0 to 1; 0 where their figures differ, as those
    of `2018 annual report` and `2019 annual report`."""
    if _FIGURES.findall(folded(first)) != _FIGURES.findall(folded(second)):
        return 0.0
    a, b = parts(first), parts(second)
    return len(a & b) / len(a | b)


def link(counts: Mapping[str, int], threshold: float = THRESHOLD) -> list[Entity]:
    """The entities behind some names, given in how many chunks each occurs; most frequent first.

    Names are taken by frequency. Each joins the entity whose own name is most like it, if that is
    above the threshold, and else begins one. So an alias is always like its entity's name: names
    are not chained from one to the next, which would join whole families of terms. Only entities
    that share a part with a name are compared with it.
    """
    ordered = sorted(counts, key=lambda name: (-counts[name], len(name), name))
    aliases: list[list[str]] = []
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for name in ordered:
        own = parts(name)
        shared = Counter(number for part in own for number in holders[part])
        best = max(
            ((likeness(name, aliases[number][0]), -number) for number in shared), default=(0.0, 0)
        )
        if best[0] > threshold:
            aliases[-best[1]].append(name)
            continue
        for part in own:
            holders[part].append(len(aliases))
        aliases.append([name])
    return [Entity(names[0], tuple(names)) for names in aliases]


class Occurrences:
    """Finds which names stand in a text, whatever the case; Latin ones as whole words only."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        """`numbers` gives for each name the number of its entity."""
        self._numbers = {folded(name): number for name, number in numbers.items()}
        starts: defaultdict[str, set[int]] = defaultdict(set)
        for name in self._numbers:
            starts[name[:2]].add(len(name))
        self._lengths = {start: sorted(lengths, reverse=True) for start, lengths in starts.items()}

    def of(self, text: str) -> list[int]:
        """The numbers of the entities that a text names, in the order in which it does. Of names
        that overlap the first counts, and of those that begin together the longest: 白俄罗斯 does
        not name 俄罗斯."""
        plain = folded(text)
        found: dict[int, None] = {}
        at = 0
        while at < len(plain):
            number, end = self._longest(plain, at)
            if number is not None:
                found[number] = None
            at = end
        return list(found)

    def _longest(self, plain: str, at: int) -> tuple[int | None, int]:
        """The entity of the longest name that begins at a place, and where to go on."""
        for length in self._lengths.get(plain[at : at + 2], ()):
            number = self._numbers.get(plain[at : at + length])
            if number is not None and _is_whole(plain, at, at + length):
                return number, at + length
        return None, at + 1


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no Latin word or figure goes on over either end."""
    return not (_joins(text, start) or _joins(text, end))


def _joins(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()
