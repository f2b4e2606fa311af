"""Archives runs, datasets and corpora as a whole, and restores them.

What is made of an archived thing is out of sight with it: the runs over an archived dataset, the
datasets on an archived corpus. That is derived, so bringing it back brings all of them back.
"""

from __future__ import annotations

import sqlite3
from typing import Literal

from msgspec import Struct

from store.clock import now_text
from store.errors import Conflict, NotFound
from store.messages import choices

Kind = Literal["run", "dataset", "corpus"]

CORPUS_SHOWN = "corpus.archived_at IS NULL"
"""The condition, on a row of `corpus`, under which lists show it; so for the two below."""
DATASET_SHOWN = (
    "dataset.archived_at IS NULL AND dataset.corpus_id IN"
    " (SELECT corpus.id FROM corpus WHERE corpus.archived_at IS NULL)"
)
RUN_SHOWN = (
    "run.archived_at IS NULL AND run.release_id IN (SELECT release.id FROM release"
    f" JOIN dataset ON dataset.id = release.dataset_id WHERE {DATASET_SHOWN})"
)


class Thing(Struct, frozen=True):
    """A run, dataset or corpus, archived or not."""

    kind: Kind
    id: int
    name: str
    archived_at: str | None

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}"


class JobLine(Struct, frozen=True):
    """A job with the thing that it works on."""

    id: int
    kind: str
    title: str
    state: str


def find(db: sqlite3.Connection, kind: Kind, name: str) -> Thing:
    """The thing of that name (a run's number will do), archived or not. Raises NotFound."""
    also = " OR CAST(id AS TEXT) = ?1" if kind == "run" else ""
    row = db.execute(
        f"SELECT id, name, archived_at FROM {kind} WHERE name = ?1{also}", (name,)
    ).fetchone()
    if row is None:
        known = [name for (name,) in db.execute(f"SELECT name FROM {kind} ORDER BY name")]
        kinds = PLURAL[kind].capitalize()
        label = f"{kinds}, archived ones too"
        is_release = kind == "dataset" and "@" in name
        hint = "A release goes with its dataset, never alone. " if is_release else ""
        here = choices(name, known, label, none="none")
        raise NotFound(f"There is no {kind} {name!r}.", hint + here)
    return Thing(kind, *row)


def things(db: sqlite3.Connection) -> list[Thing]:
    """All runs, datasets and corpora, archived or not; of each kind the newest first."""
    kinds: tuple[Kind, ...] = ("run", "dataset", "corpus")
    return [
        Thing(kind, *row)
        for kind in kinds
        for row in db.execute(f"SELECT id, name, archived_at FROM {kind} ORDER BY id DESC")
    ]


PLURAL = {"run": "runs", "dataset": "datasets", "corpus": "corpora"}

_ABOVE: dict[Kind, str] = {
    "corpus": "SELECT 'corpus', id, name, archived_at FROM corpus WHERE id = ?1",
    "dataset": "SELECT 'dataset', id, name, archived_at FROM dataset WHERE id = ?1 UNION ALL"
    " SELECT 'corpus', corpus.id, corpus.name, corpus.archived_at FROM dataset"
    " JOIN corpus ON corpus.id = corpus_id WHERE dataset.id = ?1",
    "run": "SELECT 'run', id, name, archived_at FROM run WHERE id = ?1 UNION ALL"
    " SELECT 'dataset', dataset.id, dataset.name, dataset.archived_at FROM run"
    " JOIN release ON release.id = release_id JOIN dataset ON dataset.id = dataset_id"
    " WHERE run.id = ?1 UNION ALL"
    " SELECT 'corpus', corpus.id, corpus.name, corpus.archived_at FROM run"
    " JOIN release ON release.id = release_id JOIN dataset ON dataset.id = dataset_id"
    " JOIN corpus ON corpus.id = corpus_id WHERE run.id = ?1",
}


def hidden_by(db: sqlite3.Connection, kind: Kind, number: int) -> Thing | None:
    """The archived thing that hides this one: itself, or the one that it was made from."""
    for row in db.execute(_ABOVE[kind], (number,)):
        thing = Thing(*row)
        if thing.archived_at is not None:
            return thing
    return None


def refuse_archived(db: sqlite3.Connection, kind: Kind, number: int, name: str) -> None:
    """Raises Conflict, with the way to restore it, for an archived thing."""
    above = hidden_by(db, kind, number)
    if above is not None:
        with_it = "" if above.kind == kind else f" with its {above}"
        raise Conflict(
            f"{kind.capitalize()} {name!r} is archived{with_it}.", _RESTORE, _way_back(above)
        )


def archive(db: sqlite3.Connection, thing: Thing) -> Thing:
    """Archives a thing; an archived one keeps its date. Raises Conflict while a job that has not
    ended works on it.
    """
    refuse_open_jobs(db, thing)
    db.execute(
        f"UPDATE {thing.kind} SET archived_at = coalesce(archived_at, ?) WHERE id = ?",
        (now_text(), thing.id),
    )
    return find(db, thing.kind, thing.name)


def restore(db: sqlite3.Connection, thing: Thing) -> Thing:
    """Restores a thing. Raises Conflict if it is not archived, or hidden only by what it was made
    from.
    """
    if thing.archived_at is None:
        above = hidden_by(db, thing.kind, thing.id)
        if above is None:
            raise Conflict(
                f"{thing.kind.capitalize()} {thing.name!r} is not archived.",
                "There is nothing to bring back.",
            )
        refuse_archived(db, thing.kind, thing.id, thing.name)
    db.execute(f"UPDATE {thing.kind} SET archived_at = NULL WHERE id = ?", (thing.id,))
    return find(db, thing.kind, thing.name)


# What each job works on. A run names its dataset and a dataset its corpus, so that whatever is
# made of a thing is found with it.
_JOBS = """
SELECT job, kind, title, state, run, dataset,
    coalesce((SELECT id FROM corpus WHERE name = corpus_name),
        (SELECT corpus_id FROM dataset WHERE id = placed.dataset)) AS corpus
FROM (SELECT job, kind, title, state, run, corpus_name,
    coalesce((SELECT dataset_id FROM generation WHERE job_id = job),
        (SELECT id FROM dataset WHERE name = dataset_name),
        (SELECT dataset_id FROM release JOIN run AS worked ON release_id = release.id
            WHERE worked.id = named.run)) AS dataset
    FROM (SELECT id AS job, kind, title, state, json_extract(params, '$.corpus') AS corpus_name,
        json_extract(params, '$.dataset') AS dataset_name,
        coalesce(run_id, (SELECT id FROM run WHERE run.id = json_extract(params, '$.run')
            OR run.name = json_extract(params, '$.run')),
            json_extract(params, '$.plan.run_ids[0]')) AS run
        FROM job) AS named) AS placed
"""


def job_lines(db: sqlite3.Connection, thing: Thing) -> list[JobLine]:
    """The jobs that work, or have worked, on a thing or on what is made of it; oldest first."""
    rows = db.execute(
        f"SELECT job, kind, title, state FROM ({_JOBS}) WHERE {thing.kind} = ? ORDER BY job",
        (thing.id,),
    )
    return [JobLine(*row) for row in rows]


def hidden_jobs(db: sqlite3.Connection) -> set[int]:
    """Numbers of the jobs that are about something archived."""
    if not db.execute(
        "SELECT 1 FROM run WHERE archived_at IS NOT NULL UNION ALL SELECT 1 FROM dataset"
        " WHERE archived_at IS NOT NULL UNION ALL SELECT 1 FROM corpus"
        " WHERE archived_at IS NOT NULL LIMIT 1"
    ).fetchone():
        return set()
    archived = " OR ".join(
        f"{kind} IN (SELECT id FROM {kind} WHERE archived_at IS NOT NULL)" for kind in PLURAL
    )
    return {job for (job,) in db.execute(f"SELECT job FROM ({_JOBS}) WHERE {archived}")}


def refuse_hidden_job(db: sqlite3.Connection, job_id: int) -> None:
    """Raises Conflict for a job about something archived, which would work unseen."""
    numbers = db.execute(
        f"SELECT run, dataset, corpus FROM ({_JOBS}) WHERE job = ?", (job_id,)
    ).fetchone()
    kinds: tuple[Kind, ...] = ("run", "dataset", "corpus")
    for kind, number in zip(kinds, numbers, strict=True):
        above = hidden_by(db, kind, number) if number is not None else None
        if above is not None:
            raise Conflict(
                f"Job {job_id} works on {above}, which is archived.", _RESTORE, _way_back(above)
            )


def refuse_open_jobs(db: sqlite3.Connection, thing: Thing) -> None:
    """Raises Conflict while a job that is queued, running or paused works on a thing."""
    for job in job_lines(db, thing):
        if job.state in ("queued", "running", "paused"):
            raise Conflict(
                f"Job {job.id} ({job.kind}: {job.title}) works on {thing} and is {job.state}.",
                "Wait for its end, or cancel it.",
                f"ragdesk jobs cancel {job.id}",
            )


def open_samples(db: sqlite3.Connection, thing: Thing) -> list[str]:
    """Names of the open samples whose raters label a thing or what was made from it."""
    rows = db.execute(
        "SELECT DISTINCT sample.name FROM sample JOIN assignment ON sample_id = sample.id"
        " LEFT JOIN prediction ON sample.subject_kind <> 'revision'"
        "  AND prediction.id = CAST(subject AS INTEGER)"
        " JOIN revision ON revision.id = coalesce(prediction.revision_id,"
        "  CAST(subject AS INTEGER))"
        " JOIN item ON item.id = revision.item_id JOIN dataset ON dataset.id = item.dataset_id"
        f" WHERE closed_at IS NULL AND {_SAMPLED[thing.kind]} = ? ORDER BY sample.id",
        (thing.id,),
    )
    return [name for (name,) in rows]


_SAMPLED = {"run": "run_id", "dataset": "dataset_id", "corpus": "dataset.corpus_id"}


_RESTORE = "Restore it first."


def _way_back(thing: Thing) -> str:
    command = f"restore {thing.kind} {thing.name}"
    return f"ragdesk {command}"
