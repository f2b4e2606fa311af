"""Storing what a foreign system answered as a run, with its scoring in the queue."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from engine.jobs.launch import release_order
from store.datasets.datasets import Release
from store.errors import InputError, UsageError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import (
    IMPORTED,
    NO_ANSWERS,
    Hit,
    MetricScore,
    PredictionState,
    ReleasedItem,
    SystemConfig,
)
from store.runs import imported, runs
from store.runs.imported import PredictionKey
from store.runs.results import AnswerValue, RetrieveValue
from store.runs.runs import Run, RunSettings

NOT_PROVIDED = "not_provided"
REPORTED = "reported"
"""The kinds of failure of imported predictions: none was given; the file says why there is none."""

DEFAULT_CUT = 5
"""The depth where no list holds anything."""
DEEPEST_CUT = 10
"""The depth at which a longer list is cut for `ndcg@k` and its like, unless told otherwise."""


class ForeignAnswer(Struct, frozen=True):
    """One prediction that was made elsewhere."""

    place: str
    """File and line, for people."""
    answer: str | None = None
    """Null where there is none; `error` then says why, or the system only retrieves."""
    error: str | None = None
    refused: bool = False
    hits: tuple[Hit, ...] | None = None
    """None when it is not known what was retrieved."""


class ImportedRun(Struct, frozen=True):
    """What an import of a run did."""

    run: Run
    job: Job | None
    """What scores it; none where scores were added to a run that was there."""
    release: Release
    predictions: int
    """Of the run; the next three are among them."""
    not_provided: int
    failed: int
    """Failed elsewhere, by what the file says."""
    refused: int
    unknown_documents: tuple[str, ...] = ()
    """What the retrieved lists name and the corpus does not hold; kept at their ranks."""
    unlocated: int = 0
    """Retrieved texts that their documents do not hold word for word; taken as whole documents."""
    built: tuple[str, ...] = ()
    """What was made besides the run, for people."""
    scores: int = 0
    """Values of foreign judges and metrics."""


class Placed:
    """Answers by revision, turn and repeat; a place that is taken twice is an error."""

    def __init__(self, items: Iterable[ReleasedItem], release: Release) -> None:
        self.items = {item.item_key: item for item in items}
        self.answers: dict[PredictionKey, ForeignAnswer] = {}
        self._release = release.label

    def item(self, place: str, key: str) -> ReleasedItem:
        found = self.items.get(key)
        if found is None:
            raise InputError(
                f"{place}: {self._release} has no item {key!r}.",
                "The `id` of an answer is the key of its item.",
            )
        return found

    def put(self, item: ReleasedItem, turn: int, repeat: int, answer: ForeignAnswer) -> None:
        """Raises InputError for a turn that the item lacks, and for a second answer."""
        turns = len(item.content.turns)
        if turn >= turns:
            raise InputError(
                f"{answer.place}: item {item.item_key!r} has no turn {turn}.",
                f"Turns are numbered from 0; it has {turns}.",
            )
        earlier = self.answers.setdefault((item.revision_id, turn, repeat), answer)
        if earlier is not answer:
            raise InputError(
                f"{answer.place}: item {item.item_key!r}, turn {turn}, repeat {repeat} was answered"
                f" already at {earlier.place}.",
                "Leave one of the two out.",
            )


def imported_system(
    name: str, answers: Iterable[ForeignAnswer], *, closed_book: bool, top_k: int | None
) -> SystemConfig:
    """What a run says of a system that worked elsewhere.

    `top_k` is by default the length of its longest list, `DEEPEST_CUT` at the most. A system none
    of whose predictions has an answer, a refusal or an error only retrieves.
    """
    answers = list(answers)
    longest = max((len(answer.hits) for answer in answers if answer.hits is not None), default=0)
    silent = all(one.answer is None and one.error is None and not one.refused for one in answers)
    return SystemConfig(
        name=name,
        retriever=None if closed_book else IMPORTED,
        generator=NO_ANSWERS if silent and answers else IMPORTED,
        top_k=top_k or min(longest, DEEPEST_CUT) or DEFAULT_CUT,
        description="closed-book, imported" if closed_book else "imported",
    )


def store_run(
    db: sqlite3.Connection,
    release: Release,
    system: SystemConfig,
    name: str,
    answers: Mapping[PredictionKey, ForeignAnswer],
    *,
    imported_from: str,
) -> tuple[Run, Job]:
    """A run with every prediction final, and the job that scores it.

    A prediction that nothing was given for fails as `not_provided`.
    """
    repeats = 1 + max((repeat for _, _, repeat in answers), default=0)
    settings = RunSettings(repeats=repeats, imported_from=imported_from)
    run = runs.create(db, name, release.id, system, settings, release_order(db, release, 0))
    for key, row in imported.predictions(db, run.id).items():
        answer = answers.get(key)
        if answer is None:
            _fail(db, row.id, NOT_PROVIDED, f"{imported_from} gives no answer")
        else:
            _store(db, row.id, answer)
    job = jobs.enqueue(db, "run", f"scoring {name} on {release.label}", run_id=run.id)
    return run, job


def attach_scores(
    db: sqlite3.Connection, run: Run, judge: str, scores: Mapping[int, Sequence[MetricScore]]
) -> int:
    """Stores the scores of a foreign judge by prediction number; returns how many there are.

    Raises UsageError when a judge of that name has given the run one of the metrics before.
    """
    new = {score.metric for values in scores.values() for score in values}
    taken = sorted(new & imported.judged_metrics(db, run.id, judge))
    if taken:
        raise UsageError(
            f"Run {run.name!r} has scores of {judge!r} already: {', '.join(taken)}.",
            "Give these a name of their own by --judge.",
        )
    judge_id = runs.put_judge(db, judge, {"judge": judge, "imported": True})
    for prediction_id, values in scores.items():
        runs.put_scores(db, prediction_id, values, judge_id=judge_id)
    return sum(map(len, scores.values()))


def report(
    db: sqlite3.Connection,
    run: Run,
    job: Job | None,
    release: Release,
    *,
    unknown_documents: Iterable[str] = (),
    unlocated: int = 0,
    built: Sequence[str] = (),
    scores: int = 0,
) -> ImportedRun:
    """What was imported, counted from the rows."""
    progress = runs.progress(db, run.id)
    kinds = Counter(imported.failures(db, run.id))
    return ImportedRun(
        run,
        job,
        release,
        progress.total,
        kinds[NOT_PROVIDED],
        progress.failed - kinds[NOT_PROVIDED],
        progress.refused,
        tuple(dict.fromkeys(unknown_documents)),
        unlocated,
        tuple(built),
        scores,
    )


def _store(db: sqlite3.Connection, prediction_id: int, answer: ForeignAnswer) -> None:
    if answer.hits is not None:
        value = RetrieveValue("", answer.hits)
        runs.put_stage(db, prediction_id, "retrieve", value, elapsed_ms=0.0)
    if answer.error is not None:
        _fail(db, prediction_id, REPORTED, answer.error)
        return
    state = PredictionState.REFUSED if answer.refused else PredictionState.OK
    runs.finish_prediction(db, prediction_id, state, answer=answer.answer or "")
    reason = AnswerValue(f"imported from {answer.place}")
    runs.put_stage(db, prediction_id, "answer", reason, elapsed_ms=0.0)


def _fail(db: sqlite3.Connection, prediction_id: int, kind: str, text: str) -> None:
    runs.finish_prediction(
        db, prediction_id, PredictionState.FAILED, error_kind=kind, error_text=text
    )
