"""Stand-ins for a judge's model against people: the table of docs/judges.md.

    python -m benchmarks.claim_stand_ins pairs.jsonl [--minilm FOLDER] [--aspect overall]

Each pair of RAGChecker's annotated answers gives one number a stand-in: its score of the second
answer less that of the first. It is correlated with the mean of the annotators' labels, from -2 to
2. Intervals are of 95 %, from resampled pairs. RAGChecker's own script
(`data/meta_evaluation/meta_eval.py`) sets each difference beside each annotator's label in place of
their mean; `each label` correlates so.

Last, a figure of every golden claim that has one is changed: how many of these claims are still
held for entailed by the golden answer.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from scipy.stats import pearsonr, rankdata, spearmanr

from engine.judge.base import Case
from engine.judge.claims.computed import Support, by_similarity, by_words, parts_of
from engine.judge.claims.metrics import METRICS, NoValue, Verdicts
from engine.judge.rules.claims import claim_of
from engine.judge.rules.claims import claims as claims_by_rule
from engine.judge.rules.judge import judge_case
from engine.metrics.text import exact_match, token_f1
from engine.metrics.tokens import standard_tokens
from engine.retrieve.index.base import no_progress
from engine.retrieve.index.lsa import LsaIndex, Projector
from engine.retrieve.index.postings import read_vocabulary
from engine.retrieve.index.ranking import Vectors, read_array
from engine.retrieve.index.vectors import Embed, unit
from engine.statistics.bootstrap import interval
from engine.text.content_words import content_terms
from store.formats.ragchecker import Pair, read_pairs
from store.systems import EmbeddingConfig

Floats = NDArray[np.float64]
Score = Callable[[Pair, str], float]
"""A stand-in's value of an answer to a pair's question."""

RESAMPLES = 4_000
SIMILAR = 0.7


def f1_of_tokens(pair: Pair, answer: str) -> float:
    return token_f1(standard_tokens(answer), [standard_tokens(pair.golden_answer)])


def f1_of_content_words(pair: Pair, answer: str) -> float:
    return token_f1(tuple(content_terms(answer)), [tuple(content_terms(pair.golden_answer))])


def equality(pair: Pair, answer: str) -> float:
    return exact_match(standard_tokens(answer), [standard_tokens(pair.golden_answer)])


def rule_accuracy(pair: Pair, answer: str) -> float:
    case = Case(0, pair.query, (), (pair.golden_answer,), answer, (), "en", closed_book=True)
    (accuracy,) = [score for score in judge_case(case) if score.metric == "accuracy"]
    return accuracy.value or 0.0


def similarity(embed: Embed) -> Score:
    def score(pair: Pair, answer: str) -> float:
        vectors = embed([pair.golden_answer, answer])
        return float(vectors[0] @ vectors[1])

    return score


@lru_cache(maxsize=4096)
def claims_of(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(claim.text for claim in claims_by_rule(text)))


def claim_f1(support: Support) -> Score:
    def score(pair: Pair, answer: str) -> float:
        own, golden = claims_of(answer), claims_of(pair.golden_answer)
        said = Verdicts(
            support(own, pair.golden_answer, pair.query) if own else [],
            support(golden, answer, pair.query) if answer.strip() else [False] * len(golden),
        )
        try:
            return METRICS["claim_f1"].value(said)
        except NoValue:
            return 0.0

    return score


def words_alone(claims: Sequence[str], text: str, question: str) -> list[bool]:
    """`by_words` without its check of figures."""
    words = set(content_terms(text))
    held = []
    for claim in claims:
        own = set(content_terms(claim))
        held.append(bool(own) and len(own & words) >= len(own) / 2)
    return held


def lsa_of(texts: Sequence[str]) -> Embed:
    """Latent semantic analysis of the given texts, as a corpus of them would have it."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        LsaIndex().build(texts, folder, no_progress)
        projector = Projector(
            read_vocabulary(folder / "vocabulary.json"),
            np.array(read_array(folder / "idf.npy")),
            np.array(read_array(folder / "projection.npy")),
        )
    return projector.embed


def minilm_of(folder: Path, texts: Sequence[str]) -> Embed:
    """The vectors of the texts, their parts and claims, all computed at once."""
    from engine.retrieve.neural.sentence_model import SentenceModel

    model = SentenceModel(EmbeddingConfig(name="minilm", model=str(folder)))
    known = sorted({part for text in texts for part in (text, *parts_of(text), *claims_of(text))})
    rows = {text: row for row, text in enumerate(known)}
    vectors = unit(model.embed(known, "document"))

    def embed(wanted: Sequence[str]) -> Vectors:
        if set(wanted) <= rows.keys():
            return vectors[[rows[text] for text in wanted]]
        return unit(model.embed(wanted, "document"))

    return embed


def correlations(x: Floats, y: Floats) -> Floats:
    """Pearson's correlation of each row of `x` with that of `y`."""
    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean(axis=-1, keepdims=True)
    above = (x * y).sum(axis=-1)
    below = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


class Table:
    def __init__(self, pairs: Sequence[Pair], aspect: str) -> None:
        self.pairs = pairs
        self.labels = np.array(
            [[label.values[aspect] for label in pair.labels] for pair in pairs], dtype=np.float64
        )
        random = np.random.default_rng(0)
        self.draws = random.integers(len(pairs), size=(RESAMPLES, len(pairs)))
        self.reference: Floats | None = None

    def line(self, name: str, score: Score) -> None:
        """Prints a stand-in's correlations; the first line is what others are compared with."""
        delta = np.array(
            [
                score(pair, pair.model2.response) - score(pair, pair.model1.response)
                for pair in self.pairs
            ]
        )
        people = self.labels.mean(axis=1)
        pearson = correlations(delta[self.draws], people[self.draws])
        spearman = correlations(
            rankdata(delta[self.draws], axis=1), rankdata(people[self.draws], axis=1)
        )
        beyond = ""
        if self.reference is None:
            self.reference = spearman
        else:
            beyond = f"{self._ends(spearman - self.reference)}"
        if not np.ptp(delta):
            print(f"{name:38} gives both answers of every pair the same", flush=True)
            return
        each = self.labels.ravel(), np.repeat(delta, self.labels.shape[1])
        print(
            f"{name:38} {pearsonr(delta, people)[0]:5.2f} {self._ends(pearson):14}"
            f" {spearmanr(delta, people)[0]:5.2f} {self._ends(spearman):14} {beyond:15}"
            f" {pearsonr(*each)[0]:5.2f} {spearmanr(*each)[0]:5.2f}"
            f" {int(np.sum(delta == 0)):5}",
            flush=True,
        )

    def _ends(self, again: Floats) -> str:
        low, high = interval(again, len(self.pairs), 0.05)
        return f"({low:.2f}, {high:.2f})"

    def annotators(self) -> None:
        first, second = self.labels.T[:2]
        print(
            f"annotators with each other: Pearson {pearsonr(first, second)[0]:.2f},"
            f" Spearman {spearmanr(first, second)[0]:.2f}, n {len(self.pairs)}"
        )


def changed_figures(pairs: Sequence[Pair]) -> list[tuple[str, str, str]]:
    """(golden answer, one of its claims with a figure that is in it nowhere, question)."""
    changed = []
    for pair in pairs:
        for text in claims_of(pair.golden_answer):
            figures = [
                number
                for number in claim_of(text).numbers
                if text[number.start : number.end].strip("$£€").isdecimal()
            ]
            if figures:
                figure = figures[0]
                written = text[figure.start : figure.end]
                other = written.replace(written.strip("$£€"), str(int(written.strip("$£€")) + 37))
                altered = text[: figure.start] + other + text[figure.end :]
                if other.strip("$£€") not in pair.golden_answer:
                    changed.append((pair.golden_answer, altered, pair.query))
    return changed


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table of the pairs in a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("pairs", type=Path, help="RAGChecker's annotated pairs")
    parser.add_argument("--minilm", type=Path, help="a folder with all-MiniLM-L6-v2")
    parser.add_argument(
        "--aspect", default="overall", choices=("overall", "correctness", "completeness")
    )
    given = parser.parse_args(arguments)
    pairs = read_pairs(given.pairs)
    texts = [
        text
        for pair in pairs
        for text in (pair.golden_answer, pair.model1.response, pair.model2.response)
    ]
    lsa = lsa_of(texts)
    supports: dict[str, Support] = {
        "words, the default": by_words,
        "words, figures not checked": words_alone,
        "LSA": by_similarity(lsa, SIMILAR),
    }
    scores: dict[str, Score] = {
        "token F1": f1_of_tokens,
        "F1 of content words": f1_of_content_words,
        "exact match": equality,
        "accuracy of the rule judge": rule_accuracy,
        "similarity by LSA": similarity(lsa),
    }
    if given.minilm:
        minilm = minilm_of(given.minilm, texts)
        supports["MiniLM"] = by_similarity(minilm, SIMILAR)
        scores["similarity by MiniLM"] = similarity(minilm)
    scores |= {f"claim F1 by {name}": claim_f1(support) for name, support in supports.items()}
    table = Table(pairs, given.aspect)
    table.annotators()
    print(
        f"{given.aspect:38} Pearson              Spearman             less token F1   "
        "each label  ties"
    )
    for name, score in scores.items():
        table.line(name, score)
    changed = changed_figures(pairs)
    for name, support in supports.items():
        held = sum(support([claim], golden, question)[0] for golden, claim, question in changed)
        print(f"with another figure, still entailed by {name}: {held} of {len(changed)}")


if __name__ == "__main__":
    main()
