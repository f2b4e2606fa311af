"""Importing RAGQuestEval's saved questions, so that every system is asked the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from engine.judge.ragquesteval.scoring import is_unanswered
from engine.text.normalisation import document_id
from store.datasets import datasets, question_sets
from store.datasets.question_sets import ItemSet, QuestionSet
from store.errors import InputError, UsageError
from store.formats.crud_rag import TASKS, SavedQuestions, read_question_sets
from store.records import ReleasedItem
from store.workspace import Workspace


class Defects(Struct, frozen=True):
    """What is wrong with the sets of files, whatever items they are of."""

    entries: int
    questions: int
    empty: int
    """Entries without a question."""
    unequal: int
    """Entries with more answers than questions, or fewer."""
    unanswerable: int
    """Questions that the golden answer does not answer, by their own answers."""
    unusable: int
    """Entries with questions of which the golden answer answers none."""


class ImportedSets(Struct, frozen=True):
    """What came in: sets are kept as they were published."""

    name: str
    release: str
    sets: int
    defects: Defects
    elsewhere: int
    """Entries of items that the release does not have."""
    without_golden: int
    """Entries of items without a golden answer."""


def import_question_sets(
    workspace: Workspace, files: Sequence[Path], *, dataset: str, name: str
) -> ImportedSets:
    """Stores the sets of the authors' files (`TASK_quest_gt_save.json`) for the items of a release
    under a name, all or none; sets that an item has under that name are replaced.

    An entry belongs to the item whose key is `TASK/ID`, or else `ID` unless that item is of another
    task of theirs. Raises InputError, naming the file, for another shape, for a second entry of an
    item, and where no entry belongs to an item; UsageError for a name that settings cannot hold.
    """
    if not name.strip() or name != name.strip():
        raise UsageError(f"{name!r} cannot name question sets.", "Leave out spaces around it.")
    release = datasets.find_release(workspace.db, dataset)
    items = {item.item_key: item for item in datasets.released_items(workspace.db, release.id)}
    entries = list(_entries(files, items))
    given: dict[int, ItemSet] = {}
    elsewhere = without_golden = 0
    for place, item, entry in entries:
        if item is None:
            elsewhere += 1
            continue
        golden = [text for text in item.content.turns[0].golden_answers if text.strip()]
        if not golden:
            without_golden += 1
            continue
        if item.item_id in given:
            raise InputError(
                f"{place}: item {item.item_key!r} has a set of another file already.",
                "Import the files of one task at a time, under a name each.",
                "--name",
            )
        content = QuestionSet(entry.question, entry.answers, entry.key_info)
        given[item.item_id] = ItemSet(item.item_id, document_id(golden[0]), content)
    if not given:
        raise InputError(
            f"No entry belongs to an item of {release.label} with a golden answer; the first is"
            f" {entries[0][0]}."
            if entries
            else "There is no entry in the files.",
            "Name the dataset whose items have these ids.",
        )
    with workspace.write(durable=True) as db:
        question_sets.put(db, name, given.values())
    defects = _defects([entry for _, _, entry in entries])
    return ImportedSets(name, release.label, len(given), defects, elsewhere, without_golden)


def _defects(entries: Sequence[SavedQuestions]) -> Defects:
    return Defects(
        len(entries),
        sum(len(entry.question) for entry in entries),
        sum(not entry.question for entry in entries),
        sum(len(entry.question) != len(entry.answers) for entry in entries),
        sum(is_unanswered(answer) for entry in entries for answer in entry.answers),
        sum(bool(entry.question) and all(map(is_unanswered, entry.answers)) for entry in entries),
    )


def _entries(
    files: Sequence[Path], items: Mapping[str, ReleasedItem]
) -> Iterator[tuple[str, ReleasedItem | None, SavedQuestions]]:
    """Each entry with its place and the item that it belongs to."""
    for file in files:
        task, entries = read_question_sets(file)
        for id, entry in entries.items():
            item = items.get(f"{task}/{id}")
            if item is None and (same := items.get(id)) is not None:
                # their files of different tasks use the same ids
                other = same.content.task in TASKS.values() and same.content.task != task
                item = None if task is not None and other else same
            yield f"{file}, id {id}", item, entry
