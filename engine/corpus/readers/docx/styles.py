"""Tells by a DOCX file's styles whether a paragraph is a heading, a list item or neither.

Strict files use another namespace than the usual transitional ones for the same names of elements
and attributes, so parts are read with `plain`, which leaves the namespace away.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

DEEPEST_HEADING = 6
_DEEPEST_LEVEL = 8
"""Of lists and outlines, counted from 0, as Word has them."""

_HEADING_NAME = re.compile(r"(?:heading|标题|überschrift|titre)\s*(\d)", re.IGNORECASE)
_TITLE_NAMES = frozenset({"title", "标题", "titel", "titre"})
_NO_LIST = "0"
_LONGEST_CHAIN = 20


class Numbering(Struct, frozen=True):
    """The list that a paragraph belongs to."""

    list_id: str
    level: int
    is_ordered: bool


class Style(Struct, frozen=True):
    heading: int = 0
    """1 to 6; 0 for no heading."""
    list_id: str = ""
    level: int = 0


class Styles:
    """The styles and lists of one document."""

    def __init__(self, styles: Any | None, numbering: Any | None) -> None:
        """The roots of `styles.xml` and `numbering.xml`; null for parts that are missing."""
        self._elements = {
            value(each, "styleId"): each
            for each in (() if styles is None else styles)
            if plain(each) == "style"
        }
        self._known: dict[str, Style] = {}
        self._ordered = _ordered_levels(numbering)

    def heading(self, paragraph: Any) -> int:
        """The level of a heading, 1 to 6; 0 for other paragraphs."""
        properties = child(paragraph, "pPr")
        own = path_value(properties, "outlineLvl")
        if own.isdecimal():
            return _outline(own)
        return self._style(path_value(properties, "pStyle")).heading

    def numbering(self, paragraph: Any) -> Numbering | None:
        """The list that the paragraph is an item of."""
        properties = child(paragraph, "pPr")
        style = self._style(path_value(properties, "pStyle"))
        list_id = path_value(properties, "numPr", "numId") or style.list_id
        if not list_id or list_id == _NO_LIST:
            return None
        given = path_value(properties, "numPr", "ilvl")
        level = _level(given) if given.isdecimal() else style.level
        return Numbering(list_id, level, self._ordered.get((list_id, level), False))

    def _style(self, style_id: str) -> Style:
        if style_id not in self._known:
            self._known[style_id] = self._resolve(style_id)
        return self._known[style_id]

    def _resolve(self, style_id: str) -> Style:
        heading, list_id, level = 0, "", 0
        for _ in range(_LONGEST_CHAIN):
            element = self._elements.get(style_id)
            if element is None:
                break
            properties = child(element, "pPr")
            heading = heading or _heading(path_value(element, "name"), properties)
            if not list_id:
                list_id = path_value(properties, "numPr", "numId")
                given = path_value(properties, "numPr", "ilvl")
                level = _level(given) if given.isdecimal() else level
            style_id = path_value(element, "basedOn")
        return Style(heading, list_id, level)


def _heading(name: str, properties: Any | None) -> int:
    outline = path_value(properties, "outlineLvl")
    if outline.isdecimal():
        return _outline(outline)
    if name.lower() in _TITLE_NAMES:
        return 1
    named = _HEADING_NAME.fullmatch(name)
    return min(int(named.group(1)), DEEPEST_HEADING) if named else 0


def _outline(level: str) -> int:
    """The heading level of an outline level; the tenth means body text."""
    return min(_level(level) + 1, DEEPEST_HEADING) if _level(level) <= _DEEPEST_LEVEL else 0


def _level(digits: str) -> int:
    """The number, 0 for what is none, and one above the deepest level where it is larger."""
    return min(int(digits[:9]), _DEEPEST_LEVEL + 1) if digits.isdecimal() else 0


def _ordered_levels(numbering: Any | None) -> dict[tuple[str, int], bool]:
    """Whether each level of each list is numbered rather than bulleted."""
    if numbering is None:
        return {}
    formats: dict[str, dict[int, bool]] = {}
    for each in numbering:
        if plain(each) == "abstractNum":
            formats[value(each, "abstractNumId")] = {
                _level(ilvl) if (ilvl := value(level, "ilvl")).isdecimal() else 0: path_value(
                    level, "numFmt"
                )
                not in ("bullet", "none")
                for level in each
                if plain(level) == "lvl"
            }
    ordered: dict[tuple[str, int], bool] = {}
    for each in numbering:
        if plain(each) == "num":
            levels = formats.get(path_value(each, "abstractNumId"), {})
            for level, is_ordered in levels.items():
                ordered[value(each, "numId"), level] = is_ordered
    return ordered


def plain(element: Any) -> str:
    """The name of `element` without its namespace; empty for comments and instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def child(element: Any, name: str) -> Any | None:
    """The first child of that name."""
    return next((each for each in element if plain(each) == name), None)


def value(element: Any | None, name: str = "val") -> str:
    """An attribute of `element`, whatever its namespace; empty when either is missing."""
    if element is None:
        return ""
    for key, text in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(text)
    return ""


def path_value(element: Any | None, *names: str) -> str:
    """`val` of the descendant reached by `names`, one child after the other."""
    for name in names:
        element = None if element is None else child(element, name)
    return value(element)
