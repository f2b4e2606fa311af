"""Purging: what goes, what stays, and what is never removed."""

from __future__ import annotations

import sqlite3

import pytest
from history_workspaces import _machine_work, make_history
from labelling_workspaces import assignments, make_drafts, register
from tiny_workspaces import (
    TEXTS,
    Released,
    answer_and_score,
    f1,
    make_corpus,
    make_release,
    make_run,
    prediction_ids,
    put_text,
)

from store.corpora import corpora, document_topics
from store.errors import Conflict, WorkspaceError
from store.hashing import text_id
from store.jobs import jobs, model_calls
from store.jobs.model_calls import CallRef, ModelCall
from store.labels.forms import SubjectKind
from store.labels.log import drafts, log
from store.labels.log.events import Subject
from store.labels.samples import samples
from store.lifecycle import archiving, purging
from store.lifecycle.archiving import Kind
from store.lifecycle.purging import Removal
from store.records import ChunkingSettings, ItemContent, Turn
from store.runs import audits, judge_scores, stages
from store.runs.judge_scores import JudgeValue
from store.runs.runs import Run
from store.verify import verify
from store.workspace import Workspace

SHARED = frozenset(
    {"taxonomy", "prompt", "metric", "judge", "form", "guideline", "sqlite_sequence"}
)
"""Tables of what no single thing owns; equal content is stored once and stays."""


def purge(workspace: Workspace, kind: Kind, name: str) -> Removal:
    return purging.purge(workspace, archiving.find(workspace.db, kind, name))


def contents(db: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, but for those of `SHARED`."""
    tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return {
        table: sorted(db.execute(f"SELECT * FROM {table}").fetchall(), key=repr)
        for (table,) in tables.fetchall()
        if table not in SHARED
    }


def finished(db: sqlite3.Connection, released: Released, name: str, call: str) -> Run:
    """A run that is answered, scored and judged by a model, its job done."""
    run = make_run(db, released, name)
    judge = stages.put_judge(db, "model", {"kind": "model"})
    model_calls.put(db, call, ModelCall("p", "m", {"q": name}, "reply", "stop", 1.0))
    model_calls.put(db, "both", ModelCall("p", "m", {"q": "same"}, "reply", "stop", 1.0))
    for number in prediction_ids(db, run):
        answer_and_score(db, number, [f1(0.5)])
        value = JudgeValue("en/x", "h", "m", (CallRef(call), CallRef("both")))
        judge_scores.put(db, number, judge, f1(1.0), 0, value)
        probed = (CallRef(f"{call}, probed"),)
        audits.put_score(db, judge, number, "length/1", f1(1.0), 0, probed)
    model_calls.put(db, f"{call}, probed", ModelCall("p", "m", {"p": name}, "reply", "stop", 1.0))
    job = jobs.enqueue(db, "run", name, run_id=run.id)
    jobs.note(db, job.id, "note", "something")
    judged = jobs.enqueue(db, "judge", name, params={"run": run.id, "judge_id": judge})
    db.execute("UPDATE job SET state = 'done' WHERE id IN (?, ?)", (job.id, judged.id))
    return run


def test_a_purged_run_leaves_nothing_and_the_runs_beside_it_stay(
    workspace: Workspace, released: Released
) -> None:
    with workspace.write() as db:
        finished(db, released, "stays", "mine")
    before = contents(workspace.db)
    with workspace.write() as db:
        finished(db, released, "goes", "its own")
    thing = archiving.find(workspace.db, "run", "goes")
    planned = purging.plan(workspace.db, thing)
    assert purging.purge(workspace, thing) == planned
    assert planned.counts == {
        "scores": 10,
        "results of stages": 20,
        "predictions": 5,
        "jobs": 2,
        "replies of models": 2,
    }
    assert contents(workspace.db) == before
    assert verify(workspace.db).ok


def test_a_plan_changes_nothing_and_enforcement_is_back_afterwards(
    workspace: Workspace, run: Run
) -> None:
    before = contents(workspace.db)
    purging.plan(workspace.db, archiving.find(workspace.db, "run", "first"))
    assert contents(workspace.db) == before
    purge(workspace, "run", "first")
    (enforced,) = workspace.db.execute("PRAGMA foreign_keys").fetchone()
    assert enforced == 1


def test_a_purged_dataset_takes_its_generation_and_verdicts_along(
    workspace: Workspace, released: Released
) -> None:
    with workspace.write() as db:
        make_corpus(db, "drafted")
    before = contents(workspace.db)
    with workspace.write() as db:
        made = make_drafts(db)
        _machine_work(workspace, made.revisions)
    with pytest.raises(Conflict, match="Corpus 'drafted' cannot be purged: datasets drafts needs"):
        purge(workspace, "corpus", "drafted")
    removal = purge(workspace, "dataset", "drafts")
    assert removal.counts["items"] == 8
    assert removal.counts["revisions"] == 9
    after = contents(workspace.db)
    # seen again while the drafts were made
    for rows in (before, after):
        rows["source"] = [row[:8] for row in rows["source"]]
    assert after == before
    assert verify(workspace.db).ok


def test_a_purged_corpus_leaves_what_others_hold(workspace: Workspace, released: Released) -> None:
    before = contents(workspace.db)
    with workspace.write() as db:
        again = make_corpus(db, "again", ["en/rates.md"])
        put_text(db, again, "own.md", "Only here it stands.")
        row = corpora.document_row(db, text_id("Only here it stands."))
        document_topics.put(db, "tiny", [(row, "rates", None)], "by hand")
        job = jobs.enqueue(db, "ingest", "own", params={"corpus": "again"})
        jobs.ask(db, job.id, "cancel")
    removal = purge(workspace, "corpus", "again")
    assert removal.documents == {text_id("Only here it stands.")}
    assert removal.counts == {
        "jobs": 1,
        "topics of documents": 1,
        "chunks": 2,
        "sources": 2,
        "documents": 1,
    }
    assert contents(workspace.db) == before
    assert verify(workspace.db).ok


def test_chunks_of_another_size_go_with_the_only_corpus_that_has_them(
    workspace: Workspace, released: Released
) -> None:
    before = contents(workspace.db)
    with workspace.write() as db:
        coarse = corpora.create(db, "coarse", ChunkingSettings(size=40, overlap=0, unit="chars"))
        put_text(db, coarse, "en/rates.md", TEXTS["en/rates.md"])
    assert purge(workspace, "corpus", "coarse").counts == {"chunks": 2, "sources": 1}
    assert contents(workspace.db) == before


def test_a_document_that_evidence_elsewhere_names_stays(workspace: Workspace) -> None:
    with workspace.write() as db:
        make_corpus(db, "left", ["en/rates.md"])
        make_release(db, make_corpus(db, "right", ["en/bonds.md"]))
    assert purge(workspace, "corpus", "left").counts == {"chunks": 5, "sources": 1}
    assert verify(workspace.db).ok


def test_a_document_that_an_item_elsewhere_hides_stays(workspace: Workspace) -> None:
    with workspace.write() as db:
        make_corpus(db, "left", ["en/rates.md"])
        hides = ItemContent((Turn("Why?"),), hidden=(text_id(TEXTS["en/rates.md"]),))
        make_release(db, make_corpus(db, "right", ["en/bonds.md"]), contents={"one": hides})
    assert purge(workspace, "corpus", "left").counts == {"chunks": 5, "sources": 1}
    assert verify(workspace.db).ok


def test_what_other_things_are_made_of_is_refused(workspace: Workspace, run: Run) -> None:
    for kind, name, needing in (
        ("corpus", "tiny", "datasets gold"),
        ("dataset", "gold", "runs fi"),
    ):
        with pytest.raises(Conflict, match=f"cannot be purged: {needing}"):
            purge(workspace, kind, name)  # type: ignore[arg-type]
    with workspace.write() as db:
        archiving.archive(db, archiving.find(db, "run", "first"))
    with pytest.raises(Conflict, match="runs first needs it"):
        purge(workspace, "dataset", "gold")
    purge(workspace, "run", "first")
    purge(workspace, "dataset", "gold")
    purge(workspace, "corpus", "tiny")
    left = {table for table, rows in contents(workspace.db).items() if rows}
    assert left == {"_sqlite_migrations"}
    assert verify(workspace.db).ok


def _label(db: sqlite3.Connection, kind: SubjectKind, subject: str, *, undone: bool) -> None:
    form = register(db, {"prediction": "judge_labels", "pair": "preference"}[kind])
    field = form.form.fields[0]
    log.append(db, form, "王芳", Subject(kind, subject), field.key, field.choices[0].value)
    if undone:
        log.undo(db, "王芳", form.form.key)


@pytest.mark.parametrize("undone", [False, True])
@pytest.mark.parametrize("kind", ["prediction", "pair"])
def test_a_run_that_people_labelled_is_archived_only(
    workspace: Workspace, released: Released, kind: SubjectKind, undone: bool
) -> None:
    with workspace.write(durable=True) as db:
        first, second = (make_run(db, released, name) for name in ("first", "second"))
        untouched = make_run(db, released, "third")
        each = [prediction_ids(db, run)[0] for run in (first, second, untouched)]
        for number in each:
            answer_and_score(db, number, [f1(0.5)])
        subject = f"{each[0]}:{each[1]}" if kind == "pair" else str(each[1])
        _label(db, kind, subject, undone=undone)
    before = contents(workspace.db)
    with pytest.raises(Conflict, match=r"people have worked on it .*never deleted"):
        purge(workspace, "run", "second")
    assert contents(workspace.db) == before
    purge(workspace, "run", "third")
    assert verify(workspace.db).ok


def test_a_labelled_dataset_is_archived_only(workspace: Workspace) -> None:
    make_history(workspace)
    with pytest.raises(Conflict, match="events of labels"):
        purge(workspace, "dataset", "drafts")
    with workspace.write() as db:
        archiving.archive(db, archiving.find(db, "dataset", "drafts"))
    assert verify(workspace.db).ok


@pytest.mark.parametrize("touch", ["sample", "draft"])
def test_work_that_people_were_given_or_have_begun_counts_as_theirs(
    workspace: Workspace, touch: str
) -> None:
    with workspace.write() as db:
        made = make_drafts(db)
        if touch == "draft":
            drafts.save(db, "li", "inspection", made.subject(0), "correction", "half")
        else:
            sample = samples.create(db, "s1", "inspection", "revision", {})
            samples.add(db, sample, assignments(made))
    with pytest.raises(Conflict, match="half-typed" if touch == "draft" else "samples to label"):
        purge(workspace, "dataset", "drafts")
    thing = archiving.find(workspace.db, "dataset", "drafts")
    assert archiving.open_samples(workspace.db, thing) == (["s1"] if touch == "sample" else [])


def test_a_job_that_has_not_ended_is_in_the_way(workspace: Workspace, run: Run) -> None:
    with workspace.write() as db:
        job = jobs.enqueue(db, "run", "bm25", run_id=run.id)
        jobs.ask(db, job.id, "pause")
    with pytest.raises(Conflict, match="is paused"):
        purge(workspace, "run", "first")
    with workspace.write() as db:
        jobs.ask(db, job.id, "cancel")
    assert purge(workspace, "run", "first").counts == {"predictions": 5, "jobs": 1}


def test_nothing_is_kept_of_a_purge_that_would_break_a_reference(
    workspace: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tuple(row for row in purging._ROWS if row[1] != "prediction")
    monkeypatch.setattr(purging, "_ROWS", rows)
    before = contents(workspace.db)
    with pytest.raises(WorkspaceError, match="Table prediction needs rows"):
        purge(workspace, "run", "first")
    assert contents(workspace.db) == before
