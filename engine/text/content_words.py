"""Content words of a text, and the share of them that another text contains."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.text.segmentation import terms

_STOP_WORDS = """
a an the of in on at to for from by with and or as is are was were be been do does did what
which who whom whose when where why how much many long it its this that these those their they
there has have had will would can could should must may per than then into between during under
over about respectively respective company year years ended amount total change difference
percentage percent increase decrease average sum exceed not no if until after before any all
more most other each every only also up out so such approximately around nearly roughly one
的 了 是 在 和 与 及 或 有 为 以 于 对 中 等 什么 哪 哪个 哪些 哪里 哪儿 谁 多少 几 何时 何
如何 怎样 怎么 为什么 为何 吗 呢 一个 这 那 该 其 它 被 把 由 从 到 向 将 会 可以 是否 能
都 也 还 又 请 问 约 大约 左右 近 共 共计 达 达到 根据 关于 哪年 哪一年 时候 上 下 个 年 月 日
位 家 第 分别 各
"""

STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that say nothing of what a question or a sentence is about."""

_SUFFIX = re.compile(r"(?:ies|ing|ed|es|s|e)$")


def stem(term: str) -> str:
    """A Latin word without its inflection, to be matched as a prefix; other terms as they are."""
    if not term.isascii() or len(term) < 5 or not term.isalpha():
        return term
    stripped = _SUFFIX.sub("", term)
    return stripped if len(stripped) >= 4 else term


def is_content(term: str) -> bool:
    """Whether a term says what a text is about: no stop word, no number, no single Latin letter."""
    return (
        term not in STOP_WORDS
        and not (len(term) == 1 and term.isascii())
        and not term.replace(".", "").replace(",", "").replace("%", "").isdigit()
    )


def content_terms(text: str) -> list[str]:
    """Stemmed content words of `text`, in order."""
    return [
        stem(term)
        for term in terms(text)
        if term not in STOP_WORDS and not (len(term) == 1 and term.isascii())
    ]


def word_pattern(words: Sequence[str]) -> re.Pattern[str] | None:
    """Finds any of the stemmed words; a Latin word from its beginning, with any inflection."""
    return _pattern(tuple(words)) if words else None


@lru_cache(maxsize=4096)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    latin = sorted((word for word in words if word.isascii()), key=lambda word: (-len(word), word))
    other = sorted((word for word in words if not word.isascii()), key=lambda w: (-len(w), w))
    parts = []
    if other:
        parts.append(f"(?P<other>{'|'.join(map(re.escape, other))})")
    if latin:
        body = "|".join(map(re.escape, latin))
        parts.append(
            rf"(?<![A-Za-z0-9])(?P<latin>{body})(?:(?<=[A-Za-z])[A-Za-z]{{0,4}})?(?![A-Za-z0-9])"
        )
    return re.compile("|".join(parts), re.IGNORECASE)


def words_in(pattern: re.Pattern[str], text: str) -> set[str]:
    """The words of a `word_pattern` that occur in `text`."""
    return {matched_word(match, pattern) for match in pattern.finditer(text)}


def matched_word(match: re.Match[str], pattern: re.Pattern[str]) -> str:
    """The word that a match of `word_pattern` stands for."""
    word = match["latin"] if "latin" in pattern.groupindex and match["latin"] else match.group()
    return word.casefold()


def word_share(words: Sequence[str], text: str) -> float:
    """Share of `words` in `text`, by characters for Chinese words, 0 to 1; 1 for no words."""
    pattern = word_pattern(list(words))
    if pattern is None:
        return 1.0
    held = words_in(pattern, text)
    weight = {word: float(len(word)) if not word.isascii() else 2.0 for word in words}
    return sum(weight[word] for word in weight if word in held) / sum(weight.values())
