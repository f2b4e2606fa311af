"""Judges at work on a run, through the real worker, whatever the endpoint does."""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    ENVIRON,
    KEY,
    files_holding,
    job_now,
    make_workspace,
    provider_table,
    questions,
    resume,
    work,
    write_settings,
)
from scripted_server import Reply, Request, ScriptedServer

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import Budget, queue, retry_failed
from engine.judge.base import LABELLED
from engine.judge.estimate import JudgeEstimate
from engine.judge.judge_job import JudgeRun
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import compare_runs
from engine.results.run_matrix import run_matrix
from store.errors import Conflict, InputError, NotFound, UsageError
from store.jobs import model_calls
from store.jobs.jobs import Job
from store.records import JobState, PauseReason
from store.runs import judge_scores, results, runs, stages
from store.runs.judge_scores import JudgeValue
from store.verify import verify
from store.workspace import Workspace, open_workspace

ITEMS = 12
MOODS = ("good", "prose", "range", "malformed", "hasty", "busy", "filter", "quota", "key", "frugal")
GOOD = '{"reason": "as it should be", "value": 1}'
UNUSABLE = {
    "prose": "It is quite right.",
    "range": '{"value": 7}',
    "malformed": '{"value": ',
}


class Judges:
    """A server whose mood stands in the address, and a workspace with an answered run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mended = False
        self.asked: Counter[str] = Counter()
        self.refused: set[int] = set()
        self.jobs: dict[str, Job] = {}
        self.first_jobs: dict[str, Job] = {}
        self.first_go: dict[str, dict[str, dict[str, int]]] = {}
        self.asked_first: Counter[str] = Counter()
        self.rules_before: list[tuple[object, ...]] = []
        self.estimate: JudgeEstimate
        self.server = ScriptedServer(reply=self.reply, latency_s=0.002)

    def reply(self, request: Request) -> Reply | None:
        mood = request.path.split("/")[1]
        self.asked[mood] += 1
        asked_again = len(request.body["messages"]) > 2
        number = _number(request)
        if mood == "key":
            return scripted.refused_key(request.headers["authorization"])
        if mood == "quota" and not self.mended and number % 2:
            return scripted.insufficient_quota()
        if mood == "busy" and number % 3 == 0 and number not in self.refused:
            self.refused.add(number)
            return (scripted.rate_limited(0.01), scripted.server_error())[number % 2]
        if mood == "filter" and not self.mended and number % 3 == 0:
            return scripted.content_filtered()
        if mood in UNUSABLE and number % 3 == 0:
            return scripted.answer(UNUSABLE[mood])
        if mood == "hasty" and not asked_again:
            return scripted.answer("Right!", tokens_in=100, tokens_out=10)
        if mood == "frugal":
            return scripted.answer(GOOD, tokens_in=400, tokens_out=10)
        return scripted.answer(GOOD, tokens_in=100, tokens_out=10)

    def settings(self, **temperatures: float) -> None:
        """Every mood as a judge; `temperatures` of some."""
        tables = []
        for mood in MOODS:
            url = f"http://127.0.0.1:{self.server.port}/{mood}/v1"
            prices = {"prices.input": 1.0, "prices.output": 2.0}
            tables.append(provider_table(f"p-{mood}", url, **prices))
            extra = f"temperature = {temperatures[mood]}\n" if mood in temperatures else ""
            tables.append(f'[judges.{mood}]\nmodel = "p-{mood}"\n{extra}')
        tables.append('[judges.twin]\nmodel = "p-good"\n')
        tables.append('[judges.twice]\nmodel = "p-good"\nrepeats = 2\nmetrics = ["accuracy"]\n')
        write_settings(self.folder, *tables)

    def queue(self, name: str, run: str = "r", judge: str = "", **options: object) -> None:
        """A job that tests find under `name`."""
        with open_workspace(self.folder) as workspace, patch.dict(os.environ, ENVIRON):
            asked = JudgeRun(run, judge or name, **options)  # type: ignore[arg-type]
            self.jobs[name] = queue(workspace, asked)

    def work(self) -> None:
        work(self.folder)
        self.jobs = {name: job_now(self.folder, job) for name, job in self.jobs.items()}

    def states(self, name: str) -> dict[str, dict[str, int]]:
        job = self.jobs[name]
        with open_workspace(self.folder) as workspace:
            found = judge_scores.counts(workspace.db, job.params["run"], job.params["judge_id"])
        return {metric: {str(s): n for s, n in by.items()} for metric, by in found.items()}


def _number(request: Request) -> int:
    asked = "\n".join(message["content"] for message in request.body["messages"])
    found = re.search(r"month (\d+)", asked)
    assert found is not None
    return int(found[1])


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judges]:
    """A run that every judge has been at, some in two goes: three workers in all."""
    folder = make_workspace(tmp_path_factory.mktemp("judging") / "w", questions(ITEMS))
    with open_workspace(folder) as workspace:
        for name in ("r", "other"):
            queue(workspace, Evaluate(NewRun("bm25", "gold", name=name)))
    work(folder)
    judges = Judges(folder)
    with judges.server:
        judges.settings()
        with open_workspace(folder) as workspace:
            judges.rules_before = _scores(workspace)
            with workspace.write() as db:
                db.execute("DELETE FROM score WHERE judge_id > 0 AND prediction_id <= 5")
            judges.estimate = JudgeRun("r", "twice").estimate(workspace)
        one = ("accuracy",)
        judges.queue("good")
        judges.queue("rules")
        for mood in ("prose", "range", "malformed", "hasty", "busy", "filter", "quota"):
            judges.queue(mood, metrics=one)
        judges.queue("key", metrics=one)
        judges.queue("frugal", metrics=one, budget=Budget(max_tokens=3000))
        judges.work()
        judges.first_go = {name: judges.states(name) for name in judges.jobs}
        judges.first_jobs = dict(judges.jobs)
        judges.asked_first = Counter(judges.asked)

        judges.mended = True
        resume(folder, judges.jobs["quota"])
        resume(folder, judges.jobs["frugal"], Budget(1_000_000))
        with open_workspace(folder) as workspace:
            judges.jobs["filter-again"] = retry_failed(workspace, judges.jobs["filter"].id)
        judges.queue("again", judge="good")
        judges.queue("twin", metrics=one)
        judges.queue("twice")
        judges.settings(good=0.7)
        judges.queue("warmer", judge="good", metrics=one)
        judges.queue("warmer-other", "other", "good", metrics=one)
        judges.settings()
        judges.queue("plain-other", "other", "twin", metrics=one)
        judges.work()
        yield judges


def _basis(db: sqlite3.Connection, prediction: int, job: Job) -> JudgeValue | None:
    """What the accuracy of an answer rests on."""
    stage = judge_scores.stage_name(job.params["judge_id"], "accuracy", 0)
    value: JudgeValue | None = stages.get(db, prediction, stage, JudgeValue)
    return value


def _scores(workspace: Workspace) -> list[tuple[object, ...]]:
    return workspace.db.execute(
        "SELECT prediction_id, metric.name, score.state, value, reason FROM score"
        " JOIN metric ON metric.id = metric_id JOIN judge ON judge.id = judge_id"
        " JOIN prediction ON prediction.id = prediction_id JOIN run ON run.id = run_id"
        " WHERE judge.name = 'rules' AND run.name = 'r' ORDER BY 1, 2"
    ).fetchall()


def test_every_answer_gets_every_metric_with_its_replies_kept(desk: Judges) -> None:
    job = desk.jobs["good"]
    assert (job.state, job.done, job.total) == (JobState.DONE, ITEMS, ITEMS)
    assert desk.states("good") == {metric: {"ok": ITEMS} for metric in LABELLED}
    with open_workspace(desk.folder) as workspace:
        db = workspace.db
        (prediction,) = db.execute("SELECT min(id) FROM prediction").fetchone()
        value = _basis(db, prediction, job)
        assert value is not None
        config = judge_scores.get(db, job.params["judge_id"]).config
        assert (value.prompt, value.model) == ("en/judge/accuracy", "scripted")
        assert value.prompt in config["prompts"]
        call = model_calls.get(db, value.calls[0].key)
        assert call is not None
        assert (call.reply, call.tokens_in, call.cost) == (GOOD, 100, 120 / 1e6)
        spent = judge_scores.spent(db, job.params["run"], job.params["judge_id"])
        assert spent[0] == 110 * 5 * ITEMS
        assert spent[1] == pytest.approx(120e-6 * 5 * ITEMS)
        assert runs.spent(db, job.params["run"]) == (0, 0.0)
        assert verify(db).ok
    assert files_holding(desk.folder, KEY) == []


def test_judging_again_asks_nothing_and_another_name_asks_only_the_cache(desk: Judges) -> None:
    assert desk.asked_first["good"] == 5 * ITEMS
    # the second repeat, and two runs at another temperature, whose equal requests are made once
    assert desk.asked["good"] - desk.asked_first["good"] == 2 * ITEMS
    assert desk.jobs["again"].state is JobState.DONE
    assert desk.states("twin") == {"accuracy": {"ok": ITEMS}}
    with open_workspace(desk.folder) as workspace:
        job = desk.jobs["twin"]
        assert judge_scores.spent(workspace.db, job.params["run"], job.params["judge_id"]) == (
            0,
            0.0,
        )


def test_a_dry_run_counts_the_calls_that_are_then_made(desk: Judges) -> None:
    estimate = desk.estimate
    assert (estimate.answers, estimate.scores, estimate.calls) == (ITEMS, 2 * ITEMS, 2 * ITEMS)
    assert estimate.cached == 0
    assert estimate.cost is not None
    assert estimate.tokens_in > 100 * 2 * ITEMS
    assert desk.states("twice") == {"accuracy": {"ok": 2 * ITEMS}}
    with open_workspace(desk.folder) as workspace:
        left = JudgeRun("r", "twice").estimate(workspace)
        assert (left.answers, left.calls) == (0, 0)
        other = JudgeRun("other", "twice").estimate(workspace)
    assert (other.calls, other.cached) == (2 * ITEMS, 2 * ITEMS)


@pytest.mark.parametrize("mood", sorted(UNUSABLE))
def test_what_cannot_be_used_is_asked_once_more_and_then_has_a_state(
    desk: Judges, mood: str
) -> None:
    job = desk.jobs[mood]
    state = "out_of_range" if mood == "range" else "unparsed"
    assert desk.states(mood) == {"accuracy": {"ok": 8, state: 4}}
    assert desk.asked[mood] == ITEMS + 4
    with open_workspace(desk.folder) as workspace:
        db = workspace.db
        (bad,) = db.execute(
            "SELECT min(prediction_id) FROM score WHERE state = ? AND judge_id = ?",
            (state, job.params["judge_id"]),
        ).fetchone()
        value = _basis(db, bad, job)
        assert value is not None
        replies = [model_calls.get(db, call.key) for call in value.calls]
        assert [reply.reply for reply in replies if reply is not None] == [UNUSABLE[mood]] * 2
        with pytest.raises(Conflict, match="Nothing failed"):
            retry_failed(workspace, job.id)


def test_asking_once_more_helps_and_is_paid_for(desk: Judges) -> None:
    job = desk.jobs["hasty"]
    assert desk.states("hasty") == {"accuracy": {"ok": ITEMS}}
    assert desk.asked["hasty"] == 2 * ITEMS
    with open_workspace(desk.folder) as workspace:
        spent = judge_scores.spent(workspace.db, job.params["run"], job.params["judge_id"])
    assert spent[0] == 2 * 110 * ITEMS


def test_haste_and_failures_of_the_server_lose_nothing(desk: Judges) -> None:
    assert desk.states("busy") == {"accuracy": {"ok": ITEMS}}
    assert desk.asked["busy"] == ITEMS + 4


def test_a_refusal_is_an_error_that_can_be_retried(desk: Judges) -> None:
    assert desk.first_jobs["filter"].state is JobState.DONE
    assert desk.first_go["filter"] == {"accuracy": {"ok": 8, "error": 4}}
    assert desk.jobs["filter-again"].id != desk.jobs["filter"].id
    assert desk.jobs["filter-again"].state is JobState.DONE
    assert desk.states("filter") == {"accuracy": {"ok": ITEMS}}


def test_a_used_up_quota_pauses_and_a_refused_key_ends_the_job(desk: Judges) -> None:
    job = desk.first_jobs["quota"]
    assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.QUOTA)
    assert "error" not in desk.first_go["quota"].get("accuracy", {})
    assert desk.jobs["quota"].state is JobState.DONE
    assert desk.states("quota") == {"accuracy": {"ok": ITEMS}}
    failed = desk.jobs["key"]
    assert failed.state is JobState.FAILED
    assert "the key is refused" in (failed.error or "")


def test_a_budget_pauses_and_a_larger_one_goes_on(desk: Judges) -> None:
    job = desk.first_jobs["frugal"]
    assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.BUDGET)
    assert 0 < desk.first_go["frugal"]["accuracy"]["ok"] < ITEMS
    assert desk.states("frugal") == {"accuracy": {"ok": ITEMS}}
    assert desk.asked["frugal"] == ITEMS


def test_the_rules_judge_again_like_any_other(desk: Judges) -> None:
    assert (desk.jobs["rules"].state, desk.jobs["rules"].done) == (JobState.DONE, ITEMS)
    with open_workspace(desk.folder) as workspace:
        assert _scores(workspace) == desk.rules_before


def test_judges_of_one_name_are_told_apart(desk: Judges) -> None:
    first, second = (desk.jobs[name].params["judge_id"] for name in ("good", "warmer"))
    assert first != second
    with open_workspace(desk.folder) as workspace:
        db = workspace.db
        run = runs.get(db, "r")
        with pytest.raises(UsageError, match="Say which"):
            results.find_metric(db, run.id, "accuracy")
        digits = judge_scores.short_hash(judge_scores.get(db, first).hash)
        keys = {key.judge for key in results.metrics(db, run.id) if key.name == "accuracy"}
        assert {"good", f"good@{digits}", "rules"} <= keys
        newest = results.find_metric(db, run.id, "accuracy", judge="good")
        older = results.find_metric(db, run.id, "accuracy", judge=f"good@{digits[:4]}")
        assert (newest.judge_id, older.judge_id) == (second, first)
        assert run_matrix(db, "r", MetricQuery("accuracy", judge="good")).matrix.total.n == ITEMS
        chosen = judge_scores.choose(judge_scores.of_run(db, run.id), f"good@{digits}")
        assert [one.id for one in chosen] == [first]


def test_runs_that_were_judged_differently_are_not_compared(desk: Judges) -> None:
    with open_workspace(desk.folder) as workspace:
        db = workspace.db
        digits = judge_scores.short_hash(
            judge_scores.get(db, desk.jobs["good"].params["judge_id"]).hash
        )
        assert (
            compare_runs(db, "r", "other", MetricQuery("accuracy", judge="good")).metric.judge
            == "good"
        )
        with pytest.raises((InputError, NotFound)):
            compare_runs(db, "r", "other", MetricQuery("accuracy", judge=f"good@{digits}"))
        # `twin` asks in equal words on both runs
        assert compare_runs(
            db, "r", "other", MetricQuery("accuracy", judge="twin")
        ).comparison.overall.items


def test_what_cannot_be_queued_is_refused(desk: Judges) -> None:
    with open_workspace(desk.folder) as workspace:
        with pytest.raises(InputError, match="RAGDESK_TEST_KEY"):
            queue(workspace, JudgeRun("r", "good"))
        with patch.dict(os.environ, ENVIRON):
            with pytest.raises(NotFound, match="no judge 'nobody'"):
                queue(workspace, JudgeRun("r", "nobody"))
            with pytest.raises(NotFound, match="no run 'nowhere'"):
                queue(workspace, JudgeRun("nowhere", "good"))
            with pytest.raises(UsageError, match="does not give 'utilization'"):
                queue(workspace, JudgeRun("r", "twice", metrics=("utilization",)))
            with pytest.raises(UsageError, match="The budget of tokens is 0"):
                queue(workspace, JudgeRun("r", "good", budget=Budget(max_tokens=0)))
            queue(workspace, JudgeRun("other", "prose"))
            with pytest.raises(Conflict, match="at work on run 'other' already"):
                queue(workspace, JudgeRun("other", "prose"))
