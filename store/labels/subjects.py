"""Subjects as people know them: by name (run, item and turn; dataset, item and revision), since
their numbers are of one workspace only, and by what they are about."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from msgspec import Struct

from store.datasets import datasets
from store.errors import InputError
from store.labels.forms import Form, SubjectKind
from store.labels.log.checks import check_subject
from store.labels.log.events import Subject
from store.records import Turn
from store.runs import runs

NAMES: Mapping[SubjectKind, tuple[str, ...]] = {
    "revision": ("dataset", "item", "revision"),
    "prediction": ("run", "item", "turn", "repeat"),
    "pair": ("run_a", "run_b", "item", "turn", "repeat"),
}
"""What names a subject of each kind. `turn` and `repeat` are 0 when not given, `revision` (a number
within its item) is the item's present one."""


class Material(Struct, frozen=True):
    """What the raters of a subject had before them, without whose answers they are."""

    turns: tuple[Turn, ...]
    """Of an answer, up to the one that it answers."""
    answers: tuple[str, ...]
    """None of an item, one of a prediction, A and B of a pair."""


class SubjectNames:
    """Finds subjects by name, reading each run and dataset once."""

    def __init__(self, db: sqlite3.Connection, kind: SubjectKind) -> None:
        self._db = db
        self.kind: SubjectKind = kind
        self._predictions: dict[str, dict[tuple[str, int, int], int]] = {}
        self._revisions: dict[str, dict[tuple[str, int | None], int]] = {}

    def find(self, names: Mapping[str, str]) -> Subject:
        """The subject that has these names. InputError saying which is missing or unknown; NotFound
        for a run or dataset that there is not."""
        if self.kind == "revision":
            return Subject("revision", str(self._revision(names)))
        if self.kind == "prediction":
            return Subject("prediction", str(self._prediction("run", names)))
        both = [self._prediction(run, names) for run in ("run_a", "run_b")]
        return Subject("pair", f"{both[0]}:{both[1]}")

    def _prediction(self, run_field: str, names: Mapping[str, str]) -> int:
        run, item = _needed(names, run_field), _needed(names, "item")
        turn, repeat = _number(names, "turn") or 0, _number(names, "repeat") or 0
        if run not in self._predictions:
            self._predictions[run] = _predictions(self._db, run)
        prediction = self._predictions[run].get((item, turn, repeat))
        if prediction is None:
            raise InputError(f"run {run!r} has no answer to item {item!r}, turn {turn}.")
        return prediction

    def _revision(self, names: Mapping[str, str]) -> int:
        dataset, item = _needed(names, "dataset"), _needed(names, "item")
        number = _number(names, "revision")
        if dataset not in self._revisions:
            self._revisions[dataset] = _revisions(self._db, dataset)
        revision = self._revisions[dataset].get((item, number))
        if revision is None:
            which = "" if number is None else f" with revision {number}"
            raise InputError(f"dataset {dataset!r} has no item {item!r}{which}.")
        return revision


def names_of(db: sqlite3.Connection, kind: SubjectKind) -> dict[str, dict[str, str | int]]:
    """The names of all labelled subjects of a kind, by their numbers (`Subject.base`)."""
    rows = db.execute("SELECT DISTINCT subject FROM label_status WHERE subject_kind = ?", (kind,))
    bases = sorted({Subject(kind, subject).base for (subject,) in rows})
    read = _revision_names if kind == "revision" else _prediction_names
    out: dict[str, dict[str, str | int]] = {}
    for base in bases:
        each = [read(db, number) for number in Subject(kind, base).numbers]
        if kind == "pair":
            out[base] = {"run_a": each[0]["run"], "run_b": each[1]["run"], **_rest(each[0])}
        else:
            out[base] = each[0]
    return out


def _rest(names: Mapping[str, str | int]) -> dict[str, str | int]:
    return {key: value for key, value in names.items() if key != "run"}


def _prediction_names(db: sqlite3.Connection, number: int) -> dict[str, str | int]:
    row = db.execute(
        "SELECT run.name, item_key, turn, repeat FROM prediction JOIN run ON run.id = run_id"
        " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
        " WHERE prediction.id = ?",
        (number,),
    ).fetchone()
    return dict(zip(NAMES["prediction"], row, strict=True))


def _revision_names(db: sqlite3.Connection, number: int) -> dict[str, str | int]:
    row = db.execute(
        "SELECT dataset.name, item_key, number FROM revision JOIN item ON item.id = item_id"
        " JOIN dataset ON dataset.id = dataset_id WHERE revision.id = ?",
        (number,),
    ).fetchone()
    return dict(zip(NAMES["revision"], row, strict=True))


def _predictions(db: sqlite3.Connection, run: str) -> dict[tuple[str, int, int], int]:
    rows = db.execute(
        "SELECT item_key, turn, repeat, prediction.id FROM prediction"
        " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
        " WHERE run_id = ? AND answer IS NOT NULL",
        (runs.get(db, run).id,),
    )
    return {(item, turn, repeat): number for item, turn, repeat, number in rows}


def _revisions(db: sqlite3.Connection, dataset: str) -> dict[tuple[str, int | None], int]:
    rows = db.execute(
        "SELECT item_key, number, revision.id, head FROM revision JOIN item ON item.id = item_id"
        " WHERE dataset_id = ?",
        (datasets.get(db, dataset).id,),
    )
    out: dict[tuple[str, int | None], int] = {}
    for item, number, revision, head in rows:
        out[item, number] = revision
        out[item, None] = head
    return out


def _needed(names: Mapping[str, str], key: str) -> str:
    if not names.get(key):
        raise InputError(f"field `{key}` is missing, which names the subject.")
    return names[key]


def _number(names: Mapping[str, str], key: str) -> int | None:
    text = names.get(key, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"field `{key}`: {text!r} is no number.")
    return int(text)


def material(db: sqlite3.Connection, form: Form, subject: Subject) -> Material:
    """What a subject is about, for an adjudicator. NotFound for one that there is not."""
    check_subject(db, form, subject)
    if subject.kind == "revision":
        return Material(datasets.content(db, subject.numbers[0]).turns, ())
    rows = [
        db.execute(
            "SELECT revision_id, turn, coalesce(answer, '') FROM prediction WHERE id = ?", (number,)
        ).fetchone()
        for number in subject.numbers
    ]
    revision, turn, _ = rows[0]
    turns = datasets.content(db, revision).turns[: turn + 1]
    return Material(turns, tuple(answer for *_, answer in rows))
