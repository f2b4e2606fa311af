"""The commands that settle conflicts between raters: adjudicate list, show, set."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.messages import plural
from tui.cli.command import Group, command, option
from tui.cli.labels import assignment, print_shown, session_of, subject_of
from tui.cli.options import form_option, rater, typed, workspace_of
from tui.cli.output import print_json, print_table, show, tell
from tui.language import read, tr

if TYPE_CHECKING:
    from store.labels.consensus import Settled


_ALLOW_OWN = option("--allow-own", "also fields that you labelled yourself")


@command(
    "list",
    "list the conflicts",
    form_option(),
    option("--no-majority", "only where no value has a majority of the raters"),
    _ALLOW_OWN,
    example="--form judge_labels --no-majority",
)
def list_conflicts(arguments: argparse.Namespace) -> int:
    from store.labels import consensus

    who = rater(arguments)
    with workspace_of(arguments) as workspace:
        db, form = workspace.db, session_of(workspace, arguments).form
        conflicts = consensus.conflicts(db, form)
        if arguments.no_majority:
            conflicts = [one for one in conflicts if consensus.majority(one.raters) is None]
        mine = consensus.may_rule(db, form.key, who, conflicts, allow_own=arguments.allow_own)
    left_out = len(conflicts) - len(mine)
    conflicts = [conflict.without_names() for conflict in mine]
    if arguments.json:
        print_json(conflicts)
        return 0
    if conflicts:
        print_table(
            ["subject", "field", "values"],
            [_conflict_row(conflict) for conflict in conflicts],
            keys=2,
        )
    else:
        tell("nothing is left to rule on")
    if left_out:
        tell(
            "{conflicts} left out: on labels of your own (--allow-own), on what waits "
            "for your label, or in samples that name other adjudicators",
            conflicts=plural(left_out, "conflict"),
        )
    return 0


def _conflict_row(conflict: Settled) -> list[str]:
    return [
        conflict.subject.id,
        conflict.field,
        ", ".join(f"{label.rater} {label.value}" for label in conflict.raters),
    ]


_SHOW = (
    form_option(),
    option("SUBJECT", "number or name that `adjudicate list` prints"),
)


@command(
    "show",
    "print a subject with the labels of each rater",
    *_SHOW,
    example="17 --form judge_labels",
)
def show_conflict(arguments: argparse.Namespace) -> int:
    from engine.labelling.reading.shown import shown_of
    from store.labels import consensus
    from store.labels.log import reading

    with workspace_of(arguments) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        shown = shown_of(workspace.db, session.form, subject)
        fields = consensus.settled(workspace.db, session.form, subject=subject)
        given = reading.comments(workspace.db, session.form.key, subject)
    names = consensus.numbered(fields)
    fields = [field.without_names(names) for field in fields]
    notes = {(names.get(who, "another"), field): text for (who, field), text in given.items()}
    if arguments.json:
        comments = [
            {"rater": who, "field": field, "comment": text} for (who, field), text in notes.items()
        ]
        print_json({"shown": shown, "fields": fields, "comments": comments})
        return 0
    print_shown(shown)
    print()
    print_table(
        ["field", "rater", "value", "stands", "comment"],
        [
            [
                field.field,
                read(label.rater),
                str(label.value),
                _stands(field),
                notes.get((label.rater, field.field), notes.get((label.rater, ""), "")),
            ]
            for field in fields
            for label in field.raters
        ],
        keys=2,
    )
    return 0


def _stands(field: Settled) -> str:
    if field.source == "conflict":
        return tr("conflict")
    source = tr(field.source)
    if field.adjudicator:
        source = tr("{kind} by {rater}", kind=field.source, rater=field.adjudicator)
    why = f": {field.reason}" if field.reason else ""
    return f"{field.value} ({source}){why}"


@command(
    "set",
    "decide the values of a subject",
    *_SHOW,
    option(
        "FIELD=VALUE...", "value that holds; `-` means that the field does not apply", dest="values"
    ),
    option("--reason TEXT", "why; it is kept with the ruling and exported", ""),
    _ALLOW_OWN,
    example="17 accuracy=1 --form judge_labels --rater zhang",
)
def rule(arguments: argparse.Namespace) -> int:
    with workspace_of(arguments) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        values = [assignment(session, text) for text in arguments.values]
        seqs = [
            session.adjudicate(
                subject, field, value, reason=arguments.reason, allow_own=arguments.allow_own
            )
            for field, value in values
        ]
    numbers = ", ".join(f"#{seq}" for seq in seqs)
    return show(arguments, {"seqs": seqs}, tr("saved {numbers}", numbers=numbers))


COMMANDS = (
    Group(
        "adjudicate",
        "decide where raters differ",
        "list|show|set",
        (list_conflicts, show_conflict, rule),
    ),
)
