"""What waits for one rater: how much of each sample the queue still gives them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from msgspec import Struct

from store.clock import now_seconds
from store.labels.forms import SubjectKind


class SampleWaiting(Struct, frozen=True):
    """An open sample that a rater may label. Hidden repeats count: they are given like the rest."""

    sample: str
    kind: SubjectKind
    waiting: int
    """Subjects that the queue gives this rater, if they complete each, and nobody else labels
    meanwhile."""
    done: int
    """Subjects that this rater has completed or excluded."""


_DONE = "s.status IN ('complete', 'excluded')"

_COMPLETED = (
    "EXISTS (SELECT 1 FROM label_status AS s WHERE s.form_key = :form AND s.subject_kind ="
    " mine.subject_kind AND s.subject = a.repeats AND s.rater = :rater AND s.status = 'complete')"
)

_SHUT = f"""
WITH mine AS MATERIALIZED (
    SELECT id, name, subject_kind FROM sample WHERE form_key = :form AND closed_at IS NULL
        AND (raters = '[]' OR EXISTS (SELECT 1 FROM json_each(raters) WHERE value = :rater))),
settled AS MATERIALIZED (
    SELECT subject, max(rater = :rater) AS mine, sum(rater <> :rater) AS others
    FROM label_status AS s WHERE form_key = :form AND {_DONE}
    GROUP BY subject_kind, subject
    HAVING mine OR others >= (SELECT min(raters_wanted) FROM assignment)),
held AS MATERIALIZED (
    SELECT subject, count(*) AS raters,
        (SELECT count(*) FROM label_status AS s WHERE s.form_key = :form
            AND s.subject_kind = lease.subject_kind AND s.subject = lease.subject
            AND s.rater <> :rater AND {_DONE}) AS others
    FROM lease WHERE form_key = :form AND rater <> :rater AND until > :now
        AND NOT EXISTS (SELECT 1 FROM label_status AS s WHERE s.form_key = :form
            AND s.subject_kind = lease.subject_kind AND s.subject = lease.subject
            AND s.rater IN (lease.rater, :rater) AND {_DONE})
    GROUP BY subject_kind, subject),
shut AS MATERIALIZED (
    SELECT sample_id, sample_id || ' ' || a.subject AS place, repeats, mine
    FROM settled CROSS JOIN assignment AS a ON a.subject = settled.subject
    WHERE mine OR repeats IS NULL AND others >= raters_wanted
    UNION ALL
    SELECT sample_id, sample_id || ' ' || a.subject, repeats, 0
    FROM held CROSS JOIN assignment AS a ON a.subject = held.subject
    WHERE repeats IS NULL AND others < raters_wanted
        AND others + held.raters >= raters_wanted),
again AS MATERIALIZED (
    SELECT sample_id, a.subject FROM mine CROSS JOIN assignment AS a ON a.sample_id = mine.id
    WHERE repeats IS NOT NULL
        AND sample_id || ' ' || a.subject NOT IN (SELECT place FROM shut)
        AND (sample_id || ' ' || repeats NOT IN (SELECT place FROM shut)
            OR {_COMPLETED}))
"""
"""The rule of `label_queue.upcoming`, by what it leaves out, which is less than what it gives.
`shut`: subjects that a rater has done, or that as many others as are wanted have done or hold a
lease on. `again`: hidden repeats that the rater has not done; each follows its first, if the rater
completes that. `settled` leaves out at once what too few others have done."""

_BY_SAMPLE = (
    _SHUT
    + """
SELECT name, subject_kind,
    (SELECT count(*) FROM assignment WHERE sample_id = mine.id AND repeats IS NULL)
    - (SELECT count(*) FROM shut WHERE sample_id = mine.id AND repeats IS NULL)
    + (SELECT count(*) FROM again WHERE sample_id = mine.id),
    (SELECT coalesce(sum(mine), 0) FROM shut WHERE sample_id = mine.id)
FROM mine ORDER BY mine.id
"""
)

_WHOLE_QUEUE = (
    _SHUT
    + f""", free AS MATERIALIZED (
    SELECT DISTINCT a.subject FROM mine CROSS JOIN assignment AS a ON a.sample_id = mine.id
    WHERE repeats IS NULL AND sample_id || ' ' || a.subject NOT IN (SELECT place FROM shut))
SELECT (SELECT count(*) FROM free)
    + (SELECT count(DISTINCT a.subject) FROM mine CROSS JOIN assignment AS a ON sample_id = mine.id
        WHERE repeats IS NOT NULL
            AND sample_id || ' ' || a.subject NOT IN (SELECT place FROM shut)
            AND (repeats IN (SELECT subject FROM free) OR {_COMPLETED}))
"""
)
"""A repeat of one sample may follow its first as another sample gives it."""


def by_sample(db: sqlite3.Connection, form_key: str, rater: str) -> list[SampleWaiting]:
    """The open samples of a form that a rater may label, oldest first.

    Its cost grows with what has been labelled with the form.
    """
    rows = db.execute(_BY_SAMPLE, _of(form_key, rater))
    return [SampleWaiting(*row) for row in rows]


def whole_queue(db: sqlite3.Connection, form_key: str, rater: str) -> int:
    """Subjects that wait for a rater in all samples of a form; one that is in two is given once."""
    (count,) = db.execute(_WHOLE_QUEUE, _of(form_key, rater)).fetchone()
    return int(count)


def together(
    db: sqlite3.Connection, form_key: str, rater: str, samples: Sequence[SampleWaiting]
) -> tuple[int, int]:
    """What waits for a rater, and what they have done, as (waiting, done): in all samples of a
    form that `by_sample` gives, or in one of them."""
    waiting = samples[0].waiting if len(samples) == 1 else whole_queue(db, form_key, rater)
    return waiting, sum(one.done for one in samples)


def others_at_work(db: sqlite3.Connection, rater: str) -> tuple[tuple[str, str, str, float], ...]:
    """The leases of others that run, each with its end in seconds since the epoch: what waits for
    a rater changes when one is taken, ends or runs out."""
    rows = db.execute(
        "SELECT form_key, subject, rater, until FROM lease WHERE rater <> ? AND until > ?"
        " ORDER BY 1, 2, 3",
        (rater, now_seconds()),
    )
    return tuple(rows.fetchall())


def _of(form_key: str, rater: str) -> dict[str, object]:
    return {"form": form_key, "rater": rater, "now": now_seconds()}
