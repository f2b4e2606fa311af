"""Acts on many items at once: planned, done in one transaction, and taken back as a whole."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct, to_builtins

from engine.labelling.forms import fields_not_applicable, find_form, revision_facts
from engine.labelling.items.item_lists import ItemRequest, list_items
from store.datasets import datasets, item_lists
from store.datasets.item_lists import ItemFilter, ItemLine
from store.errors import Conflict, InputError, NotFound, UsageError
from store.labels import forms
from store.labels.forms import Form, Value, check_value, reason_known
from store.labels.log import acts, authoring, log
from store.labels.log.events import EventKind, Subject
from store.labels.samples import queue, samples
from store.labels.samples.samples import Assignment, Candidate, Sample
from store.workspace import Workspace

Verb = Literal["set", "exclude", "postpone", "flag", "sample"]


class ActRequest(Struct, frozen=True, omit_defaults=True):
    """What is to be done with all items that are found."""

    items: ItemRequest
    verb: Verb
    """`set` gives the form's deciding field a value; `sample` adds to a sample."""
    value: int | str = ""
    """The value, the reason of an exclusion, or the sample's name."""
    form: str = "inspection"


class ActPlan(Struct, frozen=True):
    """What an act would be done with."""

    what: str
    """In words, such as `score 4 (good)`."""
    items: tuple[int, ...]
    states: dict[str, int]
    """In which states these stand."""
    left_out: dict[str, int]
    """Found, but left out: how many by the reason."""


class ActQuery(Struct, frozen=True):
    """Plans an act, for the app."""

    request: ActRequest
    rater: str

    def answer(self, workspace: Workspace) -> ActPlan:
        """Raises as `plan_act` does."""
        return plan_act(workspace.db, self.request, self.rater)


class ActDone(Struct, frozen=True):
    """What an act came to."""

    what: str
    items: int
    states: dict[str, int]
    """In which states the items stand now."""
    left_out: dict[str, int]


class ActUndone(Struct, frozen=True):
    """An act that was taken back."""

    what: str
    items: int
    stay: int
    """What stays in the sample, since somebody has begun it."""


HELD = "before another rater now"
SAID = "said so already"
ELSEWHERE = "decided by another form"
AUTHORED = "being authored"
CHANGED = "changed by somebody else meanwhile"
IN_SAMPLE = "in the sample already"


def plan_act(db: sqlite3.Connection, request: ActRequest, rater: str) -> ActPlan:
    """What `perform_act` would be done with. Raises what `list_items` raises, InputError for a
    value that the form does not have, and UsageError for a form or sample that it cannot be done
    with."""
    form = _form_of(db, request)
    found = list_items(db, request.items)
    lines = item_lists.lines(db, found.items, ItemFilter())
    fit, left_out = _sorted_out(db, form, request, rater, lines)
    states = Counter(str(line.state) for line in fit)
    items = tuple(line.item for line in fit)
    return ActPlan(describe(form, request), items, dict(sorted(states.items())), dict(left_out))


def perform_act(
    workspace: Workspace, request: ActRequest, items: Sequence[int], rater: str
) -> ActDone:
    """Does the act with those of `items` that it can still be done with, in one transaction and as
    one group of events. Raises what `plan_act` raises, InputError where nothing is left."""
    form = _form_of(workspace.db, request)
    what = describe(form, request)
    with workspace.write(durable=True) as db:
        lines = item_lists.lines(db, items, ItemFilter())
        fit, left_out = _sorted_out(db, form, request, rater, lines)
        act = acts.begin(db, rater, form.key, what, to_builtins(request.items))
        if request.verb == "sample":
            done = _add_to_sample(db, form, request, act, fit)
        else:
            done = _append_events(db, form, request, act, fit, rater)
            left_out[CHANGED] += len(fit) - len(done)
        if not done:
            raise InputError(
                "There is no item that this can be done with.", left_out_text(left_out)
            )
        now = item_lists.lines(db, done, ItemFilter())
    states = Counter(str(line.state) for line in now)
    return ActDone(what, len(done), dict(sorted(states.items())), dict(+left_out))


def undo_act(workspace: Workspace, rater: str) -> ActUndone | None:
    """Takes back the last act of a rater that stands, as a whole; None where there is none."""
    with workspace.write(durable=True) as db:
        number = acts.latest(db, rater)
        if number is None:
            return None
        act = next(one for one in acts.listing(db, rater) if one.id == number)
        undone = log.undo_act(db, number)
        gone, stay = acts.take_out(db, number)
    return ActUndone(act.what, gone + (undone.events if undone is not None else 0), stay)


def describe(form: Form, request: ActRequest) -> str:
    """The act in words. Raises InputError for a value that the form does not have."""
    match request.verb:
        case "set":
            assert form.decision is not None
            field = form.field(form.decision.field)
            value = check_value(form, field.key, request.value)
            names = {choice.value: choice.en for choice in field.choices}
            return f"{field.en} {value} ({names[value]})"  # type: ignore[index]
        case "exclude":
            if not reason_known(form, request.value):
                reasons = ", ".join(str(choice.value) for choice in form.exclude_reasons)
                raise InputError(
                    f"{request.value!r} is no reason of form {form.key!r} to exclude.",
                    f"Reasons: {reasons or 'none'}.",
                )
            return f"exclude ({request.value})"
        case "sample":
            return f"add to sample {request.value}"
        case verb:
            return verb


def _form_of(db: sqlite3.Connection, request: ActRequest) -> Form:
    form = find_form(db, request.form)
    if form.subject_kind != "revision" or authoring.is_authoring(form.key):
        raise UsageError(
            f"Form {form.key!r} does not inspect items.", "Use form inspection.", "--form"
        )
    if request.verb == "set" and form.decision is None:
        raise UsageError(
            f"Form {form.key!r} decides nothing about items.", "Use form inspection.", "--form"
        )
    return form


def _sorted_out(
    db: sqlite3.Connection, form: Form, request: ActRequest, rater: str, lines: Sequence[ItemLine]
) -> tuple[list[ItemLine], Counter[str]]:
    """Those that the act can be done with, and how many are left out for which reason."""
    keep_out = {
        AUTHORED: acts.authored(db),
        HELD: {subject for key, subject, *_ in queue.others_at_work(db, rater) if key == form.key},
    }
    if request.verb == "sample":
        keep_out[IN_SAMPLE] = _in_sample(db, form, str(request.value))
    else:
        keep_out[SAID] = acts.said(db, form.key, rater, *_event_of(form, request))
    if request.verb == "set":
        keep_out[ELSEWHERE] = acts.decided_elsewhere(db, form.key)
    fit = []
    left_out: Counter[str] = Counter()
    for line in lines:
        subject = str(line.revision)
        reason = next((why for why, subjects in keep_out.items() if subject in subjects), "")
        if reason:
            left_out[reason] += 1
        else:
            fit.append(line)
    return fit, left_out


def _event_of(form: Form, request: ActRequest) -> tuple[EventKind, str, Value]:
    if request.verb == "set":
        assert form.decision is not None
        return EventKind.SET, form.decision.field, request.value
    kind = EventKind(request.verb)
    return kind, "", request.value if kind is EventKind.EXCLUDE else True


def _append_events(
    db: sqlite3.Connection,
    form: Form,
    request: ActRequest,
    act: int,
    lines: Sequence[ItemLine],
    rater: str,
) -> list[int]:
    """Labels the items one after the other; those whose text was changed meanwhile are passed
    over."""
    stored = forms.register(db, form)
    kind, field, value = _event_of(form, request)
    seqs, done = [], []
    for line in lines:
        subject = Subject("revision", str(line.revision))
        try:
            written = log.append(db, stored, rater, subject, field, value, kind=kind)
        except Conflict:
            continue
        seqs.append(written.seq)
        done.append(line.item)
    acts.hold_events(db, act, seqs)
    return done


def _add_to_sample(
    db: sqlite3.Connection, form: Form, request: ActRequest, act: int, lines: Sequence[ItemLine]
) -> list[int]:
    name = str(request.value)
    sample = _sample(db, form, name)
    if sample is None:
        settings = {"dataset": request.items.dataset, "raters_wanted": 1}
        sample = samples.create(db, name, form.key, form.subject_kind, settings)
    wanted = int(sample.settings.get("raters_wanted", 1))
    groups = item_lists.groups(db, [line.item for line in lines])
    added = [
        Assignment(
            Candidate(
                str(line.revision),
                line.topic,
                line.task,
                group_key=groups[line.item],
                not_applicable=fields_not_applicable(
                    form, revision_facts(datasets.content(db, line.revision))
                ),
            ),
            wanted,
        )
        for line in lines
    ]
    samples.add(db, sample, added)
    acts.hold_assignments(db, act, sample.id, [one.candidate.subject for one in added])
    return [line.item for line in lines]


def _sample(db: sqlite3.Connection, form: Form, name: str) -> Sample | None:
    """The sample of that name; None for a new one. Refused with UsageError for one of another form,
    with Conflict for one that is closed or was drawn by chances, which would no longer be known."""
    try:
        sample = samples.of_form(db, name, form.key)
    except NotFound:
        return None
    samples.check_open(sample)
    if sample.settings.get("choose"):
        raise Conflict(
            f"Sample {name!r} was drawn by chances, and takes nothing by hand.",
            "Add to another sample.",
        )
    return sample


def _in_sample(db: sqlite3.Connection, form: Form, name: str) -> set[str]:
    sample = _sample(db, form, name)
    return set() if sample is None else {subject for subject, _ in samples.subjects(db, sample)}


def left_out_text(left_out: Mapping[str, int]) -> str:
    """`3 before another rater now, 1 said so already`."""
    return ", ".join(f"{count:,} {reason}" for reason, count in left_out.items() if count)
