"""The rule judge as a method: one judge, built in, the same in every workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path

from engine.judge.base import Case, Judgement, JudgeMethod, JudgeSpec, specs_of
from engine.judge.rules.config import JUDGE_NAME, METRICS, judge_config
from engine.judge.settings import JudgeTable
from engine.models.chat import Ask


class RuleJudge:
    """Computes all of its metrics at once."""

    metrics = specs_of(METRICS)

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        from engine.judge.rules.judge import judge_case

        for score in judge_case(case):
            if score.metric in metrics:
                yield Judgement(score)


RULE_JUDGE = JudgeSpec(JUDGE_NAME, "rules", METRICS, judge_config())


def _find(folder: Path, tables: Sequence[JudgeTable]) -> Sequence[JudgeSpec]:
    return [RULE_JUDGE]


def _open(folder: Path, spec: JudgeSpec) -> RuleJudge:
    return RuleJudge()


RULES = JudgeMethod("rules", RuleJudge.metrics, _find, _open)
