"""Models as a method of judging: `[judges.NAME]` tables, one prompt a metric."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.judge.base import Judge, JudgeMethod, JudgeSpec, specs_of
from engine.judge.model import omnieval
from engine.judge.settings import MODEL_METHOD, JudgeTable
from engine.metrics.spec import metric_names


def _find(folder: Path, tables: Sequence[JudgeTable]) -> Sequence[JudgeSpec]:
    from engine.judge.model.settings import model_judges

    return model_judges(folder, tables)


def _open(folder: Path, spec: JudgeSpec) -> Judge:
    from engine.judge.model.judge import ModelJudge

    return ModelJudge(spec)


MODEL = JudgeMethod(
    MODEL_METHOD,
    (*specs_of(metric_names("standard", "judge")), *omnieval.METRICS),
    _find,
    _open,
)
