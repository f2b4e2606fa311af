"""What raters said of the same subjects, with the subjects' places: the ground of agreement."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from store.errors import UsageError
from store.labels import samples
from store.labels.events import Origin, Subject
from store.labels.forms import Form, Value


class Rated(Struct, frozen=True):
    """A value of a rater, of a complete subject."""

    subject: Subject
    """Of a hidden repeat, the repeat."""
    rater: str
    field: str
    value: Value
    origin: Origin
    topic: str
    task: str
    group_key: str
    """Which subjects hang together: answers to one question, items of one document."""


def rated(db: sqlite3.Connection, form: Form, *, sample: str | None = None) -> list[Rated]:
    """All values that stand for complete subjects, of one sample or of all, by subject, field and
    rater; hidden repeats included. NotFound or UsageError for a sample that the form has not."""
    return list(_rated(db, form, sample))


def _rated(db: sqlite3.Connection, form: Form, sample: str | None) -> Iterator[Rated]:
    fields = [one.key for one in form.fields if one.kind in ("scale", "choice", "flag")]
    marks = ",".join("?" * len(fields))
    number: int | None = None
    if sample is not None:
        found = samples.get(db, sample)
        if found.form_key != form.key:
            raise UsageError(
                f"Sample {sample!r} is of form {found.form_key!r}, not {form.key!r}.",
                f"Give --form {found.form_key}.",
            )
        number = found.id
    rows = db.execute(
        "SELECT c.subject_kind, c.subject, c.rater, c.field, c.value, c.origin, revision.topic,"
        " revision.task, item.group_key FROM label_current AS c"
        " JOIN label_status AS s USING (form_key, subject_kind, subject, rater)"
        f" JOIN revision ON revision.id = {_revision_of(form)}"
        " JOIN item ON item.id = revision.item_id"
        " WHERE c.form_key = ? AND c.aspect = 'value' AND s.status = 'complete'"
        f" AND c.field IN ({marks})"
        " AND (? IS NULL OR c.subject IN (SELECT subject FROM assignment WHERE sample_id = ?))"
        " ORDER BY c.subject_kind, CAST(c.subject AS INTEGER), c.subject, c.field, c.rater",
        (form.key, *fields, number, number),
    )
    for kind, subject, rater, field, value, *rest in rows:
        yield Rated(Subject(kind, subject), rater, field, _decode(value), *rest)


def _revision_of(form: Form) -> str:
    # a cast to a number reads the first one: of a repeat (`12#1`), of a pair (`12:13`)
    if form.subject_kind == "revision":
        return "CAST(c.subject AS INTEGER)"
    return "(SELECT revision_id FROM prediction WHERE id = CAST(c.subject AS INTEGER))"


def _decode(text: str) -> Any:
    return msgspec.json.decode(text)
