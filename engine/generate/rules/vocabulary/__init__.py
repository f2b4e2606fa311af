"""Reads the lists of words that the drafting rules know from the files here, one for each language.

A line that begins with `# ` heads a list; each line after it is a word. In lists that patterns are
made of, a word may be a regular expression, and the first that fits is taken.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from store.records import Lang


def word_list(lang: Lang, heading: str) -> tuple[str, ...]:
    """The words under a heading, in the order of the file. Raises KeyError for another heading."""
    return _lists(lang)[heading]


def word_pairs(lang: Lang, heading: str) -> dict[str, str]:
    """What follows each word under a heading on its line, by the word, in the order of the file."""
    return dict(line.split(" ", 1) for line in word_list(lang, heading))


def any_of(lang: Lang, heading: str) -> str:
    """A pattern of the words under a heading, without a group around it."""
    return "|".join(word_list(lang, heading))


@cache
def _lists(lang: Lang) -> dict[str, tuple[str, ...]]:
    file = resources.files("engine.generate.rules.vocabulary").joinpath(f"{lang}.txt")
    lists: dict[str, tuple[str, ...]] = {}
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        heading, *listed = block.strip("\n").split("\n")
        lists[heading.removeprefix("# ")] = tuple(listed)
    return lists
