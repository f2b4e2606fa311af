"""The commands on the guidelines for raters: guideline show, set."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.cli.command import Command, Group
from tui.cli.options import add_form, rater, workspace_of
from tui.cli.output import print_json, say


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    add_form(parser)
    parser.add_argument(
        "--version", type=int, metavar="N", help="version to print (default: the newest)"
    )


def show_guideline(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import load_form
    from store.labels import guidelines

    form = load_form(arguments.form)
    with workspace_of(arguments) as workspace:
        guideline = (
            guidelines.current(workspace.db, form.key)
            if arguments.version is None
            else guidelines.get(workspace.db, form.key, arguments.version)
        )
    if arguments.json:
        print_json(guideline)
    elif guideline is None:
        say(f"form {form.key} has no guideline; write one with `ragdesk guideline set`")
    else:
        say(f"version {guideline.version}, by {guideline.author}, {guideline.at}")
        print(guideline.text.rstrip("\n"))
    return 0


def _set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="text file in UTF-8")
    add_form(parser)


def set_guideline(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import load_form
    from store.formats.faults import read_utf8
    from store.labels import guidelines

    form = load_form(arguments.form)
    text = read_utf8(arguments.file)
    with workspace_of(arguments) as workspace, workspace.write(durable=True) as db:
        made = guidelines.put(db, form.key, text, rater(arguments))
    if arguments.json:
        print_json(made)
    else:
        print(f"guideline of {form.key}: version {made.version}")
    return 0


COMMANDS = (
    Group(
        "guideline",
        "guidelines for raters, in versions",
        "show|set",
        (
            Command(
                "show",
                "print a form's guideline",
                show_guideline,
                _show_arguments,
                "ragdesk guideline show --form judge_labels",
            ),
            Command(
                "set",
                "write the next version of a guideline",
                set_guideline,
                _set_arguments,
                "ragdesk guideline set guideline.md --form judge_labels",
            ),
        ),
    ),
)
