"""Agreement of a form's raters: field by field, applicability before values, by any grouping."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations, compress

import numpy as np
from msgspec import Struct
from threadpoolctl import threadpool_limits

from engine.labelling.figures.agreement_records import (
    AGAIN,
    POOLED,
    VERDICT,
    Agreement,
    By,
    PairTable,
    Part,
)
from engine.statistics.agreement.counts import count, encode, pairs
from engine.statistics.agreement.intervals import RESAMPLES, measures
from engine.statistics.agreement.measures import NOMINAL, ORDINAL
from store.labels.forms import NA, Field, Form, Value
from store.labels.standing import Rated


class _Question(Struct, frozen=True):
    """One thing that raters can agree on: values read from those of a field."""

    field: str
    part: Part
    values: tuple[Value, ...]
    names: tuple[str, ...]
    """Of the statistics that suit it."""
    read: Callable[[Rated], Value | None]


def agreement(
    rated: Iterable[Rated],
    form: Form,
    *,
    by: By = "metric",
    raters: Sequence[str] = (),
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> list[Agreement]:
    """A row for every group (`by`; one over all for `metric`), field and part, groups sorted and
    fields in the form's order. Hidden repeats are left out. `raters` are those compared, all if
    empty. With `pair`, a group is each two raters; else figures are over all of them at once.
    """
    firsts = [one for one in rated if not one.subject.is_repeat]
    names = tuple(raters) or tuple(sorted({one.rater for one in firsts}))
    chosen = [one for one in firsts if one.rater in names]
    sets: list[tuple[str, tuple[str, ...], list[Rated]]]
    if by == "pair":
        sets = [(f"{a} {b}", (a, b), chosen) for a, b in combinations(names, 2)]
    else:
        grouped: defaultdict[str, list[Rated]] = defaultdict(list)
        for one in chosen:
            grouped[_place(one, by)].append(one)
        sets = [(name, names, grouped[name]) for name in sorted(grouped)]
    # the products are small: threads would only wait for each other
    with threadpool_limits(1):
        return [
            _figures(name, question, who, _units(of_group, question), seed, resamples)
            for name, who, of_group in sets
            for question in _questions(form)
        ]


def self_consistency(
    rated: Iterable[Rated], form: Form, *, seed: int = 0, resamples: int = RESAMPLES
) -> list[Agreement]:
    """Each rater against the same rater's hidden repeats: a row for every rater, field and part;
    nothing for a rater who was shown none."""
    values = list(rated)
    out = []
    for rater in sorted({one.rater for one in values if one.subject.is_repeat}):
        own = [one for one in values if one.rater == rater]
        names = (rater, f"{rater} {AGAIN}")
        for question in _questions(form):
            units = _units(own, question, _first_or_again)
            with threadpool_limits(1):
                out.append(_figures(rater, question, names, units, seed, resamples))
    return out


def _first_or_again(one: Rated) -> str:
    return f"{one.rater} {AGAIN}" if one.subject.is_repeat else one.rater


def rater_names(rated: Iterable[Rated]) -> tuple[str, ...]:
    return tuple(sorted({one.rater for one in rated}))


_Units = dict[tuple[str, str], tuple[str, dict[str, Value]]]
"""By subject and field: its group, and the values by rater."""


def _rater(one: Rated) -> str:
    return one.rater


def _units(
    rated: Iterable[Rated], question: _Question, of: Callable[[Rated], str] = _rater
) -> _Units:
    out: _Units = {}
    for one in rated:
        if question.field in (one.field, POOLED, VERDICT):
            value = question.read(one)
            if value is not None:
                key = (one.subject.base, one.field)
                out.setdefault(key, (one.group_key or one.subject.base, {}))[1][of(one)] = value
    return out


def _figures(
    group: str,
    question: _Question,
    raters: tuple[str, ...],
    units: _Units,
    seed: int,
    resamples: int,
) -> Agreement:
    rated: list[tuple[Hashable | None, ...]] = []
    groups: list[str] = []
    for of_group, given in units.values():
        row = tuple(given.get(rater) for rater in raters)
        if any(value is not None for value in row):
            rated.append(row)
            groups.append(of_group)
    shared = [sum(value is not None for value in row) >= 2 for row in rated]
    rows = list(compress(rated, shared))
    return Agreement(
        group=group,
        field=question.field,
        part=question.part,
        raters=raters,
        n=len(rows),
        groups=len(set(compress(groups, shared))),
        values=question.values,
        statistics=measures(
            rated if rows else [],
            question.values,
            question.names,
            groups,
            seed=seed,
            resamples=resamples,
        ),
        base_rates=_base_rates(rows, raters, question.values),
        tables=_tables(rows, raters, question.values),
    )


def _base_rates(
    rows: Sequence[Sequence[Hashable | None]], raters: Sequence[str], values: Sequence[Value]
) -> dict[str, tuple[int, ...]]:
    counted = [Counter(row[at] for row in rows) for at in range(len(raters))]
    return {
        rater: tuple(counts[value] for value in values)
        for rater, counts in zip(raters, counted, strict=True)
    }


def _tables(
    rows: Sequence[Sequence[Hashable | None]], raters: Sequence[str], values: Sequence[Value]
) -> tuple[PairTable, ...]:
    if not rows:
        return ()
    tables = count(encode(rows, values), len(values)).tables.sum(0).astype(np.int64)
    return tuple(
        PairTable((raters[one], raters[other]), tuple(tuple(map(int, row)) for row in table))
        for (one, other), table in zip(pairs(len(raters)), tables, strict=True)
    )


def _place(one: Rated, by: By) -> str:
    match by:
        case "cell":
            return f"{one.topic} x {one.task}"
        case "topic":
            return one.topic
        case "task":
            return one.task
    return ""


def _questions(form: Form) -> list[_Question]:
    fields = [field for field in form.fields if field.kind in ("scale", "choice", "flag")]
    out = [question for field in fields for question in _of_field(field)]
    if form.decision is not None:
        decision = form.decision
        values = tuple(one for one in ("accept", "discard", "correct") if getattr(decision, one))
        out.append(
            _Question(
                VERDICT,
                "value",
                values,
                NOMINAL,
                lambda one: decision.verdict(one.value) if one.field == decision.field else None,
            )
        )
    if len(fields) > 1 and all(field.kind == "scale" for field in fields):
        every = {int(choice.value) for field in fields for choice in field.choices}
        legal: tuple[Value, ...] = tuple(sorted(every))
        if any(field.na for field in fields):
            legal = (NA, *legal)
        out.append(_Question(POOLED, "value", legal, NOMINAL, lambda one: one.value))
    return out


def _of_field(field: Field) -> list[_Question]:
    legal: tuple[Value, ...] = tuple(choice.value for choice in field.choices)
    if field.kind == "flag":
        legal = (False, True)
    names = ORDINAL if field.kind == "scale" else NOMINAL
    value = _Question(
        field.key, "value", legal, names, lambda one: None if one.value == NA else one.value
    )
    if not field.na:
        return [value]
    is_na = _Question(
        field.key,
        "applicability",
        ("applicable", NA),
        NOMINAL,
        lambda one: NA if one.value == NA else "applicable",
    )
    return [is_na, value]
