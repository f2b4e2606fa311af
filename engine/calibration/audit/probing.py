"""The answers that an audit probes, and what it asks of the judge about each."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from engine.calibration.audit.changes import CHANGES, GOLDEN, SAME, Around, Change
from engine.judge.base import Case, JudgeSpec
from engine.judge.cases import read_case
from engine.judge.registry import metric_spec
from engine.metrics.spec import MetricSpec
from store.datasets import datasets
from store.hashing import content_hash
from store.runs import judged_answers, runs
from store.runs.runs import Run

RERUNS = 3
"""How often a judge that asks a model is given the same case."""


class Probed(Struct, frozen=True):
    """An answer that is probed."""

    run_id: int
    prediction_id: int
    group: str


class Asking(Struct, frozen=True):
    """One changed case, and what is asked about it."""

    change: str
    case: Case
    metrics: tuple[str, ...]
    repeats: int


def probed_answers(db: sqlite3.Connection, run_ids: Sequence[int], number: int) -> list[Probed]:
    """The answers of these runs that are probed: as many as wanted, of as many groups as possible,
    by hash, so that a second audit takes the same ones and those of a larger one hold them."""
    rows = [
        (content_hash([runs.get(db, run_id).name, one.item_key, one.turn]), run_id, one)
        for run_id in run_ids
        for one in judged_answers.answers(db, run_id)
    ]
    rows.sort(key=lambda row: row[0])
    turn_of: dict[str, int] = {}
    ordered = []
    for digest, run_id, one in rows:
        turn = turn_of[one.group_key] = turn_of.get(one.group_key, -1) + 1
        ordered.append((turn, digest, Probed(run_id, one.prediction_id, one.group_key)))
    return [probed for _, _, probed in sorted(ordered, key=lambda row: row[:2])][:number]


class Prober:
    """Makes the changed cases of probed answers, for one judge."""

    def __init__(self, db: sqlite3.Connection, spec: JudgeSpec, answers: Sequence[Probed]) -> None:
        self._db = db
        self._spec = spec
        self._answers = answers
        self._repeats = 1 if spec.provider is None else RERUNS
        self._model = spec.name if spec.provider is None else spec.provider.model
        self._specs = {name: spec_of(spec, name) for name in spec.metrics}
        self._runs: dict[int, Run] = {}
        self._cases: dict[int, Case] = {}

    def askings(self, answer: Probed, changes: Collection[str] | None = None) -> Iterator[Asking]:
        """What is asked about an answer; only these changes where any are given."""
        case = self._case(answer)
        if not case.answer.strip():
            return
        around = Around(self._model, self._other(answer))
        for change in CHANGES:
            if changes is not None and change.key not in changes:
                continue
            metrics = tuple(name for name in self._spec.metrics if self.probes(change, name))
            changed = change.make(case, around) if metrics else None
            if changed is not None:
                repeats = self._repeats if change.key == SAME else 1
                yield Asking(change.key, changed, metrics, repeats)

    def probes(self, change: Change, metric: str) -> bool:
        """Whether a change says anything of a metric: errors are planted for those that compare
        with the golden answer alone."""
        return change.against != GOLDEN or metric in truth_metrics(tuple(self._specs.values()))

    def _case(self, answer: Probed) -> Case:
        if answer.prediction_id not in self._cases:
            run = self._runs.setdefault(answer.run_id, runs.get(self._db, answer.run_id))
            corpus = datasets.corpus_of(self._db, run.release_id)
            case = read_case(self._db, corpus, run.system, answer.prediction_id)
            self._cases[answer.prediction_id] = case
        return self._cases[answer.prediction_id]

    def _other(self, answer: Probed) -> Case | None:
        """The next probed answer of another group in the same language."""
        at = self._answers.index(answer)
        lang = self._case(answer).lang
        for other in (*self._answers[at + 1 :], *self._answers[:at]):
            if other.group != answer.group and self._case(other).lang == lang:
                return self._case(other)
        return None


def spec_of(spec: JudgeSpec, metric: str) -> MetricSpec:
    """The spec of a metric of a judge, in the judge's variant."""
    return metric_spec(metric, str(spec.config.get("variant", "standard")))


def truth_metrics(specs: Sequence[MetricSpec]) -> list[str]:
    """The metrics that must fall where the golden answer is made wrong: accuracy, else all that
    need nothing else than the golden answer."""
    fitting = [
        one.name for one in specs if one.needs == ("golden_answer",) and one.higher_is_better
    ]
    return ["accuracy"] if "accuracy" in fitting else fitting
