"""How far the work with a form is: cells towards their targets, and a rater's day."""

from __future__ import annotations

import sqlite3
from statistics import median

from msgspec import Struct

from store.labels.log.events import Subject

PACE_SUBJECTS = 200
"""A rater's pace is that of so many subjects."""


class CellLabels(Struct, frozen=True):
    """Labels of a cell; hidden repeats do not count."""

    topic: str
    task: str
    subjects: int
    wanted: int
    """Subjects times raters wanted: the target."""
    done: int
    """Labels towards the target; more raters than wanted on a subject count no further."""
    by_rater: int
    """Subjects that this rater has done."""

    @property
    def is_full(self) -> bool:
        return self.done >= self.wanted


def cell_progress(
    db: sqlite3.Connection, form_key: str, rater: str = "", *, sample: str | None = None
) -> list[CellLabels]:
    """Every cell of the form's open samples with its target and what is done, by topic and task."""
    rows = db.execute(
        "SELECT topic, task, sum(subjects), sum(raters_wanted * subjects),"
        " sum(min(raters_wanted, json_array_length(done_by)) * subjects),"
        " sum((instr(done_by, json_quote(:rater)) > 0) * subjects)"
        " FROM sample JOIN assignment_tally ON sample_id = sample.id"
        " WHERE form_key = :form AND closed_at IS NULL AND subjects > 0"
        " AND (:sample IS NULL OR name = :sample)"
        " GROUP BY topic, task ORDER BY topic, task",
        {"form": form_key, "rater": rater, "sample": sample},
    )
    return [CellLabels(*row) for row in rows]


def signature(db: sqlite3.Connection) -> tuple[int, int, int]:
    """Numbers that change when somebody labels, and when something is drawn or closed."""
    row = db.execute(
        "SELECT (SELECT coalesce(max(seq), 0) FROM label_event),"
        " (SELECT coalesce(sum(subjects), 0) FROM assignment_tally),"
        " (SELECT count(*) FROM sample WHERE closed_at IS NULL)"
    ).fetchone()
    return (row[0], row[1], row[2])


def cell_of(db: sqlite3.Connection, form_key: str, subject: Subject) -> tuple[str, str] | None:
    """Topic and task under which a subject was sampled; None for one that was not."""
    row = db.execute(
        "SELECT a.topic, a.task FROM assignment AS a JOIN sample ON sample.id = a.sample_id"
        " WHERE a.subject = ? AND sample.form_key = ? AND sample.subject_kind = ?"
        " ORDER BY sample_id LIMIT 1",
        (subject.id, form_key, subject.kind),
    ).fetchone()
    return None if row is None else (row[0], row[1])


def done_since(db: sqlite3.Connection, form_key: str, rater: str, since: str) -> int:
    """Subjects that a rater has completed or excluded since a time (UTC text), hidden repeats
    included; give the start of the rater's day for the day's count."""
    (count,) = db.execute(
        "SELECT count(*) FROM label_done WHERE form_key = ? AND rater = ? AND at >= ?",
        (form_key, rater, since),
    ).fetchone()
    return int(count)


def median_seconds(db: sqlite3.Connection, form_key: str, rater: str) -> float | None:
    """The median active time of the subjects that a rater completed last, PACE_SUBJECTS at most, in
    seconds; None when none was measured. Pauses count at most IDLE_CUT_MS each."""
    rows = db.execute(
        "SELECT sum(active_ms) / 1000.0 FROM (SELECT * FROM label_status WHERE form_key = ?1"
        "  AND rater = ?2 AND status = 'complete' ORDER BY seq DESC LIMIT ?3) AS s"
        " CROSS JOIN label_event AS e ON e.subject_kind = s.subject_kind"
        " AND e.subject = s.subject AND e.rater = s.rater"
        " JOIN form ON form.id = e.form_id AND form.key = s.form_key"
        " GROUP BY s.subject_kind, s.subject HAVING sum(active_ms) > 0",
        (form_key, rater, PACE_SUBJECTS),
    )
    times = [seconds for (seconds,) in rows]
    return median(times) if times else None
