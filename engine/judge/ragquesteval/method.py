"""RAGQuestEval as a method of judging."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.judge.base import Judge, JudgeMethod, JudgeSpec
from engine.judge.ragquesteval.metrics import METRICS
from engine.judge.settings import JudgeTable


def _find(folder: Path, tables: Sequence[JudgeTable]) -> Sequence[JudgeSpec]:
    from engine.judge.ragquesteval.settings import quest_judges

    return quest_judges(folder, tables)


def _open(folder: Path, spec: JudgeSpec) -> Judge:
    from engine.judge.ragquesteval.judge import QuestJudge

    return QuestJudge(folder, spec)


RAGQUESTEVAL = JudgeMethod("ragquesteval", METRICS, _find, _open)
