"""Verifies a workspace: SQLite's own integrity, content hashes, and rows that must agree."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable

import msgspec

from store import migrations
from store.datasets.generations import CALLS
from store.datasets.revisions import MAY_HIDE
from store.hashing import content_hash, text_id
from store.labels import replay
from store.records import ItemContent
from store.runs import trained_files
from store.workspace import snapshot

SHOWN = 10
"""The largest number of damaged rows that a check names."""


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
    """Runs every check on one state of the file, whoever writes meanwhile; writes nothing.

    A check that the file is too damaged for fails with SQLite's own words.
    """
    migrations.register_row_sum(db)
    with snapshot(db):
        checks = [_guarded(db, name, check) for name, check in _CHECKS.items()]
        checks += [_guarded(db, name, _counter(law, sql)) for name, (law, sql) in _LAWS.items()]
    return Verification(tuple(checks))


Outcome = tuple[bool, str]


def _guarded(
    db: sqlite3.Connection, name: str, check: Callable[[sqlite3.Connection], Outcome]
) -> Check:
    try:
        return Check(name, *check(db))
    except sqlite3.DatabaseError as error:
        return Check(name, False, str(error))


def _integrity(db: sqlite3.Connection) -> Outcome:
    problems = [text for (text,) in db.execute(f"PRAGMA integrity_check({SHOWN})")]
    return problems == ["ok"], "; ".join(problems)


def _schema(db: sqlite3.Connection) -> Outcome:
    """Whether all tables, indexes and triggers are there, as a new file has them."""
    with contextlib.closing(sqlite3.connect(":memory:")) as new:
        migrations.register_row_sum(new)
        for _, sql in migrations.STEPS:
            for statement in migrations.statements(sql):
                new.execute(statement)
        expected, held = _definitions(new), _definitions(db)
    lost = sorted(name for name, sql in expected.items() if held.get(name) != sql)
    if lost:
        return False, f"missing or changed: {', '.join(lost[:SHOWN])}"
    return True, "every table, index and trigger is there"


def _definitions(db: sqlite3.Connection) -> dict[str, str]:
    return dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def _coverage(db: sqlite3.Connection) -> Outcome:
    """Checks that the chunks of each live document lie in it, in order, and leave no text out."""
    bad = []
    for corpus, chunking, document, number, text in db.execute(
        "SELECT DISTINCT corpus.name, chunking_id, document.id, document_id, text FROM source"
        " JOIN corpus ON corpus.id = corpus_id JOIN document ON document.id = source.document"
        " WHERE superseded_at IS NULL"
    ):
        chunks = db.execute(
            "SELECT ordinal, start, end FROM chunk WHERE chunking_id = ? AND document = ?"
            " ORDER BY ordinal",
            (chunking, document),
        )
        if not _covers(chunks, text):
            bad.append(f"{number} in corpus {corpus}")
    return _named(bad, "the chunks of every document are all there")


def _covers(chunks: Iterable[tuple[int, int, int]], text: str) -> bool:
    at = 0
    for number, (ordinal, start, end) in enumerate(chunks):
        if ordinal != number or start < 0 or end > len(text) or text[at:start].strip():
            return False
        at = max(at, end)
    return not text[at:].strip()


def _foreign_keys(db: sqlite3.Connection) -> Outcome:
    broken = db.execute("PRAGMA foreign_key_check").fetchall()
    return not broken, f"{len(broken)} broken" if broken else "all references lead somewhere"


def _documents(db: sqlite3.Connection) -> Outcome:
    rows = db.execute("SELECT document_id, text, chars FROM document")
    bad = (id for id, text, chars in rows if text_id(text) != id or len(text) != chars)
    return _named(bad, "every document matches its hash")


def _revisions(db: sqlite3.Connection) -> Outcome:
    rows = db.execute("SELECT id, content, content_hash, topic, task, lang, turns FROM revision")
    bad = (str(number) for number, *row in rows if not _is_whole(*row))
    return _named(bad, "every revision matches its hash")


def _is_whole(text: str, digest: str, topic: str, task: str, lang: str, turns: int) -> bool:
    try:
        content = msgspec.json.decode(text, type=ItemContent)
    except msgspec.DecodeError:
        return False
    repeated = (content.topic, content.task, content.lang, len(content.turns))
    return content_hash(content) == digest and repeated == (topic, task, lang, turns)


def _evidence(db: sqlite3.Connection) -> Outcome:
    """Checks that quotes stand verbatim at their offsets, and that what items hide is there."""
    (lost,) = db.execute(
        "SELECT count(*) FROM revision, json_each(content, '$.hidden') AS named"
        " LEFT JOIN document ON document_id = named.value"
        f" WHERE {MAY_HIDE} AND document.id IS NULL"
    ).fetchone()
    if lost:
        return False, f"{lost} hidden documents are not there"
    quotes, wrong = db.execute(
        "SELECT count(quote), coalesce(sum(CASE WHEN text IS NULL THEN 1"
        "   WHEN start IS NULL THEN quote IS NOT NULL AND instr(text, quote) = 0"
        "   ELSE NOT (0 <= start AND start < end AND end <= chars"
        "     AND (quote IS NULL OR substr(text, start + 1, end - start) = quote)) END), 0)"
        " FROM (SELECT json_extract(e.value, '$.document_id') AS document,"
        "   json_extract(e.value, '$.start') AS start, json_extract(e.value, '$.end') AS end,"
        "   json_extract(e.value, '$.quote') AS quote"
        "   FROM revision, json_each(content, '$.turns') AS t,"
        "   json_each(t.value, '$.evidence') AS e) AS unit"
        " LEFT JOIN document ON document_id = unit.document"
    ).fetchone()
    return not wrong, (
        f"{wrong} pieces of evidence are not where they say"
        if wrong
        else f"{quotes} quotes verbatim"
    )


def _labels(db: sqlite3.Connection) -> Outcome:
    (events,) = db.execute("SELECT count(*) FROM label_event").fetchone()
    return _named(
        replay.problems(db), f"{events} events replayed lead to the labels and items held"
    )


def _trained(db: sqlite3.Connection) -> Outcome:
    return _named(trained_files.changed(db), "every file of a trained judge matches its hash")


def _named(bad: Iterable[str], law: str) -> Outcome:
    names = list(bad)
    return not names, f"changed: {', '.join(names[:SHOWN])}" if names else law


_CHECKS: dict[str, Callable[[sqlite3.Connection], Outcome]] = {
    "file": _integrity,
    "schema": _schema,
    "references": _foreign_keys,
    "documents": _documents,
    "coverage": _coverage,
    "revisions": _revisions,
    "evidence": _evidence,
    "labels": _labels,
    "trained judges": _trained,
}

_LAWS = {
    "chunks": (
        "every chunk lies in its document",
        "SELECT count(*) FROM chunk JOIN document ON document.id = document"
        " WHERE start < 0 OR end > chars",
    ),
    "sources": (
        "every corpus has as many sources as were stored in it",
        "SELECT count(*) FROM corpus WHERE sources <>"
        " (SELECT count(*) FROM source WHERE corpus_id = corpus.id)",
    ),
    "releases": (
        "every release has as many items as it froze",
        "SELECT count(*) FROM release WHERE size <>"
        " (SELECT count(*) FROM release_item WHERE release_id = release.id)",
    ),
    **{
        f"values of {table}": (
            f"every {kind} is as it was stored",
            f"SELECT count(*) FROM {table} WHERE checksum <> row_sum({columns})",
        )
        for table, kind, columns in (
            ("source", "place of a document", "document, path, locator, superseded_at"),
            ("document_topic", "topic of a document", "document, topic"),
            ("item", "state of an item", "item_key, state"),
            ("release_item", "item of a release", "item_id, revision_id, state"),
            ("label_event", "label", "rater, subject, field, value, kind"),
            ("prediction", "answer", "state, answer, error_kind, error_text"),
            ("stage_result", "result of a stage", "stage, value, call_key"),
            ("score", "score", "state, value, reason"),
        )
    },
    "items": (
        "every item's text, released or not, is a revision of that item",
        "SELECT (SELECT count(*) FROM item LEFT JOIN revision ON revision.id = head"
        "   WHERE item_id IS NOT item.id) + (SELECT count(*) FROM release_item AS frozen"
        "   JOIN revision ON revision.id = revision_id WHERE revision.item_id <> frozen.item_id)",
    ),
    "generations": (
        "every generated item is in its generation's dataset, and every reply's items are booked",
        "SELECT (SELECT count(*) FROM generation_result JOIN generation_attempt AS attempt"
        "   ON attempt.id = attempt_id JOIN generation USING (job_id)"
        "   JOIN item ON item.id = item_id WHERE item.dataset_id <> generation.dataset_id)"
        " + (SELECT count(*) FROM generation_attempt AS attempt WHERE written <>"
        "   (SELECT count(*) FROM generation_result WHERE attempt_id = attempt.id))"
        f" + (SELECT count(*) FROM ({CALLS}) WHERE call_key IS NOT NULL"
        "   AND NOT EXISTS (SELECT 1 FROM model_call WHERE key = call_key))",
    ),
    "inspections": (
        "every automatic correction is written on the text judged, and every reply is kept",
        "SELECT (SELECT count(*) FROM inspection JOIN revision ON revision.id = correction"
        "   WHERE parent IS NOT revision_id OR author <> inspector)"
        " + (SELECT count(*) FROM inspection WHERE call_key IS NOT NULL"
        "   AND NOT EXISTS (SELECT 1 FROM model_call WHERE key = call_key))",
    ),
    "topics": (
        "every document's topic is one of its taxonomy, and every reply that named one is kept",
        "SELECT (SELECT count(*) FROM document_topic AS given JOIN taxonomy_name ON name ="
        "   taxonomy_key JOIN taxonomy ON taxonomy.id = taxonomy_id"
        "   WHERE topic <> 'unassigned' AND NOT EXISTS (SELECT 1 FROM"
        "    json_each(content, '$.topics') AS listed"
        "    WHERE json_extract(listed.value, '$.key') = topic))"
        " + (SELECT count(*) FROM topic_reply WHERE call_key IS NOT NULL"
        "   AND NOT EXISTS (SELECT 1 FROM model_call WHERE key = call_key))",
    ),
    "tallies": (
        "the items of every release are counted by cell, and the scored answers of every run",
        "WITH cell AS (SELECT release_id, topic, task, count(*), sum(lang = 'zh') FROM release_item"
        "  JOIN revision ON revision.id = revision_id GROUP BY release_id, topic, task),"
        " scored AS (SELECT run_id, count(*) FROM stage_result JOIN prediction"
        "  ON prediction.id = prediction_id WHERE stage = 'score' GROUP BY run_id)"
        " SELECT (SELECT count(*) FROM (SELECT * FROM cell EXCEPT SELECT * FROM release_cell))"
        " + (SELECT count(*) FROM (SELECT * FROM release_cell EXCEPT SELECT * FROM cell))"
        " + (SELECT count(*) FROM (SELECT * FROM scored EXCEPT SELECT * FROM run_tally))"
        " + (SELECT count(*) FROM (SELECT * FROM run_tally EXCEPT SELECT * FROM scored))",
    ),
    "task metrics": (
        "every task's metrics are those that its taxonomy lists",
        "WITH listed AS (SELECT DISTINCT taxonomy.id, json_extract(task.value, '$.key'), used.value"
        "  FROM taxonomy, json_each(content, '$.tasks') AS task,"
        "  json_each(task.value, '$.metrics') AS used)"
        " SELECT (SELECT count(*) FROM (SELECT * FROM listed EXCEPT SELECT * FROM task_metric))"
        " + (SELECT count(*) FROM (SELECT * FROM task_metric EXCEPT SELECT * FROM listed))",
    ),
    "predictions": (
        "every final prediction has its answer or its failure",
        "SELECT count(*) FROM prediction WHERE (state IN ('ok', 'refused')"
        " AND answer IS NULL) OR (state = 'failed' AND error_kind IS NULL)"
        " OR (state = 'pending' AND answer IS NOT NULL)",
    ),
    "scores": (
        "every scored prediction has as many scores as its scoring stage wrote",
        "SELECT count(*) FROM stage_result AS stage WHERE stage = 'score'"
        " AND json_extract(value, '$.scores') > (SELECT count(*) FROM score"
        "   WHERE score.prediction_id = stage.prediction_id)",
    ),
    "draws": (
        "every draw took as many candidates as it says and its chances sum to, and each is in its"
        " sample",
        "SELECT count(*) FROM draw JOIN (SELECT draw_id, count(place) AS came,"
        "   sum(chance) AS likely FROM draw_chance GROUP BY draw_id) ON draw_id = draw.id"
        " WHERE came <> wanted OR abs(likely - wanted) > 1e-6"
        " OR (SELECT count(*) FROM draw_chance WHERE draw_id = draw.id AND place IS NOT NULL"
        "   AND NOT EXISTS (SELECT 1 FROM assignment WHERE assignment.sample_id = draw.sample_id"
        "    AND ':' || unit || ':' LIKE '%:' || subject || ':%')) > 0",
    ),
    "acts": (
        "every event of an act is its rater's, with its form",
        "SELECT count(*) FROM act_event JOIN act ON act.id = act_id"
        " JOIN label_event AS event USING (seq) JOIN form ON form.id = event.form_id"
        " WHERE event.rater <> act.rater OR form.key <> act.form_key",
    ),
    "known questions": (
        "every known question of a sample has its answer, and each mix as many as it says",
        "SELECT (SELECT count(*) FROM assignment JOIN sample ON sample.id = sample_id"
        "  WHERE (due_after IS NOT NULL) <> (subject LIKE '%#k') OR due_after IS NOT NULL"
        "  AND NOT EXISTS (SELECT 1 FROM known_answer AS known WHERE known.form_key ="
        "   sample.form_key AND known.subject = assignment.subject))"
        " + (SELECT count(*) FROM (SELECT sample_id, sum(questions) AS mixed FROM known_mix"
        "  GROUP BY sample_id) AS mix WHERE mixed <> (SELECT count(*) FROM assignment"
        "   WHERE assignment.sample_id = mix.sample_id AND due_after IS NOT NULL))",
    ),
    "experiments": (
        "the run of every arm is over the release of its experiment",
        "SELECT count(*) FROM experiment_arm JOIN experiment ON experiment.id = experiment_id"
        " JOIN run ON run.id = run_id WHERE run.release_id <> experiment.release_id",
    ),
    "refinements": (
        "every reply by which a chunk's text was made is kept",
        "SELECT count(*) FROM refined_chunk, json_each(calls) AS call WHERE NOT EXISTS"
        " (SELECT 1 FROM model_call WHERE key = json_extract(call.value, '$.key'))",
    ),
    "runs": (
        "every run has a prediction for each turn that it froze",
        "SELECT count(*) FROM run WHERE json_extract(settings, '$.imported_from') IS NULL"
        " AND (SELECT count(*) FROM prediction WHERE run_id = run.id) <>"
        " coalesce(json_extract(settings, '$.repeats'), 1) *"
        " (SELECT coalesce(sum(turns), 0) FROM release_item JOIN revision"
        "  ON revision.id = revision_id WHERE release_item.release_id = run.release_id)",
    ),
}
"""By name: a law in words, and SQL that counts the rows that break it."""


def _counter(law: str, sql: str) -> Callable[[sqlite3.Connection], Outcome]:
    def check(db: sqlite3.Connection) -> Outcome:
        (broken,) = db.execute(sql).fetchone()
        return not broken, f"{broken} break this law: {law}" if broken else law

    return check
