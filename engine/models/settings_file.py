"""Writes one provider into `ragdesk.toml` and leaves every other line unchanged."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from engine.models.settings import Provider, check_provider, read_provider, read_tables
from engine.settings import SETTINGS_FILE
from store.errors import InputError, WorkspaceError

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SUBTABLES = ("prices", "limits", "extra")


class _Statement(msgspec.Struct, frozen=True):
    """A header, a pair, a comment or an empty line, with the exact text it has in the file."""

    text: str
    header: tuple[str, ...] | None = None
    pair: dict[str, Any] | None = None


def put_provider(folder: Path, provider: Provider) -> Provider:
    """Adds `provider` to the workspace's settings, or changes the one of that name.

    Lines of the provider whose value stays keep their text and comments. The file is replaced
    atomically. Returns the provider as it will be read. Raises InputError when a field is wrong
    or the file states the provider in a form that is not edited here (an inline table).
    """
    file = folder / SETTINGS_FILE
    checked = check_provider(provider, f"{file}: providers.{provider.name}")
    fields = msgspec.to_builtins(checked)
    name = fields.pop("name")
    read_provider(name, fields, f"{file}: providers.{name}")
    old = file.read_bytes() if file.exists() else b""
    read_tables(old, file)  # a broken file is mended by a person, not edited here
    new = _edited(old.decode(), checked).encode()
    if not _is_right(new, old, file, checked):
        raise InputError(
            f"{file} states providers.{name} in a form that is not edited here.",
            f"Write it as a table, [providers.{_key(name)}], or edit the file by hand.",
        )
    _replace(file, new)
    return checked


def _is_right(new: bytes, old: bytes, file: Path, provider: Provider) -> bool:
    """Whether the new text states this provider, and everything else as before."""
    name = provider.name
    before = read_tables(old, file)
    before.pop(name, None)
    try:
        after = read_tables(new, file)
        written = read_provider(name, after.pop(name, {}), str(file))
    except InputError:
        return False  # a table stated twice: once inline, once by the edit
    return written == provider and after == before and _others(new) == _others(old)


def _others(data: bytes) -> dict[str, Any]:
    tables = tomllib.loads(data.decode())
    tables.pop("providers", None)
    return tables


def _edited(text: str, provider: Provider) -> str:
    """The new text of the file; wrong where the provider is not stated by table headers."""
    newline = "\r\n" if "\r\n" in text else "\n"
    before: list[str] = []
    sections: dict[tuple[str, ...], list[_Statement]] = {}
    after: list[str] = []
    current: list[_Statement] | None = None
    for statement in _statements(text):
        if statement.header is not None:
            current = None
            if statement.header[:2] == ("providers", provider.name):
                current = sections.setdefault(statement.header[2:], [])
        if current is not None:
            current.append(statement)
        else:
            (after if sections else before).append(statement.text)
    # comments and empty lines at the end introduce what follows
    tail = _pop_trailing_remarks(sections)
    block = _render(provider, sections, newline)
    if before and not before[-1].endswith("\n"):
        before[-1] += newline
    if before and before[-1].strip() and not sections:
        before.append(newline)
    if after and not tail and not block.endswith(newline * 2):
        tail = [newline]
    return "".join([*before, block, *tail, *after])


def _statements(text: str) -> list[_Statement]:
    """Splits a valid file: a statement ends with the first line that makes it whole."""
    statements: list[_Statement] = []
    pending = ""
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        pending += line
        try:
            parsed = tomllib.loads(pending)
        except tomllib.TOMLDecodeError:
            continue  # a string or list that goes on in the next line
        if pending.lstrip().startswith("["):
            statements.append(_Statement(pending, header=_path(parsed)))
        else:
            statements.append(_Statement(pending, pair=parsed or None))
        pending = ""
    if pending:
        statements.append(_Statement(pending))
    return statements


def _path(parsed: dict[str, Any]) -> tuple[str, ...]:
    path: list[str] = []
    node: Any = parsed
    while isinstance(node, dict) and node:
        (key,) = node
        path.append(key)
        node = node[key]
    return tuple(path)


def _pop_trailing_remarks(sections: dict[tuple[str, ...], list[_Statement]]) -> list[str]:
    if not sections:
        return []
    last = sections[next(reversed(sections))]
    tail: list[str] = []
    while last[-1].header is None and last[-1].pair is None:
        tail.insert(0, last.pop().text)
    return tail


def _render(
    provider: Provider, sections: dict[tuple[str, ...], list[_Statement]], newline: str
) -> str:
    """The provider's tables: kept lines where the value is the same, new ones elsewhere."""
    fields = msgspec.to_builtins(provider)
    full = {field: _plain(getattr(provider, field)) for field in provider.__struct_fields__}
    # a subtable that stands inline in the provider's own table stays inline
    inline = {key for statement in sections.get((), []) for key in statement.pair or ()}
    apart = [key for key in _SUBTABLES if fields.get(key) and key not in inline]
    own = {key: value for key, value in fields.items() if key != "name" and key not in apart}
    path = ("providers", provider.name)
    blocks = [_render_table(path, own, full, sections.get((), []), newline)]
    for key in apart:
        gap = "" if blocks[-1].endswith(newline * 2) else newline
        stated = sections.get((key,), [])
        blocks.append(gap + _render_table((*path, key), fields[key], full[key], stated, newline))
    return "".join(blocks)


def _plain(value: Any) -> Any:
    return msgspec.structs.asdict(value) if isinstance(value, msgspec.Struct) else value


def _render_table(
    path: tuple[str, ...],
    values: dict[str, Any],
    full: dict[str, Any],
    stated: list[_Statement],
    newline: str,
) -> str:
    """One table; `full` also has the fields at their defaults, whose lines may stay."""
    left = dict(values)
    lines: list[str] = []
    for statement in stated:
        if statement.pair is None:
            lines.append(_with_newline(statement.text, newline))
            continue
        ((key, value),) = statement.pair.items()
        new = left.pop(key, full.get(key))
        if key in full and _same(new, value):
            lines.append(_with_newline(statement.text, newline))
        elif key in values:
            lines.append(f"{_key(key)} = {_value(new)}{newline}")
    if not stated:
        lines.append(f"[{'.'.join(map(_key, path))}]{newline}")
    place = len(lines)
    while place > 1 and not lines[place - 1].strip():
        place -= 1
    new_lines = [f"{_key(key)} = {_value(value)}{newline}" for key, value in left.items()]
    return "".join([*lines[:place], *new_lines, *lines[place:]])


def _same(new: Any, old: Any) -> bool:
    return bool(new == old) and isinstance(new, bool) == isinstance(old, bool)


def _with_newline(text: str, newline: str) -> str:
    return text if text.endswith("\n") else text + newline


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """`value` as TOML; JSON's escapes of strings are TOML's, but for the delete character."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        pairs = [f"{_key(key)} = {_value(inner)}" for key, inner in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    raise InputError(f"A setting cannot hold {value!r}.", "Use text, numbers, lists or tables.")


def _replace(file: Path, data: bytes) -> None:
    target = file.resolve()  # a link keeps pointing to the file that is edited
    partial = ""
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        handle, partial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(partial).chmod(mode)
        Path(partial).replace(target)
    except OSError as error:
        if partial:
            with contextlib.suppress(OSError):
                Path(partial).unlink()
        raise WorkspaceError(f"{file} cannot be written: {error.strerror}.") from error
