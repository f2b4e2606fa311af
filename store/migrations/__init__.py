"""The steps of the schema, one module each, applied in order and never edited once released."""

# A step is SQL text, so that a reader sees what the file will hold. All tables are STRICT.

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from zlib import crc32

import msgspec

from store.migrations import (
    m0001_foundation,
    m0002_labelling,
    m0003_job_progress,
    m0004_generation,
    m0005_inspection,
    m0006_open_assignment,
    m0007_operations,
    m0008_hidden_documents,
    m0009_reply_model,
    m0010_trained_judges,
    m0011_readings,
    m0012_rulings_and_aids,
    m0013_checksums,
    m0014_worker_boot,
    m0015_documented_views,
    m0016_score_details,
    m0017_pause_reasons,
    m0018_sequences,
    m0019_source_counts,
    m0020_question_sets,
    m0021_draws,
    m0022_release_ends,
    m0023_audits,
    m0024_side_readings,
    m0025_unused_metrics,
    m0026_difficulty,
    m0027_task_metrics,
    m0028_entity_graph,
    m0029_authoring,
    m0030_generation_steps,
    m0031_lineage,
    m0032_experiments,
    m0033_label_counts,
    m0034_acts,
    m0035_refinements,
    m0036_tallies,
    m0037_team,
    m0038_quotas,
    m0039_job_phase,
    m0040_known_answers,
)

SET_NAME = "ragdesk"

STEPS: tuple[tuple[str, str], ...] = (
    ("m0001_foundation", m0001_foundation.SQL),
    ("m0002_labelling", m0002_labelling.SQL),
    ("m0003_job_progress", m0003_job_progress.SQL),
    ("m0004_generation", m0004_generation.SQL),
    ("m0005_inspection", m0005_inspection.SQL),
    ("m0006_open_assignment", m0006_open_assignment.SQL),
    ("m0007_operations", m0007_operations.SQL),
    ("m0008_hidden_documents", m0008_hidden_documents.SQL),
    ("m0009_reply_model", m0009_reply_model.SQL),
    ("m0010_trained_judges", m0010_trained_judges.SQL),
    ("m0011_readings", m0011_readings.SQL),
    ("m0012_rulings_and_aids", m0012_rulings_and_aids.SQL),
    ("m0013_checksums", m0013_checksums.SQL),
    ("m0014_worker_boot", m0014_worker_boot.SQL),
    ("m0015_documented_views", m0015_documented_views.SQL),
    ("m0016_score_details", m0016_score_details.SQL),
    ("m0017_pause_reasons", m0017_pause_reasons.SQL),
    ("m0018_sequences", m0018_sequences.SQL),
    ("m0019_source_counts", m0019_source_counts.SQL),
    ("m0020_question_sets", m0020_question_sets.SQL),
    ("m0021_draws", m0021_draws.SQL),
    ("m0022_release_ends", m0022_release_ends.SQL),
    ("m0023_audits", m0023_audits.SQL),
    ("m0024_side_readings", m0024_side_readings.SQL),
    ("m0025_unused_metrics", m0025_unused_metrics.SQL),
    ("m0026_difficulty", m0026_difficulty.SQL),
    ("m0027_task_metrics", m0027_task_metrics.SQL),
    ("m0028_entity_graph", m0028_entity_graph.SQL),
    ("m0029_authoring", m0029_authoring.SQL),
    ("m0030_generation_steps", m0030_generation_steps.SQL),
    ("m0031_lineage", m0031_lineage.SQL),
    ("m0032_experiments", m0032_experiments.SQL),
    ("m0033_label_counts", m0033_label_counts.SQL),
    ("m0034_acts", m0034_acts.SQL),
    ("m0035_refinements", m0035_refinements.SQL),
    ("m0036_tallies", m0036_tallies.SQL),
    ("m0037_team", m0037_team.SQL),
    ("m0038_quotas", m0038_quotas.SQL),
    ("m0039_job_phase", m0039_job_phase.SQL),
    ("m0040_known_answers", m0040_known_answers.SQL),
)
"""Name and SQL of every step, oldest first."""


def statements(sql: str) -> Iterator[str]:
    """The single statements of `sql`, because `executescript` would commit the open transaction."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            if pending.strip():
                yield pending
            pending = ""


def applied(db: sqlite3.Connection) -> list[str]:
    """Names of the steps applied to the open file, oldest first; empty for a new file."""
    known = db.execute(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_sqlite_migrations'"
    ).fetchone()
    if known is None:
        return []
    rows = db.execute(
        "SELECT name FROM _sqlite_migrations WHERE migration_set = ? ORDER BY id", (SET_NAME,)
    )
    return [name for (name,) in rows]


def apply(db: sqlite3.Connection) -> None:
    """Applies the missing steps. Call it inside a BEGIN IMMEDIATE transaction, so that of several
    processes that open a new file at once one migrates and the others find it done.
    """
    # imported here: it costs more than the rest of the start together, and an up-to-date file
    # never needs it
    from sqlite_utils import Database, Migrations

    register_row_sum(db)
    migrations = Migrations(SET_NAME)
    for name, sql in STEPS:

        def step(database: Database, sql: str = sql) -> None:
            for statement in statements(sql):
                database.conn.execute(statement)

        migrations(name=name)(step)
    migrations.apply(Database(db))


def register_row_sum(db: sqlite3.Connection) -> None:
    """Lets the SQL of a connection call `row_sum`, the checksum of some columns of a row."""
    db.create_function("row_sum", -1, _row_sum, deterministic=True)


def _row_sum(*values: float | str | None) -> int:
    # a whole number that a column of reals takes comes back as a real
    same = [float(value) if isinstance(value, int) else value for value in values]
    return crc32(msgspec.json.encode(same))
