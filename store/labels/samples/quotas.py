"""Quotas: how many subjects of a sample each rater is given at most, and how far they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from store.errors import UsageError
from store.labels.samples.samples import Sample
from store.sharing import team

NAMED = 3
"""As many operators are named as may be asked."""


class RaterProgress(Struct, frozen=True):
    """How far a rater is with a sample, hidden repeats apart."""

    sample: str
    rater: str
    done: int
    """Subjects that they have completed or excluded."""
    most: int | None
    """Their quota; null without one."""
    last_at: str | None
    """When they labelled in it last; null for somebody who has not."""


class FullQuota(Struct, frozen=True):
    """A quota that its rater has used up: nothing more of the sample is given to them."""

    form: str
    sample: str
    most: int
    """Subjects."""
    operators: tuple[str, ...]
    """Who may raise it, in a workspace that a group shares; else none are named."""

    @property
    def statement(self) -> str:
        return f"Your quota of {self.most:,} in {self.sample} is full"

    @property
    def remedy(self) -> str:
        if not self.operators:
            return "a larger quota gives more"
        return f"ask {' or '.join(self.operators[:NAMED])} for more"

    @property
    def text(self) -> str:
        return f"{self.statement}; {self.remedy}."


def put(db: sqlite3.Connection, sample: Sample, quotas: Mapping[str, int]) -> None:
    """Replaces the quotas of a sample. Raises UsageError for one that is not positive."""
    for rater, most in quotas.items():
        if most < 1:
            raise UsageError(f"The quota of {rater} is {most}.", "Give a number above 0.")
    db.execute("DELETE FROM sample_quota WHERE sample_id = ?", (sample.id,))
    db.executemany(
        "INSERT INTO sample_quota (sample_id, rater, most) VALUES (?, ?, ?)",
        ((sample.id, rater, most) for rater, most in quotas.items()),
    )


def progress(
    db: sqlite3.Connection, form_key: str | None = None, *, sample: Sample | None = None
) -> list[RaterProgress]:
    """Everybody who is named on an open sample, has a quota or has labelled in it, by sample and
    name; of one form, or of one sample, be it open or not."""
    rows = db.execute(
        "WITH chosen AS (SELECT * FROM sample WHERE (?1 IS NULL AND closed_at IS NULL OR id = ?1)"
        "  AND (?2 IS NULL OR form_key = ?2)),"
        " done AS (SELECT sample_id, rater.value AS rater, sum(subjects) AS subjects"
        "  FROM chosen CROSS JOIN assignment_tally ON sample_id = chosen.id"
        "  CROSS JOIN json_each(done_by) AS rater WHERE subjects > 0 GROUP BY 1, 2),"
        " anybody AS (SELECT sample_id, rater FROM done"
        "  UNION SELECT sample_id, rater FROM sample_quota JOIN chosen ON chosen.id = sample_id"
        "  UNION SELECT chosen.id, named.value FROM chosen, json_each(chosen.raters) AS named)"
        " SELECT chosen.name, anybody.rater, coalesce(done.subjects, 0), most,"
        "  (SELECT max(at) FROM label_status AS status WHERE status.form_key = chosen.form_key"
        "   AND status.rater = anybody.rater AND done.subjects > 0)"
        " FROM anybody JOIN chosen ON chosen.id = anybody.sample_id"
        " LEFT JOIN done USING (sample_id, rater) LEFT JOIN sample_quota USING (sample_id, rater)"
        " ORDER BY chosen.id, anybody.rater",
        (None if sample is None else sample.id, form_key),
    )
    return [RaterProgress(*row) for row in rows]


def given(db: sqlite3.Connection, rater: str) -> dict[str, int]:
    """The quotas of a rater, by the name of the sample."""
    rows = db.execute(
        "SELECT name, most FROM sample_quota JOIN sample ON sample.id = sample_id WHERE rater = ?",
        (rater,),
    )
    return dict(rows.fetchall())


def full(
    db: sqlite3.Connection, folder: Path, rater: str, form_key: str | None = None
) -> list[FullQuota]:
    """The quotas of a rater that are full, of open samples, oldest first; of one form."""
    rows = db.execute(
        "SELECT form_key, name, most FROM named_sample AS sample"
        " JOIN sample_quota USING (rater) WHERE sample_id = sample.id"
        " AND rater_json = json_quote(?1) AND (?2 IS NULL OR form_key = ?2)"
        " AND id NOT IN (SELECT id FROM open_sample WHERE rater_json = json_quote(?1))"
        " ORDER BY id",
        (rater, form_key),
    ).fetchall()
    operators = team.operators(db, folder) if rows else ()
    return [FullQuota(form, sample, most, operators) for form, sample, most in rows]
