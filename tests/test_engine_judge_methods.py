"""A method that asks in several steps is a method like any other: here one that counts claims.

It asks a model for the claims of an answer, and then, claim by claim, whether the passages bear it
out. Nothing of it is known anywhere else: it is one entry in the registry.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    ENVIRON,
    job_now,
    make_workspace,
    provider_table,
    questions,
    write_settings,
)
from scripted_server import Reply, Request, ScriptedServer
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue, retry_failed
from engine.judge.applies import not_applicable
from engine.judge.base import Case, Judgement, JudgeMethod, JudgeSpec
from engine.judge.estimate import JudgeEstimate
from engine.judge.judge_job import JudgeRun
from engine.judge.registry import METHODS, find_judge
from engine.judge.settings import AskingTable, JudgeTable, provider_config
from engine.metrics.spec import MetricSpec
from engine.models.chat import Ask, ChatReply, ChatRequest
from engine.models.settings import providers
from engine.prompts.templates import PromptText
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from store.errors import InputError
from store.hashing import content_hash
from store.jobs import model_calls
from store.jobs.jobs import Job
from store.records import JobState, MetricScore, ScoreState
from store.runs import details, judge_scores, stages
from store.runs.judge_scores import JudgeValue
from store.verify import verify
from store.workspace import open_workspace

ITEMS = 6
PRECISION = MetricSpec(
    *("borne_out", "standard", "judge", 0.0, 1.0, True, ("retrieved",)),
    *("share of the answer's claims that the passages bear out", "this test"),
)
CLAIMS = MetricSpec(
    *("claim_count", "standard", "judge", 0.0, None, None, ()),
    *("how many claims the answer makes", "this test"),
)
LIST = "[system]\nList the claims as a JSON array of strings.\n[user]\n{answer}"
CHECK = "[system]\nReply yes or no.\n[user]\nIs this borne out? {claim}\n{passages}"


class ClaimTable(AskingTable):
    least_words: int = 1


class ClaimJudge:
    """Both metrics rest on one list of claims, which is asked for once."""

    metrics = (CLAIMS, PRECISION)

    def __init__(self, least_words: int) -> None:
        self._least_words = least_words

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        replies = [await ask(_request(LIST, answer=case.answer))]
        try:
            listed = json.loads(replies[0].text)
        except json.JSONDecodeError:
            for spec in self.metrics:
                reason = f"no list of claims: {replies[0].text}"
                score = MetricScore(spec.name, "standard", None, ScoreState.UNPARSED, reason)
                yield Judgement(score, _prompt("list", LIST), tuple(replies))
            return
        claims = [claim for claim in listed if len(claim.split()) >= self._least_words]
        if CLAIMS.name in metrics:
            score = MetricScore(CLAIMS.name, "standard", float(len(claims)))
            yield Judgement(score, _prompt("list", LIST), tuple(replies))
        if PRECISION.name in metrics:
            yield await self._precision(case, claims, replies, ask)

    async def _precision(
        self, case: Case, claims: list[str], replies: list[ChatReply], ask: Ask
    ) -> Judgement:
        if (outside := not_applicable(case, PRECISION)) is not None:
            return Judgement(outside)
        passages = "\n".join(passage.text for passage in case.passages)
        for claim in claims:
            replies.append(await ask(_request(CHECK, claim=claim, passages=passages)))
        verdicts = [reply.text for reply in replies[1:]]
        score = MetricScore(PRECISION.name, "standard", verdicts.count("yes") / len(claims))
        told = [
            {"text": claim, "verdict": said} for claim, said in zip(claims, verdicts, strict=True)
        ]
        return Judgement(score, _prompt("check", CHECK), tuple(replies), details={"claims": told})


def _prompt(name: str, text: str) -> PromptText:
    return PromptText(f"claims/{name}", "en", text, content_hash(text))


def _request(template: str, **values: str) -> ChatRequest:
    return ChatRequest(_prompt("", template).fill(values))


def find(folder: Path, tables: Sequence[JudgeTable]) -> list[JudgeSpec]:
    specs = []
    for written in tables:
        table, provider = written.read(ClaimTable, providers(folder))
        config = {
            "judge": written.name,
            "kind": "listing",
            "provider": provider_config(provider),
            "least_words": table.least_words,
            "prompts": {"en/claims/list": LIST, "en/claims/check": CHECK},
        }
        names = (CLAIMS.name, PRECISION.name)
        specs.append(JudgeSpec(written.name, "listing", names, config, provider, table.repeats))
    return specs


METHOD = JudgeMethod(
    "listing",
    (CLAIMS, PRECISION),
    find,
    lambda folder, spec: ClaimJudge(spec.config["least_words"]),
)


class Judged:
    """A run that the method judged, again under another name, and a closed-book run.

    Answer 2 gets no list of claims; what is asked about answer 3 is refused until it is mended.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = ScriptedServer(reply=self.reply)
        self.is_mended = False
        self.asked: dict[str, int] = {}
        self.jobs: dict[str, Job] = {}
        self.estimates: dict[str, JudgeEstimate] = {}
        self.first_scores: dict[str, Counter[tuple[str, float | None]]] = {}

    def reply(self, request: Request) -> Reply:
        system, user = (message["content"] for message in request.body["messages"])
        if "JSON array" in system:
            if "Answer 2" in user:
                return scripted.answer("There are none.")
            return scripted.answer(json.dumps([user, f"{user} Or the moon is cheese."]))
        if "Answer 3" in user and not self.is_mended:
            return scripted.content_filtered()
        return scripted.answer("no" if "moon" in user else "yes", tokens_in=100, tokens_out=1)

    def judge(self, label: str, run: str, judge: str) -> None:
        with open_workspace(self.folder) as workspace, patch.dict(os.environ, ENVIRON):
            asked = JudgeRun(run, judge)
            self.estimates[label] = asked.estimate(workspace)
            self.jobs[label] = queue(workspace, asked)
        self.work(label)

    def retry(self, label: str, earlier: str) -> None:
        with open_workspace(self.folder) as workspace:
            self.jobs[label] = retry_failed(workspace, self.jobs[earlier].id)
        self.work(label)

    def work(self, label: str) -> None:
        before = self.server.count
        work_here(self.folder)
        self.jobs[label] = job_now(self.folder, self.jobs[label])
        self.asked[label] = self.server.count - before

    def scores(self, label: str) -> dict[str, Counter[tuple[str, float | None]]]:
        """By metric, how many answers have which state and value."""
        params = self.jobs[label].params
        with open_workspace(self.folder) as workspace:
            rows = workspace.db.execute(
                "SELECT metric.name, score.state, value FROM score"
                " JOIN metric ON metric.id = metric_id"
                " JOIN prediction ON prediction.id = prediction_id"
                " WHERE run_id = ? AND judge_id = ?",
                (params["run"], params["judge_id"]),
            ).fetchall()
        counted: dict[str, Counter[tuple[str, float | None]]] = {}
        for metric, state, value in rows:
            counted.setdefault(metric, Counter())[state, value] += 1
        return counted


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    folder = make_workspace(tmp_path_factory.mktemp("methods") / "w", questions(ITEMS))
    with open_workspace(folder) as workspace:
        for system in ("bm25", "closed-book"):
            queue(workspace, Evaluate(NewRun(system, "gold", name=system)))
    work_here(folder)
    with open_workspace(folder) as workspace, workspace.write() as db:
        db.execute(
            "UPDATE prediction SET answer = 'Answer ' || id || ' is 3%.', checksum ="
            " row_sum(state, 'Answer ' || id || ' is 3%.', error_kind, error_text)"
        )
    work = Judged(folder)
    with patch.dict(METHODS, listing=METHOD), work.server:
        claims = 'method = "listing"\nmodel = "p"\n'
        prices = {"prices.input": 1.0, "prices.output": 1.0}
        write_settings(
            folder,
            provider_table("p", work.server.base_url, **prices),
            *(f"[judges.{name}]\n{claims}" for name in ("claims", "twin")),
            f"[judges.longer]\n{claims}least_words = 6",
        )
        work.judge("first", "bm25", "claims")
        work.first_scores = work.scores("first")
        work.is_mended = True
        work.retry("retried", "first")
        work.judge("again", "bm25", "claims")
        work.judge("twin", "bm25", "twin")
        work.judge("closed", "closed-book", "claims")
        yield work


def test_a_table_names_its_method_which_reads_the_rest(judged: Judged) -> None:
    spec = find_judge(judged.folder, "longer")
    assert (spec.kind, spec.metrics) == ("listing", ("claim_count", "borne_out"))
    assert spec.config["least_words"] == 6
    assert spec.hash != find_judge(judged.folder, "claims").hash
    stray = JudgeTable("j", "listing", {"model": "p", "colour": 1}, "ragdesk.toml: judges.j")
    with pytest.raises(InputError, match=r"judges\.j: .*colour"):
        find(judged.folder, [stray])


def test_each_step_is_asked_and_each_score_says_what_it_rests_on(judged: Judged) -> None:
    job = judged.jobs["retried"]
    assert (job.state, job.done, job.total) == (JobState.DONE, ITEMS, ITEMS)
    assert judged.scores("retried") == {
        "claim_count": {("ok", 2.0): ITEMS - 1, ("unparsed", None): 1},
        "borne_out": {("ok", 0.5): ITEMS - 1, ("unparsed", None): 1},
    }
    with open_workspace(judged.folder) as workspace:
        db = workspace.db
        for metric, prompt, replies in (
            ("claim_count", "en/claims/list", 1),
            ("borne_out", "en/claims/check", 3),
        ):
            stage = judge_scores.stage_name(job.params["judge_id"], metric, 0)
            value: JudgeValue = stages.get(db, 1, stage, JudgeValue)
            assert (value.prompt, value.model, len(value.calls)) == (prompt, "scripted", replies)
        assert value.details == {
            "claims": [
                {"text": "Answer 1 is 3%.", "verdict": "yes"},
                {"text": "Answer 1 is 3%. Or the moon is cheese.", "verdict": "no"},
            ]
        }
        told = [(one.score.metric, one.details) for one in details.scores(db, 1) if one.details]
        assert told == [("borne_out", value.details)] * 2
        kept = [model_calls.get(db, call.key) for call in value.calls]
        assert [call.reply for call in kept[1:] if call is not None] == ["yes", "no"]
        assert verify(db).ok


def test_a_step_that_fails_spoils_what_rests_on_it_and_only_that_is_asked_again(
    judged: Judged,
) -> None:
    # of six answers, one has a list only and one is refused at its first check
    assert judged.asked["first"] == 4 * 3 + 1 + 2
    assert judged.first_scores["claim_count"]["ok", 2.0] == ITEMS - 1
    assert judged.first_scores["borne_out"] == {
        ("ok", 0.5): ITEMS - 2,
        ("unparsed", None): 1,
        ("error", None): 1,
    }
    assert judged.asked["retried"] == 2


def test_nothing_is_asked_twice_and_a_shared_call_is_paid_once(judged: Judged) -> None:
    assert judged.asked["again"] == judged.asked["twin"] == 0
    assert judged.scores("twin") == judged.scores("retried")
    with open_workspace(judged.folder) as workspace:
        first, twin = (judged.jobs[name].params["judge_id"] for name in ("first", "twin"))
        lists, checks = ITEMS * 15, (ITEMS - 1) * 2 * 101
        assert judge_scores.spent(workspace.db, 1, first)[0] == lists + checks
        assert judge_scores.spent(workspace.db, 1, twin) == (0, 0.0)


def test_a_dry_run_counts_what_is_known_and_says_when_that_is_not_all(judged: Judged) -> None:
    first, again, twin = (judged.estimates[name] for name in ("first", "again", "twin"))
    assert (first.answers, first.scores) == (ITEMS, 2 * ITEMS)
    assert (first.calls, first.cached, first.at_least) == (ITEMS, 0, True)
    assert (again.answers, again.calls, again.at_least) == (0, 0, False)
    calls = ITEMS + (ITEMS - 1) * 2
    assert (twin.calls, twin.cached, twin.tokens_in, twin.at_least) == (calls, calls, 0, False)


def test_a_metric_that_does_not_apply_is_stored_as_such(judged: Judged) -> None:
    assert judged.scores("closed") == {
        "claim_count": {("ok", 2.0): ITEMS},
        "borne_out": {("na", None): ITEMS},
    }


def test_its_metrics_are_read_like_any_other(judged: Judged) -> None:
    with open_workspace(judged.folder) as workspace:
        found = run_matrix(workspace.db, "bm25", MetricQuery("borne_out", judge="claims"))
    assert (found.matrix.total.n, found.matrix.total.summary.mean) == (ITEMS - 1, 0.5)
