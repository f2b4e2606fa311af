"""The commands that a rater labels with (labels next, set, note, undo, redo, show), and quality."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from engine.prompts.languages import by_lang
from store.errors import UsageError
from tui.cli.command import command, option
from tui.cli.options import form_option, format_options, pair, rater, typed, workspace_of
from tui.cli.output import (
    print_json,
    print_line,
    print_table,
    print_text,
    say,
    show,
    tell,
    write_sheets,
)
from tui.language import language, later, read, tr

if TYPE_CHECKING:
    from engine.labelling.reading.shown import ShownSubject
    from engine.labelling.session import LabelSession
    from store.labels.log.events import Subject
    from store.labels.log.log import Undone
    from store.labels.samples.queue import Filter
    from store.workspace import Workspace


@command(
    "next",
    "take the next of your queue",
    form_option(),
    option("--sample SAMPLE", "only subjects of this sample"),
    option("--topic TOPIC", "only subjects of this topic"),
    option("--task TASK", "only subjects of this task"),
    example="--form judge_labels --rater wang",
)
def next_subject(arguments: argparse.Namespace) -> int:
    """Prints the next subject of the queue, with what the rater has to read."""
    from msgspec import to_builtins

    from engine.labelling.reading.shown import shown_of
    from store.labels.samples import queue, quotas, samples

    filter_ = queue.Filter(arguments.sample, arguments.topic, arguments.task)
    with workspace_of(arguments) as workspace:
        session = session_of(workspace, arguments)
        if arguments.sample is not None:
            samples.of_form(workspace.db, arguments.sample, session.form.key)
        _check_cell(workspace, session, filter_)
        _say_news(workspace, session.rater)
        place = session.next(filter_)
        if place is None:
            if arguments.json:
                print_json(None)
            full = quotas.full(workspace.db, workspace.folder, session.rater, session.form.key)
            reasons = [one.text for one in full if arguments.sample in (None, one.sample)]
            say(tr(". ").join([tr("nothing is left in your queue"), *map(read, reasons)]))
            return 0
        shown = shown_of(workspace.db, session.form, place.subject)
    if arguments.json:
        print_json({**to_builtins(place), "shown": shown})
        return 0
    status = tr(place.status or later("untouched"))
    print(f"{place.subject.id}  {place.topic} x {place.task}  {status}")
    print_shown(shown)
    return 0


def _say_news(workspace: Workspace, rater: str) -> None:
    """Says what the team is told and which guidelines are new; the message is seen by that."""
    from store.labels import news
    from store.sharing.team import Role

    for one in news.unseen(workspace.db, rater):
        if one.what != news.MESSAGE:
            tell(
                "the guideline of {form} is new: ragdesk guideline show --form {form}",
                form=one.what,
            )
            continue
        say(f"{one.author}, {one.at[:16].replace('T', ' ')}: {one.text}")
        with workspace.write(role=Role.RATER) as db:
            news.mark_seen(db, one.what, one.version, rater)


def _check_cell(workspace: Workspace, session: LabelSession, filter_: Filter) -> None:
    """Raises NotFound for a topic or task that no subject in the form's samples has."""
    from store.labels.samples import progress
    from store.messages import no_such

    cells = progress.cell_progress(workspace.db, session.form.key)
    for kind, name in (("topic", filter_.topic), ("task", filter_.task)):
        have = sorted({str(getattr(cell, kind)) for cell in cells})
        if name is not None and have and name not in have:
            raise no_such(kind, name, have, f"{kind.capitalize()}s of the samples")


def print_shown(shown: ShownSubject) -> None:
    """Prints a subject. Of an item: its turns with golden answers and evidence. Of an answer or a
    pair: the earlier turns as the system saw them, the question, and each answer with the passages
    retrieved for it."""
    for number, earlier in enumerate(shown.earlier, 1):
        print_text(f"{tr('turn {number}: ', number=number)}{earlier.question}", indent=4)
        if earlier.answer:
            _print_below(earlier.answer)
    for number, turn in list(enumerate(shown.turns, 1))[len(shown.earlier) :]:
        print_text(f"{tr('question {number}: ', number=number)}{turn.question}", indent=4)
        for answer in turn.golden_answers:
            print_text(f"{tr('golden answer: ')}{answer}", indent=4)
        for point in () if shown.answers else turn.keypoints:
            print_text(f"{tr('keypoint: ')}{point}", indent=4)
        for evidence in () if shown.answers else turn.evidence:
            quote = evidence.quote or tr("a whole document")
            print_text(f"{tr('evidence: ')}{quote}", indent=4)
    is_pair = len(shown.answers) > 1
    for letter, answer in zip("AB", shown.answers, strict=False):
        name = tr("answer {letter}: ", letter=letter) if is_pair else tr("answer: ")
        print_text(f"{name}{answer}", indent=4)
    for at, letter in enumerate("AB"[: len(shown.answers)]):
        texts = [text for text in shown.retrieved if text.answer == at]
        name = tr("retrieved for {letter}", letter=letter) if is_pair else tr("retrieved")
        if not texts:
            print_line("{name}: nothing", name=name)
        for number, text in enumerate(texts, 1):
            print_text(f"{name} {number}/{len(texts)}: {text.name}", indent=4)
            _print_below(text.text)


def _print_below(text: str) -> None:
    for paragraph in text.splitlines():
        print_text(f"    {paragraph}", indent=4)


_SUBJECT = (
    form_option(),
    option("SUBJECT", "number or name that `labels next` prints"),
)


@command(
    "set",
    "give values to a subject",
    *_SUBJECT,
    option("FIELD=VALUE...", "value of a field; `-` means that it does not apply", dest="values"),
    example="17 accuracy=2 completeness=- --form judge_labels",
)
def set_values(arguments: argparse.Namespace) -> int:
    """Saves each value as an event of its own; an illegal one ends the command after those before
    it."""
    with workspace_of(arguments) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        for field, value in [assignment(session, text) for text in arguments.values]:
            state = session.set(subject, field, value)
    if arguments.json:
        print_json(
            {
                "seq": session.saved,
                "is_complete": state.is_complete,
                "warnings": state.warnings,
                "told": state.told,
            }
        )
        return 0
    for warning in state.warnings:
        tell("warning: {warning}", warning=by_lang(language(), warning.zh, warning.en))
    print(tr("saved, complete") if state.is_complete else tr("saved"))
    if state.told is not None:
        answers = " ".join(f"{field}={value}" for field, value in state.told.answers.items())
        print_line("a training question; its answer: {answers}", answers=answers)
        if state.told.reason:
            print_line("why: {reason}", reason=state.told.reason)
    return 0


@command(
    "note",
    "comment, flag, postpone or exclude a subject",
    *_SUBJECT,
    option("--comment TEXT", "comment on the subject; empty takes it back"),
    option("--field FIELD", "field that the comment is about", ""),
    option("--flag", "mark the subject for a second look", choices=("on", "off")),
    option("--postpone", "put the subject at the end of your queue", choices=("on", "off")),
    option("--exclude REASON", "reason to exclude the subject; empty takes it back"),
    example='17 --comment "the unit is missing" --form judge_labels',
)
def note(arguments: argparse.Namespace) -> int:
    chosen = [
        arguments.comment is not None,
        arguments.flag is not None,
        arguments.postpone is not None,
        arguments.exclude is not None,
    ]
    if sum(chosen) != 1:
        raise UsageError("Give one of --comment, --flag, --postpone and --exclude.")
    with workspace_of(arguments) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        if arguments.comment is not None:
            session.comment(subject, arguments.comment, arguments.field)
        elif arguments.flag is not None:
            session.flag(subject, on=arguments.flag == "on")
        elif arguments.postpone is not None:
            session.postpone(subject, on=arguments.postpone == "on")
        else:
            session.exclude(subject, arguments.exclude or None)
    return _saved(arguments, session.saved)


@command(
    "undo",
    "take back your latest label, however long ago",
    form_option(),
    example="--form judge_labels",
)
def undo(arguments: argparse.Namespace) -> int:
    with workspace_of(arguments) as workspace:
        return _reversed(arguments, session_of(workspace, arguments).undo(), later("undo"))


@command("redo", "bring back what you undid last", form_option(), example="--form judge_labels")
def redo(arguments: argparse.Namespace) -> int:
    with workspace_of(arguments) as workspace:
        return _reversed(arguments, session_of(workspace, arguments).redo(), later("redo"))


@command("show", "print your labels of a subject", *_SUBJECT, example="17 --form judge_labels")
def show_labels(arguments: argparse.Namespace) -> int:
    """Prints only the rater's own labels: raters do not see each other's."""
    from engine.labelling.reading.shown import shown_of

    with workspace_of(arguments) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        labels = session.labels(subject)
        shown = shown_of(workspace.db, session.form, subject)
    if arguments.json:
        print_json(labels)
        return 0
    print_shown(shown)
    print()
    print_table(
        ["field", "what", "value", "event", "at"],
        [
            [label.field, label.aspect, str(label.value), str(label.seq), label.at]
            for label in labels
        ],
    )
    return 0


def session_of(workspace: Workspace, arguments: argparse.Namespace) -> LabelSession:
    """The session of --rater with the form that --form names."""
    from engine.labelling.session import LabelSession

    return LabelSession(workspace, arguments.form, rater(arguments))


def subject_of(session: LabelSession, text: str) -> Subject:
    """The subject of the form's kind that a person named."""
    from store.labels.log.events import Subject

    return Subject(session.form.subject_kind, text)


def assignment(session: LabelSession, text: str) -> tuple[str, Any]:
    """Parses FIELD=VALUE into the field and the value; `-` means not applicable, as in the app."""
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


@command(
    "quality",
    "share of yes to the six questions, by dataset and group of raters",
    option(
        "--group NAME=RATERS",
        "raters that are one group, with commas between them (default: each alone)",
        action="append",
    ),
    *format_options("csv", "html", help=later("format of the table (default text)")),
    example="--group first=anna,ben --group second=chen,dora",
)
def quality(arguments: argparse.Namespace) -> int:
    from engine.labelling.figures.quality import quality_table
    from engine.report.quality import quality_sheets

    pairs = (pair(text, "NAME=RATER,RATER") for text in arguments.group)
    groups = {name: [one.strip() for one in raters.split(",")] for name, raters in pairs}
    with workspace_of(arguments) as workspace:
        found = quality_table(workspace.db, groups)
    write_sheets(arguments, found, tr("Quality of items"), quality_sheets(found))
    return 0


def _saved(arguments: argparse.Namespace, seq: int) -> int:
    return show(arguments, {"seq": seq}, tr("saved"))


def _reversed(arguments: argparse.Namespace, done: Undone | None, word: str) -> int:
    if arguments.json:
        print_json(None if done is None else {"seq": done.seq, "event": done.event})
    elif done is None:
        tell("nothing to {kind}", kind=word)
    else:
        event = done.event
        what = event.field or str(event.kind)
        where = f"{event.subject.kind} {event.subject.id}"
        others = done.events - 1
        if others:
            print_line(
                "saved: {kind} of {what} on {where} and {others:,} more of the same act",
                kind=word,
                what=what,
                where=where,
                others=others,
            )
        else:
            print_line("saved: {kind} of {what} on {where}", kind=word, what=what, where=where)
    return 0


COMMANDS = (next_subject, set_values, note, undo, redo, show_labels, quality)
