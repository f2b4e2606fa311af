"""Workspaces for labelling: drafted items in four cells, the shipped forms, raters."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
from tiny_workspaces import TAXONOMY, make_corpus, question

from engine.labelling.forms import load_form
from store.corpora import taxonomies
from store.datasets import datasets
from store.labels import forms
from store.labels.forms import StoredForm
from store.labels.log import log
from store.labels.log.events import Subject
from store.labels.samples.samples import Assignment, Candidate
from store.records import ItemContent, ItemState
from store.workspace import Workspace, open_workspace

CELLS = [(topic, task) for topic in ("rates", "funds") for task in ("extractive", "conversational")]


class Drafts(msgspec.Struct, frozen=True):
    """A dataset of drafted items; `revisions` are their first ones, in order."""

    dataset: datasets.Dataset
    items: tuple[int, ...]
    revisions: tuple[int, ...]

    def subject(self, at: int) -> Subject:
        return Subject("revision", str(self.revisions[at]))


def make_drafts(
    db: sqlite3.Connection, count: int = 8, *, state: ItemState = ItemState.DRAFTED
) -> Drafts:
    """`count` items, dealt out over the four cells."""
    corpus = make_corpus(db, "drafted")
    dataset = datasets.create(db, "drafts", corpus.id, taxonomies.put(db, TAXONOMY))
    items = [
        datasets.add_item(
            db, dataset, f"i{at}", f"g{at}", draft(at), author="model", reason="made", state=state
        )
        for at in range(count)
    ]
    heads = dict(db.execute("SELECT id, head FROM item").fetchall())
    return Drafts(dataset, tuple(items), tuple(heads[item] for item in items))


def draft(at: int) -> ItemContent:
    topic, task = CELLS[at % 4]
    turns = 2 if task == "conversational" else 1
    made = question(f"What is rate number {at}?", topic=topic, turns=turns, model=f"m{at % 2}")
    return msgspec.structs.replace(made, task=task)


def corrected(at: int) -> ItemContent:
    """A correction of `draft(at)`."""
    made = draft(at)
    turn = msgspec.structs.replace(made.turns[0], golden_answers=("3.5 percent", "3.5 %"))
    return msgspec.structs.replace(made, turns=(turn, *made.turns[1:]))


def register(db: sqlite3.Connection, key: str = "inspection") -> StoredForm:
    return forms.register(db, load_form(key))


def assignments(drafts: Drafts, *, raters_wanted: int = 1) -> list[Assignment]:
    return [
        Assignment(Candidate(str(revision), *CELLS[at % 4]), raters_wanted)
        for at, revision in enumerate(drafts.revisions)
    ]


def standing(db: sqlite3.Connection, item: int) -> tuple[str, int]:
    """An item's state and head."""
    state, head = db.execute("SELECT state, head FROM item WHERE id = ?", (item,)).fetchone()
    return state, head


def everything_derived(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """What stands in the file beside the log: labels, statuses, items."""
    found: list[tuple[object, ...]] = []
    for query in (
        "SELECT form_key, subject_kind, subject, rater, field, aspect, value, seq FROM"
        " label_current WHERE aspect <> 'reveal' ORDER BY 1, 2, 3, 4, 5, 6",
        "SELECT * FROM label_status ORDER BY 1, 2, 3, 4",
        "SELECT id, state, head FROM item ORDER BY 1",
    ):
        found += db.execute(query).fetchall()
    return found


def new_workspace(folder: Path) -> Workspace:
    return open_workspace(folder, create=True)


def score(
    db: sqlite3.Connection, form: StoredForm, rater: str, subject: Subject, value: int
) -> int:
    return log.append(db, form, rater, subject, "score", value, active_ms=1000).seq
