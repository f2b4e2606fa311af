"""Approximate search over the vectors of a flat index: HNSW (Malkov and Yashunin 2018) or inverted
lists (IVF), with how much of the exact search they find."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct

from engine.retrieve.index.base import Progress, Retriever
from engine.retrieve.index.ranking import ChunkTable, Vectors
from engine.retrieve.index.vectors import VectorRetriever

Kind = Literal["hnsw", "ivf"]

LINKS = 32
EF_CONSTRUCTION = 200
EF_SEARCH = 256
"""Candidates that a search in the graph keeps; more are kept where more are asked for."""
PROBED = 1 / 8
"""Share of the inverted lists that a search reads."""
_PER_LIST = 39
"""Vectors that faiss wants at least to learn the middle of a list from."""

CUTOFF = 10
_SAMPLE = 200
_NEAR, _RECALL = "near.faiss", "recall.json"
_BLOCK = 16_384


class Recall(Struct, frozen=True):
    """The mean share of the 10 nearest chunks that are found, of so many chunks as queries."""

    value: float
    queries: int


class NearVectors:
    """An approximate index over the vectors of `flat`, which it must be given anew when loaded.

    Built on one thread, so that equal vectors give an equal graph.
    """

    libraries: tuple[str, ...] = ("faiss-cpu",)

    def __init__(
        self,
        kind: Kind,
        flat: VectorRetriever,
        identity: Mapping[str, int | float | str],
        notify: Callable[[str], None],
    ) -> None:
        self.name: str = kind
        self._kind = kind
        self._flat = flat
        self._identity = identity
        self._notify = notify

    def parameters(self) -> Mapping[str, int | float | str]:
        own = {"links": LINKS, "ef_construction": EF_CONSTRUCTION} if self._kind == "hnsw" else {}
        return {**self._identity, **own}

    def build(self, texts: Sequence[str], folder: Path, progress: Progress) -> None:
        import faiss
        from threadpoolctl import threadpool_limits

        count = len(self._flat.chunks)
        with threadpool_limits(1):
            index = self._empty(faiss, count)
            for start, block in self._blocks(count):
                progress("index", start, count)
                index.add(block)
            recall = self._recall(index, count)
        progress("index", count, count)
        (folder / _NEAR).write_bytes(faiss.serialize_index(index).tobytes())
        (folder / _RECALL).write_bytes(msgspec.json.encode(recall))

    def load(self, folder: Path, chunks: ChunkTable) -> Retriever:
        import faiss

        recall = msgspec.json.decode((folder / _RECALL).read_bytes(), type=Recall)
        self._notify(
            f"The {self._kind} index of {self._flat.name!r} finds {recall.value:.1%} of the"
            f" {CUTOFF} nearest chunks that an exact search finds ({recall.queries} chunks as"
            " queries)."
        )
        index = faiss.read_index(str(folder / _NEAR), faiss.IO_FLAG_MMAP_IFC)
        return self._flat.searching(lambda queries, k: search_near(index, queries, k))

    def _empty(self, faiss: Any, count: int) -> Any:
        dimensions = self._flat.vectors.d
        if self._kind == "hnsw":
            index = faiss.IndexHNSWFlat(dimensions, LINKS, faiss.METRIC_INNER_PRODUCT)
            index.hnsw.efConstruction = EF_CONSTRUCTION
            return index
        lists = max(1, min(round(4 * count**0.5), count // _PER_LIST))
        coarse = faiss.IndexFlatIP(dimensions)
        index = faiss.IndexIVFFlat(coarse, dimensions, lists, faiss.METRIC_INNER_PRODUCT)
        coarse.this.disown()
        index.own_fields = True
        index.train(np.vstack([block for _, block in self._blocks(count)]))
        return index

    def _blocks(self, count: int) -> Iterator[tuple[int, Vectors]]:
        for start in range(0, count, _BLOCK):
            yield start, self._flat.vectors.reconstruct_n(start, min(_BLOCK, count - start))

    def _recall(self, index: Any, count: int) -> Recall:
        rows = np.arange(0, count, max(1, count // _SAMPLE))[:_SAMPLE]
        queries = np.vstack([self._flat.vectors.reconstruct(int(row)) for row in rows])
        k = min(CUTOFF + 1, count)
        _, exact = self._flat.vectors.search(queries, k)
        _, near = search_near(index, queries, k)
        # each is the nearest to itself, which says nothing
        shares = [
            len((set(found.tolist()) & set(best.tolist())) - {row}) / max(k - 1, 1)
            for row, found, best in zip(rows.tolist(), near, exact, strict=True)
        ]
        return Recall(min(1.0, float(np.mean(shares))) if count > 1 else 1.0, len(rows))


def search_near(index: Any, queries: Vectors, k: int) -> tuple[Vectors, Any]:
    """Scores and rows of the `k` nearest vectors that are found; where there are fewer, row -1 with
    the score -inf."""
    import faiss

    library: Any = faiss  # its stubs lack the parameters of a search
    if isinstance(index, library.IndexHNSW):
        parameters = library.SearchParametersHNSW(efSearch=max(EF_SEARCH, k))
    else:
        parameters = library.SearchParametersIVF(nprobe=max(1, round(index.nlist * PROBED)))
    scores, rows = index.search(queries, k, params=parameters)
    scores[rows < 0] = -np.inf
    return scores, rows
