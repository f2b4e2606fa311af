"""Figures over raters' work: acceptance, values and time an item, by any property: pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist, median

from msgspec import Struct

from store.clock import local_day
from store.labels.forms import Value
from store.labels.statistics import Work
from store.records import UNASSIGNED, ItemState

OTHERS = "others"
"""All raters but the one who looks, taken together."""
LEVEL = 0.95


class WorkFigures(Struct, frozen=True):
    """What was done in one group."""

    group: str
    place: tuple[str, ...]
    """Keys of the group: topic and task of a cell, one key of any other; empty over all."""
    subjects: int
    """Subjects that anybody touched; hidden repeats belong to the subject that they repeat."""
    complete: int
    """Labels: rater and subject, the repeats included."""
    excluded: int
    postponed: int
    raters: tuple[str, ...]
    judged: int
    """Items on which a rater has decided."""
    accepted: int
    low: float | None
    """Ends of the 95 % interval of the acceptance; null where nothing is decided."""
    high: float | None
    median_seconds: float | None
    """Active time of a complete label; null when none was measured."""
    values: tuple[int, ...] = ()
    """How often each of the asked-for values was given, hidden repeats left out."""
    timed: int = 0
    """Complete labels whose time was measured."""
    seconds: float = 0.0
    """Active time of these together."""
    compared: int = 0
    """Pairs of such a value with that of another rater on the same subject."""
    equal: int = 0
    """Pairs of equal values."""

    @property
    def acceptance(self) -> float | None:
        """Accepted items / decided items, 0 to 1, corrected ones counted as accepted."""
        return self.accepted / self.judged if self.judged else None

    @property
    def per_hour(self) -> float | None:
        """Complete labels an hour at the keys; null when no time was measured."""
        return self.timed * 3600 / self.seconds if self.seconds else None

    @property
    def agreement(self) -> float | None:
        """Raw agreement with other raters, 0 to 1: equal pairs / compared pairs."""
        return self.equal / self.compared if self.compared else None


TWO_KEYS = {"cell": ("topic", "task"), "rater_day": ("rater", "day")}
"""The keys of groupings that have two."""
Given = Mapping[tuple[str, str], Value]
"""A field's value by subject and rater."""


def figures(
    work: Iterable[Work], by: str = "", *, choices: Sequence[Value] = (), given: Given | None = None
) -> list[WorkFigures]:
    """One row a group, sorted. `by` is empty for one row over all, `rater`, `topic`, `task`,
    `cell` (topic x task), `day` (of the last label, in local time), `rater_day`, or the name of a
    facet, such as the model or prompt of an item. `choices` are the values to count in `given`;
    without it, in those of the deciding field."""
    groups: defaultdict[tuple[str, ...], list[Work]] = defaultdict(list)
    on: defaultdict[str, dict[str, Value]] = defaultdict(dict)
    for one in work:
        groups[place(one, by)].append(one)
        value = _value(one, given)
        if value is not None and one.status == "complete":
            on[one.subject.id][one.rater] = value
    return [_figures(keys, groups[keys], choices, given, on) for keys in sorted(groups)]


def _value(one: Work, given: Given | None) -> Value | None:
    """The value that is counted of a piece of work; null for none, and for a hidden repeat."""
    if one.subject.is_repeat:
        return None
    return one.value if given is None else given.get((one.subject.id, one.rater))


def facet_names(work: Iterable[Work]) -> tuple[str, ...]:
    """The facets that items have, for `figures`."""
    return tuple(sorted({name for one in work for name in one.facets}))


def place(one: Work, by: str) -> tuple[str, ...]:
    """The keys of the group that a piece of work belongs to."""
    match by:
        case "":
            return ()
        case "rater":
            return (one.rater,)
        case "topic":
            return (one.topic,)
        case "task":
            return (one.task,)
        case "cell":
            return (one.topic, one.task)
        case "day":
            return (local_day(one.at),)
        case "rater_day":
            return (one.rater, local_day(one.at))
        case facet:
            return (str(one.facets.get(facet, UNASSIGNED)),)


def wilson(successes: int, trials: int, level: float = LEVEL) -> tuple[float, float] | None:
    """The score interval of a share (Wilson 1927), both ends in [0, 1]; None without a trial.

    ValueError for counts that no share can have.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no share")
    if trials == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / trials
    middle = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    # exact at the ends, where rounding would leave the range
    low = 0.0 if successes == 0 else (middle - half) / scale
    high = 1.0 if successes == trials else (middle + half) / scale
    return low, high


def _figures(
    keys: tuple[str, ...],
    work: list[Work],
    choices: Sequence[Value],
    given: Given | None,
    on: Mapping[str, Mapping[str, Value]],
) -> WorkFigures:
    done = [one for one in work if one.status == "complete"]
    states = {
        one.subject.base: one.item_state
        for one in done
        if one.value is not None and not one.subject.is_repeat
    }
    times = [one.active_ms / 1000 for one in done if one.active_ms]
    accepted = sum(state == ItemState.ACCEPTED for state in states.values())
    low, high = wilson(accepted, len(states)) or (None, None)
    own = [(one, value) for one in done if (value := _value(one, given)) is not None]
    counts = Counter(value for _, value in own)
    pairs = [
        value == other
        for one, value in own
        for rater, other in on[one.subject.id].items()
        if rater != one.rater
    ]
    return WorkFigures(
        group=" x ".join(keys) if keys else "all",
        place=keys,
        subjects=len({one.subject.base for one in work}),
        complete=len(done),
        excluded=sum(one.status == "excluded" for one in work),
        postponed=sum(one.status == "postponed" for one in work),
        raters=tuple(sorted({one.rater for one in work})),
        judged=len(states),
        accepted=accepted,
        low=low,
        high=high,
        median_seconds=median(times) if times else None,
        values=tuple(counts[choice] for choice in choices),
        timed=len(times),
        seconds=sum(times),
        compared=len(pairs),
        equal=sum(pairs),
    )
