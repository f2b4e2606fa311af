"""Reads the lists of words that a package keeps in its file `word_lists.txt`.

A line that begins with `# ` heads a list; each line after it is a word or a regular expression.
"""

from __future__ import annotations

from functools import cache
from importlib import resources


def word_list(package: str, heading: str) -> tuple[str, ...]:
    """The words under a heading, in the order of the file. Raises KeyError for another heading."""
    return lists_of(package, "word_lists.txt")[heading]


@cache
def lists_of(package: str, file: str) -> dict[str, tuple[str, ...]]:
    """All lists of a file of `package`, by their headings."""
    text = resources.files(package).joinpath(file).read_text(encoding="utf-8")
    lists: dict[str, tuple[str, ...]] = {}
    for block in text.split("\n\n"):
        heading, *listed = block.strip("\n").split("\n")
        lists[heading.removeprefix("# ")] = tuple(listed)
    return lists
