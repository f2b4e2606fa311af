"""Latent semantic analysis: TF-IDF projected by a truncated SVD, compared by cosine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.retrieve.base import Progress, Retriever, require_positive
from engine.retrieve.postings import (
    NumberedTexts,
    count_terms,
    known_numbers,
    number_terms,
    read_vocabulary,
    write_arrays,
    write_vocabulary,
)
from engine.retrieve.ranking import ChunkTable, read_array, top_rows
from store.records import Hit

DIMENSIONS = 256
SEED = 0
# More iterations bring the basis closer to the leading singular vectors, which serve broad themes:
# in large corpora single documents are then found less often, and the build takes twice as long.
POWER_ITERATIONS = 1

_VOCABULARY = "vocabulary.json"
_VECTORS = "vectors.faiss"
# float32 products of equal vectors differ in the last places with their place in a batch
_DECIMALS = 6

Vectors = NDArray[np.float32]


class LsaIndex:
    """Deerwester et al. 1990, with scikit-learn's TF-IDF and randomized SVD.

    A term weighs (1 + ln tf) * (ln((1 + N) / (1 + df)) + 1). A score is the cosine of the
    projected query and the projected chunk, in (0, 1]. Dimensions are 256, or as many as the
    corpus allows.
    """

    name = "lsa"
    libraries: tuple[str, ...] = ("faiss-cpu", "rjieba", "scikit-learn")

    def parameters(self) -> Mapping[str, int | float | str]:
        return {"dimensions": DIMENSIONS, "seed": SEED, "power_iterations": POWER_ITERATIONS}

    def build(self, texts: Sequence[str], folder: Path, progress: Progress) -> None:
        import faiss

        numbered = number_terms(texts, progress)
        progress("index", 0, 1)
        idf, components, vectors = _fit(numbered)
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)
        # the bytes of faiss.write_index, which would report a full disk as RuntimeError
        (folder / _VECTORS).write_bytes(faiss.serialize_index(index).tobytes())
        # one row a term, so that a query reads the rows of its own terms only
        write_arrays(folder, idf=idf, projection=np.ascontiguousarray(components.T))
        write_vocabulary(folder / _VOCABULARY, numbered.vocabulary)
        progress("index", 1, 1)

    def load(self, folder: Path, chunks: ChunkTable) -> Retriever:
        import faiss

        projector = Projector(
            read_vocabulary(folder / _VOCABULARY),
            read_array(folder / "idf.npy"),
            read_array(folder / "projection.npy"),
        )
        return _Lsa(projector, faiss.read_index(str(folder / _VECTORS)), chunks)


class Projector:
    """Texts as unit vectors of the latent space; a text of unknown words is the zero vector."""

    def __init__(self, vocabulary: dict[str, int], idf: Vectors, projection: Vectors) -> None:
        self._vocabulary = vocabulary
        self._idf = idf
        self._projection = projection

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, of length 1 (or 0)."""
        vectors = np.zeros((len(texts), self._projection.shape[1]), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            counts = Counter(known_numbers(self._vocabulary, text))
            numbers = list(counts)
            frequencies = np.array(list(counts.values()), dtype=np.float32)
            weights = (1 + np.log(frequencies)) * self._idf[numbers]
            vector[:] = weights @ self._projection[numbers]
        return _unit(vectors)


class _Lsa:
    name = LsaIndex.name

    def __init__(self, projector: Projector, vectors: Any, chunks: ChunkTable) -> None:
        self._projector = projector
        self._vectors = vectors
        self._chunks = chunks

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        require_positive(k)
        if not queries:
            return []
        embedded = self._projector.embed(queries)
        # a few more than asked for, to see whether the last hit is tied with others
        depth = min(2 * k + 8, len(self._chunks))
        scores, rows = self._vectors.search(embedded, depth)
        return [
            self._rank(vector, list_scores, list_rows, k)
            for vector, list_scores, list_rows in zip(embedded, scores, rows, strict=True)
        ]

    def _rank(self, vector: Vectors, scores: Vectors, rows: NDArray[np.int64], k: int) -> list[Hit]:
        rounded = scores.round(_DECIMALS)
        while len(rows) < len(self._chunks) and rounded[k - 1] == rounded[-1] > 0:
            depth = min(4 * len(rows), len(self._chunks))
            found_scores, found_rows = self._vectors.search(vector[None, :], depth)
            rounded, rows = found_scores[0].round(_DECIMALS), found_rows[0]
        order = np.argsort(rows)
        rows, rounded = rows[order], rounded[order]
        best = top_rows(rounded, np.flatnonzero(rounded > 0), k)
        return self._chunks.hits(rows[best], rounded[best].astype(np.float64).round(_DECIMALS))


def _fit(numbered: NumberedTexts) -> tuple[Vectors, Vectors, Vectors]:
    """The idf of each term, the components (a row each) and the texts' unit vectors."""
    from scipy.sparse import csc_array
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    postings = count_terms(numbered)
    shape = (len(postings.lengths), len(numbered.vocabulary))
    counts = csc_array((postings.counts.astype(np.float32), postings.rows, postings.starts), shape)
    weighting = TfidfTransformer(sublinear_tf=True)
    weighted = weighting.fit_transform(counts.tocsr())
    # on one thread, because sums are rounded differently by every number of threads; not by
    # TruncatedSVD, which refuses a corpus of one word
    with threadpool_limits(1):
        _, _, components = randomized_svd(
            weighted, min(DIMENSIONS, *shape), n_iter=POWER_ITERATIONS, random_state=SEED
        )
    vectors = np.ascontiguousarray(weighted @ components.T, dtype=np.float32)
    return weighting.idf_.astype(np.float32), components.astype(np.float32), _unit(vectors)


def _unit(vectors: Vectors) -> Vectors:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    # a vector of rounding errors points nowhere
    return np.where(norms > 1e-6, vectors / np.maximum(norms, 1e-6), 0).astype(np.float32)
