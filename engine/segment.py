"""Words of a text, for Chinese and English alike."""

from __future__ import annotations

import logging
import re
import unicodedata
from functools import lru_cache
from typing import Any

CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
"""Character-class body of the Han ideographs (for building regular expressions)."""

_RUN = re.compile(rf"[{CJK}]+|[^\W_]+", re.UNICODE)
_HAN = re.compile(rf"[{CJK}]")


@lru_cache(maxsize=1)
def _jieba() -> Any:
    import jieba

    jieba.setLogLevel(logging.WARNING)  # else it prints its loading time on stderr
    jieba.initialize()
    return jieba


def jieba_cut(text: str) -> list[str]:
    """Tokens of plain jieba (accurate mode, HMM on, default dictionary), spaces and all.

    For metrics whose definition names jieba; `terms` is faster and meant for searching.
    """
    return list(_jieba().cut(text))


def terms(text: str) -> list[str]:
    """Search terms: NFKC, case-folded; jieba words of Chinese runs, alphanumeric runs otherwise.

    Punctuation and white space give no term. Order and repetition are kept.
    """
    import rjieba

    out: list[str] = []
    folded = unicodedata.normalize("NFKC", text).casefold()
    for match in _RUN.finditer(folded):
        run = match.group()
        if _HAN.match(run):
            out.extend(rjieba.cut(run))
        else:
            # an alphanumeric run may still hold Han characters after a digit or letter
            out.extend(_split_mixed(run))
    return out


def _split_mixed(run: str) -> list[str]:
    if not _HAN.search(run):
        return [run]
    import rjieba

    out: list[str] = []
    for piece in re.findall(rf"[{CJK}]+|[^{CJK}]+", run):
        out.extend(rjieba.cut(piece) if _HAN.match(piece) else [piece])
    return out
