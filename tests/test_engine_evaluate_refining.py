"""Corpus stages by a model: what is asked about which chunks, once, and what is then searched."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    job_now,
    make_workspace,
    provider_table,
    queue,
    resume,
    start_worker,
    system_table,
    write_settings,
)
from msgspec.structs import replace
from scripted_server import Reply, Request, ScriptedServer
from tiny_workspaces import CHUNKING, TEXTS, question
from worker_here import work_here

from engine.evaluate.estimate import RunEstimate
from engine.evaluate.new_run import NewRun
from engine.evaluate.refining import REFINING
from engine.evaluate.run_job import Evaluate
from engine.evaluate.systems import find_system
from engine.jobs.operation import Budget
from engine.retrieve.pipeline import open_texts
from store.corpora import corpora
from store.errors import InputError
from store.hashing import text_id
from store.jobs import jobs
from store.jobs.jobs import Job
from store.lifecycle import archiving
from store.lifecycle.purging import purge
from store.records import Hit, JobState, PauseReason
from store.runs import calls, refinements, runs, stages
from store.runs.stages import RetrieveValue
from store.verify import verify
from store.workspace import open_workspace
from tui.cli import main

ITEMS = {
    "english": question("Which tariff is meant?"),
    "chinese": replace(question("哪项关税？", topic="funds"), lang="zh"),
}
CHUNKS = {
    (text_id(text), start): text[start : start + CHUNKING.size]
    for text in TEXTS.values()
    for start in range(0, len(text), CHUNKING.size)
}
EACH = len(CHUNKS)
LOANS = CHUNKS[text_id(TEXTS["en/rates.md"]), 48]
OF_LOANS = Hit(text_id(TEXTS["en/rates.md"]), 48, 48 + len(LOANS), 0.0)
FUND = CHUNKS[text_id(TEXTS["zh/基金.md"]), 12]
SUMMARY = system_table("summary", "extractive", "bm25") + (
    'corpus = [{ stage = "model_summary", provider = "p" }]\n'
)
DOCUMENT = system_table("document", "extractive", "bm25") + (
    'corpus = [{ stage = "model_summary", provider = "p", of = "document" }]\n'
)
CONTEXT = system_table("context", "extractive", "bm25") + (
    'corpus = ["tables", { stage = "model_context", provider = "p" }]\n'
)


def reply(request: Request) -> Reply:
    """Says that the chunk on loans, and the one on a fund's size, are about a tariff."""
    asked = request.body["messages"][1]["content"]
    passage = asked.split("\n\n")[-2].split("\n", 1)[1]
    if asked.endswith(("Summary:", "Where it stands and what it is about:")):
        text = "It is about the tariff." if LOANS in passage else "Something else."
    else:
        text = "关税的内容。" if FUND in passage else "其他内容。"
    return scripted.answer(text, tokens_in=30, tokens_out=4)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(reply=reply) as one:
        yield one


def prepared(folder: Path, server: ScriptedServer, *systems: str) -> Path:
    make_workspace(folder, ITEMS)
    write_settings(folder, provider_table("p", server.base_url), *systems)
    return folder


def run(folder: Path, system: str, budget: Budget | None = None) -> Job:
    job = queue(folder, system, name=system, budget=budget)
    work_here(folder)
    return job_now(folder, job)


def hits(folder: Path, name: str, item: str) -> tuple[Hit, ...]:
    with open_workspace(folder) as workspace:
        value = stages.get(workspace.db, prediction(folder, name, item), "retrieve", RetrieveValue)
    assert isinstance(value, RetrieveValue)
    return value.hits


def prediction(folder: Path, name: str, item: str) -> int:
    with open_workspace(folder) as workspace:
        row = workspace.db.execute(
            "SELECT prediction.id FROM prediction JOIN run ON run.id = run_id"
            " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
            " WHERE run.name = ? AND item_key = ?",
            (name, item),
        ).fetchone()
    return int(row[0])


def estimate(folder: Path, system: str) -> RunEstimate:
    with open_workspace(folder) as workspace:
        return Evaluate(NewRun(system, "gold")).estimate(workspace)


def spans(found: tuple[Hit, ...]) -> list[str]:
    return [CHUNKS[hit.document_id, hit.start] for hit in found]


def test_chunks_are_found_by_summaries_and_stay_where_they_are(
    tmp_path: Path, server: ScriptedServer
) -> None:
    folder = prepared(tmp_path / "w", server, SUMMARY)
    before = estimate(folder, "summary")
    assert (before.calls, before.cached, before.at_least) == (EACH, 0, True)
    job = run(folder, "summary")
    assert job.state is JobState.DONE
    assert server.count == EACH
    assert spans(hits(folder, "summary", "english")) == [LOANS]
    assert spans(hits(folder, "summary", "chinese")) == [FUND]
    after = estimate(folder, "summary")
    assert (after.calls, after.at_least) == (0, False)
    with open_workspace(folder) as workspace:
        asked = calls.of_prediction(workspace.db, prediction(folder, "summary", "english"))
        notes = [event.text for event in jobs.events(workspace.db, job.id)]
        assert verify(workspace.db).ok
    (call,) = asked
    assert call.asker == "stage corpus"
    assert call.call is not None
    assert call.call.reply == "It is about the tariff."
    assert f"a model changed what {EACH} chunks are indexed by" in notes


def test_equal_stages_of_another_system_ask_nothing_again(
    tmp_path: Path, server: ScriptedServer
) -> None:
    other = SUMMARY.replace("systems.summary", "systems.other").replace("bm25", "lsa")
    folder = prepared(tmp_path / "w", server, SUMMARY, other)
    run(folder, "summary")
    assert run(folder, "other").state is JobState.DONE
    assert server.count == EACH


def test_another_prompt_makes_other_texts(tmp_path: Path, server: ScriptedServer) -> None:
    folder = prepared(tmp_path / "w", server, SUMMARY)
    run(folder, "summary")
    own = folder / "prompts/en/corpus/summary.txt"
    own.parent.mkdir(parents=True)
    own.write_text(
        "[system]\nBe short.\n[user]\n{title}{text}{most}\n\nS:\nx\n\nSummary:\n", "utf-8"
    )
    job = queue(folder, "summary", name="again")
    work_here(folder)
    assert job_now(folder, job).state is JobState.DONE
    english = sum(
        document in (text_id(TEXTS["en/rates.md"]), text_id(TEXTS["en/bonds.md"]))
        for document, _ in CHUNKS
    )
    assert server.count == EACH + english, "the Chinese ones come from the cache"


def test_a_document_is_summarised_once_and_its_chunks_follow(
    tmp_path: Path, server: ScriptedServer
) -> None:
    folder = prepared(tmp_path / "w", server, DOCUMENT)
    assert run(folder, "document").state is JobState.DONE
    assert server.count == len(TEXTS)
    with open_workspace(folder) as workspace:
        corpus = corpora.get(workspace.db, "tiny")
        frozen = runs.get(workspace.db, "document").system.corpus
        kept = open_texts(workspace, corpus, frozen, None)
        (text,) = kept.of([OF_LOANS])
    assert text == f"rates.md\nIt is about the tariff.\n{LOANS}"


def test_a_context_is_asked_for_with_the_document_and_stands_before_the_chunk(
    tmp_path: Path, server: ScriptedServer
) -> None:
    folder = prepared(tmp_path / "w", server, CONTEXT)
    assert run(folder, "context").state is JobState.DONE
    asked = [request.body["messages"][1]["content"] for request in server.requests]
    assert sum(TEXTS["zh/基金.md"] in text and "文档中的段落：" in text for text in asked) == 2
    assert spans(hits(folder, "context", "english")) == [LOANS]


def test_a_chunk_whose_reply_cannot_be_used_stays_as_it_is(tmp_path: Path) -> None:
    def muddled(request: Request) -> Reply:
        asked = request.body["messages"][1]["content"]
        if FUND in asked:
            return scripted.error(400, "blocked", "content_filter", "content_filter")
        return scripted.answer("```json\n{}\n```") if LOANS in asked else reply(request)

    with ScriptedServer(reply=muddled) as server:
        folder = prepared(tmp_path / "w", server, SUMMARY)
        job = run(folder, "summary")
        assert job.state is JobState.DONE
        assert server.count == EACH + 1, "once more after what could not be used"
    with open_workspace(folder) as workspace:
        notes = " ".join(event.text for event in jobs.events(workspace.db, job.id))
        frozen = runs.get(workspace.db, "summary").system.corpus
        kept = open_texts(workspace, corpora.get(workspace.db, "tiny"), frozen, None)
        (text,) = kept.of([OF_LOANS])
    assert "2 stayed as they were, because it gave no usable reply, twice" in notes
    assert text == f"rates.md\n{LOANS}"


def test_a_chunk_without_a_reply_ends_the_job_and_is_asked_for_again(tmp_path: Path) -> None:
    broken = [True]

    def fails(request: Request) -> Reply:
        asked = request.body["messages"][1]["content"]
        return scripted.context_length_exceeded() if LOANS in asked and broken else reply(request)

    with ScriptedServer(reply=fails) as server:
        folder = prepared(tmp_path / "w", server, SUMMARY)
        job = run(folder, "summary")
        assert job.state is JobState.FAILED
        assert "1 chunk of corpus 'tiny' got no reply" in str(job.error)
        broken.clear()
        before = server.count
        resume(folder, job)
        work_here(folder)
        assert job_now(folder, job).state is JobState.DONE
        assert server.count == before + 1


def test_the_texts_are_paid_within_the_budget_of_the_run(
    tmp_path: Path, server: ScriptedServer
) -> None:
    limits = {"limits.max_in_flight": 1}
    folder = make_workspace(tmp_path / "w", ITEMS)
    write_settings(folder, provider_table("p", server.base_url, **limits), SUMMARY)
    job = run(folder, "summary", Budget(max_tokens=600))
    assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.BUDGET)
    asked = server.count
    assert 0 < asked < EACH
    with open_workspace(folder) as workspace:
        assert refinements.spent(workspace.db, job.id) == (34 * asked, 0.0)
    resume(folder, job)
    work_here(folder)
    assert server.count == asked, "what is spent still counts"
    resume(folder, job, Budget(max_tokens=1_000_000))
    work_here(folder)
    assert job_now(folder, job).state is JobState.DONE
    assert server.count == EACH


def test_a_kill_at_any_moment_repeats_no_answered_call(tmp_path: Path) -> None:
    draw = random.Random(3)
    with ScriptedServer(reply=reply, latency_s=0.05) as server:
        folder = make_workspace(tmp_path / "w", ITEMS)
        limits = {"limits.max_in_flight": 2}
        write_settings(folder, provider_table("p", server.base_url, **limits), SUMMARY)
        job = queue(folder, "summary", name="summary")
        worker = start_worker(folder)
        while server.count < 3 and worker.poll() is None:
            time.sleep(0.005)
        time.sleep(draw.uniform(0, 0.1))
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        assert start_worker(folder).wait(timeout=300) == 0
        in_flight = 2
        assert EACH <= server.count <= EACH + in_flight
    assert job_now(folder, job).state is JobState.DONE
    with open_workspace(folder) as workspace:
        assert verify(workspace.db).ok
        (made,) = workspace.db.execute("SELECT count(*) FROM refined_chunk").fetchone()
        (stored,) = workspace.db.execute("SELECT count(*) FROM model_call").fetchone()
    assert (made, stored) == (EACH, EACH)


def test_the_texts_outlive_the_run_that_paid_and_go_with_the_corpus(
    tmp_path: Path, server: ScriptedServer
) -> None:
    folder = prepared(tmp_path / "w", server, SUMMARY)
    run(folder, "summary")
    with open_workspace(folder) as workspace:
        purge(workspace, archiving.find(workspace.db, "run", "summary"))
        assert verify(workspace.db).ok
    job = queue(folder, "summary", name="again")
    work_here(folder)
    assert job_now(folder, job).state is JobState.DONE
    assert server.count == EACH
    with open_workspace(folder) as workspace:
        purge(workspace, archiving.find(workspace.db, "run", "again"))
        purge(workspace, archiving.find(workspace.db, "dataset", "gold"))
        purge(workspace, archiving.find(workspace.db, "corpus", "tiny"))
        for table in ("refinement", "refined_chunk", "model_call"):
            assert workspace.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_texts_that_no_run_has_made_are_refused_with_what_to_do(
    tmp_path: Path, server: ScriptedServer
) -> None:
    folder = prepared(tmp_path / "w", server, SUMMARY)
    with open_workspace(folder) as workspace:
        corpus = corpora.get(workspace.db, "tiny")
        system = find_system(folder, "summary")
        with pytest.raises(InputError, match="are not there") as refused:
            open_texts(workspace, corpus, system.corpus, None)
    assert refused.value.command.startswith("ragdesk run")


def test_an_extracting_system_must_name_the_model(tmp_path: Path) -> None:
    write_settings(
        tmp_path,
        provider_table("p", "http://127.0.0.1:1/v1"),
        system_table("s", "extractive", "bm25") + 'corpus = ["model_summary"]\n',
    )
    with pytest.raises(InputError, match="has a stage that asks a model"):
        find_system(tmp_path, "s")


def test_the_command_says_what_it_would_ask(
    tmp_path: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = prepared(tmp_path / "w", server, SUMMARY)
    arguments = ["run", "--system", "summary", "--dataset", "gold", "--dry-run"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGDESK_TEST_KEY", "sk-scripted")
        assert main(["--workspace", str(folder), *arguments]) == 0
    assert f"{EACH}" in capsys.readouterr().out
    assert server.count == 0


def test_the_job_says_how_many_chunks_are_refined(
    tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[object, ...]] = []
    set_phase = jobs.set_phase

    def noted(db: sqlite3.Connection, job_id: int, phase: str | None, *counts: int) -> None:
        told.append((phase, *counts))
        set_phase(db, job_id, phase, *counts)

    monkeypatch.setattr(jobs, "set_phase", noted)
    assert run(prepared(tmp_path, server, SUMMARY), "summary").state is JobState.DONE
    refining = [one for one in told if one[0] == REFINING]
    assert refining == [(REFINING,), *((REFINING, done, EACH) for done in range(1, EACH + 1))]
