"""Commands that rule on what raters differ on: adjudicate list, show, set."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.cli.command import Command, Group
from tui.cli.labels import assignment, print_shown, session_of, subject_of
from tui.cli.options import add_form, rater, typed, workspace_of
from tui.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from store.labels.consensus import Settled


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    add_form(parser)
    parser.add_argument(
        "--no-majority",
        action="store_true",
        help="only where no value has a majority of the raters",
    )
    _add_allow_own(parser)


def _add_allow_own(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-own", action="store_true", help="also fields that you have labelled yourself"
    )


def list_conflicts(arguments: argparse.Namespace) -> int:
    from store.labels import consensus

    who = rater(arguments)
    with workspace_of(arguments) as workspace:
        session = session_of(workspace, arguments)
        found = consensus.conflicts(workspace.db, session.form)
    mine = [one for one in found if who in {given.rater for given in one.raters}]
    if not arguments.allow_own:
        found = [one for one in found if one not in mine]
    if arguments.no_majority:
        found = [one for one in found if consensus.majority(one.raters) is None]
        mine = [one for one in mine if consensus.majority(one.raters) is None]
    if arguments.json:
        print_json(found)
        return 0
    if found:
        print_table(["subject", "field", "values"], [_conflict(one) for one in found], keys=2)
    else:
        say("nothing is left to rule on")
    if mine and not arguments.allow_own:
        say(f"{len(mine)} more are your own to differ on; a third person rules (--allow-own)")
    return 0


def _conflict(one: Settled) -> list[str]:
    return [
        one.subject.id,
        one.field,
        ", ".join(f"{given.rater} {given.value}" for given in one.raters),
    ]


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    add_form(parser)
    parser.add_argument(
        "subject", metavar="SUBJECT", help="number or name that `adjudicate list` prints"
    )


def show_conflict(arguments: argparse.Namespace) -> int:
    from engine.labelling.shown import shown_of
    from store.labels import consensus, log

    with workspace_of(arguments) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        shown = shown_of(workspace.db, session.form, subject)
        found = consensus.settled(workspace.db, session.form, subject=subject)
        notes = log.comments(workspace.db, session.form.key, subject)
    if arguments.json:
        comments = [
            {"rater": who, "field": field, "comment": text} for (who, field), text in notes.items()
        ]
        print_json({"shown": shown, "fields": found, "comments": comments})
        return 0
    print_shown(shown)
    print()
    print_table(
        ["field", "rater", "value", "stands", "comment"],
        [
            [
                one.field,
                given.rater,
                str(given.value),
                _stands(one),
                notes.get((given.rater, one.field), notes.get((given.rater, ""), "")),
            ]
            for one in found
            for given in one.raters
        ],
        keys=2,
    )
    return 0


def _stands(one: Settled) -> str:
    if one.source == "conflict":
        return "conflict"
    by = f" by {one.adjudicator}" if one.adjudicator else ""
    return f"{one.value} ({one.source}{by})"


def _set_arguments(parser: argparse.ArgumentParser) -> None:
    _show_arguments(parser)
    parser.add_argument(
        "values",
        nargs="+",
        metavar="FIELD=VALUE",
        help="value that holds; `-` means that the field does not apply",
    )
    _add_allow_own(parser)


def rule(arguments: argparse.Namespace) -> int:
    with workspace_of(arguments) as workspace, typed():
        session = session_of(workspace, arguments)
        subject = subject_of(session, arguments.subject)
        said = [assignment(session, text) for text in arguments.values]
        seqs = [
            session.adjudicate(subject, field, value, allow_own=arguments.allow_own)
            for field, value in said
        ]
    if arguments.json:
        print_json({"seqs": seqs})
    else:
        print(f"saved {', '.join(f'#{seq}' for seq in seqs)}")
    return 0


COMMANDS = (
    Group(
        "adjudicate",
        "decide where raters differ",
        "list|show|set",
        (
            Command(
                "list",
                "list the conflicts",
                list_conflicts,
                _list_arguments,
                "ragdesk adjudicate list --form judge_labels --no-majority",
            ),
            Command(
                "show",
                "print a subject with the labels of each rater",
                show_conflict,
                _show_arguments,
                "ragdesk adjudicate show 17 --form judge_labels",
            ),
            Command(
                "set",
                "decide the values of a subject",
                rule,
                _set_arguments,
                "ragdesk adjudicate set 17 accuracy=1 --form judge_labels --rater zhang",
            ),
        ),
    ),
)
