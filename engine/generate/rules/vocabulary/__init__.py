"""Reads the lists of words that the drafting rules know from the files here, one for each language.

A line that begins with `# ` heads a list; each line after it is a word. In lists that patterns are
made of, a word may be a regular expression, and the first that fits is taken.
"""

from __future__ import annotations

from engine.text.word_lists import lists_of
from store.records import Lang


def word_list(lang: Lang, heading: str) -> tuple[str, ...]:
    """The words under a heading, in the order of the file. Raises KeyError for another heading."""
    return lists_of("engine.generate.rules.vocabulary", f"{lang}.txt")[heading]


def word_pairs(lang: Lang, heading: str) -> dict[str, str]:
    """What follows each word under a heading on its line, by the word, in the order of the file."""
    return dict(line.split(" ", 1) for line in word_list(lang, heading))


def any_of(lang: Lang, heading: str) -> str:
    """A pattern of the words under a heading, without a group around it."""
    return "|".join(word_list(lang, heading))
