"""Texts in the language of the interface: marked ones by their entry in the catalogue, sentences of
the store and the engine by the template that they were made from."""

from __future__ import annotations

import gettext
import re
from collections.abc import Mapping
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


class _Template(NamedTuple):
    longest: str
    """Its longest part between placeholders: most texts lack it, which is quickly seen."""
    pattern: str
    names: tuple[str, ...]
    translation: str


@cache
def _entries() -> Mapping[str, str]:
    with (Path(__file__).parent / f"{language()}.mo").open("rb") as file:
        # gettext looks entries up but does not list them, which recognising a sentence needs
        entries = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    # the empty text stands for the catalogue's own header
    return {english: said for english, said in entries.items() if english}


@cache
def _templates() -> tuple[_Template, ...]:
    """The entries with placeholders, those with the most text of their own first."""
    made: list[tuple[int, _Template]] = []
    for english, translation in _entries().items():
        if "{" not in english or not _is_filled(english):
            continue
        parts = list(Formatter().parse(english))
        literals, names, pattern = [literal for literal, *_ in parts], [], ""
        letters = sum(map(str.isalpha, "".join(literals)))
        value = "(.*?)" if letters >= _LEAST_LETTERS else _ONE_VALUE
        is_counted = True
        for literal, name, form, _ in parts:
            pattern += re.escape(literal)
            if name:
                names.append(name)
                is_figure = name == NUMBER or bool(_FIGURE.fullmatch(form or ""))
                is_counted = is_counted and is_figure
                pattern += r"([-+\d.,%]+)" if is_figure else value
        if is_counted or letters >= _LEAST_LETTERS or (letters and english.endswith(".")):
            template = _Template(max(literals, key=len), pattern, tuple(names), translation)
            made.append((sum(map(len, literals)), template))
    made.sort(key=lambda one: -one[0])
    return tuple(template for _, template in made)


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
    for template in _templates():
        if template.longest not in text:
            continue
        if match := re.fullmatch(template.pattern, text, re.DOTALL):
            values = zip(template.names, match.groups(), strict=True)
            given = {name: _part(name, value) for name, value in values}
            # the values have been given their form already
            return _FORM.sub(r"{\1}", template.translation).format(**given)
    return ""


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
