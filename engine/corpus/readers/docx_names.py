"""Names of WordprocessingML elements and attributes, qualified as lxml gives them.

Strict files use another namespace than the usual transitional ones for the same names, so parts
are read with `plain`, which leaves the namespace away.
"""

from __future__ import annotations

from typing import Any


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
