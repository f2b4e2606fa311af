"""Runs compared: two of them in every cell, or several in a leaderboard."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from engine.calibration.calibration_records import CorrectedDifference
from engine.results.matrix import Axis
from engine.statistics.inference import (
    Cell,
    Difference,
    PoweredDifference,
    Settings,
    TurnState,
)
from store.records import Lang
from store.runs.results import MetricKey
from store.runs.runs import Run


class LeftOut(Struct, frozen=True, order=True):
    """The reason why a turn is not in the common set: its state in either run; not both are ok."""

    a: TurnState
    b: TurnState


class Comparison(Struct, frozen=True):
    """Two runs on one metric."""

    overall: Difference
    cells: dict[Cell, Difference]
    """Every cell of the common set, in order of row and column; Holm is over these."""
    left_out: dict[LeftOut, int]
    """How many turns are in either run but not in the common set, by reason."""
    higher_is_better: bool | None
    settings: Settings


class GateVerdict(StrEnum):
    HOLDS = "holds"
    NOT_MET = "not met"
    UNDECIDED = "undecided"


class GateResult(Struct, frozen=True):
    """What became of a gate, with the difference that it was decided by."""

    verdict: GateVerdict
    metric: MetricKey
    margin: float
    higher_is_better: bool
    unscored: int
    """Turns for which b has a value and a has none, because something failed or is to come."""
    difference: Difference
    settings: Settings
    lang: Lang
    corrected: CorrectedDifference | None = None
    """By people's labels: what decided in the place of `difference`, where there are enough."""


class RunComparison(Struct, frozen=True):
    """Two runs on one metric, cell by cell."""

    a: Run
    b: Run
    metric: MetricKey
    rows: Axis
    cols: Axis
    comparison: Comparison
    lang: Lang
    """Of the labels."""
    gates: tuple[GateResult, ...] = ()
    """What became of the gates that were asked for."""
    corrected: CorrectedDifference | None = None
    """By people's labels of the same answers, where both runs have some."""


class PairedScore(Struct, frozen=True):
    """A turn that both runs have a value for; repeats are averaged."""

    item_key: str
    revision_id: int
    turn: int
    a: float
    """On [0, 1] where the metric has an upper end, as is `b`."""
    b: float


class Standing(Struct, frozen=True):
    """A run's line in a leaderboard."""

    run: str
    mean: float | None
    low: float | None
    """Ends of the interval of the mean; null with fewer than `MIN_GROUPS` groups."""
    high: float | None
    tiers: tuple[int, ...]
    """The tiers that the run is in, numbered from 0 for the best."""

    @property
    def letters(self) -> str:
        """The tiers as letters: runs that share one are not told apart."""
        return "".join(_letter(tier) for tier in self.tiers)


class Leaderboard(Struct, frozen=True):
    """Several runs on one metric, on the turns that all of them have a value for."""

    items: int
    groups: int
    standings: tuple[Standing, ...]
    """Best first (highest, where no direction is); equal means by name."""
    pairs: dict[tuple[str, str], Difference]
    """Every pair, the better placed first; Holm is over the pairs."""
    tiers: tuple[tuple[str, ...], ...]
    """The largest sets of runs of which no two are told apart; they may overlap."""
    left_out: dict[str, dict[TurnState, int]]
    """For each run, how many turns it lacks a value for, by reason. Every turn that any run
    lacks is left out for all of them."""
    higher_is_better: bool | None
    settings: Settings
    corrected: dict[tuple[str, str], PoweredDifference] = {}
    """The pairs that have labels of people's, corrected by these, on the questions that both
    answered; Holm is over them."""


class MacroRow(Struct, frozen=True):
    """A system with its standing on each dataset; null where it answered none of it."""

    system: str
    standings: tuple[Standing | None, ...]
    mean: float | None
    """The mean of the datasets' means, each weighing the same; null where one is missing."""


class MacroBoard(Struct, frozen=True):
    """Several systems on one metric, over several datasets."""

    key: MetricKey
    boards: dict[str, Leaderboard]
    """By dataset, in order of their names: each over the turns that all its runs have a value for,
    so that the systems are compared on the same questions."""
    rows: tuple[MacroRow, ...]
    """Best first (highest, where no direction is); those without a mean come last."""


def _letter(tier: int) -> str:
    """a, b, ... z, a1, b1, ..."""
    lap, place = divmod(tier, 26)
    return chr(ord("a") + place) + (str(lap) if lap else "")
