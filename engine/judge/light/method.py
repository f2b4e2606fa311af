"""Trained judges as a method: each a folder under `artefacts/trained/` of its workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.judge.base import LABELLED, Judge, JudgeMethod, JudgeSpec, specs_of
from engine.judge.settings import JudgeTable


def _find(folder: Path, tables: Sequence[JudgeTable]) -> Sequence[JudgeSpec]:
    from engine.judge.light.folder import trained_judges

    return trained_judges(folder)


def _open(folder: Path, spec: JudgeSpec) -> Judge:
    from engine.judge.light.folder import load_trained

    return load_trained(folder, spec)


LIGHT = JudgeMethod("trained", specs_of(LABELLED), _find, _open)
