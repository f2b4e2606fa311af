"""Storing what a foreign system answered as a run, with its scoring in the queue."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from engine.corpus.finding import CorpusDocuments
from engine.corpus.paths import path_text
from engine.evaluate.new_run import release_order
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import put
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import InputError
from store.jobs.jobs import Job
from store.records import Hit, PredictionState, ReleasedItem
from store.runs import predictions, runs, stages
from store.runs.predictions import PredictionKey
from store.runs.runs import Run, RunSettings
from store.runs.stages import AnswerValue, RetrieveValue
from store.systems import IMPORTED, NO_ANSWERS, SystemConfig

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
    """The outcome of an import of a run."""

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


class AnswerSlots:
    """The places for answers on a release: one an item, turn and repeat, filled once."""

    def __init__(self, db: sqlite3.Connection, release: Release) -> None:
        self.release = release
        self.items = {item.item_key: item for item in datasets.released_items(db, release.id)}
        self.answers: dict[PredictionKey, ForeignAnswer] = {}

    def item(self, place: str, key: str) -> ReleasedItem:
        """Raises InputError for a key that the release lacks."""
        item = self.items.get(key)
        if item is None:
            raise InputError(
                f"{place}: {self.release.label} has no item {key!r}.",
                "The `id` of an answer is the key of its item.",
            )
        return item

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

    def system(
        self, name: str, *, closed_book: bool = False, top_k: int | None = None
    ) -> SystemConfig:
        """The description of the system that gave these answers elsewhere.

        `top_k` is by default the length of its longest list, `DEEPEST_CUT` at the most. A system
        none of whose predictions has an answer, a refusal or an error only retrieves.
        """
        answers = self.answers.values()
        longest = max((len(answer.hits) for answer in answers if answer.hits), default=0)
        is_silent = all(
            answer.answer is None and answer.error is None and not answer.refused
            for answer in answers
        )
        return SystemConfig(
            name=name,
            retriever=None if closed_book else IMPORTED,
            generator=NO_ANSWERS if is_silent and answers else IMPORTED,
            top_k=top_k or min(longest, DEEPEST_CUT) or DEFAULT_CUT,
            description="closed-book, imported" if closed_book else "imported",
        )


def documents_of(db: sqlite3.Connection, release: Release) -> CorpusDocuments:
    """The documents that a release is about."""
    return CorpusDocuments(db, datasets.corpus_of(db, release.id))


def store_run(
    db: sqlite3.Connection,
    slots: AnswerSlots,
    system: SystemConfig,
    name: str,
    *,
    imported_from: str,
) -> tuple[Run, Job]:
    """A run with every prediction final, and the job that scores it.

    A prediction that nothing was given for fails as `not_provided`.
    """
    repeats = 1 + max((repeat for _, _, repeat in slots.answers), default=0)
    settings = RunSettings(repeats=repeats, imported_from=imported_from)
    release = slots.release
    run = runs.create(db, name, release.id, system, settings, release_order(db, release, 0))
    for key, row in predictions.by_key(db, run.id).items():
        answer = slots.answers.get(key)
        if answer is None:
            _fail(db, row.id, NOT_PROVIDED, f"{imported_from} gives no answer")
        else:
            _store(db, row.id, answer)
    job = put(db, Evaluate(run.id), f"scoring {name} on {release.label}", run_id=run.id)
    return run, job


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
    """The outcome of the import, counted from the rows."""
    progress = runs.progress(db, run.id)
    kinds = Counter(predictions.failures(db, run.id))
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
        stages.put(db, prediction_id, "retrieve", value, elapsed_ms=0.0)
    if answer.error is not None:
        _fail(db, prediction_id, REPORTED, answer.error)
        return
    state = PredictionState.REFUSED if answer.refused else PredictionState.OK
    stages.finish_prediction(db, prediction_id, state, answer=answer.answer or "")
    reason = AnswerValue(f"imported from {path_text(answer.place)}")
    stages.put(db, prediction_id, "answer", reason, elapsed_ms=0.0)


def _fail(db: sqlite3.Connection, prediction_id: int, kind: str, text: str) -> None:
    stages.finish_prediction(
        db, prediction_id, PredictionState.FAILED, error_kind=kind, error_text=text
    )
