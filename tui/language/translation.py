"""Texts in the language of the interface: marked ones by their entry in the catalogue, sentences of
the store and the engine by the template that they were made from."""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from string import Formatter
from typing import NamedTuple

from engine.prompts.languages import Named, name_in
from tui.language.choice import language

WORDS = ("kind", "subject_kind", "what", "who", "state", "status", "target", "role", "needed")
"""Placeholders with names that begin so are filled with words of the interface, as in `There is no
{kind}.`; others are filled with names and figures."""
NUMBER = "number"
"""A placeholder that is a number, as in `{number} items`; so are those with a number's form."""
_FIGURE = re.compile(r"[,+]?(\.\d)?[dfg%]|,")
_LEAST_LETTERS = 3
"""A clause of fewer, as `{a} of {b}`, is recognised only where figures fill it."""
_SENTENCE_END = re.compile(r"(?<=[.?!]) ")
_FORM = re.compile(r"\{(\w+)(?:![rsa])?(?::[^{}]*)?\}")
_ONE_VALUE = r"""('[^']*'|"[^"]*"|\S+)"""
"""What a placeholder stands for in a text with few words of its own, as `{name} is {value}.`, which
else would be found in most sentences."""
_CHINESE_ENDS = ("。", "；", "：", "？", "！", "，")


def tr(english: str, /, **given: object) -> str:
    """Returns the text in the interface's language, with each `{name}` filled from `given`.

    A text that the catalogue lacks stays English. Of what is filled in, phrases that the catalogue
    has (`3 items`, a sentence of the engine) are translated too; names are not.
    """
    if language() == "en":
        return english.format(**given) if given else english
    text = _entries().get(english) or english
    if not given:
        return text
    return text.format(**{name: _part(name, value) for name, value in given.items()})


def later(english: str) -> str:
    """Marks a text that `tr` translates where it is shown, and returns it as it is."""
    return english


def read(text: str) -> str:
    """Returns an English sentence of the store or the engine, or several, in the interface's
    language, also one that was stored long ago. What no template makes is returned as it is."""
    return text if language() == "en" or not text else _read(text)


def local_name(named: Named) -> str:
    """Returns the name in the interface's language of what has one in either: a topic, a task, a
    form with its fields and values."""
    return name_in(language(), named)


class Template(NamedTuple):
    """A text with placeholders, by which one that was made from it is recognised."""

    literal: str
    """What stands around its placeholders."""
    longest: str
    """The longest part of that: most texts lack it, which is quickly seen."""
    pattern: str
    names: tuple[str, ...]
    is_counted: bool
    """Whether all of its placeholders are numbers."""
    translation: str

    def said(self, text: str, fill: Callable[[str, str], object]) -> str:
        """Returns the translation of a text that was made from this one, with what `fill` makes of
        each name and value; empty for any other text."""
        match = re.fullmatch(self.pattern, text, re.DOTALL)
        if not match:
            return ""
        values = zip(self.names, match.groups(), strict=True)
        # the values have been given their form already
        return _FORM.sub(r"{\1}", self.translation).format(
            **{name: fill(name, value) for name, value in values}
        )


def template(text: str, translation: str) -> Template:
    """Returns the template that a text with placeholders in braces is."""
    parts = list(Formatter().parse(text))
    literals, names, pattern, is_counted = [literal for literal, *_ in parts], [], "", True
    value = "(.*?)" if _letters("".join(literals)) >= _LEAST_LETTERS else _ONE_VALUE
    for literal, name, form, _ in parts:
        pattern += re.escape(literal)
        if name:
            names.append(name)
            is_figure = name == NUMBER or bool(_FIGURE.fullmatch(form or ""))
            is_counted = is_counted and is_figure
            pattern += r"([-+\d.,%]+)" if is_figure else value
    longest = max(literals, key=len)
    return Template("".join(literals), longest, pattern, tuple(names), is_counted, translation)


def said_by(templates: Iterable[Template], text: str, fill: Callable[[str, str], object]) -> str:
    """Returns what the first of the templates says that the text was made from; empty where none
    was."""
    made = (one.said(text, fill) for one in templates if one.longest in text)
    return next(filter(None, made), "")


def longest_first(templates: Iterable[Template]) -> tuple[Template, ...]:
    """Returns those with the most text of their own first."""
    return tuple(sorted(templates, key=lambda one: -len(one.literal)))


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


@cache
def _entries() -> Mapping[str, str]:
    with (Path(__file__).parent / f"{language()}.mo").open("rb") as file:
        # gettext looks entries up but does not list them, which recognising a sentence needs
        entries = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    # the empty text stands for the catalogue's own header
    return {english: said for english, said in entries.items() if english}


@cache
def _templates() -> tuple[Template, ...]:
    """The entries with placeholders, but for those of few words that would be found everywhere."""
    made = [
        template(english, translation)
        for english, translation in _entries().items()
        if "{" in english and _is_filled(english)
    ]
    return longest_first(one for one in made if one.is_counted or _says_enough(one.literal))


def _says_enough(literal: str) -> bool:
    return _letters(literal) >= (1 if literal.endswith(".") else _LEAST_LETTERS)


def _is_filled(english: str) -> bool:
    """Whether its braces are placeholders, not those of JSON or TOML that it speaks of."""
    try:
        names = [name for _, name, _, _ in Formatter().parse(english) if name is not None]
    except ValueError:
        return False
    return all(name.isidentifier() for name in names)


@lru_cache(maxsize=4096)
def _read(text: str) -> str:
    sentences = _SENTENCE_END.split(text)
    made: list[str] = []
    start = 0
    while start < len(sentences):
        # the fewest sentences that one template makes, else this one as it is
        for end in range(start + 1, len(sentences) + 1):
            part = " ".join(sentences[start:end])
            if found := _entries().get(part) or _filled(part):
                break
        else:
            found, end = _headed(sentences[start]), start + 1
        made.append(found)
        start = end
    *before, last = made
    return "".join(f"{one}{'' if one.endswith(_CHINESE_ENDS) else ' '}" for one in before) + last


def _headed(text: str) -> str:
    """`Runs: a, b.`, `PLACE: what failed.` or `What failed; what to do.`, each side translated if
    it can be."""
    for mark, chinese in ((": ", "："), ("; ", "；")):
        first, found, rest = text.partition(mark)
        body = rest.removesuffix(".")
        clause = _entries().get(f"{first};", "").removesuffix("；")
        said = clause or _entries().get(first) or _filled(first) or first
        told = _part("", body)
        if found and (said != first or told != body):
            return f"{said}{chinese}{told}{'' if body == rest else '。'}"
    return text


def _filled(text: str) -> str:
    return said_by(_templates(), text, _part)


def _part(name: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    if name.startswith(WORDS):
        return _entries().get(value) or _entries().get(value.lower()) or read(value)
    if " " not in value:
        return value
    said = read(value)
    if said != value:
        return said
    # a sentence that has lost its stop, to stand within another
    return read(f"{value}.").removesuffix("。").removesuffix(".")


_OF_THE_SYSTEM = (
    later("Permission denied"),
    later("Operation not permitted"),
    later("No such file or directory"),
    later("Not a directory"),
    later("Is a directory"),
    later("File exists"),
    later("File name too long"),
    later("No space left on device"),
    later("Disk quota exceeded"),
    later("Read-only file system"),
    later("Input/output error"),
)
"""What the system says of files: `read` finds it within the sentences that it fills."""
