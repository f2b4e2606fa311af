"""Writes one table into `ragdesk.toml` and leaves every other line unchanged."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

from engine.settings.reader import SETTINGS_FILE, decode_settings
from store.errors import Conflict, InputError, WorkspaceError
from store.sharing.modes import is_shared, settle
from store.sharing.rights import read_directing
from store.sharing.team import check_directs

Table = dict[str, Any]
Sections = dict[tuple[str, ...], list["_Statement"]]
"""The statements of a table and of those below it, by their path from it."""

_KINDS = ("systems", "judges", "embeddings", "rerankers")
_NAMED_BY = {
    "providers": ("generator", "provider", "model"),
    "judges": ("members",),
    "embeddings": ("retriever", "embedding"),
    "rerankers": ("reranker",),
}
"""By kind of table, the keys of others that name one."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class _Statement(msgspec.Struct, frozen=True):
    """A header, a pair, a comment or an empty line, with the exact text it has in the file."""

    text: str
    header: tuple[str, ...] | None = None
    pair: dict[str, Any] | None = None


class Snapshot(msgspec.Struct, frozen=True):
    """The settings file of a workspace as it was read."""

    folder: Path
    data: bytes

    @property
    def file(self) -> Path:
        return self.folder / SETTINGS_FILE

    def tables(self, kind: str) -> dict[str, Table]:
        """The tables `[KIND.NAME]` by name, unchecked. Raises InputError for a broken file."""
        tables = decode_settings(self.data, self.file, dict[str, Any]).get(kind, {})
        if not isinstance(tables, dict) or not all(
            isinstance(one, dict) for one in tables.values()
        ):
            raise InputError(
                f"{self.file}: {kind} does not hold tables.", f"Write them as [{kind}.NAME]."
            )
        return tables


def snapshot(folder: Path) -> Snapshot:
    """The settings file as it is now; empty where there is none. Raises InputError where it cannot
    be read, and what `read_directing` raises."""
    file = folder / SETTINGS_FILE
    try:
        return Snapshot(folder, read_directing(file, folder))
    except (FileNotFoundError, NotADirectoryError):
        return Snapshot(folder, b"")
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror}.", "Make it readable."
        ) from error


def put_table(seen: Snapshot, kind: str, name: str, table: Table | None) -> Snapshot:
    """Writes `table` as `[KIND.NAME]`, or removes the one of that name where it is None.

    Lines whose value stays keep their text and comments. The file is replaced atomically, by what
    the returned snapshot holds. Raises Conflict when it is not the one that was `seen` any more,
    and InputError when it is broken or states the table in a form that is not edited here (within
    an inline table).
    """
    file = seen.file
    tables = seen.tables(kind)
    check_directs(seen.folder, file)
    if snapshot(seen.folder) != seen:
        raise Conflict(
            f"{file} has changed since it was read; nothing was written.", "Look at it again."
        )
    wanted = {key: one for key, one in tables.items() if key != name}
    if table is not None:
        wanted[name] = table
    text = _edited(seen.data.decode(), (kind, name), table, tables.get(name, {}))
    new = Snapshot(seen.folder, text.encode())
    if not _is_right(new, seen, kind, wanted):
        raise InputError(
            f"{file} states {kind}.{name} in a form that is not edited here.",
            f"Write it as a table, [{kind}.{_key(name)}], or edit the file by hand.",
        )
    _replace(file, new.data)
    return new


def users(seen: Snapshot, kind: str, name: str) -> list[str]:
    """The tables, as `systems.NAME`, that name this one, and could not be read without it."""
    return [
        f"{other}.{user}"
        for other in _KINDS
        for user, table in seen.tables(other).items()
        if (other, user) != (kind, name) and _names(table, _NAMED_BY.get(kind, ()), name)
    ]


def _names(table: Table, keys: Collection[str], name: str) -> bool:
    for key, value in table.items():
        values = value if isinstance(value, list) else [value]
        if key in keys and any(name in re.split(r"[:+]", str(one)) for one in values):
            return True
        if any(isinstance(one, dict) and _names(one, keys, name) for one in values):
            return True
    return False


def toml_text(value: Any) -> str:
    """`value` as TOML; JSON's escapes of strings are TOML's, but for the delete character.

    Raises InputError for one that TOML does not have.
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(toml_text, value))}]"
    if isinstance(value, dict):
        pairs = [f"{_key(key)} = {toml_text(inner)}" for key, inner in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    raise InputError(f"A setting cannot hold {value!r}.", "Use text, numbers, lists or tables.")


def _is_right(new: Snapshot, old: Snapshot, kind: str, wanted: dict[str, Table]) -> bool:
    """Whether the new text states these tables of the kind, and everything else as before."""
    try:
        after, before = tomllib.loads(new.data.decode()), tomllib.loads(old.data.decode())
    except tomllib.TOMLDecodeError:
        return False  # a table stated twice: once inline, once by the edit
    return bool(
        after.pop(kind, {}) == wanted and after == {k: v for k, v in before.items() if k != kind}
    )


def _edited(text: str, path: tuple[str, str], table: Table | None, old: Table) -> str:
    """The new text of the file; wrong where the table is not stated by headers."""
    newline = "\r\n" if "\r\n" in text else "\n"
    before: list[str] = []
    sections: Sections = {}
    after: list[str] = []
    current: list[_Statement] | None = None
    for statement in _statements(text):
        if statement.header is not None:
            current = None
            if statement.header[:2] == path:
                current = sections.setdefault(statement.header[2:], [])
        if current is not None:
            current.append(statement)
        else:
            (after if sections else before).append(statement.text)
    # comments and empty lines at the end introduce what follows
    tail = _pop_trailing_remarks(sections)
    if table is None:
        while before and tail and not before[-1].strip() and not tail[0].strip():
            tail.pop(0)
        return "".join([*before, *tail, *after])
    block = _render(path, table, old, sections, newline)
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


def _pop_trailing_remarks(sections: Sections) -> list[str]:
    if not sections:
        return []
    last = sections[next(reversed(sections))]
    tail: list[str] = []
    while last[-1].header is None and last[-1].pair is None:
        tail.insert(0, last.pop().text)
    return tail


def _render(
    path: tuple[str, ...], table: Table, old: Table, sections: Sections, newline: str
) -> str:
    """The table and those below it: kept lines where the value is the same, new ones elsewhere."""
    # what stands inline in the table stays there; a new table below it gets a header
    inline = {key for statement in sections.get((), []) for key in statement.pair or ()}
    apart = [
        key for key, one in table.items() if isinstance(one, dict) and one and key not in inline
    ]
    own = {key: value for key, value in table.items() if key not in apart}
    blocks = []
    if own or () in sections or not apart:
        blocks.append(_render_table(path, own, old, sections.get((), []), newline))
    for key in apart:
        stated = [part for part in sections if part[:1] == (key,)]
        if stated and _is_same(table[key], old.get(key)):
            block = "".join(
                _with_newline(one.text, newline) for part in stated for one in sections[part]
            )
        else:
            own_lines = sections.get((key,), [])
            inner = old.get(key, {}) if own_lines else {}
            block = _render_table((*path, key), table[key], inner, own_lines, newline)
        gap = "" if not blocks or blocks[-1].endswith(newline * 2) else newline
        blocks.append(gap + block)
    return "".join(blocks)


def _render_table(
    path: tuple[str, ...], table: Table, old: Table, stated: list[_Statement], newline: str
) -> str:
    """One table by itself."""
    left = dict(table)
    lines: list[str] = []
    for statement in stated:
        if statement.pair is None:
            lines.append(_with_newline(statement.text, newline))
            continue
        (key,) = statement.pair
        if key in table and _is_same(table[key], old.get(key)):
            left.pop(key, None)  # a dotted key may come again
            lines.append(_with_newline(statement.text, newline))
        elif key in left:
            lines.append(f"{_key(key)} = {toml_text(left.pop(key))}{newline}")
    if not stated:
        lines.append(f"[{'.'.join(map(_key, path))}]{newline}")
    place = len(lines)
    while place > 1 and not lines[place - 1].strip():
        place -= 1
    new_lines = [f"{_key(key)} = {toml_text(value)}{newline}" for key, value in left.items()]
    return "".join([*lines[:place], *new_lines, *lines[place:]])


def _is_same(new: Any, old: Any) -> bool:
    return bool(new == old) and isinstance(new, bool) == isinstance(old, bool)


def _with_newline(text: str, newline: str) -> str:
    return text if text.endswith("\n") else text + newline


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else toml_text(key)


def _replace(file: Path, data: bytes) -> None:
    target = file.resolve()  # a link keeps pointing to the file that is edited
    partial = ""
    try:
        keeps_mode = target.exists() and not is_shared(file.parent)
        handle, partial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if keeps_mode:
            shutil.copymode(target, partial)
        else:
            settle(Path(partial), target)
        Path(partial).replace(target)
    except OSError as error:
        if partial:
            with contextlib.suppress(OSError):
                Path(partial).unlink()
        raise WorkspaceError(f"{file} cannot be written: {error.strerror}.") from error
