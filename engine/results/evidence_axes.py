"""The axes of a run by where the evidence of its items stands: modality and hops."""

from __future__ import annotations

import sqlite3

from engine.corpus.evidence_facets import VALUES, derived_facets
from store.datasets import datasets
from store.records import UNASSIGNED
from store.runs import predictions
from store.runs.predictions import PredictionKey
from store.runs.runs import Run

NAMES = tuple(VALUES)


def values(db: sqlite3.Connection, run: Run, name: str) -> dict[PredictionKey, str]:
    """The key of every prediction of a run on an axis: the item's facet, else what its evidence
    says; `unassigned` without evidence."""
    corpus = datasets.corpus_of(db, run.release_id)
    by_revision = {
        item.revision_id: str(
            item.content.facets.get(name)
            or derived_facets(db, corpus, item.content).get(name, UNASSIGNED)
        )
        for item in datasets.released_items(db, run.release_id)
    }
    return {key: by_revision[key[0]] for key in predictions.by_key(db, run.id)}
