"""What figures over labels need beside the work: values, automatic verdicts, names, lines."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from store.corpora import taxonomies
from store.labels.events import Subject
from store.labels.forms import Form, Value
from store.records import ItemState, Taxonomy


class SubjectLine(Struct, frozen=True):
    """A subject as a list shows it."""

    subject: Subject
    item_key: str
    topic: str
    task: str
    question: str
    item_state: ItemState


def values(db: sqlite3.Connection, form_key: str) -> dict[tuple[str, str], dict[str, Value]]:
    """What stands by subject and rater: the value of every field, of complete subjects."""
    rows = db.execute(
        "SELECT c.subject, c.rater, c.field, c.value FROM label_current AS c"
        " JOIN label_status AS s USING (form_key, subject_kind, subject, rater)"
        " WHERE c.form_key = ? AND c.aspect = 'value' AND s.status = 'complete'",
        (form_key,),
    )
    out: dict[tuple[str, str], dict[str, Value]] = {}
    for subject, rater, field, value in rows:
        out.setdefault((subject, rater), {})[field] = msgspec.json.decode(value)
    return out


def automatic(db: sqlite3.Connection) -> dict[int, int]:
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
