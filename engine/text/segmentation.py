"""Splits Chinese and English text into words.

Both cutters are safe to call from several threads and after a fork: their dictionaries are
loaded once and only read from then on.
"""

from __future__ import annotations

import logging
import os
import re
import stat
import tempfile
import unicodedata
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
"""Character-class body of the Han ideographs (for building regular expressions)."""

# Han that jieba's dictionary does not know; jieba keeps each of them apart, one word a character.
_RARE_HAN = "\u3400-\u4dbf\u9fd6-\u9fff\uf900-\ufaff\U00020000-\U0003134f"

_ALPHANUMERIC = re.compile(r"[^\W_]+")
_WORDS = re.compile(r"[^\W_]+(?:[.,'\u2019-][^\W_]+)*")
_HAN = re.compile(rf"[{CJK}]")
_RARE = re.compile(rf"[{_RARE_HAN}]")
_FOREIGN_OR_RARE = re.compile(r"[^\W\x00-\x7f\u4e00-\u9fd5]")
_SURROGATE = re.compile("[\ud800-\udfff]")

# The lower-case words of jieba's dictionary without Han: there jieba cuts letters ("0c#": 0, c#).
_ASCII_WORDS = ("c#", "c++")

# What jieba looks up: Han, and the words of its dictionary that have none.
_IN_DICTIONARY = re.compile(r"[\u4e00-\u9fd5]|AT&T|[cC](?:#|\+\+)")
# Its tokens of anything else: numbers and words, runs of the signs that words may hold, line ends,
# and every other character by itself.
_WITHOUT_DICTIONARY = re.compile(r"[a-zA-Z0-9]+(?:\.[0-9]+)?%?|[+#&._%-]+|\r\n|[\s\S]")

# U+001F marks a word boundary inside a string; it is no letter, so no term holds it.
_SEAM = "\x1f"
# jieba ends a word after the decimals of a number: "8.17mm" is "8.17" and "mm"
_DECIMAL = re.compile(r"[a-z0-9]+\.[0-9]+")
_DECIMAL_SEAM = rf"\g<0>{_SEAM}"
_LETTER = rf"[^\W_{CJK}]"
_FOREIGN = rf"[^\W_{CJK}\x00-\x7f]"
_FOREIGN_SEAM = re.compile(
    f"(?<={_LETTER}){_SEAM}+(?={_FOREIGN})|(?<={_FOREIGN}){_SEAM}+(?={_LETTER})"
)


@lru_cache(maxsize=1)
def load_jieba() -> Any:
    """The module jieba with its dictionary loaded, from a cache that this account alone writes.

    jieba's own place for it is one file for all accounts of the host: whoever comes first owns it,
    and could give the words of all others other weights.
    """
    import jieba

    jieba.dt.tmp_dir = own_folder()
    # else it prints its loading time on stderr, and how it failed to keep its cache
    jieba.setLogLevel(logging.CRITICAL)
    jieba.initialize()
    return jieba


def own_folder() -> str:
    """A folder for temporary files of this account; one that takes none where another account was
    there first."""
    folder = Path(tempfile.gettempdir(), f"ragdesk-{os.geteuid()}")
    with suppress(OSError):
        folder.mkdir(0o700, exist_ok=True)
        status = folder.lstat()
        if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == 0o700:
            return str(folder)
    return os.devnull


@lru_cache(maxsize=1)
def _rjieba() -> Any:
    import rjieba

    return rjieba.Jieba()  # our own, so that nobody's user words reach it


def jieba_cut(text: str) -> list[str]:
    """Tokens of plain jieba (accurate mode, HMM on, default dictionary), spaces and all.

    For metrics whose definition names jieba; `terms` is faster and meant for searching. A text
    in which the dictionary has nothing to say is cut without it: a process that only ever sees
    English spares itself a second of loading.
    """
    if _IN_DICTIONARY.search(text):
        return list(load_jieba().cut(text))
    return _WITHOUT_DICTIONARY.findall(text)


def terms(text: str) -> list[str]:
    """Search terms of a text, in order and with repetition; no stemming, no stop words.

    The text is NFKC-normalised and case-folded. A term is a maximal run of letters and digits
    inside one word of plain jieba, except that a letter which is neither ASCII nor Han keeps its
    neighbours ("café", "москва"; jieba would cut them up). Punctuation, symbols and white space
    give no term, so "3.5%" gives "3" and "5".
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace(_SEAM, " ")
    if not _HAN.search(folded) and not any(word in folded for word in _ASCII_WORDS):
        return _runs(folded)
    if _FOREIGN_OR_RARE.search(folded):
        spaced = _RARE.sub(r" \g<0> ", folded)
        return _runs(_SEAM.join(_cut(spaced)))
    out: list[str] = []
    for word in _cut(folded):
        if word.isalnum():
            out.append(word)
        elif len(word) > 1:
            # rjieba keeps ASCII runs whole over + # & . _ % -, jieba does so for few of them
            out.extend(_ALPHANUMERIC.findall(_DECIMAL.sub(_DECIMAL_SEAM, word)))
    return out


def word_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each word of a text, as people count them: Chinese by the dictionary, in
    order; punctuation and spaces are between words."""
    spans: list[tuple[int, int]] = []
    at = 0
    for token in _cut(text):
        start = text.find(token, at)
        if start < 0:
            continue  # a character that the cutter has replaced
        at = start + len(token)
        spans += [(start + word.start(), start + word.end()) for word in _WORDS.finditer(token)]
    return spans


def _runs(seamed: str) -> list[str]:
    """Runs of letters and digits between seams, without seams beside foreign letters."""
    if _DECIMAL.search(seamed):
        seamed = _DECIMAL.sub(_DECIMAL_SEAM, seamed)
    if _SEAM in seamed:
        seamed = _FOREIGN_SEAM.sub("", seamed)
    return _ALPHANUMERIC.findall(seamed)


def _cut(text: str) -> list[str]:
    try:
        words: list[str] = _rjieba().cut(text)
    except UnicodeEncodeError:  # half a surrogate pair, as broken JSON escapes give
        words = _rjieba().cut(_SURROGATE.sub(" ", text))
    return words
