"""Python files of the workspace as a method of judging."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.judge.base import Judge, JudgeMethod, JudgeSpec
from engine.judge.settings import JudgeTable


def _find(folder: Path, tables: Sequence[JudgeTable]) -> Sequence[JudgeSpec]:
    from engine.judge.own.settings import own_judges

    return own_judges(folder, tables)


def _open(folder: Path, spec: JudgeSpec) -> Judge:
    from engine.judge.own.judge import OwnJudge

    return OwnJudge(folder, spec)


OWN = JudgeMethod("python", (), _find, _open)
