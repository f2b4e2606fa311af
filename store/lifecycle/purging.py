"""Removes a run, dataset or corpus for good, with all data that nothing else needs.

What goes is marked first, in a table of this connection alone; counting and deleting read the same
marks. What people labelled, and what other things are made of, is never removed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from msgspec import Struct

from store.errors import Conflict, WorkspaceError
from store.lifecycle import archiving
from store.lifecycle.archiving import PLURAL, Thing
from store.workspace import Workspace

NAMED = 5
"""The largest number of obstacles that a refusal names."""


class Removal(Struct, frozen=True):
    """The rows that a purge removes, or has removed."""

    thing: Thing
    counts: dict[str, int]
    """Rows by what people call them; those of which there are none are left out."""
    documents: frozenset[str]
    """Ids of the documents that no other corpus holds."""


def plan(db: sqlite3.Connection, thing: Thing) -> Removal:
    """The rows that a purge would remove; changes nothing. Raises Conflict for what prevents it."""
    _mark(db, thing)
    _refuse_needed(db, thing)
    return _removal(db, thing)


def purge(workspace: Workspace, thing: Thing) -> Removal:
    """Removes a thing in one transaction; returns what went. Raises Conflict as `plan` does."""
    db = workspace.db
    # With enforcement on, SQLite looks for references to each deleted row, through whole tables
    # where no index leads. All references are checked at once instead, before anything is kept.
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("PRAGMA secure_delete = ON")
    try:
        with workspace.write(durable=True):
            removal = plan(db, thing)
            for _, table, condition in _ROWS:
                db.execute(f"DELETE FROM {table} WHERE {condition}")
            for table, column, kind in _LET_GO:
                db.execute(f"UPDATE {table} SET {column} = NULL WHERE {column} IN {_gone(kind)}")
            broken = db.execute("PRAGMA foreign_key_check").fetchone()
            if broken is not None:
                raise WorkspaceError(
                    f"Table {broken[0]} needs rows of {thing}; nothing was removed.",
                    "Check the workspace.",
                    "ragdesk verify",
                )
    finally:
        db.execute("PRAGMA secure_delete = OFF")
        db.execute("PRAGMA foreign_keys = ON")
    return removal


def _gone(kind: str) -> str:
    return f"(SELECT id FROM temp.gone WHERE kind = '{kind}')"


_OF_JOB = f"job_id IN {_gone('job')}"
_OF_GRAPH = f"graph_id IN (SELECT id FROM graph WHERE corpus_id IN {_gone('corpus')})"
_OF_REFINEMENT = (
    f"refinement_id IN (SELECT id FROM refinement WHERE corpus_id IN {_gone('corpus')})"
)
_OF_EXPERIMENT = (
    f"experiment_id IN (SELECT id FROM experiment WHERE release_id IN {_gone('release')})"
)
_OF_SUBJECT = (
    f"(subject_kind = 'revision' AND CAST(subject AS INTEGER) IN {_gone('revision')}"
    f" OR subject_kind <> 'revision' AND (CAST(subject AS INTEGER) IN {_gone('prediction')}"
    "  OR subject_kind = 'pair' AND CAST(substr(subject, instr(subject, ':') + 1) AS INTEGER)"
    f"   IN {_gone('prediction')}))"
)
"""On a row with `subject_kind` and `subject`: it is about something marked."""

_ROWS: tuple[tuple[str, str, str], ...] = (
    ("scores", "score", f"prediction_id IN {_gone('prediction')}"),
    ("results of stages", "stage_result", f"prediction_id IN {_gone('prediction')}"),
    ("", "probe_score", f"prediction_id IN {_gone('prediction')}"),
    ("predictions", "prediction", f"id IN {_gone('prediction')}"),
    ("", "lease", _OF_SUBJECT),
    (
        "replies on topics",
        "topic_reply",
        f"{_OF_JOB} OR document IN {_gone('document')}",
    ),
    ("verdicts of inspectors", "inspection", f"revision_id IN {_gone('revision')}"),
    (
        "",
        "generation_result",
        f"attempt_id IN (SELECT id FROM generation_attempt WHERE {_OF_JOB})",
    ),
    (
        "",
        "generation_step",
        f"attempt_id IN (SELECT id FROM generation_attempt WHERE {_OF_JOB})",
    ),
    ("attempts at generating", "generation_attempt", _OF_JOB),
    ("steps of lineages", "qra", _OF_JOB),
    ("", "evolution_call", _OF_JOB),
    ("", "evolution", _OF_JOB),
    ("", "generation_cell", _OF_JOB),
    ("", "generation", _OF_JOB),
    ("", "experiment_arm", _OF_EXPERIMENT),
    ("experiments", "experiment", f"release_id IN {_gone('release')}"),
    ("", "release_item", f"release_id IN {_gone('release')}"),
    ("releases", "release", f"id IN {_gone('release')}"),
    ("difficulties", "difficulty", f"revision_id IN {_gone('revision')}"),
    ("", "difficulty_measure", f"dataset_id IN {_gone('dataset')}"),
    ("", "side_reading", f"split_id IN {_gone('split')}"),
    ("", "split_member", f"split_id IN {_gone('split')}"),
    ("splits", "split", f"id IN {_gone('split')}"),
    ("", "authored", f"revision_id IN {_gone('revision')}"),
    ("revisions", "revision", f"id IN {_gone('revision')}"),
    (
        "question sets",
        "question_set",
        f"item_id IN (SELECT id FROM item WHERE dataset_id IN {_gone('dataset')})",
    ),
    ("items", "item", f"dataset_id IN {_gone('dataset')}"),
    ("", "job_event", _OF_JOB),
    ("jobs", "job", f"id IN {_gone('job')}"),
    ("", "run", f"id IN {_gone('run')}"),
    ("", "system", f"id IN {_gone('system')}"),
    ("", "dataset", f"id IN {_gone('dataset')}"),
    ("topics of documents", "document_topic", f"document IN {_gone('document')}"),
    (
        "chunks",
        "chunk",
        f"document IN {_gone('document')} OR chunking_id IN {_gone('chunking')}"
        f" OR chunking_id IN (SELECT chunking_id FROM corpus WHERE id IN {_gone('corpus')})"
        f" AND document IN {_gone('cut')}",
    ),
    ("sources", "source", f"corpus_id IN {_gone('corpus')}"),
    ("documents", "document", f"id IN {_gone('document')}"),
    ("", "entity_mention", f"entity_id IN (SELECT id FROM entity WHERE {_OF_GRAPH})"),
    ("entities", "entity", _OF_GRAPH),
    ("", "graph_chunk", _OF_GRAPH),
    ("entity graphs", "graph", f"corpus_id IN {_gone('corpus')}"),
    ("texts of chunks by models", "refined_chunk", _OF_REFINEMENT),
    ("", "refinement", f"corpus_id IN {_gone('corpus')}"),
    ("", "corpus", f"id IN {_gone('corpus')}"),
    ("", "chunking", f"id IN {_gone('chunking')}"),
    ("replies of models", "model_call", f"key IN {_gone('call')}"),
)
"""In the order of deleting: what people call the rows (empty for what they never see), the table,
and which of its rows go."""


_LET_GO = (("experiment_arm", "run_id", "run"), ("refined_chunk", "job_id", "job"))
"""Table and column of rows that stay without what they refer to, and the kind of that."""


def _mark(db: sqlite3.Connection, thing: Thing) -> None:
    db.execute("CREATE TEMP TABLE IF NOT EXISTS gone (kind, id, PRIMARY KEY (kind, id))")
    db.execute("DELETE FROM temp.gone")
    _put(db, thing.kind, "SELECT ?", thing.id)
    for job in archiving.job_lines(db, thing):
        _put(db, "job", "SELECT ?", job.id)
    for kind, sql in _MARKS[thing.kind]:
        _put(db, kind, sql, thing.id)
    if db.execute("SELECT 1 FROM model_call LIMIT 1").fetchone():
        _put(db, "call", _CALLS_GOING)


def _put(db: sqlite3.Connection, kind: str, sql: str, *values: int) -> None:
    db.execute(f"INSERT OR IGNORE INTO temp.gone SELECT '{kind}', * FROM ({sql})", values)


_CITED = (
    "SELECT json_extract(unit.value, '$.document_id') FROM revision,"
    " json_each(content, '$.turns') AS turn, json_each(turn.value, '$.evidence') AS unit"
    " UNION SELECT hidden.value FROM revision, json_each(content, '$.hidden') AS hidden"
)
_MARKS = {
    "run": (
        ("prediction", "SELECT id FROM prediction WHERE run_id = ?"),
        (
            "system",
            "SELECT system_id FROM run WHERE id = ?1 AND system_id NOT IN"
            " (SELECT system_id FROM run WHERE id <> ?1)",
        ),
    ),
    "dataset": (
        (
            "revision",
            "SELECT revision.id FROM revision JOIN item ON item.id = item_id WHERE dataset_id = ?",
        ),
        ("release", "SELECT id FROM release WHERE dataset_id = ?"),
        # an archive that was imported has verdicts whose job names no dataset
        (
            "job",
            f"SELECT job_id FROM inspection WHERE revision_id IN {_gone('revision')} AND ? > 0",
        ),
        # a split's name says whose it is, unless people named it after another dataset
        (
            "split",
            "SELECT split.id FROM split JOIN dataset ON dataset.name = split.name"
            " WHERE dataset.id = ?1 AND NOT EXISTS (SELECT 1 FROM split_member"
            "  WHERE split_id = split.id AND member NOT IN"
            "   (SELECT item_key FROM item WHERE dataset_id = ?1))",
        ),
    ),
    "corpus": (
        (
            "document",
            "SELECT DISTINCT document FROM source WHERE corpus_id = ?1 AND document NOT IN"
            "  (SELECT document FROM source WHERE corpus_id <> ?1)"
            f" AND document NOT IN (SELECT document FROM topic_reply WHERE NOT {_OF_JOB})"
            " AND document NOT IN (SELECT id FROM document"
            f"  WHERE document_id IN ({_CITED}))",
        ),
        (
            "cut",
            "SELECT DISTINCT document FROM source WHERE corpus_id = ?1 AND document NOT IN"
            " (SELECT document FROM source JOIN corpus ON corpus.id = corpus_id"
            "  WHERE corpus.id <> ?1 AND chunking_id ="
            "   (SELECT chunking_id FROM corpus WHERE id = ?1))",
        ),
        (
            "chunking",
            "SELECT chunking_id FROM corpus WHERE id = ?1 AND chunking_id NOT IN"
            " (SELECT chunking_id FROM corpus WHERE id <> ?1)",
        ),
    ),
}
"""By kind of thing, what goes with it, in an order in which later marks may read earlier ones."""

_CALLS_GOING = f"""
SELECT key FROM (
    SELECT call_key AS key, prediction_id IN {_gone("prediction")} AS goes FROM stage_result
    UNION ALL
    SELECT json_extract(call.value, '$.key'), prediction_id IN {_gone("prediction")}
    FROM stage_result, json_each(stage_result.value, '$.calls') AS call
    UNION ALL
    SELECT json_extract(call.value, '$.key'), prediction_id IN {_gone("prediction")}
    FROM probe_score, json_each(calls) AS call
    UNION ALL SELECT call_key, {_OF_JOB} FROM generation_attempt
    UNION ALL SELECT step.call_key, {_OF_JOB} FROM generation_step AS step
    JOIN generation_attempt ON generation_attempt.id = attempt_id
    UNION ALL SELECT call_key, {_OF_GRAPH} FROM graph_chunk
    UNION ALL
    SELECT json_extract(call.value, '$.key'), {_OF_REFINEMENT}
    FROM refined_chunk, json_each(calls) AS call
    UNION ALL SELECT call_key, {_OF_JOB} FROM evolution_call
    UNION ALL SELECT call_key, revision_id IN {_gone("revision")} FROM inspection
    UNION ALL SELECT call_key, {_OF_JOB} OR document IN {_gone("document")} FROM topic_reply
) WHERE key IS NOT NULL GROUP BY key HAVING min(goes)
"""


def _removal(db: sqlite3.Connection, thing: Thing) -> Removal:
    counts = {}
    for label, table, condition in _ROWS:
        if label:
            (rows,) = db.execute(f"SELECT count(*) FROM {table} WHERE {condition}").fetchone()
            if rows:
                counts[label] = int(rows)
    ids = db.execute(f"SELECT document_id FROM document WHERE id IN {_gone('document')}")
    return Removal(thing, counts, frozenset(id for (id,) in ids))


def _refuse_needed(db: sqlite3.Connection, thing: Thing) -> None:
    archiving.refuse_open_jobs(db, thing)
    above = {"corpus": _datasets_on, "dataset": _runs_over}.get(thing.kind)
    needing = above(db, thing) if above is not None else []
    if needing:
        kinds = PLURAL["dataset" if thing.kind == "corpus" else "run"]
        names = _listed(needing)
        raise Conflict(
            f"{thing.kind.capitalize()} {thing.name!r} cannot be purged: {kinds} {names} needs it."
            if len(needing) == 1
            else f"{thing.kind.capitalize()} {thing.name!r} cannot be purged: {kinds} {names} need"
            " it.",
            "Purge what is made of it first, or archive it.",
            f"ragdesk delete {thing.kind} {thing.name}",
        )
    for words, sql in _BY_PEOPLE:
        (rows,) = db.execute(sql).fetchone()
        if rows:
            raise Conflict(
                f"{thing.kind.capitalize()} {thing.name!r} cannot be purged: people have worked on"
                f" it ({rows:,} {words}), and what people said is never deleted.",
                "Archive it.",
                f"ragdesk delete {thing.kind} {thing.name}",
            )


_BY_PEOPLE = (
    ("events of labels", f"SELECT count(*) FROM label_event WHERE {_OF_SUBJECT}"),
    ("judged items", f"SELECT count(*) FROM judgement WHERE revision_id IN {_gone('revision')}"),
    ("half-typed texts", f"SELECT count(*) FROM draft WHERE {_OF_SUBJECT}"),
    (
        "places in samples to label",
        "SELECT count(*) FROM (SELECT subject_kind, subject FROM assignment"
        f" JOIN sample ON sample.id = sample_id) WHERE {_OF_SUBJECT}",
    ),
)


def _datasets_on(db: sqlite3.Connection, thing: Thing) -> list[str]:
    rows = db.execute("SELECT name FROM dataset WHERE corpus_id = ? ORDER BY name", (thing.id,))
    return [name for (name,) in rows]


def _runs_over(db: sqlite3.Connection, thing: Thing) -> list[str]:
    rows = db.execute(
        "SELECT name FROM run WHERE release_id IN (SELECT id FROM release WHERE dataset_id = ?)"
        " ORDER BY name",
        (thing.id,),
    )
    return [name for (name,) in rows]


def _listed(names: Iterable[str]) -> str:
    known = list(names)
    more = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
    return f"{', '.join(known[:NAMED])}{more}"
