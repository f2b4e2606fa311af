"""What figures over labels are made of: the work on each subject, values, inspections, names."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from store.corpora import taxonomies
from store.labels.forms import Form, Value
from store.labels.log.events import KNOWN, Status, Subject
from store.records import Facet, ItemState, Taxonomy


class Work(Struct, frozen=True):
    """A rater's work on a subject, with the subject's place."""

    subject: Subject
    rater: str
    status: Status
    at: str
    active_ms: int
    """Time at the keys; pauses count at most IDLE_CUT_MS each."""
    topic: str
    task: str
    facets: dict[str, Facet]
    value: Value | None
    """Of the form's deciding field; null when the form decides nothing."""
    item_state: ItemState


class SubjectLine(Struct, frozen=True):
    """A subject as a list shows it."""

    subject: Subject
    item_key: str
    topic: str
    task: str
    question: str
    item_state: ItemState


def work(db: sqlite3.Connection, form: Form) -> list[Work]:
    """Everything that raters have done with a form, by subject and rater; untouched ones absent."""
    # a cast to a number reads the first one: of a repeat (`12#1`), of a pair (`12:13`)
    revision = (
        "CAST(s.subject AS INTEGER)"
        if form.subject_kind == "revision"
        else "(SELECT revision_id FROM prediction WHERE id = CAST(s.subject AS INTEGER))"
    )
    rows = db.execute(
        "SELECT s.subject_kind, s.subject, s.rater, s.status, s.at, topic, task,"
        " json_extract(content, '$.facets'), item.state FROM label_status AS s"
        f" JOIN revision ON revision.id = {revision} JOIN item ON item.id = revision.item_id"
        " WHERE s.form_key = ? ORDER BY CAST(s.subject AS INTEGER), s.subject, s.rater",
        (form.key,),
    )
    spent = _spent(db, form)
    decided = _decided(db, form)
    return [
        Work(
            Subject(kind, subject),
            rater,
            status,
            at,
            spent.get((subject, rater), 0),
            topic,
            task,
            msgspec.json.decode(facets) if facets else {},
            decided.get((subject, rater)),
            ItemState(state),
        )
        for kind, subject, rater, status, at, topic, task, facets, state in rows
    ]


def _spent(db: sqlite3.Connection, form: Form) -> dict[tuple[str, str], int]:
    rows = db.execute(
        "SELECT subject, rater, sum(coalesce(active_ms, 0)) FROM label_event"
        " JOIN form ON form.id = form_id WHERE form.key = ? GROUP BY 1, 2",
        (form.key,),
    )
    return {(subject, rater): spent for subject, rater, spent in rows}


def _decided(db: sqlite3.Connection, form: Form) -> dict[tuple[str, str], Value]:
    """The values of the form's deciding field; nothing for a form that decides nothing."""
    if form.decision is None:
        return {}
    rows = db.execute(
        "SELECT subject, rater, value FROM label_current WHERE form_key = ? AND field = ?"
        " AND aspect = 'value'",
        (form.key, form.decision.field),
    )
    return {(subject, rater): msgspec.json.decode(value) for subject, rater, value in rows}


def values(db: sqlite3.Connection, form_key: str) -> dict[tuple[str, str], dict[str, Value]]:
    """What stands by subject and rater: the value of every field, of complete subjects; answers to
    known questions are left out."""
    rows = db.execute(
        "SELECT c.subject, c.rater, c.field, c.value FROM label_current AS c"
        " JOIN label_status AS s USING (form_key, subject_kind, subject, rater)"
        " WHERE c.form_key = ? AND c.aspect = 'value' AND s.status = 'complete'"
        f" AND c.subject NOT LIKE '%{KNOWN}'",
        (form_key,),
    )
    out: dict[tuple[str, str], dict[str, Value]] = {}
    for subject, rater, field, value in rows:
        out.setdefault((subject, rater), {})[field] = msgspec.json.decode(value)
    return out


def evaluations(db: sqlite3.Connection) -> dict[int, int]:
    """The latest automatic evaluation (0, 1 or 2) of every revision that has one."""
    rows = db.execute(
        "SELECT revision_id, evaluation FROM inspection WHERE id IN (SELECT max(id)"
        " FROM inspection WHERE state = 'parsed' GROUP BY revision_id)"
    )
    return dict(rows.fetchall())


def labels_with(db: sqlite3.Connection, form_key: str, name: str) -> bool:
    """Whether a person rates with a form: has touched a subject, or is named on a sample of it."""
    row = db.execute(
        "SELECT EXISTS (SELECT 1 FROM label_status WHERE form_key = ?1 AND rater = ?2)"
        " OR EXISTS (SELECT 1 FROM sample, json_each(sample.raters) AS named"
        "  WHERE form_key = ?1 AND closed_at IS NULL AND named.value = ?2)",
        (form_key, name),
    ).fetchone()
    return bool(row[0])


def taxonomies_of(db: sqlite3.Connection, form_key: str) -> list[Taxonomy]:
    """Those of the datasets that samples or labels of a form are about, the oldest first."""
    rows = db.execute(
        "WITH subjects AS (SELECT subject_kind AS kind, CAST(subject AS INTEGER) AS id"
        "  FROM label_status WHERE form_key = ?1 UNION SELECT sample.subject_kind,"
        "  CAST(subject AS INTEGER) FROM assignment JOIN sample ON sample.id = sample_id"
        "  WHERE form_key = ?1)"
        " SELECT DISTINCT dataset.id, taxonomy_id FROM subjects"
        " LEFT JOIN prediction ON kind <> 'revision' AND prediction.id = subjects.id"
        " JOIN revision ON revision.id = coalesce(prediction.revision_id, subjects.id)"
        " JOIN item ON item.id = revision.item_id JOIN dataset ON dataset.id = item.dataset_id"
        " ORDER BY dataset.id",
        (form_key,),
    ).fetchall()
    return [taxonomies.get(db, taxonomy) for taxonomy in dict.fromkeys(row[1] for row in rows)]


def lines(db: sqlite3.Connection, form: Form, subjects: Iterable[Subject]) -> list[SubjectLine]:
    """The subjects as lines, in the order given; the question is that of the turn concerned."""
    revision = (
        "CAST(?1 AS INTEGER)"
        if form.subject_kind == "revision"
        else "(SELECT revision_id FROM prediction WHERE id = CAST(?1 AS INTEGER))"
    )
    turn = "coalesce((SELECT turn FROM prediction WHERE id = CAST(?1 AS INTEGER)), 0)"
    question = "0" if form.subject_kind == "revision" else turn
    sql = (
        "SELECT item_key, topic, task, coalesce(json_extract(content, '$.turns[' ||"
        f" {question} || '].question'), ''), item.state FROM revision"
        f" JOIN item ON item.id = item_id WHERE revision.id = {revision}"
    )
    out = []
    for subject in subjects:
        item_key, topic, task, text, state = db.execute(sql, (subject.base,)).fetchone()
        out.append(SubjectLine(subject, item_key, topic, task, text, ItemState(state)))
    return out
