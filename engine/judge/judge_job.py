"""The job `judge`: every answer of a run gets a judge's scores.

What is left is read from the score rows, so the same code begins, resumes and ends the work. A
score is committed as soon as it exists. Judges that compute do so in the child processes, in
batches; a model is asked once for every metric and repeat, and once more when its reply cannot be
used. Both replies are kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext, Stopped
from engine.judge import pool_tasks
from engine.judge.applies import known_scores
from engine.judge.cases import read_case, run_corpus
from engine.judge.model.asking import Example, JudgePrompts, PromptLang, ask_again, judge_request
from engine.judge.model.replies import Judged, read_judgement
from engine.judge.registry import Case, JudgeKind, JudgeSpec
from engine.models.budget import Spending
from engine.models.chat import ChatReply, ChatRequest
from engine.models.errors import ModelError
from engine.models.settings import Provider
from store.jobs import jobs
from store.records import Lang, MetricScore, ScoreState
from store.runs import judge_scores, runs
from store.runs.judge_scores import JudgeCall, JudgeValue, Unjudged
from store.runs.runs import Run

_PAGE = 64
_BATCH = 32


class JudgeParams(Struct, frozen=True, omit_defaults=True):
    """What a judging job froze; the judge's own configuration is in the store under `judge_id`."""

    run: int
    judge_id: int
    kind: JudgeKind
    metrics: tuple[str, ...]
    repeats: int = 1
    provider: Provider | None = None
    """Of a model judge: with prices and limits, which its configuration leaves out."""
    max_tokens: int | None = None
    max_cost: float | None = None


async def judge_run(context: JobContext) -> None:
    """Works until nothing is left to judge; raises Stopped when it has to end before that."""
    params = msgspec.convert(context.job.params, JudgeParams)
    run = runs.get(context.workspace.db, params.run)
    work = _Work(context, run, params)
    if work.left:
        await (_ask(work) if params.kind == "model" else _compute(work))
    work.report()
    if work.count_left():
        context.raise_if_stopping()


class _Work:
    """The answers of a run that still lack scores, and the counting of those that have them."""

    def __init__(self, context: JobContext, run: Run, params: JudgeParams) -> None:
        self.context = context
        self.run = run
        self.params = params
        self.commits = GroupCommit(context.workspace)
        self.db = context.workspace.db
        self.total = judge_scores.total(self.db, run.id)
        self.left = self.count_left()
        with context.workspace.write() as db:
            jobs.set_progress(db, context.job.id, self.total - self.left, self.total)

    def count_left(self) -> int:
        given = self.params
        return judge_scores.remaining(
            self.db, self.run.id, given.judge_id, given.metrics, given.repeats
        )

    def pending(self) -> Iterator[Unjudged]:
        """What is left, a page at a time, so that memory does not grow with the run."""
        after = -1
        given = self.params
        while page := judge_scores.unjudged(
            self.db,
            self.run.id,
            given.judge_id,
            given.metrics,
            given.repeats,
            after=after,
            limit=_PAGE,
        ):
            yield from page
            after = page[-1].ordinal

    async def store(
        self,
        prediction_id: int,
        score: MetricScore,
        repeat: int = 0,
        value: JudgeValue | None = None,
        elapsed_ms: float = 0.0,
    ) -> None:
        judge_id = self.params.judge_id
        await self.commits.write(
            lambda db: judge_scores.put(
                db, prediction_id, judge_id, score, repeat, value, elapsed_ms
            )
        )

    async def count(self, answers: int) -> None:
        """Counts answers that have every score."""
        self.left -= answers
        done = self.total - self.left
        await self.commits.write(
            lambda db: jobs.set_progress(db, self.context.job.id, done, self.total)
        )

    def report(self) -> None:
        """Notes how many scores of the judge are in which state."""
        counted = judge_scores.counts(self.db, self.run.id, self.params.judge_id)
        for metric in self.params.metrics:
            states = counted.get(metric, {})
            parts = [f"{count:,} {state}" for state, count in states.items()]
            if parts:
                self.context.note("judged", f"{metric}: {', '.join(parts)}")


async def _compute(work: _Work) -> None:
    config = judge_scores.get(work.db, work.params.judge_id)
    spec = JudgeSpec(config.name, work.params.kind, work.params.metrics, config.config)
    batch: list[int] = []
    for one in work.pending():
        if work.context.stopping:
            return
        batch.append(one.prediction_id)
        if len(batch) == _BATCH:
            await _compute_batch(work, spec, batch)
            batch = []
    if batch:
        await _compute_batch(work, spec, batch)


async def _compute_batch(work: _Work, spec: JudgeSpec, batch: list[int]) -> None:
    found = await work.context.pool.call(
        pool_tasks.judge, work.context.workspace.folder, spec, work.run.id, batch
    )
    wanted = work.params.metrics
    with work.context.workspace.write() as db:
        for prediction_id, scores in zip(batch, found, strict=True):
            kept = [score for score in scores if score.metric in wanted]
            runs.put_scores(db, prediction_id, kept, judge_id=work.params.judge_id)
    await work.count(len(batch))


async def _ask(work: _Work) -> None:
    asker = _Asker(work)
    pending = work.pending()
    tasks = [asyncio.create_task(asker.work_off(pending)) for _ in range(asker.in_flight)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


class _Asker:
    """A model judge at work."""

    def __init__(self, work: _Work) -> None:
        self._work = work
        params = work.params
        config = judge_scores.get(work.db, params.judge_id).config
        assert params.provider is not None, "a model judge has a provider"
        self._model = params.provider.model
        self._prompts = prompts_of(config)
        self._temperature = config["temperature"]
        self._max_tokens = config["max_tokens"]
        self._corpus = run_corpus(work.db, work.run)
        spent = Spending(*judge_scores.spent(work.db, work.run.id, params.judge_id))
        self._chat = JobChat(work.context, params.provider, work.commits, spent)
        self.in_flight = self._chat.in_flight

    async def work_off(self, pending: Iterator[Unjudged]) -> None:
        """Judges one answer after the other; `pending` is shared with others that do the same.

        An end that the provider or the budget asks for lets what is in flight finish.
        """
        for one in pending:
            if self._work.context.stopping:
                return
            try:
                await self._judge(one)
            except Stopped as stopped:
                self._work.context.end(stopped)

    async def _judge(self, one: Unjudged) -> None:
        work = self._work
        case = read_case(work.db, self._corpus, work.run.system, one.prediction_id)
        known = known_scores(case, work.params.metrics)
        for repeat in range(work.params.repeats):
            for metric in work.params.metrics:
                if (metric, repeat) in one.done:
                    continue
                if metric in known:
                    await work.store(one.prediction_id, known[metric], repeat)
                    continue
                if work.context.stopping:
                    return
                await self._judge_metric(case, metric, repeat)
        await work.count(1)

    async def _judge_metric(self, case: Case, metric: str, repeat: int) -> None:
        begin = time.perf_counter()
        prompt = self._prompts.find(metric, case.lang)
        calls: list[JudgeCall] = []
        try:
            judged = await self._ask(case, metric, repeat, prompt.lang, calls)
        except ModelError as error:
            reason = f"{error.kind}: {error}"
            judged = Judged(MetricScore(metric, "standard", None, ScoreState.ERROR, reason))
        value = JudgeValue(
            prompt=f"{prompt.lang}/{prompt.id}",
            prompt_hash=prompt.hash,
            model=self._model,
            calls=tuple(calls),
            repaired=judged.repaired,
        )
        elapsed = round((time.perf_counter() - begin) * 1000, 3)
        await self._work.store(case.prediction_id, judged.score, repeat, value, elapsed)

    async def _ask(
        self, case: Case, metric: str, repeat: int, lang: Lang, calls: list[JudgeCall]
    ) -> Judged:
        """Asks, and once more when the reply cannot be used; notes the calls in `calls`."""
        request = judge_request(
            self._prompts,
            case,
            metric,
            temperature=self._temperature,
            max_tokens=self._max_tokens,
        )
        reply = await self._complete(request, repeat, calls)
        judged = read_judgement(metric, reply.text, truncated=reply.truncated)
        if not judged.problem:
            return judged
        again = ask_again(request, reply.text, judged.problem, metric, lang)
        reply = await self._complete(again, repeat, calls)
        return read_judgement(metric, reply.text, truncated=reply.truncated)

    async def _complete(
        self, request: ChatRequest, repeat: int, calls: list[JudgeCall]
    ) -> ChatReply:
        reply = await self._chat.complete(request, repeat)
        assert reply.key is not None, "a job's replies go through the cache"
        calls.append(JudgeCall(reply.key, reply.cached))
        return reply


def prompts_of(config: dict[str, object]) -> JudgePrompts:
    """The templates and examples in a model judge's configuration."""
    return JudgePrompts(
        str(config["prompt_folder"]),
        msgspec.convert(config["prompts"], dict[str, str]),
        msgspec.convert(config["lang"], PromptLang),
        msgspec.convert(config["examples"], tuple[Example, ...]),
    )
