"""Figures over raters' work: acceptance, progress and time an item, by any property: pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import median

from msgspec import Struct

from store.label_review import Work
from store.records import UNASSIGNED, ItemState


class WorkFigures(Struct, frozen=True):
    """What was done in one group."""

    group: str
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
    median_seconds: float | None
    """Active time of a complete label; null when none was measured."""

    @property
    def acceptance(self) -> float | None:
        """Accepted items / judged items, 0 to 1, corrected ones counted as accepted."""
        return self.accepted / self.judged if self.judged else None


def figures(work: Iterable[Work], by: str = "") -> list[WorkFigures]:
    """One row a group, sorted. `by` is empty for one row over all, `rater`, `topic`, `task`,
    `cell` (topic x task), or the name of a facet, such as the model or prompt of an item."""
    groups: defaultdict[str, list[Work]] = defaultdict(list)
    for one in work:
        groups[_group(one, by)].append(one)
    return [_figures(name, groups[name]) for name in sorted(groups)]


def facet_names(work: Iterable[Work]) -> tuple[str, ...]:
    """The facets that items have, for `figures`."""
    return tuple(sorted({name for one in work for name in one.facets}))


def _group(one: Work, by: str) -> str:
    match by:
        case "":
            return "all"
        case "rater":
            return one.rater
        case "topic":
            return one.topic
        case "task":
            return one.task
        case "cell":
            return f"{one.topic} x {one.task}"
        case facet:
            return str(one.facets.get(facet, UNASSIGNED))


def _figures(name: str, work: list[Work]) -> WorkFigures:
    done = [one for one in work if one.status == "complete"]
    states = {
        one.subject.base: one.item_state
        for one in done
        if one.value is not None and not one.subject.is_repeat
    }
    times = [one.active_ms / 1000 for one in done if one.active_ms]
    return WorkFigures(
        group=name,
        subjects=len({one.subject.base for one in work}),
        complete=len(done),
        excluded=sum(one.status == "excluded" for one in work),
        postponed=sum(one.status == "postponed" for one in work),
        raters=tuple(sorted({one.rater for one in work})),
        judged=len(states),
        accepted=sum(state == ItemState.ACCEPTED for state in states.values()),
        median_seconds=median(times) if times else None,
    )
