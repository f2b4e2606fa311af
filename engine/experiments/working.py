"""Working an experiment: arm after arm, which share what they have in common."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.evaluate.new_run import make_run_of
from engine.evaluate.run_work import work_off
from engine.experiments.design import BASE, Design, read_design, rungs
from engine.experiments.new_experiment import arm_system
from engine.experiments.ranking import best_arm
from engine.experiments.scores import arm_scores, higher_is_better, of_items
from engine.experiments.sides import Sides, read_sides
from engine.jobs.context import JobContext, Stopped
from engine.jobs.operation import Budget
from engine.judge.judge_job import JudgeRun
from engine.retrieve.stages import asked_providers, finds_beginnings
from store.hashing import content_hash
from store.jobs import jobs
from store.messages import plural
from store.records import HistoryMode, JobState, PauseReason
from store.runs import experiments, judge_scores, runs
from store.runs.experiments import Arm, Experiment
from store.runs.runs import Run
from store.systems import NO_ANSWERS


async def work_experiment(
    context: JobContext, name: str, budget: Budget, judges: Sequence[JudgeRun] = ()
) -> None:
    """Works what is left. Which arms go on is read off the scores, by the first metric, on the
    train side only; then the base and the arms that are left answer the test side."""
    work = _Work(context, name, budget, judges)
    alive = [arm.name for arm in work.experiment.arms]
    if work.design.how == "halving":
        for items, keep in rungs(len(alive), work.sides.train):
            await work.work(alive, items)
            alive = work.best(alive, keep, items)
            context.note("halving", f"{plural(items, 'item')}: {plural(keep, 'arm')} go on")
    await work.work(alive, work.sides.train)
    if work.design.finalists is not None:
        alive = work.best(alive, work.design.finalists, work.sides.train)
    finalists = list(dict.fromkeys([BASE, *alive]))
    await work.work(finalists, work.sides.train + work.sides.test)
    work.finish()


class _Work:
    def __init__(
        self, context: JobContext, name: str, budget: Budget, judges: Sequence[JudgeRun]
    ) -> None:
        self.context = context
        self._db = context.workspace.db
        self.experiment: Experiment = experiments.get(self._db, name)
        self.design: Design = read_design(self.experiment)
        self.sides: Sides = read_sides(self._db, self.experiment, self.design.seed)
        self._budget = budget
        self._judges = judges
        self._retrieved: dict[str, int] = {}
        """By what a run searches for and retrieves, the first run that did."""
        self._done = 0
        self._steps = _steps(self.design, len(self.experiment.arms), self.sides.train)

    async def work(self, names: Sequence[str], items: int) -> None:
        """Lets arms answer the first so many items: those that retrieve most first, so that others
        take the beginning of what they found."""
        until = self.sides.until(items)
        made = [self._run(name) for name in names]
        for run in sorted(made, key=lambda run: -run.system.top_k):
            self.context.raise_if_stopping()
            self._share(run, until)
            await work_off(self.context, run.id, self._left(run.id), until)
            await self._judge(run)
            self._done += 1
            with self.context.workspace.write() as db:
                jobs.set_progress(db, self.context.job.id, self._done, self._steps)

    def finish(self) -> None:
        """Says that all is done: the base may have been among the finalists."""
        with self.context.workspace.write() as db:
            jobs.set_progress(db, self.context.job.id, self._steps, self._steps)

    def best(self, names: Sequence[str], keep: int, items: int) -> list[str]:
        """The `keep` best arms by the first metric over the first so many items, which are of the
        train side; arms without it come last."""
        revisions = {revision for revision, _ in self.sides.order[:items]}
        keys = {one.item_key for one in self.sides.items if one.revision_id in revisions}
        arms = [arm for arm in self._arms() if arm.name in names]
        metric = self.design.metrics[0]
        rows = of_items(arm_scores(self._db, arms, metric), keys)
        higher = higher_is_better(self._db, arms, metric)
        best = best_arm(rows, higher) if rows else None
        means = best[1] if best else {}
        sign = 1 if higher is False else -1
        order = sorted(
            names, key=lambda name: sign * means[name] if name in means else float("inf")
        )
        return order[:keep]

    def _arms(self) -> tuple[Arm, ...]:
        return experiments.get(self._db, self.experiment.name).arms

    def _run(self, name: str) -> Run:
        """The run of an arm, made when a round begins that works it."""
        arm = next(arm for arm in self._arms() if arm.name == name)
        if arm.run_id is not None:
            return runs.get(self._db, arm.run_id)
        system = arm_system(self.context.workspace.folder, self.design, arm)
        with self.context.workspace.write() as db:
            run = make_run_of(
                self.context.workspace,
                system,
                self.sides.release,
                runs.free_name(db, f"{self.experiment.name}: {name}"),
                self.sides.order,
                seed=self.design.seed,
            )
            experiments.set_run(db, self.experiment.id, arm.ordinal, run.id)
        return run

    def _share(self, run: Run, until: int) -> None:
        """Gives a run what an earlier arm searched for and retrieved by settings that find the
        same, or a longer list."""
        key = _search_of(run)
        if key is None:
            return
        source = self._retrieved.setdefault(key, run.id)
        if source != run.id:
            with self.context.workspace.write() as db:
                experiments.share_stages(db, source, run.id, until, run.system.top_k)

    async def _judge(self, run: Run) -> None:
        """Lets each judge score the answers of a run that lack a score of it."""
        if run.system.generator == NO_ANSWERS:
            return
        for judge in self._judges:
            about = judge.about(run.id)
            await replace(about, budget=self._left_to_judge(about)).score(self.context, "judging")
        if self._judges:
            self.context.enter(None)

    def _left_to_judge(self, judge: JudgeRun) -> Budget:
        """The same without what judges have spent on other runs, and others on this one."""
        if self._budget == Budget():
            return self._budget
        begun = [arm.run_id for arm in self._arms() if arm.run_id is not None]
        others = [
            judge_scores.spent(self._db, run_id, turn.stored_judge)
            for run_id in begun
            for one in self._judges
            for turn in one.turns
            if (run_id, one.judge_id) != (judge.of_run, judge.judge_id)
        ]
        return self._without(sum(tokens for tokens, _ in others), sum(cost for _, cost in others))

    def _left(self, run_id: int) -> Budget:
        """The experiment's budget without what its other runs have spent."""
        if self._budget == Budget():
            return self._budget
        begun = [arm.run_id for arm in self._arms() if arm.run_id is not None]
        # calls that the run shares with others count among its own
        all_tokens, all_cost = runs.spent(self._db, *begun)
        own_tokens, own_cost = runs.spent(self._db, run_id)
        return self._without(all_tokens - own_tokens, all_cost - own_cost)

    def _without(self, tokens: int, cost: float) -> Budget:
        """The budget without what is spent. Raises Stopped where nothing is left."""
        bounds = (self._budget.max_tokens, tokens), (self._budget.max_cost, cost)
        if any(bound is not None and bound <= spent for bound, spent in bounds):
            raise Stopped(
                JobState.PAUSED,
                PauseReason.BUDGET,
                "The budget of the experiment is used up.",
                "Resume with a larger one.",
            )
        return Budget(
            None if self._budget.max_tokens is None else self._budget.max_tokens - tokens,
            None if self._budget.max_cost is None else self._budget.max_cost - cost,
        )


def _steps(design: Design, arms: int, train: int) -> int:
    """How often an arm is worked at the most: once a round, on the train side, on the test side."""
    steps = 0
    if design.how == "halving":
        for _, keep in rungs(arms, train):
            steps, arms = steps + arms, keep
    finalists = arms if design.finalists is None else min(arms, design.finalists)
    return steps + arms + finalists + 1


def _search_of(run: Run) -> str | None:
    """What a run's search and its hits depend on, whatever is done with these; None where they
    depend on its own answers, or come with them."""
    system, settings = run.system, run.settings
    if system.retrieval is None or system.history is HistoryMode.PREDICTED:
        return None
    searched = replace(
        system,
        name="",
        generator="",
        prompt="general",
        description="",
        baseline=False,
        context=(),
        context_format="titled",
        halve_above=None,
        top_k=0 if finds_beginnings(system) else system.top_k,
    )
    asked = asked_providers(searched)
    prompts = {name: text for name, text in settings.prompts.items() if "/answer/" not in name}
    return content_hash(
        {
            "system": searched,
            "corpus": settings.corpus_fingerprint,
            "prompts": prompts if asked else {},
            "own model": settings.provider if "" in asked else None,
            "models": settings.stage_providers,
        }
    )
