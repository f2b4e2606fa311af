"""Latent semantic analysis: TF-IDF projected by a truncated SVD, compared by cosine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from engine.retrieve.index.base import Progress, Retriever
from engine.retrieve.index.postings import (
    NumberedTexts,
    count_terms,
    known_numbers,
    number_terms,
    read_vocabulary,
    write_arrays,
    write_vocabulary,
)
from engine.retrieve.index.ranking import ChunkTable, Vectors, read_array
from engine.retrieve.index.vectors import VectorRetriever, read_vectors, unit, write_vectors

DIMENSIONS = 256
SEED = 0
# More iterations bring the basis closer to the leading singular vectors, which serve broad themes:
# in large corpora single documents are then found less often, and the build takes twice as long.
POWER_ITERATIONS = 1

_VOCABULARY = "vocabulary.json"


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
        numbered = number_terms(texts, progress)
        progress("index", 0, 1)
        idf, components, vectors = _fit(numbered)
        write_vectors(folder, vectors)
        # one row a term, so that a query reads the rows of its own terms only
        write_arrays(folder, idf=idf, projection=np.ascontiguousarray(components.T))
        write_vocabulary(folder / _VOCABULARY, numbered.vocabulary)
        progress("index", 1, 1)

    def load(self, folder: Path, chunks: ChunkTable) -> Retriever:
        projector = Projector(
            read_vocabulary(folder / _VOCABULARY),
            read_array(folder / "idf.npy"),
            read_array(folder / "projection.npy"),
        )
        # a chunk at a right angle to the query shares nothing with it
        return VectorRetriever(self.name, projector.embed, read_vectors(folder), chunks, floor=0)


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
        return unit(vectors)


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
    return weighting.idf_.astype(np.float32), components.astype(np.float32), unit(vectors)
