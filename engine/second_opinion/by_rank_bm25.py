"""Rankings of the retriever `bm25-okapi` by rank_bm25, over the same chunks and terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from sys import intern

from engine.exporters.runs import RunExport
from engine.retrieve.pipeline import index_columns
from engine.second_opinion.opinions import NotCheckable, Value
from engine.second_opinion.sample import Sampled
from engine.text.segmentation import terms
from store.corpora import corpora
from store.runs import stages
from store.runs.stages import RetrieveValue

RETRIEVER = "bm25-okapi"
MOST_CHUNKS = 50_000
"""The library holds the counts of every chunk in memory: some 10 kB for one of 200 terms."""


def values(one: RunExport, sample: Iterable[Sampled]) -> Iterator[Value]:
    """For each ranking the number of hits, the score of every hit, and the score at every rank,
    beside those of the library. Raises NotCheckable for rankings that are not of that retriever."""
    from rank_bm25 import BM25Okapi

    if reason := _reason(one):
        raise NotCheckable(reason)
    columns = index_columns(one.db, one.corpus, one.run.system.chunking).in_tie_order()
    if len(columns.texts) > MOST_CHUNKS:
        raise NotCheckable(
            f"the corpus has {len(columns.texts):,} chunks, and it could hold {MOST_CHUNKS:,}"
        )
    # equal terms as one string each, or they would take twice the room
    library = BM25Okapi(list(map(intern, terms(text))) for text in columns.texts)
    places = zip(columns.document_ids, columns.starts, columns.ends, strict=True)
    row_of = {place: row for row, place in enumerate(places)}
    for sampled in sample:
        number = sampled.row["prediction_id"]
        stored = stages.get(one.db, number, "retrieve", RetrieveValue)
        if stored is None:
            continue
        words = terms(stored.query)
        scores = library.get_scores(words)
        hidden = set(stored.hidden)
        listed = [
            row
            for row, counts in enumerate(library.doc_freqs)
            if columns.document_ids[row] not in hidden and any(word in counts for word in words)
        ]
        listed.sort(key=lambda row: (-scores[row], row))
        best = listed[: one.run.system.top_k]
        place = sampled.place
        yield Value("number of hits", "", place, len(stored.hits), len(best))
        for hit, row in zip(stored.hits, best, strict=False):
            found = row_of.get((hit.document_id, hit.start, hit.end))
            # what is no chunk of the corpus has no score there
            theirs = 0.0 if found is None else float(scores[found])
            yield Value("score of a hit", "", place, hit.score, theirs)
            yield Value("score at a rank", "", place, hit.score, float(scores[row]))


def _reason(one: RunExport) -> str:
    """Why the rankings cannot be checked; empty where they can."""
    system = one.run.system
    if system.retriever is None:
        return "the system retrieves nothing"
    if system.retrieval is None:
        return "the rankings were made elsewhere"
    if system.retriever != RETRIEVER:
        return f"the rankings are of {system.retriever}; it scores those of {RETRIEVER} alone"
    if system.rerank:
        return "the rankings are reranked"
    if system.corpus:
        return "the chunks are indexed by texts that stages made"
    if system.query:
        return "the rankings are of search texts that stages made"
    if corpora.fingerprint(one.db, one.corpus) != one.run.settings.corpus_fingerprint:
        return "the corpus has changed since the run"
    return ""
