"""Dense search against faiss alone and a numpy product, and an HNSW graph against the exact search.

The vectors are those of latent semantic analysis over the texts, cut into chunks of 200 characters;
queries are given as vectors, so that no embedding is timed. Recall goes by chunks as queries, each
without itself; memory is that of the index on disk, which is mapped.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import pairs, texts
from engine.retrieve.index.base import IndexColumns, no_progress
from engine.retrieve.index.lsa import LsaIndex
from engine.retrieve.index.near_vectors import NearVectors
from engine.retrieve.index.ranking import ChunkTable
from engine.retrieve.index.vectors import VectorRetriever, Vectors, read_vectors

K = 10
CHUNK = 200
BATCH = 256
ONE_TARGET = 1.2
BATCH_TARGET = 1 / 0.9


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=7)
    parser.add_argument("--data", type=Path, help="JSON lines with a field `text`; default: made")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--chunks", type=int, default=200_000, help="at most")
    args = parser.parse_args()
    if args.quick:
        args.documents, args.chunks, args.pairs = 120, 600, 2
    with pairs.progress(f"reading {args.documents:,} documents"):
        found = texts.documents(args.documents, args.data)
    cut = [text[at : at + CHUNK] for text in found for at in range(0, len(text), CHUNK)]
    cut = cut[: args.chunks]
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        with pairs.progress(f"computing vectors of {len(cut):,} chunks"):
            LsaIndex().build(cut, base, no_progress)
        columns = IndexColumns(
            [f"{row:07}" for row in range(len(cut))], [0] * len(cut), [CHUNK] * len(cut), cut
        )
        ChunkTable.write(base, columns)
        flat = _flat(base)
        asked = np.vstack([flat.vectors.reconstruct(row) for row in _spread(len(cut), BATCH)])
        lines = [_one(flat, asked, args.pairs), _batch(flat, asked, args.pairs)]
        near = NearVectors("hnsw", flat, {}, lambda notice: print(notice))
        graph = base / "graph"
        graph.mkdir()
        with pairs.progress("building the graph"):
            near.build((), graph, no_progress)
        approximate = near.load(graph, ChunkTable.read(base))
        lines.append(_near(approximate, flat, asked, args.pairs))
        size = sum(file.stat().st_size for file in graph.iterdir())
    pairs.print_table("peer", lines)
    print(f"the graph takes {size / len(cut):,.0f} bytes a chunk, {size / 2**20:,.0f} MiB in all")


def _flat(folder: Path) -> VectorRetriever:
    """The vectors behind an embedder that reads a row's number from the query."""
    index = read_vectors(folder)

    def embed(numbers: Sequence[str]) -> Vectors:
        return np.vstack([index.reconstruct(int(number)) for number in numbers])

    return VectorRetriever("lsa", embed, index, ChunkTable.read(folder))


def _spread(count: int, most: int) -> list[int]:
    return list(range(0, count, max(1, count // most)))[:most]


def _queries(flat: VectorRetriever) -> list[str]:
    return [str(row) for row in _spread(len(flat.chunks), BATCH)]


def _one(flat: VectorRetriever, asked: Vectors, count: int) -> pairs.Line:
    queries = _queries(flat)[:32]
    found = pairs.alternate(
        lambda pair: pairs.measure(lambda: [flat.search([query], K) for query in queries]),
        lambda pair: pairs.measure(
            lambda: [flat.vectors.search(vector[None, :], K) for vector in asked[: len(queries)]]
        ),
        count,
    )
    return pairs.slower_line("one query; faiss", found, "", len(queries), ONE_TARGET)


def _batch(flat: VectorRetriever, asked: Vectors, count: int) -> pairs.Line:
    queries = _queries(flat)
    matrix = flat.vectors.reconstruct_n(0, len(flat.chunks))
    found = pairs.alternate(
        lambda pair: pairs.measure(lambda: flat.search(queries, K)),
        lambda pair: pairs.measure(lambda: asked @ matrix.T),
        count,
    )
    return pairs.slower_line(
        f"of {len(queries)} at once; numpy product", found, "", len(queries), BATCH_TARGET
    )


def _near(near: Any, flat: VectorRetriever, asked: Vectors, count: int) -> pairs.Line:
    queries = _queries(flat)[:32]
    found = pairs.alternate(
        lambda pair: pairs.measure(lambda: [near.search([query], K) for query in queries]),
        lambda pair: pairs.measure(lambda: [flat.search([query], K) for query in queries]),
        count,
    )
    return pairs.faster_line("one query, hnsw; flat", found, "", len(queries))


if __name__ == "__main__":
    main()
