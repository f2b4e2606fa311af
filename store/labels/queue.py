"""The queue: what a rater is given next, and how far the cells are towards their targets."""

from __future__ import annotations

import sqlite3
from statistics import median
from typing import Literal

import msgspec
from msgspec import Struct

from store.clock import now_seconds
from store.hashing import canonical_json
from store.labels import leases
from store.labels.events import Status, Subject
from store.labels.forms import Form

REPEAT_GAP = 20
"""Subjects that lie between a subject and its hidden repeat, unless the queue is at its end."""


class Filter(Struct, frozen=True, omit_defaults=True):
    """Which part of the queue is wanted; null for all."""

    sample: str | None = None
    topic: str | None = None
    task: str | None = None
    untouched_only: bool = False


class Queued(Struct, frozen=True):
    subject: Subject
    sample: str
    ordinal: int
    topic: str
    task: str
    status: Status | None
    """How far this rater is with it; null when untouched. Nothing is said of other raters."""


class CellProgress(Struct, frozen=True):
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


_OTHERS = (
    "(SELECT count(*) FROM label_status AS s WHERE s.form_key = :form AND s.subject_kind ="
    " sample.subject_kind AND s.subject = a.subject AND s.rater <> :rater"
    " AND s.status IN ('complete', 'excluded'))"
)

_QUEUE = """
WITH mine AS MATERIALIZED (
    SELECT subject_kind, subject, status, seq FROM label_status
    WHERE form_key = :form AND rater = :rater),
gap AS MATERIALIZED (
    SELECT coalesce((SELECT seq FROM mine WHERE status = 'complete' ORDER BY seq DESC
        LIMIT 1 OFFSET :gap), 0) AS seq),
place AS MATERIALIZED (
    SELECT a.subject, sample.subject_kind, sample.name, a.sample_id, a.ordinal, a.topic, a.task,
        a.raters_wanted, a.repeats, mine.status, mine.seq, {others} AS others
    FROM assignment AS a JOIN sample ON sample.id = a.sample_id
    LEFT JOIN mine ON mine.subject_kind = sample.subject_kind AND mine.subject = a.subject
    WHERE sample.form_key = :form AND closed_at IS NULL
        AND (raters = '[]' OR EXISTS (SELECT 1 FROM json_each(raters) WHERE value = :rater))
        AND (:sample IS NULL OR sample.name = :sample)),
cell AS MATERIALIZED (
    SELECT topic, task, sum(raters_wanted) AS wanted, sum(min(raters_wanted, others + coalesce(
        status IN ('complete', 'excluded'), 0))) AS done
    FROM place WHERE repeats IS NULL GROUP BY topic, task),
open AS (
    SELECT place.*, first.seq AS first_seq FROM place
    LEFT JOIN mine AS first ON first.subject_kind = place.subject_kind
        AND first.subject = place.repeats
    WHERE coalesce(place.status, '') NOT IN ('complete', 'excluded')
        AND (place.repeats IS NULL OR first.status = 'complete')
        AND (place.repeats IS NOT NULL OR place.others + (SELECT count(*) FROM lease
            WHERE lease.form_key = :form AND lease.subject_kind = place.subject_kind
            AND lease.subject = place.subject AND lease.rater <> :rater AND until > :now
            AND NOT EXISTS (SELECT 1 FROM label_status AS s WHERE s.form_key = :form
                AND s.subject_kind = lease.subject_kind AND s.subject = lease.subject
                AND s.rater = lease.rater AND s.status IN ('complete', 'excluded')))
            < place.raters_wanted)
        AND (:topic IS NULL OR place.topic = :topic) AND (:task IS NULL OR place.task = :task)
        AND (NOT :untouched OR place.status IS NULL)),
ranked AS (SELECT open.*, {turn} AS turn FROM open)
SELECT subject_kind, subject, name, ordinal, topic, task, status
FROM ranked CROSS JOIN gap LEFT JOIN cell USING (topic, task)
ORDER BY coalesce(status = 'postponed', 0),
    coalesce(status = 'partial', 0) DESC,
    repeats IS NOT NULL AND first_seq > gap.seq,
    repeats IS NULL,
    CASE WHEN status = 'postponed' THEN ranked.seq END,
    1.0 * (cell.done + turn) / cell.wanted, topic, task, others, sample_id, ordinal
LIMIT :limit
"""
"""What is begun comes first, so that a rater who left resumes there. A hidden repeat comes as soon
as it is due. Then the cell that is furthest from its target, in it what fewest have labelled.
What was postponed comes last, in the order of postponing."""

_FIRST = _QUEUE.format(others=_OTHERS, turn="0")
_SEVERAL = _QUEUE.format(
    others=_OTHERS,
    turn="row_number() OVER (PARTITION BY topic, task, coalesce(status, ''), repeats IS NULL"
    " ORDER BY others, sample_id, ordinal) - 1",
)
"""Each subject counts those of its cell that come before it as done; the first needs no count."""


_IS_FREE = f"""
SELECT 1 FROM assignment AS a JOIN sample ON sample.id = a.sample_id
WHERE sample.form_key = :form AND sample.subject_kind = :kind AND a.subject = :subject
    AND closed_at IS NULL
    AND (raters = '[]' OR EXISTS (SELECT 1 FROM json_each(raters) WHERE value = :rater))
    AND NOT EXISTS (SELECT 1 FROM label_status AS mine WHERE mine.form_key = :form
        AND mine.subject_kind = :kind AND mine.subject = :subject AND mine.rater = :rater
        AND mine.status IN ('complete', 'excluded'))
    AND (a.repeats IS NOT NULL OR {_OTHERS} + (SELECT count(*) FROM lease
        WHERE lease.form_key = :form AND lease.subject_kind = :kind
        AND lease.subject = :subject AND lease.rater <> :rater AND until > :now
        AND NOT EXISTS (SELECT 1 FROM label_status AS s WHERE s.form_key = :form
            AND s.subject_kind = lease.subject_kind AND s.subject = lease.subject
            AND s.rater = lease.rater AND s.status IN ('complete', 'excluded')))
        < a.raters_wanted)
LIMIT 1
"""


def upcoming(
    db: sqlite3.Connection,
    form_key: str,
    rater: str,
    *,
    limit: int = 1,
    filter: Filter | None = None,
    gap: int = REPEAT_GAP,
) -> list[Queued]:
    """The next subjects of a rater, in the order in which they will be given if nobody else
    labels meanwhile and no hidden repeat comes due.

    Deterministic. Subjects that as many raters have done or hold a lease on as are wanted are left
    out. How far a subject is with others is not told.
    """
    chosen = filter or Filter()
    rows = db.execute(
        _FIRST if limit == 1 else _SEVERAL,
        {
            "form": form_key,
            "rater": rater,
            "gap": gap - 1,
            "now": now_seconds(),
            "sample": chosen.sample,
            "topic": chosen.topic,
            "task": chosen.task,
            "untouched": chosen.untouched_only,
            "limit": limit,
        },
    )
    return [
        Queued(Subject(kind, subject), sample, ordinal, topic, task, status)
        for kind, subject, sample, ordinal, topic, task, status in rows
    ]


def next_subject(
    db: sqlite3.Connection, form_key: str, rater: str, *, filter: Filter | None = None
) -> Queued | None:
    """Gives a rater the next subject and its lease, and ends the rater's other leases; None at the
    end of the queue. Call it inside a write transaction, so that two raters are not given one."""
    leases.release(db, form_key, rater)
    found = upcoming(db, form_key, rater, filter=filter)
    if not found:
        return None
    leases.take(db, form_key, found[0].subject, rater)
    return found[0]


def take(db: sqlite3.Connection, form_key: str, rater: str, subject: Subject) -> bool:
    """Gives a rater this subject and its lease, and ends the rater's other leases; False, and
    nothing is changed, when as many others as are wanted have it, have done it, or when it is not
    in the rater's queue. Call it inside a write transaction."""
    row = db.execute(
        _IS_FREE,
        {
            "form": form_key,
            "rater": rater,
            "now": now_seconds(),
            "kind": subject.kind,
            "subject": subject.id,
        },
    ).fetchone()
    if row is None:
        return False
    leases.release(db, form_key, rater)
    leases.take(db, form_key, subject, rater)
    return True


def cell_progress(
    db: sqlite3.Connection, form_key: str, rater: str = "", *, sample: str | None = None
) -> list[CellProgress]:
    """Every cell of the form's samples with its target and what is done, by topic and task."""
    rows = db.execute(
        "SELECT a.topic, a.task, count(*), sum(raters_wanted),"
        f" sum(min(raters_wanted, {_OTHERS} + (mine.rater IS NOT NULL))), count(mine.rater)"
        " FROM assignment AS a JOIN sample ON sample.id = sample_id"
        " LEFT JOIN label_status AS mine ON mine.form_key = :form AND mine.subject_kind ="
        "   sample.subject_kind AND mine.subject = a.subject AND mine.rater = :rater"
        "   AND mine.status IN ('complete', 'excluded')"
        " WHERE sample.form_key = :form AND closed_at IS NULL AND repeats IS NULL"
        " AND (:sample IS NULL OR sample.name = :sample)"
        " GROUP BY a.topic, a.task ORDER BY a.topic, a.task",
        {"form": form_key, "rater": rater, "sample": sample},
    )
    return [CellProgress(*row) for row in rows]


def signature(db: sqlite3.Connection) -> tuple[int, int, int]:
    """Numbers that change when somebody judges, and when something is drawn or closed."""
    row = db.execute(
        "SELECT (SELECT coalesce(max(seq), 0) FROM label_event), (SELECT count(*) FROM assignment),"
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
        "SELECT count(*) FROM label_status WHERE form_key = ? AND rater = ?"
        " AND status IN ('complete', 'excluded') AND at >= ?",
        (form_key, rater, since),
    ).fetchone()
    return int(count)


def median_seconds(db: sqlite3.Connection, form_key: str, rater: str) -> float | None:
    """The median active time of a rater's complete subjects, in seconds; None when none was
    measured. Pauses count at most IDLE_CUT_MS each."""
    rows = db.execute(
        "SELECT sum(active_ms) / 1000.0 FROM label_status AS s JOIN label_event AS e"
        " ON e.subject_kind = s.subject_kind AND e.subject = s.subject AND e.rater = s.rater"
        " JOIN form ON form.id = e.form_id AND form.key = s.form_key"
        " WHERE s.form_key = ? AND s.rater = ? AND status = 'complete'"
        " GROUP BY s.subject_kind, s.subject HAVING sum(active_ms) > 0",
        (form_key, rater),
    )
    times = [seconds for (seconds,) in rows]
    return median(times) if times else None


def touched(
    db: sqlite3.Connection,
    form_key: str,
    rater: str,
    *,
    status: Status | None = None,
    limit: int = 1000,
) -> list[tuple[Subject, Status]]:
    """What a rater has touched, latest first: the way back, and the lists of postponed and excluded
    subjects."""
    rows = db.execute(
        "SELECT subject_kind, subject, status FROM label_status WHERE form_key = ?1 AND rater = ?2"
        " AND (?3 IS NULL OR status = ?3) ORDER BY seq DESC LIMIT ?4",
        (form_key, rater, status, limit),
    )
    return [(Subject(kind, subject), found) for kind, subject, found in rows]


def flagged(db: sqlite3.Connection, form_key: str, rater: str) -> list[Subject]:
    """Subjects that a rater has flagged, latest first."""
    rows = db.execute(
        "SELECT DISTINCT subject_kind, subject FROM label_current WHERE form_key = ?"
        " AND rater = ? AND aspect = 'flag' ORDER BY seq DESC",
        (form_key, rater),
    )
    return [Subject(kind, subject) for kind, subject in rows]


Listing = Literal["partial", "postponed", "complete", "excluded", "flagged", "uncorrected"]
"""What a rater may go through again; `uncorrected`: judged to need a correction, and none given."""


def listed(
    db: sqlite3.Connection,
    form: Form,
    rater: str,
    listing: Listing,
    *,
    topic: str | None = None,
    task: str | None = None,
    limit: int = 1000,
) -> list[Subject]:
    """The subjects of a rater's listing, latest first; of a topic or task, where they are sampled
    there."""
    rows = db.execute(
        f"SELECT subject_kind, subject FROM ({_LISTINGS[listing]}) AS found"
        " WHERE (:topic IS NULL AND :task IS NULL OR EXISTS (SELECT 1 FROM assignment AS a"
        "   JOIN sample ON sample.id = a.sample_id WHERE a.subject = found.subject"
        "   AND sample.form_key = :form AND sample.subject_kind = found.subject_kind"
        "   AND (:topic IS NULL OR a.topic = :topic) AND (:task IS NULL OR a.task = :task)))"
        " ORDER BY seq DESC LIMIT :limit",
        {
            "form": form.key,
            "rater": rater,
            "status": listing,
            "topic": topic,
            "task": task,
            "limit": limit,
            **_correcting(form),
        },
    )
    return [Subject(kind, subject) for kind, subject in rows]


_LISTINGS: dict[str, str] = dict.fromkeys(
    ("partial", "postponed", "complete", "excluded"),
    "SELECT subject_kind, subject, seq FROM label_status"
    " WHERE form_key = :form AND rater = :rater AND status = :status",
)
_LISTINGS["flagged"] = (
    "SELECT subject_kind, subject, max(seq) AS seq FROM label_current WHERE form_key = :form"
    " AND rater = :rater AND aspect = 'flag' GROUP BY 1, 2"
)
_LISTINGS["uncorrected"] = (
    "SELECT subject_kind, subject, seq FROM label_current AS verdict WHERE form_key = :form"
    " AND rater = :rater AND aspect = 'value' AND field = :decides"
    " AND value IN (SELECT value FROM json_each(:correct))"
    " AND NOT EXISTS (SELECT 1 FROM label_current AS text WHERE text.form_key = :form"
    "   AND text.subject_kind = verdict.subject_kind AND text.subject = verdict.subject"
    "   AND text.rater = :rater AND text.aspect = 'value' AND text.field = :correction)"
)


def _correcting(form: Form) -> dict[str, str]:
    decision = form.decision
    if decision is None:
        return {"decides": "", "correct": "[]", "correction": ""}
    # labels hold their values as JSON texts
    correct = [canonical_json(value).decode() for value in decision.correct]
    return {
        "decides": decision.field,
        "correct": canonical_json(correct).decode(),
        "correction": decision.correction,
    }


def comments(db: sqlite3.Connection, form_key: str, subject: Subject) -> dict[tuple[str, str], str]:
    """All comments on a subject by rater and field, for adjudicators and exports."""
    rows = db.execute(
        "SELECT rater, field, value FROM label_current WHERE form_key = ? AND subject_kind = ?"
        " AND subject = ? AND aspect = 'comment' ORDER BY rater, field",
        (form_key, subject.kind, subject.id),
    )
    return {(rater, field): msgspec.json.decode(value, type=str) for rater, field, value in rows}
