"""A run whose answers a judge scores as soon as they are there, in the same job."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

import pytest
from endpoint_workspaces import (
    ENVIRON,
    job_now,
    make_workspace,
    provider_table,
    questions,
    resume,
    work,
    write_settings,
)
from scripted_server import ScriptedServer, answer

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import Budget, dry_run, queue
from engine.judge.judge_job import JudgeRun
from store.errors import Conflict, UsageError
from store.records import JobState
from store.runs import judge_scores, runs
from store.workspace import open_workspace

REPLY = answer('{"reason": "so", "value": 1}', tokens_in=100, tokens_out=10)
JUDGED = Evaluate(NewRun("bm25", "gold"), judge=JudgeRun("", "gpt", ("accuracy",)))


def settings(folder: Path, server: ScriptedServer) -> None:
    provider = provider_table("p", server.base_url, **{"limits.max_in_flight": 1})
    retrieving = '[systems.finds]\nkind = "http"\nurl = "http://127.0.0.1:9/"\nanswer = false\n'
    write_settings(folder, provider, '[judges.gpt]\nmodel = "p"\nmax_tokens = 64\n', retrieving)


def judged(folder: Path) -> int:
    """How many scores of the judge there are."""
    with open_workspace(folder) as workspace:
        run = runs.get(workspace.db, "bm25-gold@1")
        judges = {one.name: one.id for one in judge_scores.of_run(workspace.db, run.id)}
        counts = judge_scores.counts(workspace.db, run.id, judges["gpt"])
    return sum(counts.get("accuracy", {}).values())


@patch.dict(os.environ, ENVIRON)
def test_the_estimate_counts_what_is_then_asked(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path, questions(4))
    with ScriptedServer(default=REPLY) as server:
        settings(folder, server)
        with open_workspace(folder) as workspace:
            estimate = dry_run(workspace, JUDGED)
            job = queue(workspace, JUDGED)
        assert server.count == 0
        work(folder)
    assert estimate.calls == 0
    assert estimate.judging is not None
    assert estimate.judging.calls == estimate.judging.scores == server.count == judged(folder) == 4
    assert job_now(folder, job).state is JobState.DONE


@patch.dict(os.environ, ENVIRON)
def test_a_bound_stops_the_judging_and_what_was_asked_is_kept(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path, questions(6))
    with ScriptedServer(default=REPLY) as server:
        settings(folder, server)
        with open_workspace(folder) as workspace:
            bounded = Evaluate(JUDGED.of, judge=JUDGED.judge, budget=Budget(max_tokens=1_000))
            job = queue(workspace, bounded)
        work(folder)
        assert job_now(folder, job).state is JobState.PAUSED
        asked = server.count
        assert 0 < judged(folder) == asked < 6
        resume(folder, job, Budget(max_tokens=100_000))
        work(folder)
        assert server.count == judged(folder) == 6


def test_a_system_that_only_retrieves_has_nothing_to_judge(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path, questions(1))
    with ScriptedServer(default=REPLY) as server, open_workspace(folder) as workspace:
        settings(folder, server)
        with pytest.raises(UsageError, match="there is no answer to judge"):
            queue(workspace, Evaluate(NewRun("finds", "gold"), judge=JUDGED.judge))


@patch.dict(os.environ, ENVIRON)
def test_the_same_judge_is_not_let_loose_on_the_run_meanwhile(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path, questions(1))
    with ScriptedServer(default=REPLY) as server, open_workspace(folder) as workspace:
        settings(folder, server)
        queue(workspace, JUDGED)
        with pytest.raises(Conflict, match="at work on run 'bm25-gold@1' already"):
            queue(workspace, JudgeRun("bm25-gold@1", "gpt"))
