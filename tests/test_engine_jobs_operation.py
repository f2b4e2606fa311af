"""Operations: what is asked for is checked, queued, worked, paused and resumed by one protocol."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import token_counting
from endpoint_workspaces import make_workspace, provider_table, questions, system_table
from endpoint_workspaces import write_settings as write_tables
from tiny_workspaces import Released, put_text
from token_counting import CountTokens

from engine.corpus.ingest_job import Ingest
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.generate.filling.generate_job import Generate
from engine.generate.inspection.inspect_job import Inspect
from engine.jobs.operation import (
    Budget,
    Estimate,
    Operation,
    change_budget,
    dry_run,
    encoded,
    operation_class,
    queue,
    retry_failed,
    stored_operation,
)
from engine.jobs.registry import OPERATIONS
from engine.taxonomy.classify_job import Classify
from engine.taxonomy.topics_job import ProposeTopics
from engine.text.tokens import count_tokens
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.errors import Conflict, NotFound, RagdeskError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import ChunkingSettings, JobState, PauseReason
from store.workspace import Workspace, open_workspace

DOCUMENTS = 40


@pytest.fixture
def counted(workspace: Workspace, corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A corpus of forty short texts, and a kind of job that counts their tokens."""
    monkeypatch.setitem(OPERATIONS, token_counting.KIND, "token_counting:CountTokens")
    with workspace.write() as db:
        texts = corpora.create(db, "texts", ChunkingSettings(12, 0, "chars"))
        for number in range(DOCUMENTS):
            put_text(db, texts, f"{number}.md", f"Note {number}: the rate rose.")
        corpora.create(db, "nothing", ChunkingSettings(12, 0, "chars"))
    return workspace


def start_worker(workspace: Workspace) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, token_counting.__file__, str(workspace.folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_kind_of_job_is_a_class_and_a_line(counted: Workspace) -> None:
    with pytest.raises(NotFound, match="no corpus 'nowhere'"):
        queue(counted, CountTokens("nowhere"))
    assert dry_run(counted, CountTokens("texts")) == Estimate()
    assert jobs.listing(counted.db) == []
    job = queue(counted, CountTokens("texts"))
    assert (job.kind, job.title, job.state) == ("count-tokens", "tokens of texts", JobState.QUEUED)
    assert stored_operation(job) == CountTokens("texts")

    def now() -> Job:
        return jobs.get(counted.db, job.id)

    worker = start_worker(counted)
    until(lambda: now().done > 0)
    with counted.write() as db:
        jobs.ask(db, job.id, "pause")
    until(lambda: now().state is JobState.PAUSED)
    assert now().pause_reason is PauseReason.USER
    before = now().done
    assert 0 < before < DOCUMENTS == now().total
    with counted.write() as db:
        jobs.resume(db, job.id)
    until(lambda: now().state is JobState.DONE)
    worker.terminate()
    worker.wait(timeout=300)
    notes = [event.text.split() for event in jobs.events(counted.db, job.id)]
    assert len({name for name, _ in notes}) == len(notes) == now().done == DOCUMENTS
    expected = sum(count_tokens(f"Note {number}: the rate rose.") for number in range(DOCUMENTS))
    assert sum(int(tokens) for _, tokens in notes) == expected
    with pytest.raises(Conflict, match="Nothing failed"):
        retry_failed(counted, job.id)


def test_the_budget_of_a_job_is_changed_bound_by_bound(counted: Workspace) -> None:
    job = queue(counted, CountTokens("texts", budget=Budget(100, 2.0)))
    with counted.write() as db:
        change_budget(db, job, Budget(max_cost=5.0))
    changed = stored_operation(jobs.get(counted.db, job.id))
    assert changed == CountTokens("texts", budget=Budget(100, 5.0))


@pytest.mark.parametrize("kind", OPERATIONS)
def test_every_kind_of_job_has_its_operation(kind: str) -> None:
    found = operation_class(kind)
    assert issubclass(found, Operation)
    assert found.__struct_config__.tag == kind


def test_the_runtime_knows_no_operation() -> None:
    code = "import sys, engine.jobs.worker; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rooms = {name.split(".")[1] for name in done.stdout.split() if name.startswith("engine.")}
    assert rooms <= {"jobs", "models", "settings", "text"}


NO_KEY = "RAGDESK_KEY_THAT_IS_NOT_SET"
TARGETS = (("rates", "extractive", 0),)


@pytest.mark.parametrize(
    ("operation", "says"),
    [
        (Ingest("news", ("/nowhere",)), "/nowhere"),
        (Ingest("news", ("/",), ChunkingSettings(10, 20)), "overlap"),
        (Classify("nowhere", "omnieval"), "no corpus 'nowhere'"),
        (Classify("tiny", "moon"), "no taxonomy 'moon'"),
        (Classify("tiny", "omnieval", model="keyless"), NO_KEY),
        (Classify("tiny", "omnieval", budget=Budget(0)), "The budget of tokens is 0"),
        (ProposeTopics("tiny", "omnieval"), "comes with ragdesk"),
        (ProposeTopics("tiny", "own", count=1), "The number of topics is 1"),
        (ProposeTopics("tiny", "own", model="keyless"), NO_KEY),
        (Generate("tiny", "gold", 0), "The number of items per cell is 0"),
        (Generate("tiny", "a@b", 1), "a@b"),
        (Generate("tiny", "made", 1, model="keyless"), NO_KEY),
        (Generate("tiny", "made", 1, inspect_by="keyless"), NO_KEY),
        (Generate("tiny", "made", 1, budget=Budget(max_cost=-1.0)), "The budget of money is -1"),
        (Inspect("nothing"), "no dataset 'nothing'"),
        (Inspect("gold"), "no drafted item"),
        (Inspect("gold", model="keyless"), NO_KEY),
        (Evaluate(NewRun("moon", "gold")), "no system 'moon'"),
        (Evaluate(NewRun("bm25", "gold@7")), "no release 'gold@7'"),
        (Evaluate(NewRun("bm25", "gold", repeats=0)), "The number of repeats is 0"),
        (Evaluate(NewRun("bm25", "gold", name="7")), "'7'"),
        (Evaluate(NewRun("asks", "gold")), NO_KEY),
        (Evaluate(NewRun("bm25", "gold"), budget=Budget(-3)), "The budget of tokens is -3"),
    ],
    ids=lambda value: value.kind if isinstance(value, Operation) else None,
)
def test_a_dry_run_refuses_what_the_queue_refuses(
    workspace: Workspace, released: Released, operation: Operation, says: str
) -> None:
    write_tables(
        workspace.folder,
        provider_table("keyless", "http://127.0.0.1:9/v1", api_key_env=NO_KEY),
        system_table("asks", "keyless"),
    )
    before = list(workspace.db.iterdump())
    with pytest.raises(RagdeskError) as tried:
        dry_run(workspace, operation)
    assert says in f"{tried.value.message} {tried.value.remedy}"
    with pytest.raises(type(tried.value)) as refused:
        queue(workspace, operation)
    assert (refused.value.message, refused.value.remedy) == (
        tried.value.message,
        tried.value.remedy,
    )
    assert list(workspace.db.iterdump()) == before


def test_an_operation_travels_as_it_is_stored(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path / "w", questions(2))
    asked = Evaluate(NewRun("bm25", "gold", seed=4), budget=Budget(7))
    sent = msgspec.msgpack.decode(msgspec.msgpack.encode(asked), type=Evaluate)
    assert sent == asked
    with open_workspace(folder) as workspace:
        job = queue(workspace, sent)
        assert (
            encoded(stored_operation(job))
            == job.params
            == {
                "operation": "run",
                "run": job.run_id,
                "budget": {"max_tokens": 7},
            }
        )
