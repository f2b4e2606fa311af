"""Claims as a method of judging: by a model, or by a stand-in that computes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.judge.base import Judge, JudgeMethod, JudgeSpec
from engine.judge.claims.metrics import METRICS
from engine.judge.settings import JudgeTable


def _find(folder: Path, tables: Sequence[JudgeTable]) -> Sequence[JudgeSpec]:
    from engine.judge.claims.settings import claims_judges

    return claims_judges(folder, tables)


def _open(folder: Path, spec: JudgeSpec) -> Judge:
    from engine.judge.claims.judge import open_claims_judge

    return open_claims_judge(folder, spec)


CLAIMS = JudgeMethod("claims", tuple(metric.spec for metric in METRICS.values()), _find, _open)
