"""Tells whether a Chinese or English text declines to answer, or denies something."""

from __future__ import annotations

import re
from functools import lru_cache

_REFUSAL = re.compile(
    r"无法(?:回答|得知|给出答案|提供(?:答案|信息))|不能回答|(?:资料|信息)不足|^(?:我)?不(?:知道|清楚)|暂无相关"
    r"|(?:资料|文档|段落|材料|上下文|原文|内容|文本)里?中?(?:并?没有|并?未|无法|不能)"
    r"|没有(?:足够|相关)的?(?:信息|资料)"
    r"|\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to)"
    r" (?:answer|determine|find|provide an|be determined|be answered)"
    r"|\b(?:documents?|passages?|text|context|sources?|information|material) (?:provided )?"
    r"do(?:es)? not\b|\b(?:no|not enough|insufficient) (?:answer|information|evidence|relevant)"
    r"|\bi (?:do not|don't) know|\bi'?m sorry\b"
    r"|\bnot (?:mentioned|provided|specified|available) in the\b",
    re.IGNORECASE,
)
_LONGEST_REFUSAL = 160


def is_refusal(text: str) -> bool:
    """Whether a prediction declines to answer: it is empty, or short and says that it cannot."""
    stripped = text.strip()
    return not stripped or (
        len(stripped) <= _LONGEST_REFUSAL and _REFUSAL.search(stripped) is not None
    )


_NEGATION = re.compile(
    r"不得|不能|不可|不会|不予|不属于|不是|不再|不含|不包括|没有|未|无需|无须|并非|禁止|尚未"
    r"|不(?![良动限仅但断同少超低高足过管论])"
    r"|\b(?:not|no|never|neither|nor|none|without|cannot|prohibited)\b|n't\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def without_negations(text: str) -> tuple[str, int]:
    """The text without its words of denial, and how many it had; a claim is compared with many."""
    return _NEGATION.subn("", text)


def negates(text: str) -> bool:
    """Whether the text denies something, in either language."""
    return without_negations(text)[1] > 0
