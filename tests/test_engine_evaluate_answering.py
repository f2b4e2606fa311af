"""A run whose answers come from a model, through the real worker, whatever the endpoint does."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    KEY,
    files_holding,
    job_now,
    make_workspace,
    predictions,
    provider_table,
    questions,
    queue,
    resume,
    scores,
    start_worker,
    system_table,
    work,
    write_settings,
)
from scripted_server import Reply, Request, ScriptedServer

from engine.jobs.chat import EQUAL_FAILURES
from engine.jobs.operation import Budget, retry_failed
from store.errors import Conflict, UsageError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState, PauseReason
from store.runs import runs
from store.workspace import open_workspace

ITEMS = 12
ANSWER = "The rate was 3.5 percent."
FAILING_ROWS: dict[str, tuple[Reply, str, str]] = {
    "html": (scripted.html(), "bad_reply", "base_url"),
    "malformed": (scripted.malformed(), "bad_reply", "cannot be read"),
    "empty": (scripted.answer(""), "empty_reply", "max_tokens"),
    "context": (scripted.context_length_exceeded(), "context_length", "top_k"),
    "parameter": (scripted.error(400, "temperature is too high"), "bad_request", "parameters"),
}
"""What the server sends for every third item: the kind of error, and a word of the remedy."""
OUTAGES: dict[str, tuple[Reply, PauseReason, str]] = {
    "dead": (scripted.close_connection(), PauseReason.ENDPOINT, "taken to be down"),
    "hangs": (scripted.hang(), PauseReason.ENDPOINT, "did not answer within"),
    "quota": (scripted.insufficient_quota(), PauseReason.QUOTA, "quota is used up"),
}
"""What it sends to all once a third is answered, until it is mended; why the job then pauses."""
REFUSALS: dict[str, tuple[Reply, str]] = {
    "page": (scripted.html(), "it is an HTML page"),
    "refusing": (scripted.error(400, "no such parameter"), "the request is refused (HTTP 400)"),
    "garbage": (scripted.malformed(), "cannot be read"),
    "bytes": (Reply(b"\xff\xfe{"), "cannot be read"),
}
"""What it sends to everything until it is mended, and words of the reason."""


def number_of(request: Request) -> int:
    asked = request.body["messages"][1]["content"]
    found = re.search(r"month (\d+)", asked)
    assert found is not None
    return int(found[1])


class Endpoint:
    """One server for many providers: the first part of the address says how it behaves."""

    def __init__(self) -> None:
        self.mended = False
        self.lock = threading.Lock()
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.server = ScriptedServer(reply=self.reply, latency_s=0.005)

    def url(self, mood: str) -> str:
        return f"http://127.0.0.1:{self.server.port}/{mood}/v1"

    def reply(self, request: Request) -> Reply | None:
        mood = request.path.split("/")[1]
        self.asked[mood] += 1
        if mood == "key":
            return scripted.refused_key(request.headers["authorization"])
        if mood == "filter" and number_of(request) % 3 == 0:
            return scripted.content_filtered()
        if mood in FAILING_ROWS and not self.mended and number_of(request) % 3 == 0:
            return FAILING_ROWS[mood][0]
        if mood in OUTAGES and not self.mended and self.answered[mood] >= ITEMS // 3:
            return OUTAGES[mood][0]
        if mood in REFUSALS and not self.mended:
            return REFUSALS[mood][0]
        if mood == "busy" and (reply := BUSY(request)).status != 200:
            return reply
        self.answered[mood] += 1
        return scripted.answer(ANSWER, tokens_in=100, tokens_out=10)


BUSY = scripted.faults_by_chance(0.05, 0.01, retry_after=1)
MOODS = ("clean", "filter", "key", "busy", *FAILING_ROWS, *OUTAGES, *REFUSALS)


def settings(endpoint: Endpoint) -> list[str]:
    tables = []
    for mood in MOODS:
        extra: dict[str, object] = {"timeout_s": 0.7} if mood == "hangs" else {}
        tables.append(provider_table(f"p-{mood}", endpoint.url(mood), **extra))
        tables.append(system_table(mood, f"p-{mood}", "bm25"))
    return tables


class Worked:
    """A workspace after one worker has worked a run of every system."""

    def __init__(self, folder: Path, endpoint: Endpoint, queued: dict[str, Job]) -> None:
        self.folder = folder
        self.endpoint = endpoint
        self.jobs = queued

    def job(self, mood: str) -> Job:
        return job_now(self.folder, self.jobs[mood])

    def states(self, mood: str) -> Counter[object]:
        return Counter(row[2] for row in predictions(self.folder, mood))


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worked]:
    endpoint = Endpoint()
    folder = make_workspace(tmp_path_factory.mktemp("faults") / "workspace", questions(ITEMS))
    with endpoint.server:
        write_settings(folder, *settings(endpoint))
        queued = {
            mood: queue(folder, mood, name=mood, repeats=10 if mood == "busy" else 1)
            for mood in MOODS
        }
        work(folder)
        yield Worked(folder, endpoint, queued)


def test_a_clean_run_answers_and_scores_every_item(worked: Worked):
    assert worked.job("clean").state is JobState.DONE
    rows = predictions(worked.folder, "clean")
    assert [row[2:] for row in rows] == [("ok", ANSWER, None, None)] * ITEMS
    assert worked.endpoint.asked["clean"] == ITEMS


def test_a_busy_server_costs_no_item(worked: Worked):
    assert worked.job("busy").state is JobState.DONE
    assert worked.states("busy") == {"ok": ITEMS * 10}
    assert worked.endpoint.asked["busy"] > worked.endpoint.answered["busy"] == ITEMS * 10


@pytest.mark.parametrize("mood", FAILING_ROWS)
def test_a_reply_that_is_no_answer_fails_its_row_with_kind_and_remedy(worked: Worked, mood: str):
    _, kind, remedy = FAILING_ROWS[mood]
    assert worked.job(mood).state is JobState.DONE
    assert worked.states(mood) == {"ok": ITEMS * 2 // 3, "failed": ITEMS // 3}
    for _, _, state, answer, error_kind, error_text in predictions(worked.folder, mood):
        if state == "failed":
            assert answer is None
            assert error_kind == kind
            assert remedy in str(error_text)


def test_a_content_filter_counts_as_refused(worked: Worked):
    assert worked.job("filter").state is JobState.DONE
    rows = predictions(worked.folder, "filter")
    assert Counter(row[2:4] for row in rows) == {("refused", ""): 4, ("ok", ANSWER): 8}


def test_a_refused_key_fails_the_job_at_once(worked: Worked):
    job = worked.job("key")
    assert job.state is JobState.FAILED
    assert "the key is refused" in str(job.error)
    assert "api_key_env" in str(job.remedy)
    assert worked.states("key") == {"pending": ITEMS}
    assert worked.endpoint.asked["key"] <= ITEMS


@pytest.mark.parametrize("mood", OUTAGES)
def test_an_outage_pauses_the_job_with_its_reason(worked: Worked, mood: str):
    job = worked.job(mood)
    _, reason, words = OUTAGES[mood]
    assert (job.status, job.pause_reason) == (f"paused ({reason})", reason)
    assert words in str(job.error)
    assert job.remedy
    assert set(worked.states(mood)) == {"ok", "pending"}


@pytest.mark.parametrize("mood", REFUSALS)
def test_an_endpoint_that_refuses_everything_pauses_the_job(worked: Worked, mood: str):
    job = worked.job(mood)
    assert (job.status, job.pause_reason) == ("paused (endpoint)", PauseReason.ENDPOINT)
    assert "calls in a row failed alike; the last: " in str(job.error)
    assert REFUSALS[mood][1] in str(job.error)
    assert "asks again for what failed" in str(job.remedy)
    assert worked.states(mood) == {"failed": EQUAL_FAILURES - 1, "pending": 13 - EQUAL_FAILURES}


def test_no_error_becomes_an_answer(worked: Worked):
    answers = {row[3] for mood in MOODS for row in predictions(worked.folder, mood)}
    assert answers == {None, "", ANSWER}


def test_the_key_is_in_no_file_of_the_workspace(worked: Worked):
    assert all(
        request.headers["authorization"] == f"Bearer {KEY}"
        for request in worked.endpoint.server.requests
    )
    assert files_holding(worked.folder, KEY) == []
    assert files_holding(worked.folder, KEY[:16]) == []


def test_what_was_paused_is_finished_with_the_same_scores(worked: Worked):
    worked.endpoint.mended = True
    asked = {mood: worked.endpoint.answered[mood] for mood in OUTAGES}
    for mood in OUTAGES:
        resume(worked.folder, worked.jobs[mood])
    work(worked.folder)
    for mood in OUTAGES:
        assert worked.job(mood).state is JobState.DONE
        assert worked.endpoint.answered[mood] == ITEMS > asked[mood]
        assert scores(worked.folder, mood) == scores(worked.folder, "clean")


def test_what_failed_is_asked_again_on_request(worked: Worked):
    worked.endpoint.mended = True
    retried = {}
    with open_workspace(worked.folder) as workspace:
        for mood in REFUSALS:
            assert retry_failed(workspace, worked.jobs[mood].id).id == worked.jobs[mood].id
        for mood in FAILING_ROWS:
            retried[mood] = retry_failed(workspace, worked.jobs[mood].id)
    work(worked.folder)
    for mood in REFUSALS:
        assert worked.job(mood).state is JobState.DONE
        assert scores(worked.folder, mood) == scores(worked.folder, "clean")
    for mood in FAILING_ROWS:
        assert retried[mood].id != worked.jobs[mood].id
        assert job_now(worked.folder, retried[mood]).state is JobState.DONE
        assert scores(worked.folder, mood) == scores(worked.folder, "clean")
    with open_workspace(worked.folder) as workspace, pytest.raises(Conflict, match="Nothing"):
        retry_failed(workspace, worked.jobs["clean"].id)


# one system, one run at a time


class Single:
    """A workspace with one provider `p` at a server of its own, and the systems `model`."""

    def __init__(self, folder: Path, server: ScriptedServer, items: int, **fields: object) -> None:
        self.folder = make_workspace(folder, questions(items))
        self.server = server
        write_settings(
            folder,
            provider_table("p", server.base_url, **fields),
            system_table("model", "p"),
        )

    def tokens(self, run: str) -> int:
        with open_workspace(self.folder) as workspace:
            return runs.spent(workspace.db, runs.get(workspace.db, run).id)[0]

    def done(self, job: Job) -> bool:
        return job_now(self.folder, job).state is JobState.DONE


def test_kills_repeat_no_more_than_the_calls_in_flight(tmp_path: Path):
    items, in_flight, kills = 120, 8, 2
    with ScriptedServer(default=scripted.answer(ANSWER), latency_s=0.06) as server:
        single = Single(tmp_path / "workspace", server, items)
        job = queue(single.folder, "model", name="killed")
        for kill in range(1, kills + 1):
            worker = start_worker(single.folder)
            deadline = time.monotonic() + 300
            while server.count < kill * items // 5 and worker.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.005)
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
        queue(single.folder, "model", name="undisturbed")
        work(single.folder)
        assert single.done(job)
        assert items <= server.count <= items + kills * in_flight
        assert scores(single.folder, "killed") == scores(single.folder, "undisturbed")


def test_an_equal_run_is_served_from_the_cache_repeat_by_repeat(tmp_path: Path):
    with ScriptedServer(reply=lambda request: scripted.answer(f"{request.number}")) as server:
        single = Single(tmp_path / "workspace", server, 5)
        queue(single.folder, "model", name="first", repeats=3)
        work(single.folder)
        assert server.count == 15
        answers = [row[3] for row in predictions(single.folder, "first")]
        assert len(set(answers)) == 15
        queue(single.folder, "model", name="again", repeats=3)
        queue(single.folder, "model", name="fewer", repeats=2)
        work(single.folder)
        assert server.count == 15
        assert predictions(single.folder, "again") == predictions(single.folder, "first")
        assert single.tokens("first") == 15 * 15
        assert single.tokens("again") == 0


def test_a_budget_stops_within_one_batch_and_resumes(tmp_path: Path):
    items, each, tokens, cost = 60, 110, 3000, 0.005
    prices = {"prices.input": 2.0, "prices.output": 8.0, "prices.currency": "CNY"}
    reply = scripted.answer(ANSWER, tokens_in=100, tokens_out=10)
    with ScriptedServer(default=reply, latency_s=0.01) as server:
        # the seeds make the second run's calls other calls
        single = Single(tmp_path / "workspace", server, items, max_tokens=20, **prices)
        with (single.folder / "ragdesk.toml").open("a", encoding="utf-8") as settings:
            settings.write(provider_table("q", server.base_url, max_tokens=20, seed=1, **prices))
            settings.write(system_table("other", "q"))
        by_tokens = queue(single.folder, "model", name="tokens", budget=Budget(max_tokens=tokens))
        by_cost = queue(single.folder, "other", name="cost", budget=Budget(max_cost=cost))
        work(single.folder)
        for job, said in ((by_tokens, "3,000 tokens"), (by_cost, "0.005 CNY")):
            paused = job_now(single.folder, job)
            assert (paused.state, paused.pause_reason) == (JobState.PAUSED, PauseReason.BUDGET)
            assert said in str(paused.error)
            assert "Resume with more " in str(paused.remedy)
        assert tokens - 8 * 2 * each <= single.tokens("tokens") <= tokens
        assert 0 < single.tokens("cost") / each * 0.00028 <= cost
        assert single.tokens("tokens") + single.tokens("cost") == server.count * each
        resume(single.folder, by_tokens, Budget(max_tokens=100_000))
        resume(single.folder, by_cost, Budget(max_cost=1.0))
        work(single.folder)
        assert single.done(by_tokens)
        assert single.done(by_cost)
        assert server.count == 2 * items


def test_a_pause_keeps_what_was_asked_and_resume_goes_on(tmp_path: Path):
    with ScriptedServer(default=scripted.answer(ANSWER), latency_s=0.2) as server:
        single = Single(tmp_path / "workspace", server, 100)
        job = queue(single.folder, "model", name="run")
        worker = start_worker(single.folder)
        while server.count < 20:
            time.sleep(0.005)
        with open_workspace(single.folder) as workspace, workspace.write() as db:
            jobs.ask(db, job.id, "pause")
        assert worker.wait(timeout=300) == 0
        assert job_now(single.folder, job).pause_reason is PauseReason.USER
        assert 20 <= server.count < 100
        resume(single.folder, job)
        work(single.folder)
        assert single.done(job)
        assert server.count == 100


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (Budget(max_cost=1.0), "states none"),
        (Budget(max_tokens=0), "The budget of tokens is 0"),
        (Budget(max_cost=-1.0), "The budget of money is -1"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused_before_anything_is_queued(
    tmp_path: Path, budget: Budget, message: str
):
    with ScriptedServer() as server:
        single = Single(tmp_path / "workspace", server, 1)
        with pytest.raises(UsageError, match=message):
            queue(single.folder, "model", name="run", budget=budget)
        with open_workspace(single.folder) as workspace:
            assert jobs.listing(workspace.db) == []
