"""A jury of a rule judge and models of two providers, at scripted servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import scripted_server as scripted
from asked_judges import TOKENS_IN, TOKENS_OUT, AskedJudges, item
from endpoint_workspaces import ENVIRON, job_now, provider_table, resume
from scripted_server import Reply, Request, ScriptedServer
from worker_here import work_here

from engine.jobs.operation import Budget, dry_run, queue, retry_failed
from engine.judge.judge_job import JudgeRun
from engine.judge.registry import find_judge
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from store.errors import Conflict, UsageError
from store.records import JobState, PauseReason
from store.runs import judge_scores
from store.verify import verify
from store.workspace import open_workspace

ITEMS = 4
JUDGES = (
    '[judges.low]\nmodel = "p"\nmetrics = ["accuracy"]\ntemperature = 0.1\n',
    '[judges.high]\nmodel = "q"\nmetrics = ["accuracy"]\n',
    '[judges.all]\nmethod = "jury"\nmembers = ["rules", "low", "high"]\n',
    '[judges.pair]\nmethod = "jury"\nmembers = ["low", "high"]\nquorum = 1\n',
    '[judges.strict]\nmethod = "jury"\nmembers = ["low", "high"]\n',
)
SAID = {"low": (0, 1, 2, None), "high": (2, 1, 2, 1)}
"""By item what each model says; the filter withholds what low would say of the last."""


def answer(number: int) -> str:
    return f"It was {number} of the moon."


def reply(said: tuple[int | None, ...]) -> object:
    def chosen(request: Request) -> Reply:
        text = request.body["messages"][-1]["content"]
        (value,) = [one for number, one in enumerate(said) if answer(number) in text]
        if value is None:
            return scripted.content_filtered()
        body = json.dumps({"reason": "seen", "value": value})
        return scripted.answer(body, tokens_in=TOKENS_IN, tokens_out=TOKENS_OUT)

    return chosen


class Juries(AskedJudges):
    def __init__(self, folder: Path) -> None:
        items = {f"q{n}": item(f"What was {n}?", ["seven"]) for n in range(ITEMS)}
        self.is_mended = False
        super().__init__(folder, items, {"run": answer}, self.low, JUDGES)
        self.second = ScriptedServer(reply=reply(SAID["high"]))  # type: ignore[arg-type]

    def low(self, request: Request) -> Reply:
        said = tuple(1 if one is None and self.is_mended else one for one in SAID["low"])
        return reply(said)(request)  # type: ignore[operator, no-any-return]

    def __enter__(self) -> Juries:
        self.second.__enter__()
        money = {"prices.input": 1.0, "prices.output": 1.0, "prices.currency": "CNY"}
        self.tables.append(provider_table("q", self.second.base_url, **money))
        super().__enter__()
        return self

    def __exit__(self, *given: object) -> None:
        super().__exit__(*given)
        self.second.__exit__(*given)

    def said(self, label: str) -> list[tuple[str, float | None]]:
        scores = self.scores(label, "accuracy")
        return [(scores[n].score.state.value, scores[n].score.value) for n in range(ITEMS)]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Juries]:
    with Juries(tmp_path_factory.mktemp("jury") / "w") as juries:
        juries.judge("low", "run", "low")
        for name in ("all", "pair", "strict"):
            juries.judge(name, "run", name)
        yield juries


def test_members_that_compute_and_that_ask_two_providers_are_joined(work: Juries) -> None:
    assert work.jobs["all"].state is JobState.DONE
    assert (work.jobs["all"].done, work.jobs["all"].total) == (4 * ITEMS, 4 * ITEMS)
    # the rules find no golden answer in any: 0
    assert work.said("all") == [("ok", 0.0), ("ok", 1.0), ("ok", 2.0), ("ok", 0.0)]
    with open_workspace(work.folder) as workspace:
        query = MetricQuery("accuracy", judge="all")
        assert run_matrix(workspace.db, "run", query).matrix.total.n == ITEMS
        assert verify(workspace.db).ok


def test_what_a_member_has_said_already_is_not_asked_again(work: Juries) -> None:
    # low had judged, and its failure stays until it is asked to be tried again
    assert work.asked["all"] == 0
    assert work.second.count == ITEMS
    estimate = work.estimates["all"]
    assert (estimate.calls, estimate.cached, estimate.answers) == (ITEMS, 0, ITEMS)
    assert (estimate.scores, estimate.currency) == (2 * ITEMS, "CNY")
    assert [work.estimates[name].calls for name in ("pair", "strict")] == [0, 0]


def test_a_tie_goes_to_the_lower_value(work: Juries) -> None:
    assert work.said("pair") == [("ok", 0.0), ("ok", 1.0), ("ok", 2.0), ("ok", 1.0)]


def test_without_a_quorum_the_score_is_an_error_that_says_who_failed(work: Juries) -> None:
    assert work.said("strict")[-1] == ("error", None)
    score = work.scores("strict", "accuracy")[ITEMS - 1].score
    assert score.reason == "no quorum: 1 of 2 gave a value, not 2 (low: error)"


def test_a_score_shows_what_its_members_said(work: Juries) -> None:
    told = work.scores("all", "accuracy")[0]
    assert told.score.reason == "median of 0, 0, 2"
    assert told.details is not None
    assert [one["text"] for one in told.details["members"]] == ["rules: 0", "low: 0", "high: 2"]
    assert (told.details["members"][2]["reason"], told.details["quorum"]) == ("seen", 2)


def test_its_identity_holds_the_hashes_of_its_members(work: Juries) -> None:
    spec = find_judge(work.folder, "all")
    members = [find_judge(work.folder, name).hash for name in ("rules", "low", "high")]
    assert [one["hash"] for one in spec.config["members"]] == members
    assert spec.metrics == ("accuracy",)


def test_a_bound_on_money_in_two_currencies_is_refused(work: Juries) -> None:
    asked = JudgeRun("run", "all", budget=Budget(max_cost=1.0))
    with open_workspace(work.folder) as workspace, pytest.MonkeyPatch.context() as patch:
        patch.setenv(*next(iter(ENVIRON.items())))
        with pytest.raises(UsageError, match="CNY, USD"):
            dry_run(workspace, asked)


def test_a_member_that_is_tried_again_is_joined_again(tmp_path: Path) -> None:
    with Juries(tmp_path / "w") as juries, pytest.MonkeyPatch.context() as patch:
        patch.setenv(*next(iter(ENVIRON.items())))
        juries.judge("strict", "run", "strict")
        juries.is_mended = True
        with open_workspace(juries.folder) as workspace:
            again = retry_failed(workspace, juries.jobs["strict"].id)
            with pytest.raises(Conflict, match="at work on run 'run' already"):
                queue(workspace, JudgeRun("run", "low"))
        work_here(juries.folder)
        assert job_now(juries.folder, again).state is JobState.DONE
        assert juries.said("strict") == [("ok", 0.0), ("ok", 1.0), ("ok", 2.0), ("ok", 1.0)]
        members = {one["judge"]: one["judge_id"] for one in again.params["members"]}
        with open_workspace(juries.folder) as workspace:
            tokens = ITEMS * (TOKENS_IN + TOKENS_OUT)
            for name in ("low", "high"):
                assert judge_scores.spent(workspace.db, 1, members[name])[0] == tokens


def test_the_members_share_one_bound_on_tokens(tmp_path: Path) -> None:
    with Juries(tmp_path / "w") as juries, pytest.MonkeyPatch.context() as patch:
        patch.setenv(*next(iter(ENVIRON.items())))
        juries.is_mended = True
        with open_workspace(juries.folder) as workspace:
            estimate = JudgeRun("run", "high").estimate(workspace)
            of_a_call = (estimate.tokens_in + estimate.tokens_out) // estimate.calls
            # enough for the first member, and not for another call
            bound = ITEMS * (TOKENS_IN + TOKENS_OUT) + of_a_call - 50
            job = queue(workspace, JudgeRun("run", "strict", budget=Budget(max_tokens=bound)))
        work_here(juries.folder)
        paused = job_now(juries.folder, job)
        assert (paused.state, paused.pause_reason) == (JobState.PAUSED, PauseReason.BUDGET)
        assert (juries.server.count, juries.second.count) == (ITEMS, 0)
        resume(juries.folder, job, Budget(max_tokens=10**6))
        work_here(juries.folder)
        assert job_now(juries.folder, job).state is JobState.DONE
        assert (juries.server.count, juries.second.count) == (ITEMS, ITEMS)
