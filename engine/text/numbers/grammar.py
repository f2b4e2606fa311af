"""The regular expressions by which numbers are read from folded text (`fold`)."""

from __future__ import annotations

import re

from engine.text.numbers.figures import DIGIT_CHARS, UNIT_CHARS
from engine.text.numbers.words import LETTER_SCALES, MEASURE_WORDS, SCALES, UNITS

_FOLD = str.maketrans(
    "０１２３４５６７８９．％－＋（）￥＄　−\u2010\u2011\u00a0\u202f\u2009",
    "0123456789.%-+()¥$ ---   ",
)
_NEEDS_FOLD = re.compile("[０-９．％－＋（）￥＄　−\u2010\u2011\u00a0\u202f\u2009]")


def fold(text: str) -> str:
    """The text with full-width and typographic signs made ASCII; every offset is kept."""
    return text.translate(_FOLD) if _NEEDS_FOLD.search(text) else text


_NOT_AFTER = {
    "年": "代级",
    "成": "交为本立功员熟不都一长果就",
    "元": "旦素老首件年",
    "周": "边转围期刊报末一二三四五六",
    "日": "本均线常",
    "天": "津然使",
}
"""Characters that make the word part of another word: 90年代, 三成交, 一周边."""


def _names(words: list[str]) -> str:
    """An alternation, longest first; Latin words end where their letters end."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    latin = "|".join(re.escape(word) for word in ordered if word.isascii())
    other = "|".join(
        f"{word}(?![{_NOT_AFTER[word]}])" if word in _NOT_AFTER else word
        for word in ordered
        if not word.isascii()
    )
    return rf"{other}|(?:{latin})(?![A-Za-z0-9])"


_UNIT_WORDS = [word for word in UNITS if word != "%" and word[-1] not in "$¥€£"]
_LONG_SCALES = [word for word in SCALES if word not in LETTER_SCALES]

UNIT = rf"%|(?i:{_names(_UNIT_WORDS)})"
SCALE = rf"(?i:{_names(_LONG_SCALES)})"
FIGURE = (
    r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?![\d,])(?:\.\d+)?"
    r"|\d+(?:\.\d+)?(?:[eE][-+]?\d{1,2}(?![\w.]))?|\.\d+"
)
"""Digits in groups of three, in groups as in India (12,34,567), or without groups."""

ANCHOR = re.compile(rf"[0-9{DIGIT_CHARS}十拾百千]")
"""Where a number can begin, but for what stands before its figure (sign, currency, month)."""

ARABIC = re.compile(
    rf"(?P<figure>{FIGURE})(?P<close>\))?"
    rf"(?:(?P<letter>[kKmMbB](?![\w²³/]))"
    rf"|\ ?(?P<scale>{SCALE})(?P<more>(?:\d+(?:\.\d+)?[千百十]?万|\d+[千百])*))?"
    rf"(?:[ -]?(?P<unit>{UNIT}))?"
)
"""A figure, its scale (with what follows in 12亿5000万) and its unit."""

COMPOUND_PART = re.compile(r"(?P<figure>\d+(?:\.\d+)?)(?P<scale>[千百十]?万|[千百])")

DOTTED = re.compile(r"\d+(?:\.\d+){2,}")
"""Section numbers, versions, addresses: not numbers."""

CHINESE = re.compile(
    rf"(?P<run>[{DIGIT_CHARS}{UNIT_CHARS}]+)"
    rf"(?:点(?P<decimals>[{DIGIT_CHARS}]+)(?P<scale>[十百千万亿]{{1,2}})?)?"
    rf"(?:(?P<unit>{UNIT})|(?P<measure>[{MEASURE_WORDS}]))?"
)
_NUMERAL = rf"(?:负|-)?(?:{FIGURE}|[{DIGIT_CHARS}{UNIT_CHARS}]+(?:点[{DIGIT_CHARS}]+)?)"
PARTS = re.compile(
    rf"(?P<whole>[百千]|[{DIGIT_CHARS}十]+|\d+)分之(?P<part>{_NUMERAL})",
)
"""百分之三点四, 千分之五, 三分之二."""

PREFIX = re.compile(
    r"(?P<open>\()?(?P<sign>[-+–]|负|\b(?i:minus|negative) ?)?"
    r"(?P<currency>(?:US|HK|A|C|S)?\$|[¥€£]|(?<![A-Za-z])(?i:rmb|cny|usd|eur|gbp|hkd|jpy|chf)"
    r"|人民币|美元|港元|港币|欧元)?"
    r" ?(?P<open_2>\()?(?P<sign_2>[-+–]|负)?$"
)
"""Signs and words that may stand before a figure."""

PREFIX_ENDS = frozenset("$¥€£+-–(负币元")
"""Characters that end a prefix, next to the figure or one space before it."""

_MONTH_NAME = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_SOME = r"\d{1,3}|[一二三四五六七八九十]{1,3}"
"""May be too many, as in 10月130日, which is read whole and is no day of the calendar."""
_DAY_OF_MONTH = rf" ?(?P<day>{_SOME}) ?[日号]|(?P<no_day>[日号])(?![均常前内本元期报线])"

DATE_FROM_YEAR = re.compile(
    r"(?P<year>[12]\d{3}(?:\d(?=年 ?\d))?|[一二][〇零一二三四五六七八九]{3})"
    r"(?:(?P<mark>[-/.])(?P<iso_month>\d{1,2})(?P=mark)(?P<iso_day>\d{1,2})(?![\d%])"
    rf"| ?年度?(?: ?(?P<month>{_SOME}) ?月份?(?:{_DAY_OF_MONTH})?"
    r"| ?第?(?P<quarter>[1-4一二三四]) ?季度?| ?(?P<half>[上下])半年)?"
    r"| ?Q(?P<q>[1-4])(?![\w])| ?H(?P<h>[12])(?![\w]))"
)
DATE_FROM_MONTH = re.compile(
    rf"(?P<month>{_SOME}) ?月份?(?:{_DAY_OF_MONTH})?"
    rf"|(?P<only_day>\d{{1,2}}) ?[日号](?![内后前线店楼])"
    rf"|(?P<en_day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<name>{_MONTH_NAME})\b\.?"
    r"(?:,? (?P<year>[12]\d{3})(?!\d))?"
    r"|(?P<quarter>[1-4一二三四]) ?季度"
    r"|(?P<q>[1-4])Q ?(?P<q_year>[12]\d{3}|\d\d)\b|(?P<h>[12])H ?(?P<h_year>[12]\d{3}|\d\d)\b"
)
DATE_WORDS_BEFORE = re.compile(
    rf"\b(?:(?P<name>{_MONTH_NAME})\.? |(?P<q>Q)|(?P<h>H)"
    r"|(?P<fiscal>(?:FY|[Ff]iscal(?: [Yy]ear)?) ?'?)"
    r"|(?P<ordinal>[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth)[ -](?P<period>[Qq]uarter|[Hh]alf)"
    r"(?:,? of| in|,)?(?: the)?(?: fiscal(?: year)?| FY)? ?)$"
)
"""Words that turn the figure after them into a date: `March `, Q, FY, `third quarter of `."""

DAY_AND_YEAR = re.compile(
    r"(?P<year_only>[12]\d{3})(?!\d)|(?P<day>\d{1,2})(?:st|nd|rd|th)?(?![\d%]|,\d)"
    r"(?:,? (?P<year>[12]\d{3})(?!\d|,\d))?"
)
YEAR_AFTER_QUARTER = re.compile(
    r"[1-4](?!\d)(?:,? ?(?:of )?(?:FY|fiscal(?: year)?)? ?'?"
    r"(?P<year>[12]\d{3}|\d\d)(?![\d,.%]))?"
)
NAME_AFTER = re.compile(r"-?[A-Z](?![A-Za-z])")
"""5G, 10-K: the figure belongs to a name."""

ORDINAL_SUFFIX = re.compile(r"(?:st|nd|rd|th)\b")
LATIN_RUN = re.compile(r"[A-Za-z0-9]+(?:[-.][A-Za-z0-9]+)*")
