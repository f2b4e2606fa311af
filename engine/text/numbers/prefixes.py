"""Reads what stands before a figure: a sign, a currency or an accountant's parenthesis."""

from __future__ import annotations

import re
from re import Match
from typing import NamedTuple

from engine.text.numbers import grammar
from engine.text.numbers.records import Sign
from engine.text.numbers.words import CURRENCIES
from engine.text.word_lists import word_list

_WINDOW = 16


class Prefix(NamedTuple):
    """The start of a number with its prefix, and the meaning of the prefix."""

    start: int
    sign: Sign = 0
    currency: str = ""
    is_open: bool = False


def prefix_before(text: str, at: int, floor: int) -> Prefix:
    """Sign, currency and opening parenthesis before the figure at `at`."""
    if at <= floor:
        return Prefix(at)
    last = text[at - 1]
    if last == " " and at - 1 > floor:
        last = text[at - 2]
    is_latin = last.isascii() and last.isalpha()
    if last not in grammar.PREFIX_ENDS and not is_latin:
        return Prefix(at)
    low = max(floor, at - _WINDOW)
    match = grammar.PREFIX.search(text, low, at)
    if match is None or match.start() == at:
        return Prefix(at)
    return _read_prefix(text, match, at)


def _read_prefix(text: str, match: Match[str], at: int) -> Prefix:
    start = match.start()
    written = match["sign"] or match["sign_2"] or ""
    if match["sign"] and _is_range_dash(text, match.start("sign"), written):
        written = ""
        start = match.end("sign")
    if match["sign"] and not match["currency"] and text[at - 1] == " " and written in ("-", "–"):
        return Prefix(at)  # "- 3.4" begins a list item
    while text[start] == " ":
        start += 1
    is_open = bool(match["open"] or match["open_2"])
    if match["open"] and not match["currency"] and not written:
        start = match.start("open")
    sign: Sign = 0 if not written else (1 if written == "+" else -1)
    currency = CURRENCIES[match["currency"].lower()] if match["currency"] else ""
    if not (sign or currency or is_open):
        return Prefix(at)
    return Prefix(start, sign, currency, is_open)


def _is_range_dash(text: str, at: int, written: str) -> bool:
    """Whether the dash at `at` joins two figures or words (3-5 %, 1月-3月) and is no minus."""
    if written not in ("-", "–") or at == 0:
        return False
    before = text[at - 1]
    return (
        before.isascii() and (before.isalnum() or before in "%)$")
    ) or before in "年月日号季度元亿万千百"


def parentheses(text: str, match: Match[str], prefix: Prefix) -> tuple[int, int, bool]:
    """Span of a figure after an open parenthesis, and whether the parentheses mean minus.

    They do around a lone figure that fills a table cell or a text, after a currency sign, before a
    percent sign, where it has separators or decimals, and where a sentence states a figure there:
    "was (633)."; else they are an aside: "(2019)".
    """
    figure_start = match.start("figure")
    closes_at_end = text[match.end() : match.end() + 1] == ")"
    end = match.end() + 1 if closes_at_end else match.end()
    opened = text.rfind("(", prefix.start, figure_start)
    aside_start = prefix.start if prefix.start != opened else figure_start
    if not (match["close"] or closes_at_end):
        return max(aside_start, opened + 1), match.end(), False
    before = text[:opened][-3:].rstrip(" ")[-1:] if opened else ""
    after = text[end : end + 2].lstrip(" ")[:1]
    fills_cell = before in ("", "|", "\n", "\t", "$", "¥") and after in ("", "|", "\n", "\t", "%")
    looks_accounting = (
        bool(match["close"] or not (match["unit"] or match["scale"] or match["letter"]))
        and not text[prefix.start : figure_start].strip("( $¥")
        and (match["unit"] == "%" or any(mark in match["figure"] for mark in ",."))
        and (before in "$¥" or opened == figure_start - 1)
    )
    if fills_cell or looks_accounting or _is_stated_negative(text, match, opened, end):
        return min(prefix.start, opened), end, True
    end = match.end("close") - 1 if match["close"] else match.end()
    return max(aside_start, opened + 1), end, False


_STATES = re.compile(rf"(?:{'|'.join(word_list('engine.text.numbers', 'stating a figure'))}) ?$")
_MOST_WORDS = 12


def _is_stated_negative(text: str, match: Match[str], opened: int, end: int) -> bool:
    """Whether a sentence states its figure in the parentheses: it was (13.3%)."""
    if not _STATES.search(text, max(0, opened - _MOST_WORDS), opened):
        return False
    is_plain = match["figure"].isdigit() and not (match["unit"] or match["scale"])
    if is_plain and 1900 <= int(match["figure"]) <= 2100:
        return False
    return not is_plain or text[end : end + 1] in ("", *".,;，。；\n")
