"""Content words of a text, and the share of them that another text contains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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

_LONGEST_INFLECTION = 4
_ASCII_RUN = re.compile(r"[A-Za-z0-9]+")
_TAKEN_FOR_ASCII = re.compile("[\u0130\u0131\u017f\u212a]")
"""By [A-Za-z] where the case of letters is ignored."""
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


def held_words(words: Iterable[str], text: str) -> set[str]:
    """The stemmed words that `word_pattern` of all of them finds in `text`: of those that overlap
    the first, of those that begin at one place the longest.

    A pattern is compiled only for words that mix letters of several scripts, or have capitals.
    """
    wanted = set(words)
    latin = _latin_runs(text) if all(map(_is_plain, wanted)) else None
    if latin is None:
        pattern = word_pattern(sorted(wanted))
        return words_in(pattern, text) & wanted if pattern else set()
    held = _unoverlapped([word for word in wanted if not word.isascii() and word in text], text)
    for run in set().union(*(latin[word] for word in wanted if word in latin)):
        held.add(next(stem for stem in _beginnings(run) if stem in wanted))
    return held


@lru_cache(maxsize=65_536)
def _is_plain(word: str) -> bool:
    """Whether a word is of small ASCII letters and digits alone, or of letters without case."""
    if word.isascii():
        return word.isalnum() and word == word.lower()
    return word.lower() == word.upper() and not any(map(str.isascii, word))


@lru_cache(maxsize=256)
def _latin_runs(text: str) -> dict[str, set[str]] | None:
    """The runs of ASCII letters and digits in a text, in small letters, by what a stem of each may
    be; None where a pattern would take other letters for ASCII ones."""
    if _TAKEN_FOR_ASCII.search(text):
        return None
    runs: dict[str, set[str]] = {}
    for run in {run.lower() for run in _ASCII_RUN.findall(text)}:
        for beginning in _beginnings(run):
            runs.setdefault(beginning, set()).add(run)
    return runs


def _beginnings(run: str) -> Iterator[str]:
    """What stands before an inflection of up to four letters, or none; the longest first."""
    yield run
    for at in range(len(run) - 1, max(0, len(run) - 1 - _LONGEST_INFLECTION), -1):
        if not (run[at].isalpha() and run[at - 1].isalpha()):
            return
        yield run[:at]


def _unoverlapped(words: Sequence[str], text: str) -> set[str]:
    """The words that are found from left to right, each behind the one before; all are there."""
    letters = "".join(words)
    if all(letters.count(word[0]) == word.count(word[0]) for word in words):
        return set(words)  # none can begin within another
    held: set[str] = set()
    places = {word: text.find(word) for word in words}
    while places and len(held) < len(words):
        first = min(places, key=lambda word: (places[word], -len(word)))
        held.add(first)
        end = places[first] + len(first)
        moved = {word: at if at >= end else text.find(word, end) for word, at in places.items()}
        places = {word: at for word, at in moved.items() if at >= 0}
    return held


def word_share(words: Sequence[str], text: str) -> float:
    """Share of `words` in `text`, by characters for Chinese words, 0 to 1; 1 for no words."""
    if not words:
        return 1.0
    held = held_words(words, text)
    weight = {word: float(len(word)) if not word.isascii() else 2.0 for word in words}
    return sum(weight[word] for word in weight if word in held) / sum(weight.values())
