"""Retrieving in a child process: the job that waits for an index says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tiny_workspaces import TEXTS, Released

from engine.jobs import context, pool
from engine.jobs.context import for_job
from engine.retrieve.hidden import Visible
from engine.retrieve.in_child import ToRetrieve, prepare_index, retrieve
from engine.retrieve.pipeline import chunks_fingerprint
from store.corpora import corpora
from store.hashing import text_id
from store.jobs import jobs
from store.systems import Retrieval
from store.workspace import Workspace


@pytest.fixture
def here(workspace: Workspace) -> Iterator[Workspace]:
    """The process as a child of the workspace's worker."""
    pool.use_folder(workspace.folder)
    yield workspace
    pool.child_workspace().close()
    pool._workspace = pool._folder = None


def test_a_job_says_that_its_index_is_built_and_nothing_any_more_once_it_is(
    here: Workspace, released: Released, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str | None, int | None]] = []
    set_phase = jobs.set_phase

    def noted(
        db: object, job: int, phase: str | None, done: int = 0, total: int | None = None
    ) -> None:
        told.append((phase, total))
        set_phase(db, job, phase, done, total)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "set_phase", noted)
    monkeypatch.setattr(context, "PHASE_S", 0.0)
    with here.write() as db:
        job = jobs.enqueue(db, "evaluate", "a run")
    corpus = corpora.get(here.db, "tiny")
    fingerprint, _ = chunks_fingerprint(here.db, corpus, None)
    for_job(job.id, prepare_index, corpus.id, Retrieval("bm25"), fingerprint)
    assert told[0] == ("opening the index", None)
    assert any(phase == "building the index" and total for phase, total in told)
    assert told[-1] == (None, None)
    assert jobs.get(here.db, job.id).phase is None


@pytest.mark.parametrize("name", ["bm25", "lsa", "hybrid:bm25+lsa"])
def test_questions_find_together_what_each_finds_alone(
    here: Workspace, released: Released, name: str
) -> None:
    corpus = corpora.get(here.db, "tiny")
    fingerprint, _ = chunks_fingerprint(here.db, corpus, None)
    bonds = text_id(TEXTS["en/bonds.md"])
    asked = [
        ToRetrieve(("Which bond prices fell?",)),
        ToRetrieve(("Which bond prices fell?",), (bonds,)),
        ToRetrieve(("rate rose", "保费收入")),
        ToRetrieve(("规模",)),
        ToRetrieve((" ",)),
    ]

    def found(questions: list[ToRetrieve]) -> list[Visible]:
        given = retrieve(corpus.id, Retrieval(name), fingerprint, 3, questions)
        return [one.visible for one in given]

    together = found(asked)
    assert together == [found([one])[0] for one in asked]
    assert bonds in {hit.document_id for hit in together[0].hits}
    assert bonds not in {hit.document_id for hit in together[1].hits}
