"""The job `classify`: a topic for every document from a model, what cannot be read listed."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import pytest
from building_workspaces import make_building, number_in
from endpoint_workspaces import ENVIRON, job_now, resume, work
from scripted_server import (
    Reply,
    Request,
    ScriptedServer,
    answer,
    content_filtered,
    rate_limited,
    server_error,
)
from tiny_workspaces import TAXONOMY

from engine.jobs import operation
from engine.jobs.operation import Budget
from engine.taxonomy.classify_job import Classify
from engine.taxonomy.stored import prune_taxonomy, save_taxonomy
from store.corpora import corpora, document_topics, topic_replies
from store.errors import InputError
from store.jobs.jobs import Job
from store.records import UNASSIGNED, JobState, PauseReason
from store.verify import verify
from store.workspace import open_workspace

COUNT = 16
"""Two documents of each kind of reply."""


def sorting(request: Request) -> Reply | None:
    """A model whose reply on a document follows from its number."""
    kind = number_in(request) % 8
    if kind == 3 and request.attempt == 1:
        return rate_limited(retry_after_ms=20)
    if kind == 4 and request.attempt == 1:
        return server_error()
    if kind == 7:
        return content_filtered()
    said = {
        0: '{"topic_id": 1}',
        1: 'Sure. ```json\n{"topic_id": "2"}\n```',
        2: '{"topic_id": 0}',
        5: "I would say it is about loans.",
        6: '{"topic_id": 2.7}',
    }
    return answer(said.get(kind, '{"topic_id": 2}'))


def make(folder: Path, count: int, base_url: str, **provider: object) -> Path:
    make_building(folder, count, base_url, items=False, **provider)
    with open_workspace(folder) as workspace, workspace.write() as db:
        save_taxonomy(db, TAXONOMY, "written by hand")
    return folder


def queue(folder: Path, **options: object) -> Job:
    with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
        asked = Classify("texts", "tiny", **{"model": "scripted", **options})  # type: ignore[arg-type]
        return operation.queue(workspace, asked)


def topics(folder: Path) -> Counter[str]:
    with open_workspace(folder) as workspace:
        corpus = corpora.get(workspace.db, "texts")
        return Counter(document_topics.by_document(workspace.db, corpus, "tiny").values())


def test_every_kind_of_reply_has_its_outcome_and_is_kept(tmp_path: Path):
    with ScriptedServer(reply=sorting) as server:
        folder = make(tmp_path / "w", COUNT, server.base_url)
        job = queue(folder)
        work(folder)
        first = server.count
        queue(folder)
        work(folder)
        again = {number_in(request) % 8 for request in server.requests[first:]}
    done = job_now(folder, job)
    assert (done.state, done.done, done.total) == (JobState.DONE, COUNT, COUNT)
    assert topics(folder) == {"rates": 2, "funds": 6, UNASSIGNED: 8}
    with open_workspace(folder) as workspace:
        db = workspace.db
        assert topic_replies.counts(db, job.id) == {"parsed": 10, "unparsed": 4, "refused": 2}
        unread = topic_replies.unread(db, corpora.get(db, "texts"), "tiny")
        assert Counter(one.state for one in unread) == {"unparsed": 4, "refused": 2}
        assert {int(one.source[:3]) % 8 for one in unread} == {5, 6, 7}
        assert topic_replies.spent(db, job.id) == (15 * 18, 0.0)
        assert db.execute(
            "SELECT count(*) FROM topic_reply JOIN prompt ON hash = prompt_hash"
            " LEFT JOIN model_call ON key = call_key WHERE job_id = ? AND"
            " (model_call.reply IS NOT NULL OR state = 'refused')",
            (job.id,),
        ).fetchone() == (20,)
        assert verify(db).ok
    # those that have a topic are not asked about again
    assert again == {5, 6, 7}


def test_pausing_for_a_budget_loses_nothing_and_asks_nothing_twice(tmp_path: Path):
    with ScriptedServer(default=answer('{"topic_id": 1}', tokens_in=400)) as server:
        folder = make(tmp_path / "w", 9, server.base_url, **{"limits.max_in_flight": 1})
        job = queue(folder, budget=Budget(max_tokens=1_500))
        work(folder)
        paused = job_now(folder, job)
        assert paused.pause_reason is PauseReason.BUDGET
        assert 0 < paused.done < 9
        resume(folder, job, Budget(100_000))
        work(folder)
        assert server.count == 9
    assert job_now(folder, job).state is JobState.DONE
    assert topics(folder) == {"rates": 9}


def test_again_asks_about_all_and_takes_equal_requests_from_the_cache(tmp_path: Path):
    with ScriptedServer(default=answer('{"topic_id": 2}')) as server:
        folder = make(tmp_path / "w", 4, server.base_url)
        queue(folder)
        work(folder)
        again = queue(folder, again=True)
        work(folder)
        assert server.count == 4
    assert job_now(folder, again).total == 4
    with open_workspace(folder) as workspace:
        assert topic_replies.spent(workspace.db, again.id) == (0, 0.0)


def test_a_taxonomy_that_changes_meanwhile_ends_the_job(tmp_path: Path):
    with ScriptedServer(default=answer('{"topic_id": 1}')) as server:
        folder = make(tmp_path / "w", 2, server.base_url)
        job = queue(folder)
        with open_workspace(folder) as workspace, workspace.write() as db:
            prune_taxonomy(db, "tiny", drop=["rates"])
        work(folder)
    failed = job_now(folder, job)
    assert failed.state is JobState.FAILED
    assert "was changed since the job began" in (failed.error or "")
    assert topics(folder) == {}


def test_the_estimate_is_what_the_calls_are(tmp_path: Path):
    folder = make(tmp_path / "w", 5, "", **{"prices.input": 1.0, "prices.output": 2.0})
    with open_workspace(folder) as workspace:
        count = Classify("texts", "tiny", model="scripted").estimate(workspace)
    assert (count.calls, count.cached, count.currency) == (5, 0, "USD")
    assert count.cost > 0


def test_by_words_it_works_in_the_background_too(tmp_path: Path):
    folder = make(tmp_path / "w", 3, "")
    with open_workspace(folder) as workspace:
        with pytest.raises(InputError, match="no terms to classify by"):
            operation.queue(workspace, Classify("texts", "tiny"))
        job = operation.queue(workspace, Classify("texts", "omnieval"))
    work(folder)
    assert job_now(folder, job).state is JobState.DONE
    with open_workspace(folder) as workspace:
        rows = workspace.db.execute("SELECT method, count(*) FROM document_topic GROUP BY 1")
        assert rows.fetchall() == [("lexical", 3)]


def test_the_prompt_is_the_one_of_the_moment_it_was_queued(tmp_path: Path):
    with ScriptedServer(default=answer('{"topic_id": 1}')) as server:
        folder = make(tmp_path / "w", 1, server.base_url)
        own = folder / "prompts" / "en" / "topics"
        own.mkdir(parents=True)
        (own / "classify.txt").write_text("[system]\nFirst {topics}\n[user]\n{document}", "utf-8")
        queue(folder)
        (own / "classify.txt").write_text("[system]\nThen {topics}\n[user]\n{document}", "utf-8")
        work(folder)
        said = json.dumps(server.requests[0].body)
    assert "First" in said
    assert "Then" not in said
