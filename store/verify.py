"""Checking a workspace: SQLite's own integrity, content hashes, and rows that must agree."""

from __future__ import annotations

import sqlite3

import msgspec

from store.hashing import content_hash
from store.records import ItemContent


class Check(msgspec.Struct, frozen=True):
    name: str
    ok: bool
    detail: str


class Verification(msgspec.Struct, frozen=True):
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)


def verify(db: sqlite3.Connection) -> Verification:
    """Runs every check; reads the whole file, writes nothing."""
    return Verification(
        (
            _integrity(db),
            _foreign_keys(db),
            _revisions(db),
            _evidence(db),
            _counted(
                db,
                "predictions",
                "every final prediction has its answer or its failure",
                "SELECT count(*) FROM prediction WHERE (state IN ('ok', 'refused')"
                " AND answer IS NULL) OR (state = 'failed' AND error_kind IS NULL)"
                " OR (state = 'pending' AND answer IS NOT NULL)",
            ),
            _counted(
                db,
                "scores",
                "every scored prediction has as many scores as its scoring stage wrote",
                "SELECT count(*) FROM stage_result AS stage WHERE stage = 'score'"
                " AND json_extract(value, '$.scores') > (SELECT count(*) FROM score"
                "   WHERE score.prediction_id = stage.prediction_id)",
            ),
            _counted(
                db,
                "runs",
                "every run has a prediction for each turn that it froze",
                "SELECT count(*) FROM run WHERE json_extract(settings, '$.imported_from') IS NULL"
                " AND (SELECT count(*) FROM prediction WHERE run_id = run.id) <>"
                " coalesce(json_extract(settings, '$.repeats'), 1) *"
                " (SELECT coalesce(sum(turns), 0) FROM release_item JOIN revision"
                "  ON revision.id = revision_id WHERE release_item.release_id = run.release_id)",
            ),
        )
    )


def _integrity(db: sqlite3.Connection) -> Check:
    found = [text for (text,) in db.execute("PRAGMA integrity_check(10)")]
    return Check("file", found == ["ok"], "; ".join(found))


def _foreign_keys(db: sqlite3.Connection) -> Check:
    broken = db.execute("PRAGMA foreign_key_check").fetchall()
    detail = f"{len(broken)} broken" if broken else "all references lead somewhere"
    return Check("references", not broken, detail)


def _revisions(db: sqlite3.Connection) -> Check:
    decode = msgspec.json.Decoder(ItemContent).decode
    bad = [
        number
        for number, text, digest in db.execute("SELECT id, content, content_hash FROM revision")
        if content_hash(decode(text)) != digest
    ]
    detail = f"changed: {bad[:10]}" if bad else "every revision matches its hash"
    return Check("revisions", not bad, detail)


def _evidence(db: sqlite3.Connection) -> Check:
    """Quotes must stand verbatim where their offsets say."""
    rows = db.execute(
        "SELECT count(*), coalesce(sum(text IS NULL OR substr(text, start + 1, length(quote))"
        " <> quote), 0) FROM (SELECT json_extract(e.value, '$.document_id') AS document,"
        "   json_extract(e.value, '$.start') AS start, json_extract(e.value, '$.quote') AS quote"
        "   FROM revision, json_each(content, '$.turns') AS t,"
        "   json_each(t.value, '$.evidence') AS e) AS unit"
        " LEFT JOIN document ON document_id = unit.document WHERE quote IS NOT NULL"
    )
    quotes, wrong = rows.fetchone()
    detail = (
        f"{wrong} of {quotes} quotes are not verbatim" if wrong else f"{quotes} quotes verbatim"
    )
    return Check("evidence", not wrong, detail)


def _counted(db: sqlite3.Connection, name: str, law: str, sql: str) -> Check:
    (broken,) = db.execute(sql).fetchone()
    return Check(name, not broken, f"{broken} break this law: {law}" if broken else law)
