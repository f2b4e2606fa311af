"""Dense search against faiss alone and numpy, and an HNSW graph against the exact search.

What numpy does for many queries at once is the product of two matrices that it holds in memory,
then the ten highest of each row in their order, as numbers of rows; equal scores it orders as they
come. Ours reads the vectors from a mapped file, gives equal scores the order of the rows, and gives
chunks with their documents and places. The product alone is shown too: it finds nothing yet.

The vectors are those of latent semantic analysis over the texts, cut into chunks, or those of an
index that a workspace has; queries are given as vectors, so that no embedding is timed. Recall goes
by chunks as queries, each without itself; memory is that of the index on disk, which is mapped.
Vectors beyond those of the texts are the same with noise of a third of their length: for rate and
memory, as recall among them says nothing.
"""

from __future__ import annotations

import shutil
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import pairs, texts
from engine.retrieve.index.base import IndexColumns, no_progress
from engine.retrieve.index.lsa import LsaIndex
from engine.retrieve.index.near_vectors import NearVectors
from engine.retrieve.index.ranking import ChunkTable, Rows, Vectors
from engine.retrieve.index.vectors import (
    VECTORS,
    VectorRetriever,
    read_vectors,
    unit,
    write_vectors,
)

K = 10
BATCH = 256
NOISE = 1 / 3
SEED = 7
ONE_TARGET = 1.2
BATCH_TARGET = 1 / 0.9


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=7)
    parser.add_argument("--data", type=Path, help="JSON lines with a field `text`; default: made")
    parser.add_argument("--index", type=Path, help="a folder in artefacts/index of a workspace")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--chunks", type=int, default=200_000, help="at most")
    parser.add_argument("--cut", type=int, default=200, help="characters a chunk; default 200")
    parser.add_argument("--noisy", type=int, default=0, help="vectors, the rest of them with noise")
    parser.add_argument("--no-graph", action="store_true", help="the exact search only")
    args = parser.parse_args()
    if args.quick:
        args.documents, args.chunks, args.pairs = 120, 600, 2
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        if args.index is None:
            _write_lsa(base, args)
        else:
            shutil.copy(args.index / VECTORS, base)
        index = read_vectors(base)
        count = max(index.ntotal, args.noisy)
        if count > index.ntotal:
            with pairs.progress(f"adding {count - index.ntotal:,} with noise"):
                write_vectors(base, _with_noise(index, count))
        names = [f"{row:07}" for row in range(count)]
        ChunkTable.write(base, IndexColumns(names, [0] * count, [1] * count, names))
        flat, asked = _flat(base)
        lines = [_one(flat, asked, args.pairs), *_batch(flat, asked, args.pairs)]
        sizes = {"vectors": (base / VECTORS).stat().st_size}
        if not args.no_graph:
            near = NearVectors("hnsw", flat, {}, lambda notice: print(notice))
            graph = base / "graph"
            graph.mkdir()
            with pairs.progress("building the graph"):
                near.build((), graph, no_progress)
            approximate = near.load(graph, ChunkTable.read(base))
            lines.append(_near(approximate, flat, asked, args.pairs))
            sizes["graph"] = sum(file.stat().st_size for file in graph.iterdir())
    pairs.print_table("peer", lines)
    for name, size in sizes.items():
        print(f"{name}: {size / count:,.0f} bytes a chunk, {size / 2**20:,.0f} MiB in all")


def _write_lsa(base: Path, args: Namespace) -> None:
    """The vectors of the texts by latent semantic analysis."""
    with pairs.progress(f"reading {args.documents:,} documents"):
        found = texts.documents(args.documents, args.data)
    cut = [text[at : at + args.cut] for text in found for at in range(0, len(text), args.cut)]
    with pairs.progress(f"computing vectors of {min(len(cut), args.chunks):,} chunks"):
        LsaIndex().build(cut[: args.chunks], base, no_progress)


def _with_noise(index: Any, count: int) -> Vectors:
    """The vectors of `index`, then the same again with noise until there are `count`."""
    chance = np.random.default_rng(SEED)
    vectors = np.empty((count, index.d), np.float32)
    for start in range(0, count, index.ntotal):
        part = vectors[start : start + index.ntotal]
        part[:] = index.reconstruct_n(0, len(part))
        if start:
            noise = chance.standard_normal(part.shape, np.float32)
            part[:] = unit(part + noise * np.float32(NOISE / index.d**0.5))
    return vectors


def _flat(folder: Path) -> tuple[VectorRetriever, Vectors]:
    """The vectors, and those asked for, behind an embedder that reads a row's number from the
    query."""
    index = read_vectors(folder)
    rows = _spread(index.ntotal, BATCH)
    asked: Vectors = index.reconstruct_batch(np.array(rows, np.int64))
    place = {str(row): at for at, row in enumerate(rows)}

    def embed(numbers: Sequence[str]) -> Vectors:
        return asked[[place[number] for number in numbers]]

    # the floor of LSA: a chunk without words would tie with all
    return VectorRetriever("lsa", embed, index, ChunkTable.read(folder), floor=0), asked


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


def _batch(flat: VectorRetriever, asked: Vectors, count: int) -> Iterator[pairs.Line]:
    queries = _queries(flat)
    matrix = flat.vectors.reconstruct_n(0, len(flat.chunks))
    peers: tuple[tuple[str, Callable[[], object], float | None], ...] = (
        ("numpy, ten best", lambda: _ten_best(asked, matrix), BATCH_TARGET),
        ("numpy, product alone", lambda: asked @ matrix.T, None),
    )
    for name, peer, target in peers:
        found = pairs.alternate(
            lambda pair: pairs.measure(lambda: flat.search(queries, K)),
            lambda pair, peer=peer: pairs.measure(peer),  # type: ignore[misc]
            count,
        )
        yield pairs.slower_line(
            f"of {len(queries)} at once; {name}", found, "", len(queries), target
        )


def _ten_best(asked: Vectors, matrix: Vectors) -> Rows:
    """The rows of `matrix` with the highest products for each of the queries, best first."""
    scores = asked @ matrix.T
    best = np.argpartition(scores, -K, axis=1)[:, -K:]
    order = np.argsort(-np.take_along_axis(scores, best, 1), axis=1)
    rows: Rows = np.take_along_axis(best, order, 1)
    return rows


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
