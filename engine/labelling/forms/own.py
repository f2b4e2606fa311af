"""Forms of one's own: JSON files in the workspace's folder `forms/`, beside those that ship."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from engine.labelling.forms.definitions import load_form, parse_form, shipped_forms
from engine.labelling.forms.rules import key_of
from store.errors import InputError, NotFound
from store.labels import forms
from store.labels.forms import Form
from store.labels.log.authoring import is_authoring
from store.messages import choices
from store.sharing.rights import read_directing
from store.workspace import folder_of

FOLDER = "forms"
KINDS = ("scale", "choice", "revision")
"""Kinds of field that a desk asks for; notes take texts at every desk."""


def find_form(db: sqlite3.Connection, key: str) -> Form:
    """The form of that key: a shipped one, the workspace's file, or, where that is gone, the latest
    version that was used. Raises NotFound naming those that there are, and InputError for a file
    that holds no sound form."""
    if key in shipped_forms():
        return load_form(key)
    file = folder_of(db) / FOLDER / f"{key}.json"
    if "/" not in key and file.is_file():
        return read_own(file)
    stored = {one.form.key: one.form for one in forms.listing(db)}
    if key not in stored:
        known = sorted({*shipped_forms(), *own_keys(db), *stored})
        raise NotFound(f"There is no form {key!r}.", choices(key, known, "Forms"))
    return stored[key]


def own_keys(db: sqlite3.Connection) -> tuple[str, ...]:
    """Keys of the workspace's own forms, sorted: of its files, and of forms that were used and
    whose files are gone."""
    files = {file.stem for file in (folder_of(db) / FOLDER).glob("*.json")}
    stored = {one.form.key for one in forms.listing(db)}
    return tuple(sorted((files | stored) - set(shipped_forms())))


def usable_forms(db: sqlite3.Connection) -> dict[str, Form]:
    """Every form that samples are drawn for, by key: the shipped ones, then the workspace's own
    without those that cannot be read. Steps of authoring are drawn by their rounds."""
    found = {key: load_form(key) for key in shipped_forms() if not is_authoring(key)}
    for key in own_keys(db):
        try:
            found[key] = find_form(db, key)
        except InputError:
            continue
    return found


def read_own(file: Path) -> Form:
    """The form of a file of one's own. Raises InputError naming file and field."""
    try:
        found = file.stat()
        return _read(file, found.st_mtime_ns, found.st_size)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error


@lru_cache(maxsize=64)
def _read(file: Path, mtime_ns: int, size: int) -> Form:
    """By time and size too, so that a changed file is read again."""
    form = parse_form(read_directing(file, file.parent.parent), str(file))
    for problem in own_problems(form, file.stem):
        raise InputError(f"{file}: {problem}.", "Correct the form.")
    return form


def own_problems(form: Form, name: str) -> Iterator[str]:
    """What a form of one's own may not be beside what no form may be: `name` is that of its
    file."""
    if form.key != name:
        yield f"its key is {form.key!r}, but the file is called {name}.json"
    if form.key in shipped_forms() or is_authoring(form.key):
        yield f"the key {form.key!r} is that of a form that comes with ragdesk"
    for field in form.fields:
        where = f"field {field.key!r}"
        if field.kind not in KINDS:
            yield f"{where} is of kind {field.kind}; a desk asks for {', '.join(KINDS)}"
        if field.kind == "revision" and (form.decision is None or form.decision.correction == ""):
            yield f"{where} is a correction, which needs a `decision` that names it"
        if field.shortcut:
            yield f"{where} has a shortcut; fields of one's own are gone through by Up and Down"
        for choice in field.choices:
            if key_of(choice) not in "0123456789":
                yield f"value {choice.value!r} of {where} needs a digit as its `key`"
    kinds = {field.key: field.kind for field in form.fields}
    for requirement in form.complete:
        if kinds[requirement.field] == "revision" and requirement.when is None:
            yield f"`complete` asks for the correction {requirement.field!r} without a condition"


def starting_form(key: str, like: Form) -> Form:
    """A form to begin from: another one's under a new key, without what only shipped forms have."""
    from msgspec import structs

    fields = tuple(
        structs.replace(field, shortcut="") for field in like.fields if field.kind in KINDS
    )
    return structs.replace(like, key=key, fields=fields)
