"""All that stands of a form at once: as rows, with its provenance, and rater by rater."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import groupby

import msgspec
from msgspec import Struct

from store.labels.forms import Form, Value
from store.labels.log.events import IDLE_CUT_MS, KNOWN, Origin, Status, Subject
from store.labels.samples import samples

# Rows, for exports

_LESS_HUMAN: tuple[Origin, ...] = (
    "human",
    "human_with_aids",
    "human_after_reveal",
    "accepted_suggestion",
    "import",
)


class LabelRow(Struct, frozen=True):
    subject: Subject
    rater: str
    status: Status
    values: dict[str, Value]
    comment: str
    """On the whole; comments on fields are in the log."""
    origin: Origin
    """The least human one of the values."""


def rows(db: sqlite3.Connection, form_key: str) -> Iterator[LabelRow]:
    """By subject and rater; answers to known questions are left out."""
    labels = db.execute(
        "SELECT c.subject_kind, c.subject, c.rater, s.status, c.field, c.aspect, c.value, c.origin"
        " FROM label_current AS c JOIN label_status AS s"
        " USING (form_key, subject_kind, subject, rater)"
        " WHERE c.form_key = ? AND (c.aspect = 'value' OR c.aspect = 'comment' AND c.field = '')"
        f" AND c.subject NOT LIKE '%{KNOWN}'"
        " ORDER BY c.subject_kind, CAST(c.subject AS INTEGER), c.subject, c.rater, c.field",
        (form_key,),
    )
    for (kind, subject, rater, status), group in groupby(labels, key=lambda row: row[:4]):
        values: dict[str, Value] = {}
        comment, origins = "", {"human"}
        for *_, field, aspect, text, origin in group:
            if aspect == "comment":
                comment = msgspec.json.decode(text, type=str)
            else:
                values[field] = msgspec.json.decode(text)
                origins.add(origin)
        least = max(_LESS_HUMAN, key=lambda one: (one in origins, _LESS_HUMAN.index(one)))
        yield LabelRow(Subject(kind, subject), rater, status, values, comment, least)


# How each label came about

Key = tuple[str, str, str]
"""Subject, field and rater."""


class Provenance(Struct, frozen=True):
    origin: Origin
    guideline: str
    """Version in force; empty without one."""
    active_ms: int
    """Time at the keys over all that the rater did to the field."""
    comment: str = ""


def provenance(db: sqlite3.Connection, form_key: str) -> dict[Key, Provenance]:
    """Of every value that stands in a form; hidden repeats are left out."""
    comments = {
        (subject, field, rater): str(msgspec.json.decode(value))
        for subject, field, rater, value in db.execute(
            "SELECT subject, field, rater, value FROM label_current"
            " WHERE form_key = ? AND aspect = 'comment'",
            (form_key,),
        )
    }
    spent = {
        (subject, field, rater): active
        for subject, field, rater, active in db.execute(
            "SELECT subject, field, rater, sum(min(coalesce(active_ms, 0), ?)) FROM label_event"
            " JOIN form ON form.id = form_id WHERE form.key = ? GROUP BY 1, 2, 3",
            (IDLE_CUT_MS, form_key),
        )
    }
    rows = db.execute(
        "SELECT subject, field, rater, origin, guideline FROM label_current"
        " WHERE form_key = ? AND aspect = 'value' AND instr(subject, '#') = 0",
        (form_key,),
    )
    return {
        (key := (subject, field, rater)): Provenance(
            origin, guideline, spent.get(key, 0), comments.get(key, "")
        )
        for subject, field, rater, origin, guideline in rows
    }


def unfinished(db: sqlite3.Connection, form_key: str) -> frozenset[str]:
    """Subjects that somebody has begun and nobody has completed."""
    rows = db.execute(
        "SELECT DISTINCT subject FROM label_status AS mine WHERE form_key = ?"
        " AND instr(subject, '#') = 0 AND status IN ('partial', 'postponed') AND NOT EXISTS"
        " (SELECT 1 FROM label_status AS other WHERE other.form_key = mine.form_key"
        "  AND other.subject = mine.subject AND other.status = 'complete')",
        (form_key,),
    )
    return frozenset(subject for (subject,) in rows)


# What raters said of the same subjects, the ground of agreement


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
    rater; hidden repeats included, answers to known questions left out. NotFound or UsageError for
    a sample that the form has not."""
    fields = [one.key for one in form.fields if one.kind in ("scale", "choice", "flag")]
    marks = ",".join("?" * len(fields))
    number = None if sample is None else samples.of_form(db, sample, form.key).id
    rows = db.execute(
        "SELECT c.subject_kind, c.subject, c.rater, c.field, c.value, c.origin, revision.topic,"
        " revision.task, item.group_key FROM label_current AS c"
        " JOIN label_status AS s USING (form_key, subject_kind, subject, rater)"
        f" JOIN revision ON revision.id = {_revision_of(form)}"
        " JOIN item ON item.id = revision.item_id"
        " WHERE c.form_key = ? AND c.aspect = 'value' AND s.status = 'complete'"
        f" AND c.subject NOT LIKE '%{KNOWN}' AND c.field IN ({marks})"
        " AND (? IS NULL OR c.subject IN (SELECT subject FROM assignment WHERE sample_id = ?))"
        " ORDER BY c.subject_kind, CAST(c.subject AS INTEGER), c.subject, c.field, c.rater",
        (form.key, *fields, number, number),
    )
    return [
        Rated(Subject(kind, subject), rater, field, msgspec.json.decode(value), *rest)
        for kind, subject, rater, field, value, *rest in rows
    ]


def _revision_of(form: Form) -> str:
    # a cast to a number reads the first one: of a repeat (`12#1`), of a pair (`12:13`)
    if form.subject_kind == "revision":
        return "CAST(c.subject AS INTEGER)"
    return "(SELECT revision_id FROM prediction WHERE id = CAST(c.subject AS INTEGER))"
