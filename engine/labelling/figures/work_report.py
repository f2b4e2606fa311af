"""The report on raters' work with a form, as one person may see it.

Who labels with a form is blind to others' labels of what they have not labelled: rates over many
subjects are told, other raters are taken together, and behind a figure stands what the person has
committed. Who labels nothing with it, a lead, sees every rater.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from msgspec import structs

from engine.labelling.figures.statistics import OTHERS, WorkFigures, facet_names, figures, place
from engine.labelling.figures.work_records import (
    AutomaticAgainst,
    Axis,
    Distribution,
    LabelledSubject,
    Second,
    Today,
    WorkReport,
)
from engine.labelling.forms import find_form
from store.errors import UsageError
from store.labels import standing, statistics
from store.labels.forms import Field, Form, Value, Verdict
from store.labels.samples import quotas
from store.labels.statistics import Work
from store.messages import choices
from store.records import UNASSIGNED, Taxonomy

_AXES = ("cell", "topic", "task", "rater", "day", "rater_day")
_BY_RATER = ("rater", "rater_day")
Given = dict[tuple[str, str], dict[str, Value]]


def work_report(
    db: sqlite3.Connection, form_key: str, viewer: str, *, by: str = "", since: str = ""
) -> WorkReport:
    """The report with a row for each group of `by` (see `figures`); today begins at `since`, UTC
    text. UsageError for a `by` that there is not."""
    form = find_form(db, form_key)
    work = statistics.work(db, form)
    is_rater = statistics.labels_with(db, form_key, viewer)
    axes = (*_AXES, *facet_names(work))
    _check(by, axes)
    given = statistics.values(db, form_key)
    field, choices = _counted(form)
    of_field = {key: values[field] for key, values in given.items() if field in values}
    seen = _as_seen(work, viewer) if by in _BY_RATER and is_rater else work
    # a rater called by another name keeps their values
    if seen is not work:
        of_field |= {
            (one.subject.id, shown.rater): of_field[one.subject.id, one.rater]
            for one, shown in zip(work, seen, strict=True)
            if (one.subject.id, one.rater) in of_field
        }

    def rows(by: str, of: Sequence[Work] = work) -> tuple[WorkFigures, ...]:
        return tuple(figures(of, by, choices=choices, given=of_field))

    own = [one for one in work if one.rater == viewer] if is_rater else work
    known = statistics.taxonomies_of(db, form_key)
    return WorkReport(
        form=form_key,
        viewer=viewer,
        by=by,
        axes=axes,
        is_rater=is_rater,
        decides=form.decision is not None,
        field=field,
        choices=choices,
        rows=rows(by, seen),
        by_topic=rows("topic"),
        by_task=rows("task"),
        total=next(iter(rows("")), None),
        topics=_axis({one.topic for one in work}, _topics(known)),
        tasks=_axis({one.task for one in work}, _tasks(known)),
        distributions=tuple(_distribution(one, given) for one in _asked(form)),
        today=_today(own, since),
        seconds=_seconds(db, form),
        automatic=_against(db, form, own),
        progress=tuple(
            one
            for one in quotas.progress(db, form_key)
            if one.most is not None and (not is_rater or one.rater == viewer)
        ),
    )


def labelled_subjects(
    db: sqlite3.Connection, form_key: str, viewer: str, *, by: str, keys: Sequence[str | None]
) -> list[LabelledSubject]:
    """What stands behind a row or cell of a report, in the order of subjects. `keys` are those of
    its place; None takes all, for the margins of a map. UsageError for a `by` that there is not."""
    form = find_form(db, form_key)
    work = statistics.work(db, form)
    is_rater = statistics.labels_with(db, form_key, viewer)
    _check(by, (*_AXES, *facet_names(work)))
    seen = _as_seen(work, viewer) if by in _BY_RATER and is_rater else work
    chosen = dict.fromkeys(
        one.subject.base
        for one, shown in zip(work, seen, strict=True)
        if all(key in (None, have) for key, have in zip(keys, place(shown, by), strict=True))
    )
    of: dict[str, list[Work]] = {base: [] for base in chosen}
    for one in work:
        if one.subject.base in of and not one.subject.is_repeat:
            of[one.subject.base].append(one)
    given = statistics.values(db, form_key)
    field, _ = _counted(form)
    subjects = [ones[0].subject for ones in of.values() if ones]
    return [
        _judged(line, of[line.subject.base], given, field, viewer, is_rater)
        for line in statistics.lines(db, form, subjects)
    ]


def _judged(
    line: statistics.SubjectLine,
    work: Sequence[Work],
    given: Given,
    field: str,
    viewer: str,
    is_rater: bool,
) -> LabelledSubject:
    own = [one for one in work if one.rater == viewer]
    is_done = any(one.status in ("complete", "excluded") for one in own)
    is_told = is_done or not is_rater
    told = work if is_told else own
    values = [
        (one.rater, given[one.subject.id, one.rater][field])
        for one in told
        if field in given.get((one.subject.id, one.rater), {})
    ]
    times = [one.active_ms / 1000 for one in told if one.active_ms]
    return LabelledSubject(
        line=line, is_told=is_told, values=tuple(values), seconds=median(times) if times else None
    )


def _check(by: str, axes: Sequence[str]) -> None:
    if by and by not in axes:
        raise UsageError(
            f"There is nothing called {by!r} to group by.", choices(by, axes, "There are")
        )


def _as_seen(work: Iterable[Work], viewer: str) -> list[Work]:
    return [one if one.rater == viewer else structs.replace(one, rater=OTHERS) for one in work]


def _asked(form: Form) -> list[Field]:
    return [field for field in form.fields if field.kind == "scale" or _decides(form, field)]


def _decides(form: Form, field: Field) -> bool:
    return form.decision is not None and form.decision.field == field.key


def _counted(form: Form) -> tuple[str, tuple[Value, ...]]:
    """The field whose values rows count, and its legal values."""
    fields = [field for field in form.fields if field.choices]
    deciding = [field for field in fields if _decides(form, field)]
    for field in (*deciding, *fields):
        return field.key, tuple(choice.value for choice in field.choices)
    return "", ()


def _distribution(field: Field, given: Given) -> Distribution:
    legal: tuple[Value, ...] = tuple(choice.value for choice in field.choices)
    if field.na:
        legal = (*legal, "na")
    counts = Counter(
        values[field.key]
        for (subject, _), values in given.items()
        if field.key in values and "#" not in subject
    )
    return Distribution(field.key, legal, tuple(counts[value] for value in legal))


def _today(work: Iterable[Work], since: str) -> Today:
    done = [one for one in work if one.status == "complete" and one.at >= since]
    timed = [one.active_ms for one in done if one.active_ms]
    return Today(len(done), len(timed) * 3_600_000 / sum(timed) if timed else None)


def _seconds(db: sqlite3.Connection, form: Form) -> tuple[Second, ...]:
    """Raw agreement and plain kappa of each field that has values of a second rater, or, where
    there is none, of the first field, whose reason says so."""
    from engine.labelling.figures.agreement_figures import agreement

    asked = [field.key for field in _asked(form)]
    if form.decision is not None:
        asked.insert(0, "verdict")
    agreements = [
        Second(one.field, one.n, one.statistics["raw"], one.statistics["kappa_plain"])
        for one in agreement(standing.rated(db, form), form, resamples=0)
        if one.part == "value" and one.field in asked
    ]
    agreements.sort(key=lambda one: asked.index(one.field))
    return tuple(one for one in agreements if one.n) or tuple(agreements[:1])


def _against(db: sqlite3.Connection, form: Form, work: Iterable[Work]) -> AutomaticAgainst | None:
    if form.decision is None or form.subject_kind != "revision":
        return None
    evaluations = statistics.evaluations(db)
    counts: dict[int, dict[Verdict, int]] = {}
    for one in work:
        value = evaluations.get(one.subject.numbers[0])
        verdict = form.decision.verdict(one.value)
        if one.status == "complete" and not one.subject.is_repeat and value is not None and verdict:
            row = counts.setdefault(value, {})
            row[verdict] = row.get(verdict, 0) + 1
    return AutomaticAgainst({value: counts[value] for value in sorted(counts, reverse=True)})


def named_axes(db: sqlite3.Connection, form_key: str) -> tuple[Axis, Axis]:
    """Topics and tasks of all that is sampled or labelled with a form, with their names."""
    known = statistics.taxonomies_of(db, form_key)
    topics, tasks = _topics(known), _tasks(known)
    return _axis(set(topics), topics), _axis(set(tasks), tasks)


def _topics(known: Iterable[Taxonomy]) -> dict[str, tuple[str, str]]:
    return {one.key: (one.zh, one.en) for taxonomy in known for one in taxonomy.topics}


def _tasks(known: Iterable[Taxonomy]) -> dict[str, tuple[str, str]]:
    return {one.key: (one.zh, one.en) for taxonomy in known for one in taxonomy.tasks}


def _axis(present: set[str], names: dict[str, tuple[str, str]]) -> Axis:
    keys = [key for key in names if key in present]
    keys += sorted(present - names.keys() - {UNASSIGNED})
    keys += [UNASSIGNED] if UNASSIGNED in present else []
    labels = [names.get(key, (key, key)) for key in keys]
    return Axis(tuple(keys), tuple(zh for zh, _ in labels), tuple(en for _, en in labels))
