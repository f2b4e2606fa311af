"""Topics by the words that documents share: a baseline, for when there is no model.

Documents are TF-IDF vectors projected by a truncated SVD (latent semantic analysis) and gathered
by k-means. A topic is called by the three words that set its documents apart most, so it needs a
person's look and often a better name.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.taxonomy.tree import TreeNode
from engine.text.segmentation import terms
from store.errors import InputError

LEAST_DOCUMENTS = 8
MOST_DOCUMENTS = 4_000
READ_CHARACTERS = 4_000
"""Of a document; its beginning says what it is about."""
_DIMENSIONS = 64
_MOST_SHARING = 0.25
"""A word in a larger share of the documents tells no topic from another; with few topics, one in
more than a topic and a half of them."""
_TERMS = 16
_NAMED_BY = 3


def propose_topics(texts: Sequence[str], domain: str, count: int, seed: int = 0) -> TreeNode:
    """At most `count` topics below a root named `domain`, the largest first, each with its terms.

    Equal texts in equal order give equal topics. Raises InputError for fewer than 8 documents.
    """
    if len(texts) < LEAST_DOCUMENTS:
        raise InputError(
            f"{len(texts)} documents are too few to find topics in.",
            f"Ingest {LEAST_DOCUMENTS} or more, or let a model propose.",
            "--model NAME",
        )
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize
    from threadpoolctl import threadpool_limits

    sharing = max(_MOST_SHARING, min(1.0, 1.5 / count))
    vectorizer = TfidfVectorizer(
        analyzer=_words, sublinear_tf=True, min_df=2, max_df=max(2, int(sharing * len(texts)))
    )
    try:
        weights = vectorizer.fit_transform(texts)
    except ValueError as error:
        raise InputError(
            "The documents share no words that tell topics apart.",
            "Let a model propose topics.",
            "--model NAME",
        ) from error
    words = vectorizer.get_feature_names_out()
    # on one thread, because sums are rounded differently by every number of threads
    with threadpool_limits(1):
        dimensions = max(1, min(_DIMENSIONS, len(words) - 1, len(texts) - 1))
        places = TruncatedSVD(dimensions, random_state=seed).fit_transform(weights)
        clusters = KMeans(min(count, len(texts) // 2), n_init=4, random_state=seed).fit_predict(
            normalize(places)
        )
    overall = np.asarray(weights.mean(axis=0)).ravel()
    sizes = np.bincount(clusters)
    nodes: list[TreeNode] = []
    for number in sorted(range(len(sizes)), key=lambda number: -sizes[number]):
        own = np.asarray(weights[clusters == number].mean(axis=0)).ravel()
        best = np.argsort(overall - own, kind="stable")[:_TERMS]
        marking = tuple(str(words[at]) for at in best if own[at] > overall[at])
        if marking:
            nodes.append(_named(marking, {node.name for node in nodes}))
    return TreeNode(domain, tuple(nodes))


def _words(text: str) -> list[str]:
    """The terms of a text that can name a topic: no digits, no single characters, no particles."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return [
        term
        for term in terms(text[:READ_CHARACTERS])
        if not any(character.isdecimal() for character in term)
        and len(term) >= (3 if term.isascii() else 2)
        and term not in ENGLISH_STOP_WORDS
    ]


def _named(marking: tuple[str, ...], taken: set[str]) -> TreeNode:
    for length in range(_NAMED_BY, len(marking) + 1):
        name = " / ".join(marking[:length])
        if name not in taken:
            return TreeNode(name, terms=marking)
    return TreeNode(" / ".join(marking), terms=marking)
