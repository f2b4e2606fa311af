"""The job `audit`: a judge is asked about changed answers, and what came of it is kept.

What does the work is imported on use, because commands and screens build operations.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from engine.calibration.audit.plan import Asked, AuditPlan
from engine.jobs.model_choice import check_spending
from engine.jobs.operation import Operation, Progress, no_progress, put
from engine.judge.base import JudgeSpec
from engine.judge.registry import METHODS, find_judge, judges, open_judge
from engine.judge.settings import judge_tables
from store.errors import InputError, NotFound, UsageError
from store.jobs.jobs import Job
from store.messages import choices
from store.runs import audits, judge_scores, judged_answers, runs, stages
from store.runs.judge_scores import StoredJudge
from store.systems import NO_ANSWERS
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.calibration.audit.audit_work import AuditEstimate
    from engine.jobs.context import JobContext

ANSWERS = 50
"""Answers that are changed where nobody says how many: with no change seen in so many groups,
that there is none beyond the tolerance is settled."""
MOST_ANSWERS = 5_000


class _Found(Struct, frozen=True):
    """What the name of a judge stands for."""

    stored: StoredJudge | None
    """Of a judge that is not configured now."""
    spec: JudgeSpec | None
    """Of one that is."""
    asked: list[tuple[JudgeSpec, str]]
    """The judges to ask, each with the folder of its wording; of a jury its members."""
    not_probed: str = ""
    """Why none is asked."""

    @property
    def is_jury(self) -> bool:
        return self.spec is not None and bool(self.spec.members)


class AuditJudge(Operation, frozen=True, tag="audit"):
    """The judge is frozen when the job is queued; its configuration is in the store."""

    judge: str
    """`NAME` of a judge that is configured, or of one that has scored answers; `NAME@HASH`."""
    runs: tuple[str | int, ...] = ()
    """Of the answers; none for all runs with labels."""
    metrics: tuple[str, ...] = ()
    answers: int = ANSWERS
    against: str = ""
    """Another judge, as `NAME@HASH`, that has scored the answers."""
    prompts: tuple[str, ...] = ()
    """Folders of other wordings."""
    plan: AuditPlan | None = None
    """What is frozen once it is queued."""

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown judge or run, UsageError for a metric that the judge does
        not give, a number of answers out of range, a wording of a judge without prompts, and a
        budget that cannot be kept, InputError where there is no answer to audit by, when the
        model's key is not in the environment or a template is missing.
        """
        if not 1 <= self.answers <= MOST_ANSWERS:
            raise UsageError(
                f"The number of answers is {self.answers}; it is from 1 to {MOST_ANSWERS:,}.",
                command="--answers",
            )
        self._runs(workspace)
        self._against(workspace.db)
        for spec, _ in self._find(workspace).asked:
            check_spending(spec.provider, self.budget)
            open_judge(workspace.folder, spec)

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> AuditEstimate:
        from engine.calibration.audit.audit_work import estimate_audit

        found = self._find(workspace)
        return estimate_audit(
            workspace,
            found.asked,
            self._runs(workspace),
            self.answers,
            progress,
            is_jury=found.is_jury,
        )

    def enqueue(self, workspace: Workspace) -> Job:
        db = workspace.db
        found = self._find(workspace)
        own = found.stored or found.spec
        assert own is not None, "a name stands for a configured judge or for a stored one"
        plan = AuditPlan(
            judge_id=stages.put_judge(db, own.name, own.config),
            run_ids=self._runs(workspace),
            metrics=self.metrics,
            answers=self.answers,
            against_id=self._against(db),
            asked=tuple(
                Asked(
                    stages.put_judge(db, spec.name, spec.config),
                    spec.kind,
                    spec.metrics,
                    spec.provider,
                    prompts,
                )
                for spec, prompts in found.asked
            ),
            is_jury=found.is_jury,
            not_probed=found.not_probed,
        )
        frozen = replace(self, plan=plan)
        return put(db, frozen, f"audit of {self.judge}")

    async def run(self, context: JobContext) -> None:
        from engine.calibration.audit.audit_work import work_off
        from engine.calibration.audit.auditing import make_audit

        plan = self.frozen
        await work_off(context, plan, self.budget)
        audit = await context.in_child(make_audit, plan)
        with context.workspace.write(durable=True) as db:
            audits.add(db, plan.judge_id, audit.verdict, audit)
        context.note("audited", f"{audit.judge}: {audit.verdict}")

    def failed(self, db: sqlite3.Connection) -> int:
        return audits.failed(db, self._asked_ids)

    def reopen_failed(self, db: sqlite3.Connection) -> str:
        failed = audits.reopen_failed(db, self._asked_ids)
        return f"{failed} values that had failed" if failed else ""

    @property
    def _asked_ids(self) -> list[int]:
        return [one.judge_id for one in self.frozen.asked]

    @property
    def frozen(self) -> AuditPlan:
        assert self.plan is not None, "a queued job has its plan"
        return self.plan

    def _find(self, workspace: Workspace) -> _Found:
        configured = judges(workspace.folder)
        if self.judge not in configured:
            stored = self._stored(workspace, list(configured))
            if self.prompts:
                raise UsageError(
                    f"{stored.label} is not configured now: its wording cannot be changed."
                )
            elsewhere = stored.kind == "imported"
            reason = "its scores were computed elsewhere" if elsewhere else "it is not in"
            return _Found(stored, None, [], reason if elsewhere else f"{reason} ragdesk.toml")
        spec = find_judge(workspace.folder, self.judge, self.metrics)
        worded = [(_worded(workspace, spec, folder), folder) for folder in self.prompts]
        if spec.members:
            return _Found(None, spec, [(member, "") for member in spec.members])
        return _Found(None, spec, [(spec, ""), *worded])

    def _stored(self, workspace: Workspace, configured: list[str]) -> StoredJudge:
        have = [
            judge
            for run in runs.listing(workspace.db)
            for judge in judge_scores.of_run(workspace.db, run.id)
        ]
        chosen = judge_scores.choose(list({one.id: one for one in have}.values()), self.judge)
        if not chosen:
            known = dict.fromkeys([*configured, *(one.label for one in have)])
            raise NotFound(
                f"There is no judge {self.judge!r}.", choices(self.judge, list(known), "Judges")
            )
        return chosen[0]

    def _runs(self, workspace: Workspace) -> tuple[int, ...]:
        from engine.calibration.truths import truths_of

        db = workspace.db
        named = [runs.get(db, name) for name in self.runs]
        if not named:
            truths, _ = truths_of(db, (), None, None)
            named = [runs.get(db, number) for number in sorted({one.run_id for one in truths})]
        if not named:
            raise InputError(
                "No answer is labelled yet.", "Choose runs.", "ragdesk audit JUDGE RUN"
            )
        for run in named:
            if run.system.generator == NO_ANSWERS:
                raise UsageError(f"Run {run.name!r} only retrieves: there is no answer to judge.")
        return tuple(dict.fromkeys(run.id for run in named))

    def _against(self, db: sqlite3.Connection) -> int | None:
        if not self.against:
            return None
        numbers = [
            one.prediction_id
            for run in self.runs or [run.name for run in runs.listing(db)]
            for one in judged_answers.answers(db, runs.get(db, run).id)
        ]
        have = judged_answers.judges(db, numbers)
        chosen = judge_scores.choose(have, self.against)
        if not chosen:
            raise NotFound(
                f"No judge {self.against!r} has scored these answers.",
                choices(self.against, [one.label for one in have], "These have", none="none"),
            )
        return chosen[0].id


def _worded(workspace: Workspace, spec: JudgeSpec, prompts: str) -> JudgeSpec:
    """The judge with the templates of another folder."""
    table = next((one for one in judge_tables(workspace.folder) if one.name == spec.name), None)
    if table is None or spec.provider is None:
        raise UsageError(f"Judge {spec.name!r} reads no prompts.", "Name none.", "--prompts")
    changed = replace(table, fields={**table.fields, "prompts": prompts})
    (made,) = METHODS[table.method].find(workspace.folder, [changed])
    return replace(made, metrics=spec.metrics)
