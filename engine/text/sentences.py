"""Splits a Chinese or English text into sentences with exact offsets."""

from __future__ import annotations

import re

_CLOSERS = "”’」』）)】》〉\"'］\\]"
_END = re.compile(
    rf"(?P<cjk>[。！？；｡…]+[{_CLOSERS}]*)"
    rf"|(?P<ascii>[.!?]+[{_CLOSERS}]*)(?=\s|$|[\u3400-\u9fff“「『（])"
)
_LINE = re.compile(r"[^\n\r]+")
_WORD_BEFORE = re.compile(r"[A-Za-z0-9.&’'-]+$")
_LIST_MARK = re.compile(r"\s*[(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]?$")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)*[A-Za-z]$")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEVER_LAST = _words(
    """mr mrs ms dr prof st no nos fig figs eq vs e.g i.e cf approx est resp incl excl al p pp vol
    sec art para ch gen sen rep gov capt lt col hon dept messrs jan feb mar apr jun jul aug sep
    sept oct nov dec"""
)
"""Abbreviations that something always follows."""

_SOMETIMES_LAST = _words("inc corp ltd co llc plc etc jr sr bros s.a n.v u.s u.k u.n e.u")
"""Abbreviations that may also end a sentence: then a word that starts sentences follows."""

_STARTERS = _words(
    """the a an in on at as it its we our this that these those they there he she his her for from
    if when while after before under during however moreover although since because to by with each
    all no such total net cash both other additionally accordingly"""
)
_NEXT_WORD = re.compile(r"\s*[“\"‘'(]*([A-Za-z]+|\S)?")


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, in order; what lies between them is white space only.

    A line break ends a sentence, unless the next line goes on in lower case (hard-wrapped prose).
    A Markdown table row is one sentence. A full stop inside a number, after an abbreviation, an
    initial or a list number does not end one.
    """
    spans: list[tuple[int, int]] = []
    for start, end in _paragraphs(text):
        if text[start] == "|":
            spans.append((start, end))
        else:
            _split_prose(text, start, end, spans)
    return spans


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Stretches that no sentence crosses, trimmed of white space: lines, wrapped lines joined."""
    paragraphs: list[tuple[int, int]] = []
    for line in _LINE.finditer(text):
        span = _trimmed(text, line.start(), line.end())
        if span is None:
            continue
        if paragraphs and _goes_on(text, paragraphs[-1], span):
            paragraphs[-1] = (paragraphs[-1][0], span[1])
        else:
            paragraphs.append(span)
    return paragraphs


def _goes_on(text: str, before: tuple[int, int], line: tuple[int, int]) -> bool:
    """Whether a line continues the one before: lower case after Latin text without an end mark."""
    gap = text[before[1] : line[0]]
    last = text[before[1] - 1]
    return (
        gap.replace("\r\n", "\n").count("\n") == 1
        and text[line[0]].islower()
        and text[line[0]].isascii()
        and text[before[0]] != "|"
        and last.isascii()
        and (last.isalnum() or last in ",-")
        and _LIST_MARK.fullmatch(text[line[0] : line[0] + 3].rstrip()) is None
    )


def _split_prose(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    begin = start
    for match in _END.finditer(text, start, end):
        if match.start() < begin or (match["ascii"] and not _ends(text, begin, match, end)):
            continue
        span = _trimmed(text, begin, match.end())
        if span is not None:
            spans.append(span)
        begin = match.end()
    rest = _trimmed(text, begin, end)
    if rest is not None:
        spans.append(rest)


def _ends(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    """Whether ASCII end marks at `match` really end the sentence that began at `begin`."""
    following = _NEXT_WORD.match(text, match.end(), end)
    word_after = (following.group(1) or "") if following else ""
    if word_after[:1].islower():
        return False
    if text[match.start()] != "." or match.group() == "...":
        return True
    if _LIST_MARK.fullmatch(text, begin, match.start()):
        return False
    before = _WORD_BEFORE.search(text, max(begin, match.start() - 24), match.start())
    word = before.group().lower() if before else ""
    if word in _NEVER_LAST:
        return not word_after
    if word in _SOMETIMES_LAST or _INITIALS.fullmatch(word):
        return not word_after or word_after.lower() in _STARTERS
    return True


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None
