"""Labels that were given elsewhere: read from a table, checked as a whole, then written."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from engine.labelling.forms import find_form
from store.errors import InputError, NotFound, UsageError
from store.formats.label_rows import read_label_rows
from store.labels import forms
from store.labels.forms import NA, Field, Form, Value, check_value
from store.labels.log import log, reading
from store.labels.log.checks import check_subject
from store.labels.log.events import EventKind, Subject
from store.labels.subjects import NAMES, SubjectNames
from store.messages import choices, plural
from store.workspace import Workspace

SHOWN_ERRORS = 5
AGAIN = "#1"


class ImportedLabels(Struct, frozen=True):
    rows: int
    subjects: int
    raters: tuple[str, ...]
    added: int
    """Events written."""
    unchanged: int
    """Values that stood there already."""
    ignored: tuple[str, ...]
    """Columns that mean nothing here."""


class _Given(Struct, frozen=True):
    """One cell of the table."""

    line: int
    subject: Subject
    rater: str
    field: str
    """Empty for a comment on the whole."""
    value: Value
    kind: EventKind


def import_labels(
    workspace: Workspace,
    file: Path,
    form_key: str,
    *,
    columns: Mapping[str, str] | None = None,
    rater: str = "",
    na: str = "",
) -> ImportedLabels:
    """Reads labels of a form; all of the file or nothing.

    Columns are `rater`, what names the subject (`store.labels.subjects.NAMES`, or `subject`, its
    number), `again` for a hidden repeat, `comment`, and the form's fields. `columns` says what
    others mean: one of these, or RATER:FIELD where each rater has columns of their own. `rater` is
    whose labels they are where no column says it. `na` is one more word for "does not apply".

    What stands there already is not written again, so that importing twice is importing once.
    Raises InputError naming the lines of unknown subjects, illegal values, values given twice, and
    values that differ from what the rater said in ragdesk.
    """
    form = find_form(workspace.db, form_key)
    columns = columns or {}
    reader = _Reader(workspace.db, form, columns, rater, na)
    rows = 0
    for line, row in read_label_rows(file):
        rows += 1
        reader.read(line, row)
    if not rows:
        raise InputError(f"{file} holds no labels.", "Give it a row a subject.")
    missing = sorted(set(columns) - reader.seen)
    if missing:
        raise UsageError(f"{file} has no column {missing[0]!r}, which was named.", command="--map")
    if not reader.given and not reader.errors:
        known = ", ".join(field.key for field in form.fields)
        raise InputError(
            f"{file} has no column of form {form.key!r}.",
            f"Its fields are {known}; say which column is which.",
            "--map COLUMN=FIELD",
        )
    with workspace.write(durable=True) as db:
        stored = forms.register(db, form)
        fresh = [one for one in reader.given if not _stands(db, form, one, reader.errors)]
        _refuse(file, reader.errors)
        for one in fresh:
            log.append(
                db,
                stored,
                one.rater,
                one.subject,
                one.field,
                one.value,
                kind=one.kind,
                origin="import",
            )
    return ImportedLabels(
        rows=rows,
        subjects=len({one.subject for one in reader.given}),
        raters=tuple(sorted({one.rater for one in reader.given})),
        added=len(fresh),
        unchanged=len(reader.given) - len(fresh),
        ignored=tuple(sorted(reader.ignored)),
    )


class _Reader:
    """Rows as cells; what is wrong with them is gathered, line by line."""

    def __init__(
        self, db: sqlite3.Connection, form: Form, columns: Mapping[str, str], rater: str, na: str
    ) -> None:
        self._db = db
        self._form = form
        self._columns = dict(columns)
        self._rater = rater
        self._na = {"-", NA, na} - {""}
        self._names = SubjectNames(db, form.subject_kind)
        self._fields = {field.key: field for field in form.fields}
        self._known = {"rater", "subject", "again", "comment", *NAMES[form.subject_kind]}
        self._places: dict[tuple[Subject, str, str, EventKind], int] = {}
        self.given: list[_Given] = []
        self.errors: list[str] = []
        self.ignored: set[str] = set()
        self.seen: set[str] = set()
        for column, meaning in self._columns.items():
            field = meaning.rpartition(":")[2]
            if field not in self._fields and (field not in self._known or ":" in meaning):
                known = (*self._fields, *sorted(self._known))
                raise UsageError(
                    f"Column {column!r} is to be {meaning!r}: there is no {field!r}.",
                    choices(field, known, "There are"),
                    "--map",
                )

    def read(self, line: int, row: Mapping[str, str]) -> None:
        self.seen |= row.keys()
        meant = {self._columns.get(column, column): text for column, text in row.items()}
        cells = []
        for meaning, text in meant.items():
            rater, mark, field = meaning.rpartition(":")
            if field in self._fields and (mark or meaning in self._fields):
                cells.append((rater or meant.get("rater", "") or self._rater, field, text))
            elif meaning not in self._known:
                self.ignored.add(meaning)
        try:
            subject = self._subject(meant)
            if "comment" in meant:
                who = meant.get("rater", "") or self._rater
                self._put(line, subject, who, "", meant["comment"], EventKind.COMMENT)
        except (InputError, NotFound) as error:
            self.errors.append(f"line {line}: {error}")
            return
        for rater, field, text in cells:
            try:
                value = check_value(self._form, field, self._value(self._fields[field], text))
                self._put(line, subject, rater, field, value, EventKind.IMPORT)
            except InputError as error:
                self.errors.append(f"line {line}: {error}")

    def _put(
        self, line: int, subject: Subject, rater: str, field: str, value: Value, kind: EventKind
    ) -> None:
        if not rater.strip():
            raise InputError("nobody is named whose labels they are; name the rater")
        earlier = self._places.setdefault((subject, rater, field, kind), line)
        if earlier != line:
            raise InputError(f"{rater} has a value of this in line {earlier} already.")
        self.given.append(_Given(line, subject, rater, field, value, kind))

    def _subject(self, meant: Mapping[str, str]) -> Subject:
        if "subject" in meant:
            subject = Subject(self._form.subject_kind, meant["subject"])
            check_subject(self._db, self._form, subject)
        else:
            subject = self._names.find(meant)
        if meant.get("again", "").lower() in ("", "0", "false"):
            return subject
        return Subject(subject.kind, f"{subject.base}{AGAIN}")

    def _value(self, field: Field, text: str) -> Value:
        text = text if field.kind == "text" else text.strip()
        if field.na and text in self._na:
            return NA
        if field.kind == "flag":
            return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
        named: dict[str, Value] = {str(choice.value): choice.value for choice in field.choices}
        # a table that went through a spreadsheet or pandas may say 2.0
        return named.get(text, named.get(text.removesuffix(".0"), text))


def _stands(db: sqlite3.Connection, form: Form, one: _Given, errors: list[str]) -> bool:
    """Whether the rater says this already; another word of the rater's own is an error."""
    aspect = "comment" if one.kind == EventKind.COMMENT else "value"
    for label in reading.current(db, form.key, one.rater, one.subject):
        if (label.field, label.aspect) == (one.field, aspect):
            if forms.same(label.value, one.value):
                return True
            if label.kind == EventKind.SET:
                errors.append(
                    f"line {one.line}: {one.rater} said {label.field}={label.value} here, and the"
                    f" file says {one.value}."
                )
    return False


def _refuse(file: Path, errors: Sequence[str]) -> None:
    if errors:
        more = len(errors) - SHOWN_ERRORS
        count = plural(len(errors), "value")
        shown = "\n".join(errors[:SHOWN_ERRORS]) + (f"\nand {more} more." if more > 0 else "")
        raise InputError(
            f"{file}: nothing was imported: {count} cannot be taken.\n{shown}",
            "Mend these lines and try again.",
        )
