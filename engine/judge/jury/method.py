"""Juries as a method: of judges that the other methods find."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.judge.base import Judge, JudgeMethod, JudgeSpec
from engine.judge.settings import JudgeTable, judge_tables


def jury_of(methods: Sequence[JudgeMethod]) -> JudgeMethod:
    """The method whose judges sit in juries of the other methods' judges."""
    metrics = tuple(
        {
            spec.name: spec
            for method in methods
            for spec in method.metrics
            if spec.variant == "standard"
        }.values()
    )

    def find(folder: Path, tables: Sequence[JudgeTable]) -> Sequence[JudgeSpec]:
        if not tables:
            return []
        from engine.judge.jury.settings import juries

        written = judge_tables(folder)
        known = {
            spec.name: spec
            for method in methods
            for spec in method.find(folder, [one for one in written if one.method == method.kind])
        }
        return juries(tables, known)

    def open_jury(folder: Path, spec: JudgeSpec) -> Judge:
        from engine.judge.jury.judge import Jury

        return Jury(tuple(one for one in metrics if one.name in spec.metrics), spec.config)

    return JudgeMethod("jury", metrics, find, open_jury)
