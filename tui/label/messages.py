"""The messages of a label desk: progress, and the last label."""

from __future__ import annotations

from engine.labelling.subject_state import SubjectState
from store.labels.forms import Field, Form, SoftWarning, Value, same
from store.labels.log.events import EventKind, LabelEvent
from store.labels.samples.known import KnownAnswer
from store.labels.samples.progress import CellLabels
from tui.language import local_name, tr
from tui.screens.labels import value_text


def standing_text(opened: SubjectState, form: Form) -> str:
    """What else holds of a subject: excluded, postponed, flagged, a note."""
    parts = []
    if opened.excluded:
        reason = {str(one.value): one for one in form.exclude_reasons}.get(opened.excluded)
        text = opened.excluded if reason is None else local_name(reason)
        parts.append(tr("excluded: {text}", text=text))
    if opened.is_postponed:
        parts.append(tr("postponed"))
    if opened.is_flagged:
        parts.append(tr("flagged"))
    if opened.comment:
        parts.append(tr("note: {comment}", comment=opened.comment))
    return "   ".join(parts)


def told_text(told: KnownAnswer, opened: SubjectState, form: Form) -> str:
    """`Known answer: accuracy 1 partly right (yours 2). Why: ...`, of a training question."""
    parts = []
    for field in form.fields:
        if field.key in told.answers:
            text = f"{local_name(field)} {value_text(field, told.answers[field.key])}"
            own = opened.values.get(field.key)
            if not same(own, told.answers[field.key]):
                text = tr("{value} (yours {own})", value=text, own=own)
            parts.append(text)
    said = tr("A training question. Its answer: {values}", values=", ".join(parts))
    return tr("{said}. Why: {reason}", said=said, reason=told.reason) if told.reason else said


def own_text(done: int, given: int) -> str:
    """`yours 96/200`: what a rater is done with, of all that the queue gives them."""
    return tr("yours {done:,}/{given:,}", done=done, given=given) if given else ""


def progress_text(
    done_today: int,
    median_seconds: float | None,
    cell: CellLabels | None,
    own: str,
    goal: str = "",
) -> str:
    """`cell 14/20   yours 96/200   today 41   31 s each`, as far as it is known; of the cell all
    raters' labels. A goal comes first."""
    parts = [
        goal,
        tr("cell {done}/{wanted}", done=cell.done, wanted=cell.wanted) if cell is not None else "",
        own,
        tr("today {done_today:,}", done_today=done_today),
        tr("{seconds:.0f} s each", seconds=median_seconds) if median_seconds is not None else "",
    ]
    return "   ".join(filter(None, parts))


def value_message(field: Field, value: Value | None) -> str:
    """`score 4 good`."""
    return f"{local_name(field)} {value_text(field, value)}"


def warning_text(warnings: tuple[SoftWarning, ...]) -> str:
    """All of them, in one line."""
    return "  ".join(local_name(one) for one in warnings)


_VERBS = {
    EventKind.CLEAR: tr("taking back {}"),
    EventKind.COMMENT: tr("the note"),
    EventKind.FLAG: tr("the flag"),
    EventKind.POSTPONE: tr("postponing"),
    EventKind.EXCLUDE: tr("excluding"),
    EventKind.ACCEPT: tr("accepting the correction"),
    EventKind.ADJUDICATE: tr("ruling on {}"),
}


def event_text(event: LabelEvent, field: Field | None) -> str:
    """What an event was, in a few words: `score 4 good`, `the flag`."""
    name = "" if field is None else local_name(field)
    if event.kind is EventKind.SET and field is not None:
        return value_message(field, event.value)
    return _VERBS.get(event.kind, str(event.kind)).format(name)
