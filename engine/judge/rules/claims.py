"""A text split into its statements: claims of a prediction, aspects of a golden answer."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from engine.text.content_words import content_terms
from engine.text.numbers import Kind, Number, numbers
from engine.text.sentences import sentences
from engine.text.word_lists import word_list

_SOURCES = "|".join(word_list("engine.judge.rules", "naming a source"))
_SOURCE_MARK = re.compile(rf"(?:{_SOURCES}) ?[#\[（(]?$|[\[【]$", re.IGNORECASE)
_LIST_MARK = re.compile(r"(?:^|[\n。；;:：.!?！？])[ \t　]*[(（]?$")
_AFTER_LIST_MARK = re.compile(r"(?:[)）.、](?!\d)|．)[ \t]*[^\W\d_]")
_WINDOW = 16
_LONGEST_MARK = 3

_STRONG = re.compile(r"[；;\n]")
_LIST = re.compile(r"[，、,]|\s+(?:and|as well as|but|while)\s+|以及|并且|同时|而(?=[^且])|和")
_COMMA = re.compile(r"[，、,]")
_MARKUP = re.compile(r"^(?:[-*•]\s+|[(（]?\d{1,2}[)）.、](?!\d)\s*)")


class Claim(Struct, frozen=True):
    """One statement: its text, the content words outside its numbers, its numbers."""

    text: str
    words: tuple[str, ...]
    numbers: tuple[Number, ...]


@lru_cache(maxsize=4096)
def claims(text: str) -> tuple[Claim, ...]:
    """The statements of `text` in order: sentences, cut at semicolons, and enumerations at commas.

    A cut is made only between pieces that each say something (a content word or a number), and
    never inside a number. `and` and 和 cut only where commas already make a list.
    """
    parts: list[Claim] = []
    for start, end in sentences(text):
        sentence = text[start:end]
        for piece in _cut(sentence, _STRONG):
            pattern = _LIST if _COMMA.search(piece) else _COMMA
            parts.extend(_with_content([claim_of(part) for part in _cut(piece, pattern)]))
    return tuple(parts)


def claim_of(text: str) -> Claim:
    """`text` as one statement. Ordinals count as words: 第三 names, it does not measure."""
    stripped = _MARKUP.sub("", text.strip())
    figures = tuple(number for number in measures(stripped) if number.kind is not Kind.ORDINAL)
    return Claim(stripped, tuple(dict.fromkeys(content_terms(blanked(stripped, figures)))), figures)


@lru_cache(maxsize=1024)
def measures(text: str) -> tuple[Number, ...]:
    """The numbers of `text` but for marks of lists and sources: `2.`, 参考材料2, [3]."""
    return tuple(number for number in numbers(text) if not _is_mark(text, number))


def _is_mark(text: str, number: Number) -> bool:
    if not number.is_bare or number.sign or number.end - number.start > _LONGEST_MARK:
        return False
    before = text[max(0, number.start - _WINDOW) : number.start]
    if _SOURCE_MARK.search(before):
        return True
    return bool(_LIST_MARK.search(before) and _AFTER_LIST_MARK.match(text, number.end))


def blanked(text: str, figures: tuple[Number, ...]) -> str:
    """`text` with its numbers blanked out, so that their digits and units are no words."""
    out, at = [], 0
    for number in figures:
        out.append(text[at : number.start])
        at = number.end
    return " ".join([*out, text[at:]])


def _cut(text: str, pattern: re.Pattern[str]) -> list[str]:
    spans = [(number.start, number.end) for number in numbers(text)]
    pieces, at = [], 0
    for match in pattern.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in spans):
            continue
        pieces.append(text[at : match.start()])
        at = match.end()
    pieces.append(text[at:])
    return [piece for piece in pieces if piece.strip(" 。.!！?？\"'“”")]


def _with_content(pieces: list[Claim]) -> list[Claim]:
    """Pieces that say something; one that says nothing joins the piece before it."""
    out: list[Claim] = []
    for piece in pieces:
        if piece.words or piece.numbers or not out:
            out.append(piece)
        else:
            out[-1] = claim_of(f"{out[-1].text}，{piece.text}")
    return [piece for piece in out if piece.words or piece.numbers or len(out) == 1]
