"""What goes into a comparison of runs, and what comes out."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

Cell = tuple[str, str]
"""Row and column of a matrix: a topic and a task, or two facets."""

MIN_GROUPS = 6
"""With fewer groups there is no verdict: of 2 ** 5 sign patterns two are always as extreme as the
observed one, so no result of five groups has p below 2 / 32 = .0625."""


class Settings(Struct, frozen=True):
    """How a comparison is computed; equal settings and rows give equal results."""

    level: float = 0.05
    """Of the test; intervals cover 1 - level."""
    seed: int = 0
    resamples: int = 9_999
    """Bootstrap samples behind an interval, and random sign patterns behind a p value. The smallest
    p is 1 / (resamples + 1), so a difference can survive Holm's adjustment among as many as
    level * (resamples + 1) = 500 cells."""


class Side(StrEnum):
    """What a run has for one turn of an item: a state of the score, or why there is no score."""

    OK = "ok"
    NA = "na"
    UNPARSED = "unparsed"
    OUT_OF_RANGE = "out_of_range"
    ERROR = "error"
    MISSING = "missing"
    PENDING = "pending"
    ABSENT = "absent"
    """The run holds no prediction for this turn."""
    REVISED = "revised"
    """The runs answered different revisions of the item."""


class LeftOut(Struct, frozen=True, order=True):
    """Why a turn is not in the common set: what either run has for it; not both are ok."""

    a: Side
    b: Side


class Verdict(StrEnum):
    A_BETTER = "a better"
    B_BETTER = "b better"
    A_HIGHER = "a higher"
    """In place of `better` for a metric that describes without judging, such as `length`."""
    B_HIGHER = "b higher"
    NO_DIFFERENCE = "no difference found"
    TOO_FEW = "too few to tell"


class Difference(Struct, frozen=True):
    """Run a minus run b on the turns that both have a value for."""

    items: int
    """Turns in the common set; an item of one turn counts once, whatever its repeats."""
    groups: int
    """Independent units (dialogue, source document) among them: what is resampled."""
    mean_a: float | None
    """Null, as is all that follows from it, when the common set is empty."""
    mean_b: float | None
    difference: float | None
    """`mean_a - mean_b`, whichever direction is better."""
    low: float | None
    """Ends of the interval of the difference; null with fewer than `MIN_GROUPS` groups."""
    high: float | None
    p: float | None
    """Two-sided sign-flip test over groups."""
    p_holm: float | None
    """`p` adjusted for all the differences tested beside this one. Null where nothing is tested
    beside it, and with fewer than `MIN_GROUPS` groups: such a one is not tested."""
    mcnemar: float | None
    """Exact McNemar test; null unless every value is 0 or 1 and every group has one turn."""
    wins: int
    """Turns on which a is better (higher, where no direction is); equal up to 1e-9 is a tie."""
    ties: int
    losses: int
    verdict: Verdict
    """By `p_holm` if there is one, else by `p`, at the level of the settings."""


class Comparison(Struct, frozen=True):
    """Two runs on one metric."""

    overall: Difference
    cells: dict[Cell, Difference]
    """Every cell of the common set, in order of row and column; Holm is over these."""
    left_out: dict[LeftOut, int]
    """How many turns are in either run but not in the common set, by reason."""
    higher_is_better: bool | None
    settings: Settings


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
    left_out: dict[str, dict[Side, int]]
    """For each run, how many turns it lacks a value for, by reason. Every turn that any run
    lacks is left out for all of them."""
    higher_is_better: bool | None
    settings: Settings


def _letter(tier: int) -> str:
    """a, b, ... z, a1, b1, ..."""
    lap, place = divmod(tier, 26)
    return chr(ord("a") + place) + (str(lap) if lap else "")
