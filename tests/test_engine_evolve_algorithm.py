"""Algorithm 1: the queue, its convergence, and what is kept of everything that was made."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.difficulty.formulas import difficulty
from engine.evolve.algorithm import Evolution, Made, Settings
from engine.evolve.operations import Step
from engine.evolve.qra import Qra, Rejected
from store.records import Evidence


def qra(name: str, kind: str = "details_query") -> Qra:
    return Qra(name, ("a",), (Evidence("d", 0, 1),), "en", kind)


class Scripted:
    """Gives each child the next RD of a list; partners are all alike."""

    def __init__(self, hardness: Sequence[float | None]) -> None:
        self.left = list(hardness)
        self.rd = {"start": 0.0, "partner": 0.0}
        self.snapshots: list[str] = []

    async def partner(self, one: Qra, drawn: random.Random) -> tuple[str, Qra | Rejected]:
        self.snapshots.append(one.question)
        return "e", qra("partner")

    def steps(self, one: Qra, other: Qra) -> Sequence[Step]:
        return [Step("query_concatenation", one, other, "e")]

    async def child(self, step: Step) -> Qra | Rejected:
        rd = self.left.pop(0) if self.left else None
        if rd is None:
            return Rejected("nothing left")
        name = f"child {len(self.rd)}"
        self.rd[name] = rd
        return qra(name, "query_concatenation")

    async def measure(self, one: Qra) -> tuple[float, float]:
        return self.rd[one.question], 0.0


def evolve(author: Scripted, **settings: float) -> tuple[Made, Evolution]:
    given = {"partners": 1, "weight": 1.0, "past_threshold": True, **settings}
    evolution = Evolution(author, Settings(**given), random.Random(0))  # type: ignore[arg-type]
    return asyncio.run(evolution.run(qra("start"), "e")), evolution


def test_it_goes_on_while_the_mean_gains_and_returns_the_hardest() -> None:
    best, evolution = evolve(Scripted([0.5, 0.9, 0.2]))
    assert best.rd == pytest.approx(0.9)
    kept = [one.rd for one in evolution.made if one.outcome == "kept"]
    assert kept == [0.5, 0.9]


def test_an_initial_question_of_no_difficulty_is_evolved() -> None:
    best, _ = evolve(Scripted([0.4]))
    assert best.rd == pytest.approx(0.4)


def test_a_weak_child_may_end_it_while_the_queue_is_not_full() -> None:
    author = Scripted([0.0, 9.0])
    best, _ = evolve(author)
    assert best.rd == 0
    assert author.left == [9.0]


def test_what_is_hard_enough_is_not_evolved_further_unless_asked_for() -> None:
    for past, rounds in ((False, 1), (True, 2)):
        author = Scripted([2.0, 3.0, 4.0, 5.0])
        evolve(author, past_threshold=past, queue=1)
        assert ("child 2" in author.snapshots) is past
        assert len(author.snapshots) >= rounds


def test_rejected_children_and_their_parents_are_kept() -> None:
    _, evolution = evolve(Scripted([None]))
    start, partner, rejected = evolution.made
    assert (start.outcome, partner.outcome) == ("initial", "partner")
    assert (rejected.outcome, rejected.reason, rejected.parents) == (
        "rejected",
        "nothing left",
        (0, 1),
    )


@given(
    st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=40),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_the_mean_of_a_full_queue_never_falls(
    hardness: list[float | None], queue: int, partners: int
) -> None:
    class Watched(Evolution):
        async def _round(self, held: Sequence[Made], number: int) -> list[Made]:
            after = await super()._round(held, number)
            if len(held) == queue:
                before = fmean(difficulty(one.rd or 0, 0, 1.0) for one in held)
                assert fmean(difficulty(one.rd or 0, 0, 1.0) for one in after) >= before
            assert len(after) <= queue
            return after

    settings = Settings(weight=1.0, queue=queue, partners=partners, past_threshold=True, gain=0.0)
    evolution = Watched(Scripted(hardness), settings, random.Random(0))
    best = asyncio.run(evolution.run(qra("start"), "e"))
    kept = [one for one in evolution.made if one.outcome in ("initial", "kept")]
    assert best.rd == max(one.rd or 0 for one in kept)
