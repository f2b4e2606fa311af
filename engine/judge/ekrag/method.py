"""EKRAG as a method of judging: `by` says which of its three judges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.judge.base import Judge, JudgeMethod, JudgeSpec
from engine.judge.ekrag.metrics import METRICS
from engine.judge.settings import JudgeTable


def _find(folder: Path, tables: Sequence[JudgeTable]) -> Sequence[JudgeSpec]:
    from engine.judge.ekrag.settings import ekrag_judges

    return ekrag_judges(folder, tables)


def _open(folder: Path, spec: JudgeSpec) -> Judge:
    if spec.config["by"] == "model":
        from engine.judge.ekrag.asking import AskingJudge

        return AskingJudge(spec)
    from engine.judge.ekrag.computing import EmbeddingJudge, RerankerJudge

    kind = EmbeddingJudge if spec.config["by"] == "embedding" else RerankerJudge
    return kind(folder, spec)


EKRAG = JudgeMethod("ekrag", METRICS, _find, _open)
