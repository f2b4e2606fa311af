"""Asking a judge about changed answers: what is left is read from the stored values.

A value is committed as soon as it exists, so that the same code begins, resumes and ends the work,
and a second audit asks for nothing again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import asdict

from engine.calibration.audit.changes import SAME, changes_of
from engine.calibration.audit.plan import AuditPlan
from engine.calibration.audit.probing import Asking, Probed, Prober, probed_answers
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.fan_out import side_by_side
from engine.jobs.operation import Budget, Estimate, Progress
from engine.jobs.request_count import RequestCount
from engine.judge import pool_tasks
from engine.judge.asking import judgements
from engine.judge.base import Judgement, JudgeSpec
from engine.judge.estimate import count_case
from engine.judge.registry import open_judge
from engine.models.budget import Spending
from engine.models.cached import call_refs
from engine.models.settings import Provider
from store.jobs import jobs
from store.runs import audits, judge_scores
from store.workspace import Workspace

_BATCH = 32


class AuditEstimate(Estimate, frozen=True, kw_only=True):
    """What the questions about changed answers would take."""

    answers: int
    """That are changed."""
    values: int
    """Of metrics that would be asked for; those that are stored already left out."""
    at_least: bool = False
    """Whether more will be asked that depends on replies which are not there yet."""
    embeds_at: str = ""
    """The provider that is asked for vectors beside that, a request a changed answer at most."""


class Question(Struct, frozen=True):
    """A changed answer of which a judge has not given all values."""

    prediction_id: int
    asking: Asking
    lacking: tuple[tuple[int, tuple[str, ...]], ...]
    """By repeat, the metrics."""

    @property
    def values(self) -> int:
        return sum(len(metrics) for _, metrics in self.lacking)


def estimate_audit(
    workspace: Workspace,
    asked: Sequence[tuple[JudgeSpec, str]],
    run_ids: Sequence[int],
    number: int,
    progress: Progress,
    *,
    is_jury: bool,
) -> AuditEstimate:
    """Builds every prompt that is left to ask and counts it; asks no model, writes nothing. Each
    judge stands with the folder of its wording, empty for its own."""
    answers = probed_answers(workspace.db, run_ids, number)
    values, at_least = 0, False
    counts: list[Estimate] = []
    for spec, prompts in asked:
        judge_id = judge_scores.number_of(workspace.db, spec.hash)
        changes = changes_of(prompts, is_jury=is_jury)
        questions = list(_questions(workspace, spec, judge_id, answers, changes))
        values += sum(question.values for question in questions)
        if spec.provider is not None:
            count = RequestCount(workspace, spec.provider)
            at_least |= asyncio.run(_count(workspace, spec, questions, count, progress))
            counts.append(count.estimate)
    return AuditEstimate(
        **asdict(Estimate.total(counts)),
        answers=len(answers) if asked else 0,
        values=values,
        at_least=at_least,
        embeds_at=", ".join(dict.fromkeys(spec.embeds_at for spec, _ in asked if spec.embeds_at)),
    )


async def _count(
    workspace: Workspace,
    spec: JudgeSpec,
    questions: Sequence[Question],
    count: RequestCount,
    progress: Progress,
) -> bool:
    """Lets the judge ask a counter; returns whether some of its requests are not known yet."""
    judge = open_judge(workspace.folder, spec)
    at_least = False
    for done, question in enumerate(questions, 1):
        for repeat, metrics in question.lacking:
            at_least |= await count_case(judge, question.asking.case, metrics, count, repeat)
        progress(done, len(questions))
    return at_least


async def work_off(context: JobContext, plan: AuditPlan, budget: Budget) -> None:
    """Works until nothing is left to ask; raises Stopped when it has to end before that."""
    db = context.workspace.db
    answers = probed_answers(db, plan.run_ids, plan.answers)
    work = []
    for one in plan.asked:
        spec, changes = one.spec(db), changes_of(one.prompts, is_jury=plan.is_jury)
        left = _questions(context.workspace, spec, one.judge_id, answers, changes)
        work.append((one, spec, list(left)))
    counter = _Counter(context, sum(len(questions) for _, _, questions in work))
    ids = [one.judge_id for one in plan.asked]
    for asked, spec, questions in work:
        if spec.provider is None:
            await _compute(counter, asked.judge_id, spec, questions)
        else:
            spent = Spending(*audits.spent(db, ids))
            asker = _Asker(counter, budget, asked.judge_id, spec, spec.provider, spent)
            await side_by_side(context, iter(questions), asker.in_flight, asker.ask)
    if counter.left:
        context.raise_if_stopping()


class _Counter:
    """Stores values, and counts the questions that are answered."""

    def __init__(self, context: JobContext, total: int) -> None:
        self.context = context
        self.commits = GroupCommit(context.workspace)
        self.left = self._total = total
        with context.workspace.write() as db:
            jobs.set_progress(db, context.job.id, 0, total)

    async def store(self, judge_id: int, question: Question, repeat: int, made: Judgement) -> None:
        await self.commits.write(
            lambda db: audits.put_score(
                db,
                judge_id,
                question.prediction_id,
                question.asking.change,
                made.score,
                repeat,
                call_refs(made.replies),
            )
        )

    async def count(self, questions: int) -> None:
        self.left -= questions
        done = self._total - self.left
        await self.commits.write(
            lambda db: jobs.set_progress(db, self.context.job.id, done, self._total)
        )


async def _compute(
    counter: _Counter, judge_id: int, spec: JudgeSpec, questions: Sequence[Question]
) -> None:
    for begin in range(0, len(questions), _BATCH):
        batch = questions[begin : begin + _BATCH]
        if counter.context.stopping:
            return
        # a judge that computes is asked once
        asked = [(one.asking.case, one.lacking[0][1]) for one in batch]
        given = await counter.context.in_child(pool_tasks.judge_cases, spec, asked)
        for question, made in zip(batch, given, strict=True):
            for judgement in made:
                await counter.store(judge_id, question, 0, judgement)
        await counter.count(len(batch))


class _Asker:
    """A judge at work that asks a model."""

    def __init__(
        self,
        counter: _Counter,
        budget: Budget,
        judge_id: int,
        spec: JudgeSpec,
        provider: Provider,
        spent: Spending,
    ) -> None:
        self._counter = counter
        self._judge_id = judge_id
        self._judge = open_judge(counter.context.workspace.folder, spec)
        self._chat = JobChat(counter.context, provider, budget, counter.commits, spent)
        self.in_flight = self._chat.in_flight

    async def ask(self, question: Question) -> None:
        """Asks for all values that a changed answer lacks, unless the job is to stop."""
        for repeat, metrics in question.lacking:
            if self._counter.context.stopping:
                return
            ask = partial(self._chat.complete, repeat=repeat)
            async for made in judgements(self._judge, question.asking.case, metrics, ask):
                await self._counter.store(self._judge_id, question, repeat, made)
        await self._counter.count(1)


def _questions(
    workspace: Workspace,
    spec: JudgeSpec,
    judge_id: int | None,
    answers: Sequence[Probed],
    changes: Collection[str] | None,
) -> Iterator[Question]:
    """What a judge has not said of answers with these changes."""
    known = audits.scores(workspace.db, judge_id) if judge_id is not None else []
    have = {(one.prediction_id, one.change, one.metric, one.repeat) for one in known}
    prober = Prober(workspace.db, spec, answers)
    for answer in answers:
        for asking in prober.askings(answer, changes):
            key = (answer.prediction_id, asking.change)
            lacking = tuple(
                (repeat, metrics)
                for repeat in range(1 if changes == (SAME,) else asking.repeats)
                if (
                    metrics := tuple(
                        one for one in asking.metrics if (*key, one, repeat) not in have
                    )
                )
            )
            if lacking:
                yield Question(answer.prediction_id, asking, lacking)
