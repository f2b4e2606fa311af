"""The text of a proposal as it is stored: tidied, with the facets that follow from its evidence."""

from __future__ import annotations

import sqlite3

from msgspec.structs import replace

from engine.corpus.evidence_facets import with_facets
from engine.labelling.items.corrections import SAID, as_written, flaws
from engine.taxonomy.shapes import REFUSAL, shape_of
from store.corpora import corpora, taxonomies
from store.datasets import datasets
from store.datasets.revisions import RevisionSheet
from store.errors import InputError
from store.labels.log.authoring import ANSWER
from store.records import ItemContent


def composed(
    db: sqlite3.Connection, shown: RevisionSheet, content: ItemContent, step: str
) -> ItemContent:
    """What is stored of a text that was written on the revision shown.

    Facets that the evidence tells follow it, where the item has them or is authored, but for what a
    person said. The answer of a question that has none is that there is none. Raises InputError
    where a `step` of authoring lacks something, or the text has not the shape of its task.
    """
    dataset = datasets.get(db, shown.dataset, archived=True)
    corpus = corpora.get_by_id(db, dataset.corpus_id)
    tasks = {task.key: task for task in taxonomies.get(db, dataset.taxonomy_id).tasks}
    task = tasks.get(content.task)
    content = as_written(content, step)
    if step == ANSWER and task is not None and not shape_of(task).is_answered:
        content = _declined(content)
    if step or any(name in shown.content.facets for name in SAID):
        content = with_facets(db, corpus, content, shown.content)
    if step:
        named = corpora.documents_by_id(db, corpus, content.documents)
        texts = {name: document.text for name, document in named.items()}
        for flaw in flaws(content, shown.content, texts, task, step):
            raise InputError(flaw.text)
    return content


def _declined(content: ItemContent) -> ItemContent:
    """The item with the answer that there is none, where none is given."""
    turns = tuple(
        replace(turn, golden_answers=turn.golden_answers or (REFUSAL[content.lang],))
        for turn in content.turns
    )
    return replace(content, turns=turns)
