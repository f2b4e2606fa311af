"""What people call a document: by its title or its first words, and by its id or file."""

from __future__ import annotations

import re

from store.corpora.corpora import LiveDocument

MOST_CHARACTERS = 60
_WORDS = re.compile(r"[^\W_]")
_MARKUP = re.compile(r"^[\s#>*|:-]+|[\s|]+$")


def heading(document: LiveDocument) -> str:
    """The title; of a document without one, or whose title is its id, its first words."""
    name = known_as(document)
    if document.title and document.title != name:
        return " ".join(document.title.split())
    return first_words(document.text) or name


def known_as(document: LiveDocument) -> str:
    """The id that it came with, else the name of its file."""
    return document.external_id or document.path.rpartition("/")[2]


def first_words(text: str) -> str:
    """The first line with a word or a number in it, without marks of Markdown; cut to
    `MOST_CHARACTERS`, at the end of a word where there is one."""
    line = next((one for one in text.splitlines() if _WORDS.search(one)), "")
    said = " ".join(_MARKUP.sub("", line).replace("|", " ").split())
    cut = said.rfind(" ", MOST_CHARACTERS // 2, MOST_CHARACTERS + 1)
    return said if len(said) <= MOST_CHARACTERS else said[: cut if cut > 0 else MOST_CHARACTERS]
