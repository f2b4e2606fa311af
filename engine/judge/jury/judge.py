"""A jury at work: it reads what its members have said, and asks nobody."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from typing import Any

from engine.jobs.pool import child_workspace
from engine.judge.base import Case, Judgement
from engine.judge.jury.verdict import told, verdict
from engine.metrics.spec import MetricSpec
from engine.models.chat import Ask
from store.runs import judge_scores


class Jury:
    """The job that judges has every member judge first, so that their scores are stored."""

    def __init__(self, metrics: tuple[MetricSpec, ...], config: dict[str, Any]) -> None:
        self.metrics = metrics
        self._members: dict[str, str] = {one["judge"]: one["hash"] for one in config["members"]}
        self._quorum: int = config["quorum"]

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        stored = judge_scores.by_hash(
            child_workspace().db, case.prediction_id, self._members.values()
        )
        for spec in self.metrics:
            said = {
                name: stored[digest, spec.name]
                for name, digest in self._members.items()
                if (digest, spec.name) in stored
            }
            # an answer that came after the members had judged waits for the next judging
            if spec.name in metrics and len(said) == len(self._members):
                score = verdict(spec.name, said, self._quorum, case.lang)
                yield Judgement(score, details=told(said, self._quorum))
