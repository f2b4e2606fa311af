"""Tokens of the standard text metrics: jieba words in Chinese, plain words otherwise.

The text is NFKC-normalised and case-folded. Then

- a number is one token with its sign, decimal point and percent (or per mille) sign: `-3.4%`,
  `12.5`. Thousands separators are folded (`1,234` is `1234`), a plus sign is dropped, every dash
  that is typed for a minus is `-`, and `.5` is `0.5`; otherwise a number stays as written, so
  `12.50` is not `12.5`. A dash is a sign only where a number begins: not in `2020-01-05`,
  `10%-12%` or `3亿元-5亿元`;
- a credit rating keeps its sign (`aa+` is not `aa`);
- a run of Han characters gives jieba's words; white space between two Han characters is layout
  and does not part them;
- any other run of letters, with the digits behind them (`q3`), is one word;
- punctuation and symbols give nothing, unless the text has nothing else: then each of its
  characters is a token, so that texts of symbols can still be told apart.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from engine.text.segmentation import CJK, terms

_HAN = f"{CJK}々〇"
_LETTER = rf"[^\W\d_{_HAN}]"

_NUMBER = rf"""
    (?P<sign>
        (?<![^\W{_HAN}])(?<![)\]%‰.\-−–])            # neither inside a word nor after a value
        (?<!\d[{_HAN}])(?<!\d[{_HAN}]{{2}})            # nor after a value with its unit
        [-−–](?=[$¥€£]?\.?\d)
    )?
    (?(sign)[$¥€£]?)
    (?P<digits>
        \d{{1,3}}(?:,\d{{3}})++(?![\d,]*\d)(?:\.\d+)*
        | \d+(?:\.\d+)*
        | (?<![\w.])\.\d+
    )
    (?P<percent>\s?[%‰])?
"""
_RATING = r"(?<!\w)(?:a{1,3}|b{1,3}|c{1,3}|d)[+\-](?!\w)"
# digits belong to the word before them unless they begin a number with decimals or a percent sign
_WORD = rf"{_LETTER}(?:{_LETTER}|\d++(?![.,]\d|\s?[%‰]))*"
_TOKEN = re.compile(
    rf"(?P<number>{_NUMBER})|(?P<han>[{_HAN}]+)|(?P<rating>{_RATING})|(?P<word>{_WORD})",
    re.VERBOSE,
)

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
# 100，200 are two numbers of a list; only an ASCII comma groups ASCII digits
_LIST_COMMA = re.compile(r"(?<=[0-9])，(?=[0-9])")
_HAN_GAP = re.compile(rf"(?<=[{_HAN}])\s+(?=[{_HAN}])")


@lru_cache(maxsize=16384)
def standard_tokens(text: str) -> tuple[str, ...]:
    """The tokens of `text` in order; empty only for a text without visible characters."""
    folded = _fold(text)
    tokens: list[str] = []
    for match in _TOKEN.finditer(folded):
        if match.lastgroup == "han":
            tokens.extend(terms(match.group()))
        elif match.lastgroup == "number":
            tokens.append(_number(match))
        else:
            tokens.append(match.group())
    return tuple(tokens or folded.replace(" ", ""))


def _fold(text: str) -> str:
    separated = _LIST_COMMA.sub("， ", text)
    folded = unicodedata.normalize("NFKC", separated).casefold().translate(_INVISIBLE)
    return " ".join(_HAN_GAP.sub("", folded).split())


def _number(match: re.Match[str]) -> str:
    digits = match["digits"].replace(",", "")
    if digits.startswith("."):
        digits = f"0{digits}"
    sign = "-" if match["sign"] else ""
    return f"{sign}{digits}{(match['percent'] or '').strip()}"
