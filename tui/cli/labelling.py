"""The commands `labels` that a rater works with: next, set, note, undo, redo, show."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from store.errors import UsageError
from store.workspace import Workspace, open_workspace
from tui.cli.arguments import typed
from tui.cli.output import print_json, print_table, print_text, rater, say

if TYPE_CHECKING:
    from engine.labelling.session import Labelling
    from engine.labelling.shown import Shown
    from store.labels.events import Subject
    from store.labels.log import Undone
    from store.labels.queue import Filter


def next_subject(arguments: argparse.Namespace) -> int:
    """The next of the queue, with what it asks the rater to judge."""
    from engine.labelling.shown import shown_of
    from store.labels import queue

    wanted = queue.Filter(arguments.sample, arguments.topic, arguments.task)
    with open_workspace(arguments.workspace) as workspace:
        session = session_of(workspace, arguments)
        check_sample(workspace, session, arguments.sample)
        _check_cell(workspace, session, wanted)
        found = session.next(wanted)
        if found is None:
            if arguments.json:
                print_json(None)
            say("nothing is left in your queue")
            return 0
        shown = shown_of(workspace.db, session.form, found.subject)
    if arguments.json:
        print_json({**to_builtins(found), "shown": shown})
        return 0
    print(f"{found.subject.id}  {found.topic} x {found.task}  {found.status or 'untouched'}")
    print_shown(shown)
    return 0


def _check_cell(workspace: Workspace, session: Labelling, wanted: Filter) -> None:
    """NotFound for a topic or task that no subject in the form's samples has."""
    from store.labels import queue
    from store.messages import no_such

    cells = queue.cell_progress(workspace.db, session.form.key)
    for kind, name in (("topic", wanted.topic), ("task", wanted.task)):
        have = sorted({str(getattr(cell, kind)) for cell in cells})
        if name is not None and have and name not in have:
            raise no_such(kind, name, have, f"{kind.capitalize()}s of the samples")


def print_shown(shown: Shown) -> None:
    """What a subject is about: of an item its turns with golden answers and evidence; of an answer
    or a pair the turns before as the system saw them, the question, and what was answered with what
    was retrieved for it."""
    for number, earlier in enumerate(shown.earlier, 1):
        print_text(f"turn {number}: {earlier.question}", indent=4)
        if earlier.answer:
            _print_below(earlier.answer)
    for number, turn in list(enumerate(shown.turns, 1))[len(shown.earlier) :]:
        print_text(f"question {number}: {turn.question}", indent=4)
        for answer in turn.golden_answers:
            print_text(f"golden answer: {answer}", indent=4)
        for evidence in () if shown.answers else turn.evidence:
            print_text(f"evidence: {evidence.quote or 'a whole document'}", indent=4)
    is_pair = len(shown.answers) > 1
    for letter, answer in zip("AB", shown.answers, strict=False):
        print_text(f"answer {letter}: {answer}" if is_pair else f"answer: {answer}", indent=4)
    for at, letter in enumerate("AB"[: len(shown.answers)]):
        texts = [one for one in shown.retrieved if one.answer == at]
        name = f"retrieved for {letter}" if is_pair else "retrieved"
        if not texts:
            print(f"{name}: nothing")
        for number, one in enumerate(texts, 1):
            print_text(f"{name} {number}/{len(texts)}: {one.name}", indent=4)
            _print_below(one.text)


def _print_below(text: str) -> None:
    for paragraph in text.splitlines():
        print_text(f"    {paragraph}", indent=4)


def set_values(arguments: argparse.Namespace) -> int:
    """Each value is its own event; an illegal one ends the command after those before it."""
    with open_workspace(arguments.workspace) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        answers = [
            session.set(subject, field, value)
            for field, value in [assignment(session, text) for text in arguments.values]
        ]
    last = answers[-1]
    if arguments.json:
        print_json(last)
        return 0
    for warning in last.warnings:
        say(f"warning: {warning.en}")
    print(f"saved #{last.seq}{', complete' if last.is_complete else ''}")
    return 0


def note(arguments: argparse.Namespace) -> int:
    chosen = [
        arguments.comment is not None,
        arguments.flag is not None,
        arguments.postpone is not None,
        arguments.exclude is not None,
    ]
    if sum(chosen) != 1:
        raise UsageError("Give one of --comment, --flag, --postpone and --exclude.")
    with open_workspace(arguments.workspace) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        if arguments.comment is not None:
            seq = session.comment(subject, arguments.comment, arguments.field)
        elif arguments.flag is not None:
            seq = session.flag(subject, on=arguments.flag == "on")
        elif arguments.postpone is not None:
            seq = session.postpone(subject, on=arguments.postpone == "on")
        else:
            seq = session.exclude(subject, arguments.exclude or None)
    return _saved(arguments, seq)


def undo(arguments: argparse.Namespace) -> int:
    with open_workspace(arguments.workspace) as workspace:
        return _reversed(arguments, session_of(workspace, arguments).undo(), "undo")


def redo(arguments: argparse.Namespace) -> int:
    with open_workspace(arguments.workspace) as workspace:
        return _reversed(arguments, session_of(workspace, arguments).redo(), "redo")


def show(arguments: argparse.Namespace) -> int:
    """One's own labels only: raters are blind to each other."""
    from engine.labelling.shown import shown_of

    with open_workspace(arguments.workspace) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        found = session.labels(subject)
        shown = shown_of(workspace.db, session.form, subject)
    if arguments.json:
        print_json(found)
        return 0
    print_shown(shown)
    print()
    print_table(
        ["field", "what", "value", "event", "at"],
        [[one.field, one.aspect, str(one.value), str(one.seq), one.at] for one in found],
    )
    return 0


def session_of(workspace: Workspace, arguments: argparse.Namespace) -> Labelling:
    """The caller at work with the form that --form names."""
    from engine.labelling.session import Labelling

    return Labelling(workspace, arguments.form, rater(arguments))


def check_sample(workspace: Workspace, session: Labelling, name: str | None) -> None:
    """NotFound for a sample that there is not, UsageError for one of another form."""
    from store.labels import samples

    if name is None:
        return
    sample = samples.get(workspace.db, name)
    if sample.form_key != session.form.key:
        raise UsageError(
            f"Sample {name!r} is of form {sample.form_key!r}, not {session.form.key!r}.",
            f"Give --form {sample.form_key}.",
        )


def subject_of(session: Labelling, text: str) -> Subject:
    """The subject of the form's kind that a person named."""
    from store.labels.events import Subject

    return Subject(session.form.subject_kind, text)


def assignment(session: Labelling, text: str) -> tuple[str, Any]:
    """FIELD=VALUE; `-` is not applicable, as in the app."""
    from store.labels.forms import NA

    key, mark, value = text.partition("=")
    if not mark:
        raise UsageError(f"{text!r} is not of the form FIELD=VALUE.")
    field = session.form.field(key)
    if field.kind == "flag":
        return key, value == "true"
    if field.kind == "revision":
        return key, int(value) if value.isascii() and value.isdigit() else value
    if field.kind == "spans":
        raise UsageError(f"Spans such as {key} are marked in the app.")
    if field.kind == "text":
        return key, value
    named: dict[str, int | str] = {str(choice.value): choice.value for choice in field.choices}
    return key, {"-": NA, **named}.get(value, value)


def _saved(arguments: argparse.Namespace, seq: int) -> int:
    if arguments.json:
        print_json({"seq": seq})
    else:
        print(f"saved #{seq}")
    return 0


def _reversed(arguments: argparse.Namespace, done: Undone | None, word: str) -> int:
    if arguments.json:
        print_json(done)
    elif done is None:
        say(f"nothing to {word}")
    else:
        event = done.event
        what = event.field or str(event.kind)
        print(f"saved #{done.seq}: {word} of {what} on {event.subject.kind} {event.subject.id}")
    return 0
