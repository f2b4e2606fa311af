"""The weights of a fusion, chosen by a ranking metric on the train side, reported on the test side.

Every side of the fusion is asked once for each question; other weights join the same lists anew.
"""

from __future__ import annotations

import math
import random
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from engine.answer.history import visible_history
from engine.evaluate.new_run import with_frozen_stages
from engine.evaluate.systems import find_system, system_table, systems
from engine.experiments.ranking import ArmValue, against
from engine.experiments.sides import TEST, TRAIN, check_sides, sides_of
from engine.jobs.operation import Progress, no_progress
from engine.metrics.evidence import score_evidence
from engine.metrics.spec import cutoff, resolve
from engine.retrieve.expression import JOINS, Expression, WeightedRetriever, read_expression
from engine.retrieve.hidden import HiddenDocuments, findable_evidence, search_visible
from engine.retrieve.index.base import Retriever
from engine.retrieve.pipeline import join, open_retriever
from engine.retrieve.stages import first_state
from engine.settings.file import put_table, snapshot
from store.datasets import datasets, splits
from store.datasets.datasets import Release
from store.datasets.splits import Split
from store.errors import NotFound, UsageError
from store.messages import check_printable
from store.records import Evidence, HistoryMode, Hit, ReleasedItem, ScoreRow, ScoreState, SearchText
from store.systems import Retrieval, SystemConfig
from store.workspace import Workspace

_UNWEIGHTED = ("union", "sample")
_DECIMALS = 3
MOST_STEPS = 1_000
MOST_WEIGHTS = 10_000


class WeightSearch(Struct, frozen=True):
    """Which weights are tried for the retriever of a system, and by what one is chosen."""

    system: str
    dataset: str
    metric: str = "ndcg@10"
    split: str = ""
    """By default the dataset's own."""
    steps: int = 10
    """Weights are multiples of 1 / steps and sum to 1."""
    most: int = 200
    """Where there are more such weights than that, so many are drawn at random instead."""
    seed: int = 0
    """Of the drawing."""

    def check(self) -> None:
        """Raises UsageError for a metric that is no ranking metric, and figures out of range."""
        if resolve(self.metric).family != "ranking":
            raise UsageError(
                f"{self.metric!r} is no metric of a ranking.",
                "Name one: ndcg@10, recall@5, mrr, map.",
            )
        if not (2 <= self.steps <= MOST_STEPS and 1 <= self.most <= MOST_WEIGHTS):
            raise UsageError(
                f"There are {self.steps} steps to try, and {self.most} weights at most.",
                f"Use 2 to {MOST_STEPS:,} steps, and 1 to {MOST_WEIGHTS:,} weights.",
                "--steps, --most",
            )


class TriedRetriever(Struct, frozen=True):
    """The tuned fusion, the system's own, or one of its sides alone."""

    retriever: str
    train_mean: float
    value: ArmValue
    """On the test side, with the difference of the tuned fusion to it."""


class TunedWeights(Struct, frozen=True):
    search: WeightSearch
    release: str
    split: str
    tried: int
    """Weights, the system's own among them."""
    train: int
    """Turns that name evidence."""
    test: int
    retriever: str
    """The fusion with the best weights on the train side; the system's own where none is better."""
    compared: tuple[TriedRetriever, ...]


def tune_weights(
    workspace: Workspace, search: WeightSearch, progress: Progress = no_progress
) -> TunedWeights:
    """Chooses the weights of a system's retriever on the train side of a split and compares them
    with its own and with each side alone on the test side. `progress` is given weights tried.

    Raises NotFound where there is no such system, release or split, and UsageError for a retriever
    without weights, a system that does more than fuse, sides without turns that name evidence, and
    what `WeightSearch.check` refuses.
    """
    search.check()
    db = workspace.db
    system = with_frozen_stages(workspace, find_system(workspace.folder, search.system))
    expression = _weighted(system)
    release = datasets.find_release(db, search.dataset)
    split = _split(db, search, release)
    sides = sides_of(db, release, split)
    tuning = _Tuning(workspace, system, expression, release, search.metric)
    train, test = (
        tuning.turns([one for one in sides.items if sides.side_of.get(one.item_key) == side])
        for side in (TRAIN, TEST)
    )
    if not (train and test):
        raise UsageError(
            f"Of {release.label}, {len(train)} turns with evidence are on the train side of split"
            f" {split.name!r}, and {len(test)} on the test side.",
            "Both are needed: name another split.",
            "--split",
        )
    tried = [tuning.own, *weights(len(tuning.own), search)]
    means = []
    for number, one in enumerate(tried, 1):
        means.append(_mean(tuning.rows(one, train)))
        progress(number, len(tried))
    best = tried[means.index(max(means))]
    alone = (tuple(float(side == at) for side in range(len(best))) for at in range(len(best)))
    compared = {tuning.name(one): one for one in (best, tuning.own, *alone)}
    chosen = tuning.name(best)
    on_test, turns = against(
        chosen, {name: tuning.rows(one, test) for name, one in compared.items()}, True
    )
    return TunedWeights(
        search,
        release.label,
        split.name,
        len(tried),
        len(train),
        turns,
        chosen,
        tuple(
            TriedRetriever(name, _mean(tuning.rows(one, train)), on_test[name])
            for name, one in compared.items()
        ),
    )


def check_new_system(folder: Path, name: str) -> None:
    """Raises UsageError for a name that a system has already, or that is no name."""
    if not name.strip():
        raise UsageError("The system has no name.", "Give it one.", "--save NAME")
    check_printable("system", name)
    if name in systems(folder):
        raise UsageError(f"There is a system {name!r} already.", "Choose another name.")


def save_tuned(folder: Path, name: str, tuned: TunedWeights) -> None:
    """Writes the system that was tuned into `ragdesk.toml` under a new name, with the weights that
    were chosen. Raises what `check_new_system` and `put_table` raise."""
    check_new_system(folder, name)
    table = {**system_table(folder, tuned.search.system), "retriever": tuned.retriever}
    put_table(snapshot(folder), "systems", name, table)


def _split(db: sqlite3.Connection, search: WeightSearch, release: Release) -> Split:
    try:
        split = splits.get(db, search.split or release.dataset_name)
    except NotFound as error:
        if search.split:
            raise
        raise NotFound(
            f"Dataset {release.dataset_name!r} has no split, and weights are chosen on one side"
            " and reported on the other.",
            "Make one.",
            f"ragdesk split --dataset {release.dataset_name}",
        ) from error
    check_sides(db, release, split)
    return split


def weights(sides: int, search: WeightSearch) -> list[tuple[float, ...]]:
    """The weights to try for that many sides, each above 0, sums of 1: all multiples of
    1 / steps where these are no more than `most`, else `most` drawn evenly."""
    if math.comb(search.steps - 1, sides - 1) <= search.most:
        return list(_grid(sides, search.steps))
    draw = random.Random(search.seed)
    least = 10.0**-_DECIMALS
    drawn = []
    for _ in range(search.most):
        shares = [draw.expovariate(1.0) for _ in range(sides)]  # evenly over all sums of 1
        drawn.append(tuple(max(least, round(one / sum(shares), _DECIMALS)) for one in shares))
    return drawn


def _grid(sides: int, steps: int) -> Iterator[tuple[float, ...]]:
    for cuts in combinations(range(1, steps), sides - 1):
        ends = (0, *cuts, steps)
        yield tuple((end - start) / steps for start, end in pairwise(ends))


def _weighted(system: SystemConfig) -> Expression:
    """The retriever of a system as it is written. Raises UsageError where it has no weights, or
    the system does more than fuse."""
    if system.retrieval is None:
        raise UsageError(f"System {system.name!r} retrieves nothing by itself.")
    expression = read_expression(system.retrieval.retriever)
    if not expression.joined or expression.joined in _UNWEIGHTED:
        raise UsageError(
            f"The retriever of {system.name!r} is {system.retriever!r}, which has no weights.",
            "Name a system that joins retrievers: hybrid:bm25+lsa.",
        )
    if system.query or system.rerank:
        raise UsageError(
            f"System {system.name!r} has stages of `query` or rerankers, behind which weights"
            " cannot be told apart.",
            "Tune a system without them, and add them afterwards.",
        )
    return expression


class _Turn(Struct, frozen=True):
    """A question with what is found for it, whatever the weights."""

    item: ReleasedItem
    number: int
    queries: tuple[SearchText, ...]
    evidence: tuple[Evidence, ...]
    hides: HiddenDocuments | None


class _Tuning:
    def __init__(
        self,
        workspace: Workspace,
        system: SystemConfig,
        expression: Expression,
        release: Release,
        metric: str,
    ) -> None:
        assert system.retrieval is not None, "it has weights"
        self._db = workspace.db
        self._corpus = datasets.corpus_of(self._db, release.id)
        self._system = system
        self._expression = expression
        self._metric = metric
        self._k = cutoff(metric)[1] or system.top_k
        sides = [
            open_retriever(workspace, self._corpus, _alone(system.retrieval, side.name))
            for side in expression.sides
        ]
        if expression.joined not in JOINS:
            sides = [_Remembered(side) for side in sides]
        self._sides = sides
        self.own = tuple(side.weight for side in expression.sides)

    def turns(self, items: Sequence[ReleasedItem]) -> list[_Turn]:
        """The turns of the items that name evidence which a system can find, and what is searched
        for: with golden answers in the place of the system's own earlier ones."""
        predicted = self._system.history is HistoryMode.PREDICTED
        mode = HistoryMode.GOLD if predicted else self._system.history
        made = []
        for item in items:
            content = item.content
            named = content.hidden
            hides = HiddenDocuments(self._db, self._corpus, named) if named else None
            for number in range(len(content.turns)):
                evidence = findable_evidence(self._db, self._corpus, content, number)
                if evidence:
                    history = visible_history(content.turns, number, mode, ())
                    state = first_state(content, number, history, self._system)
                    made.append(_Turn(item, number, state.queries, evidence, hides))
        return made

    def name(self, chosen: Sequence[float]) -> str:
        """The retriever with these weights, as settings have it; sides of weight 0 are none."""
        sides = [
            WeightedRetriever(side.name, weight)
            for side, weight in zip(self._expression.sides, chosen, strict=True)
            if weight
        ]
        return str(Expression(tuple(sides), self._expression.joined if len(sides) > 1 else ""))

    def rows(self, chosen: Sequence[float], turns: Sequence[_Turn]) -> list[ScoreRow]:
        """The metric of every turn under these weights."""
        retriever = self._retriever(chosen)
        rows = []
        for turn in turns:
            hits = search_visible(retriever, turn.queries, self._k, turn.hides).hits
            (score,) = score_evidence(hits, turn.evidence, (self._metric,))
            item, content = turn.item, turn.item.content
            rows.append(
                ScoreRow(
                    *(item.item_key, item.revision_id, turn.number, 0, item.group_key),
                    *(content.topic, content.task, ScoreState.OK, score.value),
                )
            )
        return rows

    def _retriever(self, chosen: Sequence[float]) -> Retriever:
        used = [(side, weight) for side, weight in zip(self._sides, chosen, strict=True) if weight]
        if len(used) == 1:
            return used[0][0]
        sides, shares = zip(*used, strict=True)
        return join(self.name(chosen), sides, shares, self._expression.joined)


class _Remembered:
    """A side of the fusion that answers each query once."""

    def __init__(self, retriever: Retriever) -> None:
        self.name = retriever.name
        self._retriever = retriever
        self._known: dict[tuple[SearchText, int], list[Hit]] = {}

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        new = [query for query in queries if (query, k) not in self._known]
        for query, hits in zip(new, self._retriever.search(new, k), strict=True):
            self._known[query, k] = hits
        return [self._known[query, k] for query in queries]


def _alone(retrieval: Retrieval, name: str) -> Retrieval:
    """One side of a retrieval."""
    embeddings = tuple(one for one in retrieval.embeddings if one.name == name)
    return replace(retrieval, retriever=name, embeddings=embeddings)


def _mean(rows: Sequence[ScoreRow]) -> float:
    return math.fsum(row.value or 0.0 for row in rows) / len(rows)
