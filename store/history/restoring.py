"""Restores a dataset's history: revisions, verdicts, labels and releases with their times.

Everything else appends with the present time; this is for what another workspace has recorded.
Call these inside one `workspace.write(durable=True)`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from store.clock import now_text
from store.corpora.corpora import Corpus
from store.datasets import question_sets
from store.datasets.datasets import Dataset, put_revision
from store.datasets.generations import KEPT, GenerationSettings
from store.datasets.question_sets import ItemSet
from store.hashing import canonical_json, content_hash
from store.history.archive import (
    EventLine,
    FormLine,
    InspectionLine,
    ItemLine,
    JudgementLine,
    Provenance,
    ReleaseLine,
    RevisionLine,
)
from store.labels.guidelines import Guideline
from store.labels.log import log
from store.labels.log.events import Subject
from store.records import Source

Revisions = Mapping[tuple[str, int], int]
"""Number of a revision here, by item key and number within the item."""


def past_source(
    db: sqlite3.Connection, corpus: Corpus, row: int, source: Source, meta: dict[str, Any]
) -> None:
    """Stores a superseded source of document `row`, unless it is known."""
    facts = canonical_json(meta).decode()
    place = (corpus.id, row, source.path, source.locator, source.title, source.external_id, facts)
    at = now_text()
    db.execute(
        "INSERT INTO source (corpus_id, document, path, locator, title, external_id, meta, seen_at,"
        " superseded_at, checksum)"
        " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, row_sum(?2, ?3, ?4, ?8)"
        " WHERE NOT EXISTS (SELECT 1 FROM source"
        "  WHERE corpus_id = ?1 AND document = ?2 AND path = ?3 AND locator = ?4"
        "  AND title = ?5 AND external_id = ?6 AND meta = ?7)",
        (*place, at),
    )


def item(db: sqlite3.Connection, dataset: Dataset, line: ItemLine) -> dict[int, int]:
    """Stores the item with all its revisions and question sets; returns the new numbers of the
    revisions by their numbers in the item.
    """
    item_id = db.execute(
        "INSERT INTO item (dataset_id, item_key, group_key, state, created_at, checksum)"
        " VALUES (?1, ?2, ?3, ?4, ?5, row_sum(?2, ?4))",
        (dataset.id, line.id, line.group, line.state, line.at),
    ).lastrowid
    assert item_id is not None
    numbers: dict[int, int] = {}
    for revision in sorted(line.revisions, key=lambda one: one.number):
        numbers[revision.number] = _revision(db, item_id, revision, numbers)
    db.execute("UPDATE item SET head = ? WHERE id = ?", (numbers[line.head], item_id))
    for one in line.question_sets:
        question_sets.put(db, one.name, [ItemSet(item_id, one.golden, one.content)])
    return numbers


def _revision(
    db: sqlite3.Connection, item_id: int, line: RevisionLine, numbers: Mapping[int, int]
) -> int:
    return put_revision(
        db,
        item_id,
        line.number,
        None if line.parent is None else numbers[line.parent],
        line.content,
        line.author,
        line.reason,
        line.at,
    )


def release(
    db: sqlite3.Connection, dataset: Dataset, line: ReleaseLine, frozen: Iterable[tuple[int, str]]
) -> None:
    """Stores a release with the (revision, state) of each item that it froze."""
    held = list(frozen)
    number = db.execute(
        "INSERT INTO release (dataset_id, version, note, created_at, size) VALUES (?, ?, ?, ?, ?)",
        (dataset.id, line.version, line.note, line.at, len(held)),
    ).lastrowid
    db.executemany(
        "INSERT INTO release_item (release_id, item_id, revision_id, state, checksum)"
        " SELECT ?1, item_id, id, ?2, row_sum(item_id, id, ?2) FROM revision WHERE id = ?3",
        ((number, state, revision) for revision, state in held),
    )


def form(db: sqlite3.Connection, line: FormLine) -> int:
    """The form's number here: of a version with equal content, else of a new version, which keeps
    its number if that is free.
    """
    digest = content_hash(line.form)
    row = db.execute(
        "SELECT id FROM form WHERE key = ? AND content_hash = ?", (line.form.key, digest)
    ).fetchone()
    if row is not None:
        return int(row[0])
    (last,) = db.execute(
        "SELECT coalesce(max(version), 0) FROM form WHERE key = ?", (line.form.key,)
    ).fetchone()
    made = db.execute(
        "INSERT INTO form (key, version, content, content_hash, created_at) VALUES (?, ?, ?, ?, ?)",
        (
            line.form.key,
            max(line.version, last + 1),
            canonical_json(line.form).decode(),
            digest,
            now_text(),
        ),
    ).lastrowid
    assert made is not None
    return made


def guideline(db: sqlite3.Connection, one: Guideline) -> str:
    """The version here with this text, appended if there is none."""
    row = db.execute(
        "SELECT version FROM guideline WHERE form_key = ? AND text = ?", (one.form_key, one.text)
    ).fetchone()
    if row is not None:
        return str(row[0])
    (last,) = db.execute(
        "SELECT coalesce(max(version), 0) FROM guideline WHERE form_key = ?", (one.form_key,)
    ).fetchone()
    version = max(one.version, last + 1)
    db.execute(
        "INSERT INTO guideline (form_key, version, text, author, at) VALUES (?, ?, ?, ?, ?)",
        (one.form_key, version, one.text, one.author, one.at),
    )
    return str(version)


def judgement(
    db: sqlite3.Connection, item_key: str, line: JudgementLine, revisions: Revisions
) -> None:
    db.execute(
        "INSERT INTO judgement (revision_id, item_id, form_key, state_before, head_before, quorum)"
        " SELECT id, item_id, ?, ?, ?, ? FROM revision WHERE id = ?",
        (
            line.form,
            line.state_before,
            revisions[item_key, line.head_before],
            line.quorum,
            revisions[item_key, line.revision],
        ),
    )


def inspections(
    db: sqlite3.Connection,
    title: str,
    lines: Sequence[tuple[str, InspectionLine]],
    revisions: Revisions,
) -> None:
    """Stores automatic verdicts by item key, under a finished job `title`; under a second job where
    several inspections judged one revision.
    """
    jobs: list[int] = []
    taken: dict[tuple[str, int, int], int] = {}
    for key, line in lines:
        place = (key, line.revision, line.repeat)
        at = taken[place] = taken.get(place, -1) + 1
        if at == len(jobs):
            jobs.append(_finished_job(db, "inspect", title, len(lines)))
        db.execute(
            "INSERT INTO inspection (job_id, revision_id, repeat, inspector, prompt_hash, state,"
            " evaluation, reason, checks, correction, cached, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
            (
                jobs[at],
                revisions[key, line.revision],
                line.repeat,
                line.inspector,
                line.prompt,
                line.state,
                line.evaluation,
                line.reason,
                canonical_json(line.checks).decode(),
                None if line.correction is None else revisions[key, line.correction],
                line.at,
            ),
        )


def provenances(
    db: sqlite3.Connection, dataset: Dataset, title: str, lines: Sequence[tuple[int, Provenance]]
) -> None:
    """Stores the models, prompts and documents of generated items, by the new number of their first
    revision, as the attempts of one finished generation for each model.
    """
    by_model: dict[str, list[tuple[int, Provenance]]] = {}
    for revision, line in lines:
        by_model.setdefault(line.model, []).append((revision, line))
    for model, of_model in by_model.items():
        job = _finished_job(db, "generate", title, len(of_model))
        settings = GenerationSettings(per_cell=1, model=model)
        db.execute(
            "INSERT INTO generation (job_id, dataset_id, settings) VALUES (?, ?, ?)",
            (job, dataset.id, canonical_json(settings).decode()),
        )
        db.executemany(
            "INSERT INTO generation_cell (job_id, topic, task, ordinal, target)"
            " SELECT ?1, topic, task, id, 1 FROM revision WHERE id = ?2 ON CONFLICT DO NOTHING",
            ((job, revision) for revision, _ in of_model),
        )
        for number, (revision, line) in enumerate(of_model):
            _attempt(db, job, number, revision, line)


def _attempt(
    db: sqlite3.Connection, job: int, number: int, revision: int, line: Provenance
) -> None:
    attempt = db.execute(
        "INSERT INTO generation_attempt (job_id, topic, task, document_id, round, repeat,"
        " documents, model, prompt_id, prompt_hash, state, reason, written, created_at,"
        " finished_at) SELECT ?1, topic, task, ?2, ?3, 0, ?4, ?5, ?6, ?7, 'parsed', '', 1, ?8, ?8"
        " FROM revision WHERE id = ?9",
        (
            job,
            line.documents[0] if line.documents else "",
            number,
            canonical_json(line.documents).decode(),
            line.model,
            line.prompt_id,
            line.prompt,
            line.at,
            revision,
        ),
    ).lastrowid
    db.execute(
        "INSERT INTO generation_result (attempt_id, ordinal, item_id, outcome, reason)"
        " SELECT ?, 0, item_id, ?, '' FROM revision WHERE id = ?",
        (attempt, KEPT, revision),
    )


def _finished_job(db: sqlite3.Connection, kind: str, title: str, done: int) -> int:
    at = now_text()
    made = db.execute(
        "INSERT INTO job (kind, title, params, state, created_at, started_at, finished_at, done,"
        " total) VALUES (?1, ?2, '{}', 'done', ?3, ?3, ?3, ?4, ?4)",
        (kind, title, at, done),
    ).lastrowid
    assert made is not None
    return made


def events(
    db: sqlite3.Connection,
    lines: Sequence[EventLine],
    revisions: Revisions,
    form_ids: Mapping[tuple[str, int], int],
    guidelines: Mapping[tuple[str, str], str],
    holds_revision: frozenset[tuple[str, str]],
) -> None:
    """Stores the log unchanged, every event with the origin `import`, and everything derived from
    it.

    `holds_revision` names (form, field) whose values are numbers of revisions.
    """
    numbers: dict[int, int] = {}
    places: dict[tuple[str, str, str], None] = {}
    for line in lines:
        subject = f"{revisions[line.item, line.revision]}{line.repeat}"
        value = line.value
        if (line.form, line.field) in holds_revision and type(value) is int:
            value = revisions[line.item, value]
        seq = db.execute(
            "INSERT INTO label_event (at, rater, form_id, subject_kind, subject, field, value,"
            " kind, undoes, origin, active_ms, guideline, checksum, account)"
            " VALUES (?1, ?2, ?3, 'revision', ?4, ?5, ?6, ?7, ?8, 'import', ?9, ?10,"
            " row_sum(?2, ?4, ?5, ?6, ?7), nullif(?11, ''))",
            (
                line.at,
                line.rater,
                form_ids[line.form, line.form_version],
                subject,
                line.field,
                None if value is None else canonical_json(value).decode(),
                line.kind,
                None if line.undoes is None else numbers[line.undoes],
                line.active_ms,
                guidelines.get((line.form, line.guideline), line.guideline),
                line.account,
            ),
        ).lastrowid
        assert seq is not None
        numbers[line.number] = seq
        places[line.form, line.rater, subject] = None
        db.executemany(
            "INSERT INTO adjudication_basis (seq, weighed) VALUES (?, ?)",
            ((seq, numbers[other]) for other in line.weighed),
        )
        if line.reason:
            db.execute(
                "INSERT INTO adjudication_reason (seq, reason) VALUES (?, ?)", (seq, line.reason)
            )
    for form_key, rater, subject in places:
        log.refresh(db, form_key, rater, Subject("revision", subject))
