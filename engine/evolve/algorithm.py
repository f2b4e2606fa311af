"""AutoEvolve's Algorithm 1: a queue of questions that grow harder until that brings no more."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Sequence
from statistics import fmean
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from engine.difficulty.formulas import LAMBDA, difficulty
from engine.evolve.operations import Step
from engine.evolve.qra import Qra, Rejected
from store.datasets.lineages import Outcome


class Settings(Struct, frozen=True):
    """The settings of an evolution. The paper says lambda, threshold and queue."""

    weight: float = LAMBDA
    threshold: float = 1.2
    """delta: RGD above which a question is hard enough."""
    queue: int = 2
    gain: float = 0.01
    """epsilon: a round that raises the mean RGD by no more is the last."""
    partners: int = 3
    """num_e: questions that are made to evolve each one of the queue with, in a round."""
    rounds: int = 5
    """At most."""
    past_threshold: bool = False
    """Whether a question that is hard enough is evolved further, as Algorithm 1 is printed. By §3.4
    only what is not is, and by table 7 one operation was mostly enough."""


class Made(Struct, frozen=True):
    """A question that was made, or why it was not, with where it comes from."""

    number: int
    operation: str
    entity: str
    parents: tuple[int, ...]
    round: int
    qra: Qra | None
    rd: float | None = None
    gd: float | None = None
    outcome: Outcome = "initial"
    reason: str = ""

    def rgd(self, weight: float) -> float:
        return difficulty(self.rd or 0.0, self.gd or 0.0, weight)


class Author(Protocol):
    """Writes the questions of a family, and measures them."""

    def partner(self, qra: Qra, drawn: random.Random) -> Awaitable[tuple[str, Qra | Rejected]]:
        """A question from a chunk that shares an entity with one, and the entity."""

    def steps(self, qra: Qra, other: Qra) -> Sequence[Step]:
        """The operations that can be carried out on two questions."""

    def child(self, step: Step) -> Awaitable[Qra | Rejected]:
        """What an operation makes of two questions."""

    def measure(self, qra: Qra) -> Awaitable[tuple[float, float]]:
        """RD and GD of a question."""


class Evolution:
    """The evolution of one initial question; `made` is all that came of it, in order."""

    def __init__(self, author: Author, settings: Settings, drawn: random.Random) -> None:
        self.made: list[Made] = []
        self._author = author
        self._settings = settings
        self._drawn = drawn

    async def run(self, initial: Qra, entity: str) -> Made:
        """The hardest question; the caller looks whether it is above the threshold.

        As printed, the mean before the first round is 0, and an initial question below epsilon
        would never be evolved: here it is minus infinity.
        """
        first = await self._measured(Made(0, initial.kind, entity, (), 0, initial))
        queue = [first]
        before, now = float("-inf"), self._mean(queue)
        for number in range(1, self._settings.rounds + 1):
            if now <= before + self._settings.gain:
                break
            before = self._mean(queue)
            queue = await self._round(queue, number)
            now = self._mean(queue)
        for one in queue:
            if one.number:
                self.made[one.number] = replace(one, outcome="kept")
        return max(queue, key=self._hardness)

    async def _round(self, queue: Sequence[Made], number: int) -> list[Made]:
        """The hardest of the queue and of what was made of a snapshot of it in this round."""
        pushed = list(queue)
        for parent in queue:
            if (
                self._hardness(parent) > self._settings.threshold
                and not self._settings.past_threshold
            ):
                continue
            for _ in range(self._settings.partners):
                child = await self._evolve(parent, number)
                if child is not None:
                    pushed.append(child)
        return sorted(pushed, key=self._hardness, reverse=True)[: self._settings.queue]

    async def _evolve(self, parent: Made, number: int) -> Made | None:
        """The hardest child of one question and a new partner; None where there is none."""
        assert parent.qra is not None
        entity, other = await self._author.partner(parent.qra, self._drawn)
        if isinstance(other, Rejected):
            self._note("partner", entity, (), number, other.reason)
            return None
        partner = await self._measured(
            Made(len(self.made), other.kind, entity, (), number, other, outcome="partner")
        )
        steps = self._author.steps(parent.qra, other)
        if not steps:
            reason = "no operation's condition holds"
            self._note("none", entity, (parent.number, partner.number), number, reason)
        children = []
        for step in steps:
            parents = (parent.number, partner.number)
            child = await self._author.child(step)
            if isinstance(child, Rejected):
                self._note(step.operation, step.entity, parents, number, child.reason)
                continue
            children.append(
                await self._measured(
                    Made(
                        len(self.made),
                        step.operation,
                        step.entity,
                        parents,
                        number,
                        child,
                        outcome="dropped",
                    )
                )
            )
        return max(children, key=self._hardness, default=None)

    async def _measured(self, made: Made) -> Made:
        assert made.qra is not None
        rd, gd = await self._author.measure(made.qra)
        self.made.append(replace(made, rd=rd, gd=gd))
        return self.made[-1]

    def _note(
        self, operation: str, entity: str, parents: tuple[int, ...], number: int, reason: str
    ) -> None:
        """Keeps that nothing came of something, and why."""
        self.made.append(
            Made(
                len(self.made),
                operation,
                entity,
                parents,
                number,
                None,
                outcome="rejected",
                reason=reason,
            )
        )

    def _hardness(self, made: Made) -> float:
        return made.rgd(self._settings.weight)

    def _mean(self, queue: Sequence[Made]) -> float:
        return fmean(map(self._hardness, queue))
