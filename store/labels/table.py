"""All that stands, a row for every rater and subject: for exports."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import groupby

import msgspec
from msgspec import Struct

from store.labels.events import Origin, Status, Subject
from store.labels.forms import Value

_LESS_HUMAN: tuple[Origin, ...] = ("human", "human_after_reveal", "accepted_suggestion", "import")


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
    """By subject and rater."""
    found = db.execute(
        "SELECT c.subject_kind, c.subject, c.rater, s.status, c.field, c.aspect, c.value, c.origin"
        " FROM label_current AS c JOIN label_status AS s"
        " USING (form_key, subject_kind, subject, rater)"
        " WHERE c.form_key = ? AND (c.aspect = 'value' OR c.aspect = 'comment' AND c.field = '')"
        " ORDER BY c.subject_kind, CAST(c.subject AS INTEGER), c.subject, c.rater, c.field",
        (form_key,),
    )
    for (kind, subject, rater, status), group in groupby(found, key=lambda row: row[:4]):
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
