"""BM25 queries against rank_bm25: text in, the ten best documents out, of the same documents.

Both sides get whole documents and cut the query by the same words. `bm25-okapi` must give
rank_bm25's ten best, apart from ties; `bm25` is Lucene's formula and ranks a little differently.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from benchmarks import pairs, texts
from engine.retrieve.index.base import IndexColumns, Retriever, no_progress
from engine.retrieve.index.bm25 import Bm25Index
from engine.retrieve.index.kind import IndexKind
from engine.retrieve.index.okapi import OkapiIndex
from engine.retrieve.index.ranking import ChunkTable
from engine.text.segmentation import terms

TARGET = 100.0
K = 10
REPEATS = 20
"""Ours goes through the queries this often, or the clock would have too little to read."""


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=5)
    parser.add_argument("--data", type=Path, help="JSON lines with a field `text`; default: made")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=12, help="of each pair")
    args = parser.parse_args()
    if args.quick:
        args.documents, args.queries, args.pairs = 300, 3, 2
    from rank_bm25 import BM25Okapi

    with pairs.progress(f"reading {args.documents:,} documents"):
        found = texts.documents(args.documents, args.data)
    queries = texts.passages(found, args.queries * args.pairs)
    with tempfile.TemporaryDirectory() as folder:
        with pairs.progress("building our indexes"):
            ours = [_index(kind, found, Path(folder)) for kind in (Bm25Index(), OkapiIndex())]
        with pairs.progress("building rank_bm25's"):
            peer = BM25Okapi([terms(text) for text in found])
        lines = [_compare(one, peer, queries, args.queries, args.pairs) for one in ours]
        differing = sum(not _same_top(ours[1], peer, query) for query in queries)
    pairs.print_table("rank_bm25", lines)
    print(f"top {K} of bm25-okapi other than rank_bm25's: {differing} of {len(queries)} queries")


def _index(kind: IndexKind, found: list[str], base: Path) -> Retriever:
    folder = base / kind.name
    folder.mkdir()
    ids = [_id(row) for row in range(len(found))]
    columns = IndexColumns(ids, [0] * len(found), [len(text) for text in found], found)
    kind.build(found, folder, no_progress)
    ChunkTable.write(folder, columns)
    return kind.load(folder, ChunkTable.read(folder))


def _id(row: int) -> str:
    return f"{row:06}"


def _compare(ours: Retriever, peer: Any, queries: list[str], each: int, count: int) -> pairs.Line:
    ids = [_id(row) for row in range(peer.corpus_size)]

    def slice_of(pair: int) -> list[str]:
        return queries[pair * each : (pair + 1) * each]

    def search(pair: int) -> pairs.Cost:
        mine = slice_of(pair)
        cost = pairs.measure(lambda: [ours.search([q], K) for _ in range(REPEATS) for q in mine])
        return pairs.Cost(cost.wall / REPEATS, cost.cpu / REPEATS)

    def get_top_n(pair: int) -> pairs.Cost:
        theirs = slice_of(pair)
        return pairs.measure(lambda: [peer.get_top_n(terms(q), ids, n=K) for q in theirs])

    found = pairs.alternate(search, get_top_n, count)
    return pairs.faster_line(f"{ours.name} query", found, "", each, TARGET)


def _same_top(ours: Retriever, peer: Any, query: str) -> bool:
    """Whether ours are ten of rank_bm25's best: the same scores in the same order, and each
    document with the score that rank_bm25 gives it, so that only equal scores may change places.
    """
    scores = peer.get_scores(terms(query))
    hits = ours.search([query], K)[0]
    best = sorted(scores.tolist(), reverse=True)[: len(hits)]
    given = [hit.score for hit in hits]
    return given == best and given == [scores[int(hit.document_id)] for hit in hits]


if __name__ == "__main__":
    main()
