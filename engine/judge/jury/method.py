"""Juries as a method: of judges that the other methods find."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.judge.base import Judge, JudgeMethod, JudgeSpec
from engine.judge.own.metrics import own_spec
from engine.judge.settings import JudgeTable, judge_tables


def jury_of(methods: Sequence[JudgeMethod]) -> JudgeMethod:
    """The method whose judges sit in juries of the other methods' judges."""
    specs = {
        spec.name: spec
        for method in methods
        for spec in method.metrics
        if spec.variant == "standard"
    }

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

        # what no method names is a metric of the workspace's own
        given = tuple(specs.get(name) or own_spec(name) for name in spec.metrics)
        return Jury(given, spec.config)

    return JudgeMethod("jury", tuple(specs.values()), find, open_jury)
