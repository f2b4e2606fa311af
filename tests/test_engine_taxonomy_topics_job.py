"""The job `topics`: a tree from a model or by shared words becomes a taxonomy of one's own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from unittest.mock import patch

import pytest
from building_workspaces import make_building
from endpoint_workspaces import ENVIRON, job_now, work
from scripted_server import ScriptedServer, answer

from engine.jobs import operation
from engine.taxonomy.definitions import load_taxonomy
from engine.taxonomy.stored import find_taxonomy
from engine.taxonomy.topics_job import ProposeTopics
from store.corpora import taxonomies
from store.errors import NotFound, UsageError
from store.jobs.jobs import Job
from store.records import JobState
from store.workspace import open_workspace

TREE = {
    "topic_name": "Loans",
    "sub_topics": [
        {
            "topic_name": "Costs",
            "sub_topics": [
                {"topic_name": "Interest Rates", "terms": ["basis points", "rate"]},
                {"topic_name": "Fees", "terms": ["fee"]},
            ],
        },
        {"topic_name": "Lenders", "terms": ["bank"]},
    ],
}


def queue(folder: Path, name: str = "loans", **options: object) -> Job:
    with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
        asked = ProposeTopics("texts", name, **options)  # type: ignore[arg-type]
        return operation.queue(workspace, asked)


def test_a_model_proposes_from_a_sample_until_its_reply_is_a_tree(tmp_path: Path):
    script = [answer("Let me think."), answer('{"topic_name": "Loans"}'), answer(json.dumps(TREE))]
    with ScriptedServer(script) as server:
        folder = make_building(tmp_path / "w", 12, server.base_url, items=False)
        job = queue(folder, model="scripted", domain="Loans", sample=5, count=3)
        work(folder)
        shown = server.requests[0].body["messages"][-1]["content"]
    assert job_now(folder, job).state is JobState.DONE
    assert shown.count("basis points") == 5
    with open_workspace(folder) as workspace:
        found = taxonomies.find(workspace.db, "loans")
        notes = workspace.db.execute(
            "SELECT text FROM job_event WHERE job_id = ? ORDER BY id", (job.id,)
        ).fetchall()
    assert found is not None
    taxonomy = found.taxonomy
    assert [(topic.key, topic.group_en) for topic in taxonomy.topics] == [
        ("interest_rates", "Costs"),
        ("fees", "Costs"),
        ("lenders", ""),
    ]
    assert taxonomy.topics[0].terms == ("basis points", "rate")
    assert taxonomy.tasks == load_taxonomy("omnieval").tasks
    assert "scripted, prompt topics/tree" in found.origin
    assert [text.partition(":")[0] for (text,) in notes] == ["unparsed", "unparsed", "parsed"]


def test_a_model_that_gives_no_tree_leaves_no_taxonomy(tmp_path: Path):
    with ScriptedServer(default=answer("I cannot help with that.")) as server:
        folder = make_building(tmp_path / "w", 2, server.base_url, items=False)
        job = queue(folder, model="scripted")
        work(folder)
        assert server.count == 3
    failed = job_now(folder, job)
    assert failed.state is JobState.FAILED
    assert "gave no tree of topics in 3 replies" in (failed.error or "")
    with open_workspace(folder) as workspace:
        assert taxonomies.listing(workspace.db) == []


def test_without_a_model_shared_words_make_a_baseline(tmp_path: Path):
    folder = make_building(tmp_path / "w", 12, items=False)
    job = queue(folder, count=2)
    work(folder)
    done = job_now(folder, job)
    with open_workspace(folder) as workspace:
        found = taxonomies.find(workspace.db, "loans")
    # twelve texts that differ in figures only share no telling words
    assert done.state is JobState.FAILED
    assert "share no words that tell topics apart" in (done.error or "")
    assert found is None


def test_what_cannot_work_is_refused_before_anything_is_queued(tmp_path: Path):
    folder = make_building(tmp_path / "w", 2, items=False)
    with pytest.raises(UsageError, match="comes with ragdesk"):
        queue(folder, "omnieval")
    with pytest.raises(NotFound, match="taxonomy 'nothing'"):
        queue(folder, tasks_from="nothing")
    with pytest.raises(UsageError, match="The number of topics is 1"):
        queue(folder, count=1)
    with open_workspace(folder) as workspace:
        assert workspace.db.execute("SELECT count(*) FROM job").fetchone() == (0,)
        with pytest.raises(NotFound, match="crud, ekrag, omnieval"):
            find_taxonomy(workspace.db, "loans")
