"""The queue: who may still be given what, in which order, and who has what before them."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from store.clock import now_seconds
from store.hashing import canonical_json
from store.labels.forms import Form, SubjectKind
from store.labels.log.events import Status, Subject

REPEAT_GAP = 20
"""Subjects that lie between a subject and its hidden repeat, unless the queue is at its end."""
LEASE_SECONDS = 900.0
"""A rater who has done nothing for so long is taken to have left."""
LONGEST_SECONDS = 2 * LEASE_SECONDS
"""A lease that ends later than this from now was taken while a clock was ahead: it holds nobody
back. The view `open_assignment` says the same."""


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


class SampleWaiting(Struct, frozen=True):
    """An open sample that a rater may label. Hidden repeats count: they are given like the rest."""

    sample: str
    kind: SubjectKind
    waiting: int
    """Subjects that the queue gives this rater, if they complete each, and nobody else labels
    meanwhile."""
    done: int
    """Subjects that this rater has completed or excluded."""


# What a rater is given

_OPEN = "rater_json = json_quote(:rater) AND now_json = json_quote(:now) AND form_key = :form"
"""What the view `open_assignment` is asked: it holds the rule who may still be given what."""

_AUTHORED = ":form LIKE 'authoring\\_%' ESCAPE '\\'"
"""Whether the form is a step of authoring, of which the items tell what is due, not the tallies."""

_TALLY = """
tally AS MATERIALIZED (
    SELECT sample.id AS sample_id, topic, task, raters_wanted, done_by, subjects,
        json_array_length(done_by) AS others, sample.id IN (SELECT sample_id FROM draw) AS drawn,
        instr(done_by, json_quote(:rater)) > 0 AS mine
    FROM named_sample AS sample CROSS JOIN assignment_tally ON sample_id = sample.id
    WHERE rater_json = json_quote(:rater) AND form_key = :form AND subjects > 0)
"""
"""What is counted of the open samples of a rater: subjects of a cell that the same raters are done
with. `others` counts these; where one is `mine` none of the subjects is given to the rater."""

_QUEUE = f"""
WITH {_TALLY},
gap AS MATERIALIZED (
    SELECT coalesce((SELECT seq FROM label_status WHERE form_key = :form AND rater = :rater
        AND status = 'complete' ORDER BY seq DESC LIMIT 1 OFFSET :gap), 0) AS seq),
begun AS MATERIALIZED (
    SELECT subject FROM label_status INDEXED BY label_status_begun
    WHERE form_key = :form AND rater = :rater AND status IN ('partial', 'postponed')),
reach AS MATERIALIZED (
    SELECT :limit + (SELECT count(*) FROM begun) + (SELECT count(*) FROM lease
        WHERE form_key = :form AND rater <> :rater AND until > :now) AS subjects),
chosen AS MATERIALIZED (
    SELECT * FROM tally WHERE (:sample IS NULL OR sample_id = (SELECT id FROM sample
            WHERE name = :sample))
        AND (:topic IS NULL OR topic = :topic) AND (:task IS NULL OR task = :task)),
cell AS MATERIALIZED (
    SELECT topic, task, sum(raters_wanted * subjects) AS wanted,
        sum(min(raters_wanted, others) * subjects) AS done
    FROM chosen GROUP BY topic, task),
likely AS MATERIALIZED (
    SELECT *, dense_rank() OVER (PARTITION BY others = 0, drawn
        ORDER BY 1.0 * cell.done / cell.wanted, topic, task) AS turn
    FROM chosen JOIN cell USING (topic, task) WHERE others < raters_wanted AND NOT mine),
candidate AS MATERIALIZED (
    SELECT subject FROM begun
    UNION SELECT CAST(revision_id AS TEXT) FROM authored WHERE form_key = :form
    UNION SELECT subject FROM open_sample AS sample
        CROSS JOIN assignment INDEXED BY assignment_repeats ON sample_id = sample.id
        WHERE rater_json = json_quote(:rater) AND form_key = :form AND repeats IS NOT NULL
        AND instr(done_by, json_quote(:rater)) = 0 AND (due_after IS NOT NULL OR EXISTS (SELECT 1
            FROM label_status AS first WHERE first.form_key = sample.form_key
            AND first.subject_kind = sample.subject_kind AND first.subject = repeats
            AND first.rater = :rater AND first.status = 'complete'))
    UNION SELECT subject FROM likely CROSS JOIN assignment AS a
        ON a.sample_id = likely.sample_id AND a.ordinal IN (SELECT ordinal
            FROM assignment AS first INDEXED BY assignment_done
            WHERE first.sample_id = likely.sample_id AND first.topic = likely.topic
            AND first.task = likely.task AND first.done_by = likely.done_by
            AND first.repeats IS NULL ORDER BY ordinal LIMIT (SELECT subjects FROM reach))
        WHERE drawn OR turn <= (SELECT subjects FROM reach)),
open AS MATERIALIZED (
    SELECT subject_kind, subject, sample_id, sample, ordinal, topic, task, repeats, first_seq,
        status, seq, (SELECT json_array_length(done_by) FROM assignment AS a
            WHERE a.sample_id = open.sample_id AND a.ordinal = open.ordinal) AS others,
        CASE WHEN sample_id IN (SELECT sample_id FROM draw) THEN ordinal END AS place
    FROM candidate CROSS JOIN open_assignment AS open USING (subject) WHERE {_OPEN} AND is_due
        AND (:sample IS NULL OR sample = :sample) AND (:topic IS NULL OR topic = :topic)
        AND (:task IS NULL OR task = :task) AND (NOT :untouched OR status IS NULL)),
ranked AS (SELECT open.*, {{turn}} AS turn FROM open)
SELECT subject_kind, subject, sample, ordinal, topic, task, status
FROM ranked CROSS JOIN gap LEFT JOIN cell USING (topic, task)
ORDER BY coalesce(status = 'postponed', 0),
    coalesce(status IN ('partial', 'complete'), 0) DESC,
    repeats IS NOT NULL AND first_seq > gap.seq,
    repeats IS NULL,
    CASE WHEN status = 'postponed' THEN ranked.seq END,
    others = 0,
    place,
    1.0 * (cell.done + turn) / cell.wanted, topic, task, others DESC, sample_id, ordinal
LIMIT :limit
"""
"""What the rater has begun comes first, so that who left resumes there, and with it what a lead has
sent back. A hidden repeat comes as soon as it is due, and so does a question whose answer is known.
Then what others have begun, so that raters overlap whenever they come: subjects with labels but
fewer than wanted, in each cell those with most labels first. Then the cell that is furthest from
its target; but a sample that was drawn by chances keeps its order, so that whoever stops early has
labelled a random part. What was postponed comes last, in the order of postponing."""

_FIRST = _QUEUE.format(turn="0")
_SEVERAL = _QUEUE.format(
    turn="row_number() OVER (PARTITION BY topic, task, coalesce(status, ''), repeats IS NULL"
    " ORDER BY others DESC, sample_id, ordinal) - 1",
)
"""Each subject counts those of its cell that come before it as done; the first needs no count."""


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
            **_asking(form_key, rater),
            "gap": gap - 1,
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
    release(db, form_key, rater)
    queued = upcoming(db, form_key, rater, filter=filter)
    if not queued:
        return None
    lease(db, form_key, queued[0].subject, rater)
    return queued[0]


def take(db: sqlite3.Connection, form_key: str, rater: str, subject: Subject) -> bool:
    """Gives a rater this subject and its lease, and ends the rater's other leases; False, and
    nothing is changed, when as many others as are wanted have it, have done it, or when it is not
    in the rater's queue. Call it inside a write transaction."""
    row = db.execute(
        f"SELECT 1 FROM open_assignment WHERE {_OPEN} AND subject_kind = :kind"
        " AND subject = :subject AND is_due LIMIT 1",
        {**_asking(form_key, rater), "kind": subject.kind, "subject": subject.id},
    ).fetchone()
    if row is None:
        return False
    release(db, form_key, rater)
    lease(db, form_key, subject, rater)
    return True


# How much waits

_BY_SAMPLE = f"""
WITH {_TALLY},
counted AS (
    SELECT sample_id, sum(subjects) FILTER (WHERE others < raters_wanted AND NOT mine
        AND NOT {_AUTHORED}) AS given, sum(subjects) FILTER (WHERE mine) AS done
    FROM tally GROUP BY sample_id),
due AS (
    SELECT sample_id, count(*) AS subjects FROM open_assignment WHERE {_OPEN} AND {_AUTHORED}
    GROUP BY sample_id),
held AS (
    SELECT sample_id, count(DISTINCT subject) AS subjects FROM lease CROSS JOIN assignment AS a
        USING (subject) JOIN sample ON sample.id = sample_id
        AND sample.form_key = lease.form_key AND sample.subject_kind = lease.subject_kind
    WHERE lease.form_key = :form AND rater <> :rater AND repeats IS NULL AND NOT {_AUTHORED}
        AND json_array_length(done_by) < raters_wanted AND instr(done_by, json_quote(:rater)) = 0
        AND NOT EXISTS (SELECT 1 FROM open_assignment AS open WHERE {_OPEN}
            AND open.sample_id = a.sample_id AND open.subject = a.subject)
    GROUP BY sample_id),
repeated AS (
    SELECT sample_id, count(*) AS subjects FROM open_assignment AS open
    LEFT JOIN counted USING (sample_id) LEFT JOIN held USING (sample_id)
    WHERE {_OPEN} AND repeats IS NOT NULL AND CASE WHEN due_after IS NULL THEN
            is_due OR EXISTS (SELECT 1 FROM open_assignment AS first
                WHERE first.rater_json = open.rater_json AND first.now_json = open.now_json
                AND first.sample_id = open.sample_id AND first.subject = open.repeats)
        ELSE due_after <= coalesce(given, 0) + coalesce(done, 0) - coalesce(held.subjects, 0)
            AND due_after < coalesce((SELECT most FROM sample_quota AS quota
            WHERE quota.sample_id = open.sample_id AND quota.rater = :rater), due_after + 1) END
    GROUP BY sample_id),
again AS (
    SELECT sample_id, count(*) AS subjects FROM named_sample AS sample
    CROSS JOIN assignment INDEXED BY assignment_repeats ON sample_id = sample.id
    WHERE rater_json = json_quote(:rater) AND form_key = :form AND repeats IS NOT NULL
        AND instr(done_by, json_quote(:rater)) > 0
    GROUP BY sample_id)
SELECT name, subject_kind,
    min(coalesce(counted.given, 0) + coalesce(due.subjects, 0) - coalesce(held.subjects, 0),
        coalesce(max((SELECT most FROM sample_quota AS quota WHERE quota.sample_id = sample.id
            AND quota.rater = sample.rater) - coalesce(counted.done, 0), 0), :most))
        + coalesce(repeated.subjects, 0),
    coalesce(counted.done, 0) + coalesce(again.subjects, 0)
FROM named_sample AS sample LEFT JOIN counted ON counted.sample_id = sample.id
LEFT JOIN due ON due.sample_id = sample.id LEFT JOIN held ON held.sample_id = sample.id
LEFT JOIN repeated ON repeated.sample_id = sample.id
LEFT JOIN again ON again.sample_id = sample.id
WHERE rater_json = json_quote(:rater) AND form_key = :form ORDER BY sample.id
"""
"""What nobody holds is counted from the tallies, up to the rater's quota; what others hold is left
out by the rule itself. A hidden repeat that is not due follows its first, where the rater may be
given that; a question whose answer is known comes where the rater gets as far as that."""

_WHOLE_QUEUE = f"""
SELECT count(DISTINCT subject) FROM open_assignment AS open WHERE {_OPEN}
    AND (is_due OR due_after IS NULL AND EXISTS (SELECT 1 FROM open_assignment AS first
        WHERE first.rater_json = open.rater_json AND first.now_json = open.now_json
        AND first.form_key = open.form_key AND first.subject = open.repeats)
    OR due_after < coalesce((SELECT most FROM sample_quota AS quota
            WHERE quota.sample_id = open.sample_id AND quota.rater = :rater), due_after + 1)
        AND due_after <= (SELECT coalesce(sum(subjects) FILTER (WHERE
            instr(done_by, json_quote(:rater)) > 0), 0) FROM assignment_tally AS tally
            WHERE tally.sample_id = open.sample_id)
        + (SELECT count(*) FROM open_assignment AS rest WHERE rest.rater_json = open.rater_json
            AND rest.now_json = open.now_json AND rest.form_key = open.form_key
            AND rest.sample_id = open.sample_id AND rest.repeats IS NULL))
"""
"""A repeat of one sample may follow its first as another sample gives it."""


def open_among(
    db: sqlite3.Connection, form_key: str, rater: str, subjects: Iterable[Subject]
) -> set[Subject]:
    """Those of some subjects that a rater may still be given; no hidden repeats."""
    rows = db.execute(
        f"SELECT subject_kind, subject FROM open_assignment WHERE {_OPEN} AND repeats IS NULL"
        " AND subject IN (SELECT value FROM json_each(:subjects))",
        {
            **_asking(form_key, rater),
            "subjects": canonical_json(sorted({one.id for one in subjects})).decode(),
        },
    )
    return {Subject(kind, subject) for kind, subject in rows}


def by_sample(db: sqlite3.Connection, form_key: str, rater: str) -> list[SampleWaiting]:
    """The open samples of a form that a rater may label, oldest first."""
    rows = db.execute(_BY_SAMPLE, _asking(form_key, rater))
    return [SampleWaiting(*row) for row in rows]


def whole_queue(db: sqlite3.Connection, form_key: str, rater: str) -> int:
    """Subjects that wait for a rater in all samples of a form; one that is in two is given once."""
    (count,) = db.execute(_WHOLE_QUEUE, _asking(form_key, rater)).fetchone()
    return int(count)


def together(
    db: sqlite3.Connection, form_key: str, rater: str, samples: Sequence[SampleWaiting]
) -> tuple[int, int]:
    """What waits for a rater, and what they have done, as (waiting, done): in all samples of a
    form that `by_sample` gives, or in one of them."""
    bound = sum(sample.waiting for sample in samples)
    waiting = bound if len(samples) == 1 else min(whole_queue(db, form_key, rater), bound)
    return waiting, sum(sample.done for sample in samples)


def others_at_work(db: sqlite3.Connection, rater: str) -> tuple[tuple[str, str, str, float], ...]:
    """The leases of others that run, each with its end in seconds since the epoch: what waits for
    a rater changes when one is taken, ends or runs out."""
    rows = db.execute(
        "SELECT form_key, subject, rater, until FROM lease WHERE rater <> ?1 AND until > ?2"
        " AND until <= ?2 + ?3 ORDER BY 1, 2, 3",
        (rater, now_seconds(), LONGEST_SECONDS),
    )
    return tuple(rows.fetchall())


def _asking(form_key: str, rater: str) -> dict[str, object]:
    return {"form": form_key, "rater": rater, "now": now_seconds(), "most": sys.maxsize}


# Leases: who has a subject before them, so that no second rater is given it meanwhile


def lease(
    db: sqlite3.Connection,
    form_key: str,
    subject: Subject,
    rater: str,
    seconds: float = LEASE_SECONDS,
) -> None:
    """Takes or renews the rater's lease. One that has expired holds nobody back; it stays until
    its rater takes another, because it says where they left off."""
    db.execute(
        "INSERT INTO lease (form_key, subject_kind, subject, rater, until, number)"
        " VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM lease))"
        " ON CONFLICT DO UPDATE SET until = excluded.until, number = excluded.number",
        (form_key, subject.kind, subject.id, rater, now_seconds() + seconds),
    )


def release(db: sqlite3.Connection, form_key: str, rater: str) -> None:
    """Ends all leases of a rater on a form: before the next is taken, and at the queue's end."""
    db.execute("DELETE FROM lease WHERE form_key = ? AND rater = ?", (form_key, rater))


def last_leased(db: sqlite3.Connection, form_key: str, rater: str) -> Subject | None:
    """What a rater had before them last, whether the lease still runs or not."""
    row = db.execute(
        "SELECT subject_kind, subject FROM lease WHERE form_key = ? AND rater = ?"
        " ORDER BY number DESC LIMIT 1",
        (form_key, rater),
    ).fetchone()
    return None if row is None else Subject(*row)


def last_form(db: sqlite3.Connection, rater: str) -> str | None:
    """Key of the form that a rater was at last; None for someone who has labelled nothing."""
    row = db.execute(
        "SELECT form_key FROM lease WHERE rater = ? ORDER BY number DESC LIMIT 1", (rater,)
    ).fetchone()
    return None if row is None else str(row[0])


# What a rater may go through again


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
    return [(Subject(kind, subject), held) for kind, subject, held in rows]


Listing = Literal["partial", "postponed", "complete", "excluded", "flagged", "uncorrected"]
"""What a rater may go through again; `uncorrected`: scored as in need of a correction that is not
given."""


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
