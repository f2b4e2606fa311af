"""Ranking metrics of variants that runs do not store, computed from the rankings that they do.

`financerag` goes by documents, each at its best passage, `multihop` by the words of the evidence,
and `per_gold` by the rank of every document of the evidence. All are means over what a run
retrieved, so nothing is lost by computing them when asked. `usage` is what its answers took.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import structs

from engine.metrics import financerag, multihop, per_gold
from engine.metrics.spec import USAGE, cutoff, resolve
from engine.retrieve.hidden import findable_evidence
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.history import exports
from store.records import Evidence, Hit, MetricScore, ReleasedItem, ScoreRow, ScoreState
from store.runs import predictions, results, usage
from store.runs.results import MetricKey
from store.runs.runs import Run

DERIVED = (financerag.VARIANT, multihop.VARIANT, per_gold.VARIANT, USAGE)
_STORED = MetricKey("map", "standard")
"""Says which predictions a ranking metric applies to."""

Compute = Callable[[ReleasedItem, Sequence[Hit], Sequence[Evidence]], MetricScore]


def derived_key(db: sqlite3.Connection, run_id: int, name: str, variant: str) -> MetricKey:
    """The key of a metric of a variant in DERIVED.

    Raises UsageError for a name that the variant does not have, NotFound where the run's system
    retrieves less than the metric's cut-off.
    """
    resolve(name, variant)
    base, k = cutoff(name)
    top_k = results.depth(db, run_id)
    if k is not None and k > top_k:
        raise results.too_deep(f"{base}@{k}", top_k, top_k)
    return MetricKey(name, variant)


def score_rows(
    db: sqlite3.Connection, run: Run, key: MetricKey, rows: str, cols: str
) -> list[ScoreRow]:
    """Every prediction of a run with its cell and its value of a stored or derived metric."""
    if key.variant not in DERIVED:
        return results.score_rows(db, run.id, key, rows, cols)
    if key.variant == USAGE:
        return _usage_rows(db, run, key.name, rows, cols)
    corpus = datasets.corpus_of(db, run.release_id)
    items = {item.revision_id: item for item in datasets.released_items(db, run.release_id)}
    rankings = predictions.rankings(db, run.id)
    compute = _COMPUTE[key.variant](db, corpus, key.name, items.values())
    derived = []
    for row in results.score_rows(db, run.id, _STORED, rows, cols):
        if row.state is ScoreState.OK:
            item = items[row.revision_id]
            evidence = findable_evidence(db, corpus, item.content, row.turn)
            hits = rankings[row.revision_id, row.turn, row.repeat]
            score = compute(item, hits, evidence)
            row = structs.replace(row, state=score.state, value=score.value)
        derived.append(row)
    return derived


def _usage_rows(
    db: sqlite3.Connection, run: Run, name: str, rows: str, cols: str
) -> list[ScoreRow]:
    """What each answer took; `na` where that is not known, or nothing was worked here."""
    taken = {} if run.system.is_imported else usage.of_answers(db, run.id)
    made = []
    for row in results.score_rows(db, run.id, _STORED, rows, cols):
        own = taken.get((row.revision_id, row.turn, row.repeat))
        if row.state in (ScoreState.OK, ScoreState.NA):
            value = None if own is None else getattr(own, name)
            state = ScoreState.NA if value is None else ScoreState.OK
            row = structs.replace(row, state=state, value=value)
        made.append(row)
    return made


def _financerag(
    db: sqlite3.Connection, corpus: Corpus, name: str, items: Iterable[ReleasedItem]
) -> Compute:
    names = exports.document_names(db, corpus)

    def compute(
        item: ReleasedItem, hits: Sequence[Hit], evidence: Sequence[Evidence]
    ) -> MetricScore:
        grades = _grades(evidence, names)
        ranked = dict.fromkeys(names.get(hit.document_id, hit.document_id) for hit in hits)
        (score,) = financerag.score_ranking(list(ranked), grades, (name,), query_id=item.item_key)
        return score

    return compute


def _per_gold(
    db: sqlite3.Connection, corpus: Corpus, name: str, items: Iterable[ReleasedItem]
) -> Compute:
    def compute(
        item: ReleasedItem, hits: Sequence[Hit], evidence: Sequence[Evidence]
    ) -> MetricScore:
        ids = [hit.document_id for hit in hits]
        (score,) = per_gold.score_ranking(ids, _grades(evidence, {}), (name,))
        return score

    return compute


def _grades(evidence: Sequence[Evidence], names: Mapping[str, str]) -> dict[str, float]:
    """The grade of each document of the evidence, the best of its passages, by name or id."""
    grades: dict[str, float] = {}
    for unit in evidence:
        document = names.get(unit.document_id, unit.document_id)
        grades[document] = max(unit.grade, grades.get(document, 0))
    return grades


def _multihop(
    db: sqlite3.Connection, corpus: Corpus, name: str, items: Iterable[ReleasedItem]
) -> Compute:
    turns = (turn for item in items for turn in item.content.turns)
    is_quoted = any(unit.quote for turn in turns for unit in turn.evidence)

    def compute(
        item: ReleasedItem, hits: Sequence[Hit], evidence: Sequence[Evidence]
    ) -> MetricScore:
        if not is_quoted:
            reason = "no item of the dataset quotes its evidence"
            return MetricScore(name, multihop.VARIANT, None, ScoreState.NA, reason)
        documents = corpora.documents_by_id(db, corpus, [hit.document_id for hit in hits])
        # what the corpus lacks keeps its rank
        texts = [
            documents[hit.document_id].text[hit.start : hit.end]
            if hit.document_id in documents
            else ""
            for hit in hits
        ]
        (score,) = multihop.score_texts(texts, [unit.quote for unit in evidence], (name,))
        return score

    return compute


_COMPUTE = {
    financerag.VARIANT: _financerag,
    multihop.VARIANT: _multihop,
    per_gold.VARIANT: _per_gold,
}
