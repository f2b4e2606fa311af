"""Similarity as a method of judging."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.judge.base import Judge, JudgeMethod, JudgeSpec
from engine.judge.settings import JudgeTable
from engine.judge.similarity.metrics import METRICS


def _find(folder: Path, tables: Sequence[JudgeTable]) -> Sequence[JudgeSpec]:
    from engine.judge.similarity.settings import similarity_judges

    return similarity_judges(folder, tables)


def _open(folder: Path, spec: JudgeSpec) -> Judge:
    from engine.judge.similarity.judge import SimilarityJudge

    return SimilarityJudge(folder, spec)


SIMILARITY = JudgeMethod("similarity", METRICS, _find, _open)
