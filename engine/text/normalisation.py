"""The normal form in which a document's text is stored, hashed and quoted.

Normalising takes away what a reader cannot see and what differs between two copies of one text,
and nothing else, so that a quote copied from the screen or written by a model is found verbatim:

- line ends (CRLF, CR, form feed, vertical tab, NEL, U+2028, U+2029) become a line feed;
- the byte order mark, NUL and other control characters (tab excepted), soft hyphens and
  zero-width spaces go; joiners stay, since scripts and emoji need them;
- a lone surrogate, which no file can hold, becomes U+FFFD;
- NFC (not NFKC: full-width digits, ﬁ and ㎡ are what the author wrote; matching folds them);
- white space at the end of a line goes, since a quote across lines would otherwise miss it;
- blank lines at both ends go; indentation and inner blank lines stay.

`normalise` is idempotent, and every offset in the store counts characters of its result.
"""

from __future__ import annotations

import re
import unicodedata

from engine.text.segmentation import CJK
from store.hashing import text_id
from store.records import Lang

HAN_SHARE_OF_CHINESE = 0.20
"""A text is Chinese when more than this share of its letters are Han characters."""

_LINE_END = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_HAN_RUN = re.compile(f"[{CJK}]+")
_LETTER_RUN = re.compile(r"[^\W\d_]+")


def normalise(text: str) -> str:
    """`text` in stored form; empty when it holds nothing but white space."""
    text = _INVISIBLE.sub("", _LINE_END.sub("\n", text))
    if not text.isascii():
        text = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", text))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def document_id(text: str) -> str:
    """Id of a text: the hash of its normalised form."""
    return text_id(normalise(text))


def detect_lang(text: str) -> Lang:
    """`zh` when more than a fifth of the letters are Han characters, else `en`."""
    letters = sum(map(len, _LETTER_RUN.findall(text)))
    han = sum(map(len, _HAN_RUN.findall(text)))
    return "zh" if han > HAN_SHARE_OF_CHINESE * letters else "en"
