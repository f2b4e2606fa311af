"""Counts tokens without a model's tokenizer, and cuts texts by that count.

One token for each CJK character, ceil(len / 4) for each other word, one for each punctuation mark
or symbol; white space gives none. A combining mark belongs to the character before it and counts
nothing, so no token begins inside a combining sequence.

CJK characters are Han ideographs, kana, bopomofo and Hangul syllables. A word is a run of other
letters and digits; the underscore is a punctuation mark.

Counts add up wherever no word is cut: `count_tokens(text)` equals `count_tokens(text[:p]) +
count_tokens(text[p:])` unless the characters on both sides of `p` are of one word, and inside a
word at each token's start.
"""

from __future__ import annotations

import re
import unicodedata

CJK_CHARACTERS = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
"""Character-class body of the characters that count one token each."""

_CJK = re.compile(f"[{CJK_CHARACTERS}]")
_JOINERS_AND_TAGS = frozenset(
    map(ord, "\u200c\u200d\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
)


class _Classes(dict[int, str]):
    """The class of each character, found on first sight: a table for `str.translate`.

    `a` letter or digit, `.` a token by itself, `-` mark of the character before, ` ` white space.
    """

    def __missing__(self, code: int) -> str:
        kind = self[code] = _class_of(chr(code))
        return kind


def _class_of(character: str) -> str:
    if character.isspace():
        return " "
    if unicodedata.category(character)[0] == "M" or ord(character) in _JOINERS_AND_TAGS:
        return "-"
    return "a" if character.isalnum() and not _CJK.match(character) else "."


_CLASSES = _Classes({code: _class_of(chr(code)) for code in range(128)})


def count_tokens(text: str) -> int:
    """Tokens of `text`, 0 or more, in linear time.

    With each character mapped to its class, four letters in a row are one token, what is left of
    a word is one, a symbol is one: byte counts, far faster than a match for each token.
    """
    classes = text.translate(_CLASSES).encode("ascii").translate(None, b"-") + b" "
    words = classes.replace(b"aaaa", b"b")
    return words.count(b".") + words.count(b"b") + words.count(b"a ") + words.count(b"a.")


def token_starts(text: str) -> list[int]:
    """Offset of each token's first character, ascending; as many as `count_tokens(text)`.

    So the tokens of `text[a:b]` are the starts from `a` up to `b`, wherever no word is cut.
    """
    import numpy as np

    classes = np.frombuffer(text.translate(_CLASSES).encode("ascii"), dtype=np.uint8)
    places = np.flatnonzero(classes != ord("-"))
    classes = classes[places]
    is_letter = classes == ord("a")
    ordinal = np.arange(len(places), dtype=np.int32)
    begins_word = is_letter & ~np.concatenate(([False], is_letter[:-1]))
    word_begin = np.maximum.accumulate(np.where(begins_word, ordinal, 0))
    begins_four = is_letter & ((ordinal - word_begin) % 4 == 0)
    starts: list[int] = places[begins_four | (classes == ord("."))].tolist()
    return starts


def continues_sequence(text: str, at: int) -> bool:
    """Whether a cut before `text[at]` would part a combining or joined sequence."""
    if not 0 < at < len(text):
        return False
    return _CLASSES[ord(text[at])] == "-" or text[at - 1] == "\u200d"


def continues_word(text: str, at: int) -> bool:
    """Whether a cut before `text[at]` would part a word or a combining sequence."""
    if continues_sequence(text, at):
        return True
    if not 0 < at < len(text) or _CLASSES[ord(text[at])] != "a":
        return False
    before = at - 1
    while before and _CLASSES[ord(text[before])] == "-":
        before -= 1
    return _CLASSES[ord(text[before])] == "a"
