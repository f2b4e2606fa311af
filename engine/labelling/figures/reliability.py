"""How reliable raters are, over time: known answers, agreement with others, minutes a label."""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from statistics import NormalDist, median
from typing import NamedTuple

from msgspec import Struct

from engine.labelling.figures.statistics import LEVEL
from engine.labelling.figures.work_records import Estimate, Period, Reliability, ReliabilityReport
from engine.labelling.forms import find_form
from store.clock import local_day
from store.errors import NotFound
from store.labels import standing, statistics
from store.labels.forms import Form, Value, same
from store.labels.samples import known
from store.labels.samples.known import Purpose
from store.messages import choices
from store.workspace import Workspace


class ReliabilityQuery(Struct, frozen=True):
    """Computes it, for the app."""

    form: str
    viewer: str
    by: Period

    def answer(self, workspace: Workspace) -> ReliabilityReport:
        """Raises as `reliability` does."""
        return reliability(workspace.db, self.form, self.viewer, by=self.by)


def reliability(
    db: sqlite3.Connection,
    form_key: str,
    viewer: str,
    *,
    by: Period = "all",
    raters: Sequence[str] = (),
) -> ReliabilityReport:
    """By rater and period, of all raters if `raters` is empty. A label belongs to the period in
    which its subject was completed. Raises NotFound for an unknown form or rater."""
    form = find_form(db, form_key)
    is_rater = statistics.labels_with(db, form.key, viewer)
    purposes: tuple[Purpose, ...] = ("training",) if is_rater else ("attention", "training")
    parts: defaultdict[tuple[str, str], _Part] = defaultdict(_Part)
    completed: dict[tuple[str, str], str] = {}
    for work in statistics.work(db, form):
        if work.status == "complete":
            period = _period(work.at, by)
            completed[work.subject.id, work.rater] = period
            part = parts[work.rater, period]
            part.labels += 1
            if work.active_ms:
                part.minutes.append(work.active_ms / 60_000)
    for one in known.answered(db, form.key, purposes):
        part = parts[one.rater, _period(one.at, by)]
        part.known[one.subject.id].append(_is_right(form, one.field, one.value, one.known))
    _compare(db, form, completed, parts)
    every = sorted({rater for rater, _ in parts})
    for rater in raters:
        if rater not in every:
            raise NotFound(
                f"{rater} has labelled nothing with form {form.key!r}.",
                choices(rater, every, "These have", none="nobody yet"),
            )
    seen = {viewer} if is_rater else set(raters or every)
    rows = tuple(
        Reliability(
            rater,
            period,
            part.labels,
            _share(part.known),
            _share(part.agreeing),
            _median(part.minutes),
        )
        for (rater, period), part in sorted(parts.items())
        if rater in seen
    )
    return ReliabilityReport(form.key, by, rows, is_rater)


class _Part:
    """What one rater did in one period."""

    def __init__(self) -> None:
        self.labels = 0
        self.minutes: list[float] = []
        self.known: defaultdict[str, list[bool]] = defaultdict(list)
        """Whether the values of each known question are right."""
        self.agreeing: defaultdict[str, list[bool]] = defaultdict(list)
        """Whether the values of each shared subject are those of others; by group of subjects that
        hang together."""


class _Said(NamedTuple):
    rater: str
    value: Value


def _compare(
    db: sqlite3.Connection,
    form: Form,
    completed: dict[tuple[str, str], str],
    parts: defaultdict[tuple[str, str], _Part],
) -> None:
    fields: defaultdict[tuple[str, str, str], list[_Said]] = defaultdict(list)
    for one in standing.rated(db, form):
        if not one.subject.is_repeat:
            group = one.group_key or one.subject.id
            fields[one.subject.id, group, one.field].append(_Said(one.rater, one.value))
    for (subject, group, _), said in fields.items():
        for own in said:
            for other in said:
                if other is not own:
                    part = parts[own.rater, completed[subject, own.rater]]
                    part.agreeing[group].append(same(own.value, other.value))


def _is_right(form: Form, field: str, value: Value, known: Value) -> bool:
    """Whether a value is the known one; of a form that decides about items, decides the same."""
    decision = form.decision
    if decision is not None and field == decision.field:
        return decision.verdict(value) == decision.verdict(known)
    return same(value, known)


def _period(at: str, by: Period) -> str:
    day = local_day(at)
    match by:
        case "all":
            return ""
        case "month":
            return day[:7]
        case "week":
            year, week, _ = date.fromisoformat(day).isocalendar()
            return f"{year}-W{week:02}"
        case "day":
            return day


def _share(groups: dict[str, list[bool]]) -> Estimate:
    """A share with its interval over groups, since the values of one hang together."""
    import numpy as np

    from engine.statistics.inference import Settings
    from engine.statistics.means import mean_interval

    if not groups:
        return Estimate(None, None, None, 0)
    sums = np.array([sum(values) for values in groups.values()], dtype=np.float64)
    sizes = np.array([len(values) for values in groups.values()], dtype=np.float64)
    low, high = mean_interval(sums, sizes, True, Settings())
    return Estimate(float(sums.sum() / sizes.sum()), low, high, len(groups))


def _median(values: Iterable[float]) -> Estimate:
    """The median with the interval between two order statistics, whatever the distribution
    (Conover 1999, 3.2): the ranks n/2 - z sqrt(n)/2 and its mirror, rounded outwards."""
    ordered = sorted(values)
    n = len(ordered)
    if not n:
        return Estimate(None, None, None, 0)
    rank = math.floor(n / 2 - NormalDist().inv_cdf((1 + LEVEL) / 2) * math.sqrt(n) / 2)
    if rank < 1:
        return Estimate(median(ordered), None, None, n)
    return Estimate(median(ordered), ordered[rank - 1], ordered[n - rank], n)
