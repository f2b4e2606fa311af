"""Turns a JSON value of any shape into a document."""

from __future__ import annotations

from typing import Any

from engine.corpus.readers.contract import Read, ReadDocument, ReadOptions, Refusal
from store.records import Source

TEXT_FIELDS = ("text", "contents", "content", "body")
"""Fields that hold the text, in order of preference."""
ID_FIELDS = ("id", "_id")
MOST_LEVELS = 100
"""Lists and objects inside one another; what is nested deeper no program writes for people."""


def to_document(value: Any, path: str, locator: str, options: ReadOptions) -> Read:
    """The document that `value` describes.

    An object gives its text field as text, `title` as title, `id` or `_id` as external id and the
    rest as meta. An object without a text field, or a list, is written out readable, as
    `key: value` lines. A string is the text itself; other values, and what is nested too deeply,
    are refused.
    """
    if _is_deep(value):
        return Refusal(path, locator, f"the JSON is nested more than {MOST_LEVELS} levels deep")
    if isinstance(value, str):
        value = {TEXT_FIELDS[0]: value}
    if isinstance(value, list):
        return ReadDocument(readable(value), Source(path, locator=locator))
    if not isinstance(value, dict):
        return Refusal(path, locator, f"{value!r} is not a JSON object")
    if options.text_field is not None and options.text_field not in value:
        names = ", ".join(map(str, value)) or "none"
        return Refusal(path, locator, f"no field {options.text_field!r}; its fields: {names}")
    return _from_object(value, path, locator, options)


def readable(value: Any, indent: str = "") -> str:
    """`value` as lines a person can read: `key: value`, `- member`, nested ones indented."""
    return "\n".join(_lines(value, indent))


def scalar(value: Any) -> str:
    """A JSON scalar as text; null as the empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MOST_LEVELS + 1):
        level = [
            member
            for container in level
            if isinstance(container, dict | list)
            for member in (container.values() if isinstance(container, dict) else container)
        ]
        if not level:
            return False
    return True


def _from_object(
    value: dict[str, Any], path: str, locator: str, options: ReadOptions
) -> ReadDocument:
    fields = (options.text_field,) if options.text_field else TEXT_FIELDS
    field = next(((name, text) for name in fields if (text := _text(value.get(name)))), None)
    title, external_id = _title(value), _external_id(value)
    source = Source(path, title=title, locator=locator, external_id=external_id)
    if field is None and any(name in value for name in fields):
        return ReadDocument("", source)
    if field is None:
        return ReadDocument(readable(value), source)
    used = {field[0], "title", *ID_FIELDS}
    meta = {name: member for name, member in value.items() if name not in used}
    return ReadDocument(field[1], source, meta)


def _text(value: Any) -> str:
    """A text field's text: a string, or paragraphs as a list of strings."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(member, str) for member in value):
        return "\n\n".join(value)
    return readable(value) if value else ""


def _title(value: dict[str, Any]) -> str:
    title = value.get("title")
    return title.strip() if isinstance(title, str) else ""


def _external_id(value: dict[str, Any]) -> str:
    for name in ID_FIELDS:
        id_value = value.get(name)
        if isinstance(id_value, str | int) and not isinstance(id_value, bool) and id_value != "":
            return str(id_value)
    return ""


def _lines(value: Any, indent: str) -> list[str]:
    if isinstance(value, dict):
        lines: list[str] = []
        for key, member in value.items():
            lines += _labelled(f"{indent}{key}:", member, indent)
        return lines
    if isinstance(value, list):
        lines = []
        for member in value:
            lines += _labelled(f"{indent}-", member, indent)
        return lines
    return [indent + scalar(value)]


def _labelled(label: str, value: Any, indent: str) -> list[str]:
    if isinstance(value, dict | list):
        return [label, *_lines(value, indent + "  ")]
    return [f"{label} {scalar(value)}".rstrip()]
