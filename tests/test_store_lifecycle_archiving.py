"""Archiving: what is out of sight, what its name says, and how it comes back."""

from __future__ import annotations

import pytest
from tiny_workspaces import CHUNKING, TAXONOMY, Released

from store.corpora import corpora, taxonomies
from store.datasets import coverage, datasets
from store.errors import Conflict, NotFound
from store.jobs import jobs
from store.lifecycle import archiving
from store.lifecycle.archiving import Kind
from store.runs import runs
from store.runs.runs import Run
from store.verify import verify
from store.workspace import Workspace


def archive(workspace: Workspace, kind: Kind, name: str) -> None:
    with workspace.write() as db:
        archiving.archive(db, archiving.find(db, kind, name))


def restore(workspace: Workspace, kind: Kind, name: str) -> None:
    with workspace.write() as db:
        archiving.restore(db, archiving.find(db, kind, name))


def shown(workspace: Workspace) -> tuple[list[str], list[str], list[str]]:
    db = workspace.db
    return (
        [one.name for one in corpora.listing(db)],
        [one.name for one in datasets.listing(db)],
        [one.name for one in runs.listing(db)],
    )


@pytest.mark.parametrize(
    ("kind", "name", "left"),
    [
        ("run", "first", (["tiny"], ["gold"], [])),
        ("dataset", "gold", (["tiny"], [], [])),
        ("corpus", "tiny", ([], [], [])),
    ],
)
def test_what_is_made_of_an_archived_thing_goes_and_comes_back_with_it(
    workspace: Workspace, run: Run, kind: Kind, name: str, left: object
) -> None:
    archive(workspace, kind, name)
    assert shown(workspace) == left
    assert [one.name for one in runs.listing(workspace.db, archived=True)] == ["first"]
    assert runs.get(workspace.db, run.id) == run, "rows still find it by its number"
    with pytest.raises(Conflict, match="is archived") as refused:
        runs.get(workspace.db, "first")
    assert refused.value.command == f"ragdesk restore {kind} {name}"
    assert verify(workspace.db).ok
    restore(workspace, kind, name)
    assert shown(workspace) == (["tiny"], ["gold"], ["first"])
    assert runs.get(workspace.db, "first") == run


def test_a_name_stays_taken_and_says_why(workspace: Workspace, run: Run) -> None:
    archive(workspace, "corpus", "tiny")
    with workspace.write() as db:
        with pytest.raises(Conflict, match="Corpus 'tiny' is archived"):
            corpora.create(db, "tiny", CHUNKING)
        with pytest.raises(Conflict, match="Dataset 'gold' is archived with its corpus 'tiny'"):
            datasets.create(db, "gold", 1, taxonomies.put(db, TAXONOMY))
        with pytest.raises(Conflict, match="Run 'first' is archived with its corpus 'tiny'"):
            runs.check_name(db, "first")
    with pytest.raises(Conflict, match="Dataset 'gold' is archived"):
        datasets.find_release(workspace.db, "gold@1")


def test_a_run_comes_back_only_after_its_dataset(workspace: Workspace, run: Run) -> None:
    archive(workspace, "dataset", "gold")
    with pytest.raises(Conflict, match="archived with its dataset 'gold'"):
        restore(workspace, "run", "first")
    archive(workspace, "run", "first")
    restore(workspace, "dataset", "gold")
    assert shown(workspace) == (["tiny"], ["gold"], []), "it was archived by itself"
    restore(workspace, "run", "first")
    with pytest.raises(Conflict, match="Run 'first' is not archived"):
        restore(workspace, "run", "first")


def test_archiving_twice_keeps_the_date_and_an_unknown_name_lists_all(
    workspace: Workspace, run: Run
) -> None:
    archive(workspace, "run", str(run.id))
    before = archiving.find(workspace.db, "run", "first")
    archive(workspace, "run", "first")
    assert archiving.find(workspace.db, "run", "first") == before
    with pytest.raises(NotFound, match="archived ones too: first"):
        archiving.find(workspace.db, "run", "secnod")
    with pytest.raises(NotFound, match="A release goes with its dataset"):
        archiving.find(workspace.db, "dataset", "gold@1")


@pytest.mark.parametrize(
    ("kind", "job", "params"),
    [
        ("run", "judge", {"run": 1}),
        ("dataset", "inspect", {"dataset": "gold"}),
        ("corpus", "classify", {"corpus": "tiny"}),
    ],
)
def test_a_job_at_work_holds_what_it_works_on(
    workspace: Workspace, run: Run, kind: Kind, job: str, params: dict[str, object]
) -> None:
    names: dict[Kind, str] = {"run": "first", "dataset": "gold", "corpus": "tiny"}
    with workspace.write() as db:
        made = jobs.enqueue(db, job, "work", params=params)
    above = list(names)[list(names).index(kind) :]
    for one in above:
        with pytest.raises(Conflict, match=f"Job {made.id} .* is queued"):
            archive(workspace, one, names[one])
    with workspace.write() as db:
        jobs.ask(db, made.id, "cancel")
    archive(workspace, kind, names[kind])
    assert jobs.listing(workspace.db) == []
    assert [one.id for one in jobs.listing(workspace.db, archived=True)] == [made.id]
    with workspace.write() as db, pytest.raises(Conflict, match=f"works on {kind}"):
        jobs.resume(db, made.id)
    with pytest.raises(Conflict, match="is archived"), workspace.write() as db:
        jobs.enqueue(db, job, "more", params=params)
    assert len(jobs.listing(workspace.db, archived=True)) == 1


def test_the_app_hears_of_archiving(workspace: Workspace, released: Released) -> None:
    before = coverage.signature(workspace.db)
    archive(workspace, "corpus", "tiny")
    assert coverage.signature(workspace.db) != before
    assert corpora.source_counts(workspace.db) == {}
