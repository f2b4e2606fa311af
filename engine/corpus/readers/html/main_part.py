"""Finds the main part of a web page by removing the parts that surround it.

What a page says of itself goes first (navigation, footers, scripts, hidden parts), then what its
links betray: a block most of whose text is links leads elsewhere and says nothing here.
"""

from __future__ import annotations

import re
from typing import Any

from engine.corpus.readers.html.tags import LANDMARKS, MAY_BE_LINKS, NEVER_TEXT, SUBHEADINGS

LINK_SHARE = 0.6
"""Share of a block's text that is links, from which on it is taken for navigation."""
FEWEST_LINKS = 3
MAIN_SHARE = 0.3
"""Share of the page's text that an element called its main part must hold to be believed."""
PROTECTED_SHARE = 0.5
"""Share of the page's text from which on an element is no boilerplate, whatever its name."""

_NAMES = re.compile(
    r"""(?:^|[\s_-])(?:nav|navbar|navigation|subnav|topnav|menu|topbar|toolbar|breadcrumbs?|crumbs?
    |footer|foot|copyright|sidebar|share|sharing|social|related|recommend(?:ed|ations?)?|comments?
    |adverts?|advertisements?|ads?|cookies?|consent|popup|modal|subscribe|newsletter|login|signin
    |pagination|pager|skip-?link|sitemap|friend-?links?|app-?download|qrcode)(?:$|[\s_-])""",
    re.VERBOSE | re.IGNORECASE,
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_RIGHTS = re.compile(
    r"(?:©|copyright\b|版权所有|all rights reserved|\S{0,3}icp[备证]|\S{0,2}公网安备)",
    re.IGNORECASE,
)
_LONGEST_NOTICE = 200
_GONE = "ragdesk-gone"
"""What an element that was taken out of the page is called; nothing writes it as a block."""


def main_part(page: Any) -> Any:
    """The element of `page` that holds its main text; the page is changed."""
    body = page.find("body")
    body = page if body is None else body
    _drop_named(body)
    main = _called_main(body)
    _drop_links(main)
    return main


def _drop_named(body: Any) -> None:
    letters = _letters(body)
    for element in list(letters):
        named = _is_furniture(element) and letters[element] < PROTECTED_SHARE * letters[body]
        if element is not body and (element.tag in NEVER_TEXT or _is_hidden(element) or named):
            _drop(element)


def _is_hidden(element: Any) -> bool:
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or _HIDDEN.search(element.get("style", "")) is not None
    )


def _is_furniture(element: Any) -> bool:
    if element.get("role", "").lower() in LANDMARKS:
        return True
    if element.tag == "header":
        return element.find(".//h1") is None and _has_no(element, "article", "main")
    names = f"{element.get('class', '')} {element.get('id', '')}"
    return element.tag not in ("body", "article", "main") and _NAMES.search(names) is not None


def _has_no(element: Any, *tags: str) -> bool:
    return next(element.iterancestors(*tags), None) is None


def _called_main(body: Any) -> Any:
    """The `main` or the only `article` element if it holds enough of the text, else `body`."""
    letters = _letters(body)
    enough = MAIN_SHARE * letters[body]
    for elements in (body.findall(".//main"), body.findall(".//article")):
        if len(elements) == 1 and letters[elements[0]] >= enough:
            return elements[0]
    return body


def _drop_links(main: Any) -> None:
    """Removes blocks of links and copyright notices, the innermost first."""
    text: dict[Any, int] = {}
    linked: dict[Any, int] = {}
    links: dict[Any, int] = {}
    for element in _from_within(main):
        left = [child for child in element if child.tag != _GONE]
        text[element] = _own_letters(element) + sum(text[child] for child in left)
        linked[element] = sum(linked[child] for child in left)
        links[element] = sum(links[child] for child in left)
        if element.tag == "a" and element.get("href") is not None:
            linked[element], links[element] = text[element], 1
        elif element is not main and element.tag in MAY_BE_LINKS:
            dense = linked[element] >= LINK_SHARE * text[element]
            if (dense and links[element] >= FEWEST_LINKS) or _is_notice(element, text[element]):
                _drop_with_heading(element)


def _from_within(main: Any) -> list[Any]:
    """The elements, each after those inside it."""
    from lxml import etree

    return [element for _, element in etree.iterwalk(main, events=("end",))]


def _is_notice(element: Any, letters: int) -> bool:
    if not 0 < letters <= _LONGEST_NOTICE:
        return False
    return _RIGHTS.match("".join(element.itertext()).strip()) is not None


def _drop_with_heading(block: Any) -> None:
    """Removes a block with the heading directly above it, which belongs to nothing else."""
    before = block.getprevious()
    while before is not None and before.tag == _GONE and not (before.tail or "").strip():
        before = before.getprevious()
    if before is not None and before.tag in SUBHEADINGS and not (before.tail or "").strip():
        _drop(before)
    _drop(block)


def _letters(root: Any) -> dict[Any, int]:
    """The number of letters in each element under and including `root`."""
    letters: dict[Any, int] = {}
    for element in _from_within(root):
        letters[element] = _own_letters(element) + sum(letters[child] for child in element)
    return letters


def _own_letters(element: Any) -> int:
    return _count(element.text) + sum(_count(child.tail) for child in element)


def _count(text: str | None) -> int:
    return len("".join(text.split())) if text else 0


def _drop(element: Any) -> None:
    """Empties the element, so that it is a space between the texts around it.

    To take it out would join these, for each of many elements again the whole of what was joined.
    """
    element.clear(keep_tail=True)
    element.tag, element.text = _GONE, " "
