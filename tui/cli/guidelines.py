"""The commands on the guidelines for raters: guideline show, set."""

from __future__ import annotations

import argparse

from tui.cli.command import Group, command, option
from tui.cli.options import form_option, rater, seen_text, workspace_of
from tui.cli.output import print_json, say, show, tell
from tui.language import tr


@command(
    "show",
    "print a form's guideline",
    form_option(),
    option("--version N", "version to print (default: the newest)"),
    example="--form judge_labels",
)
def show_guideline(arguments: argparse.Namespace) -> int:
    from msgspec import to_builtins

    from engine.labelling.forms import find_form
    from store.labels import guidelines, news
    from store.sharing.team import Role

    with workspace_of(arguments) as workspace:
        form = find_form(workspace.db, arguments.form)
        guideline = (
            guidelines.current(workspace.db, form.key)
            if arguments.version is None
            else guidelines.get(workspace.db, form.key, arguments.version)
        )
        seen = []
        if guideline is not None:
            if arguments.version is None and workspace.role.may(Role.RATER):
                with workspace.write(role=Role.RATER) as db:
                    news.mark_seen(db, form.key, guideline.version, rater(arguments))
            seen = news.seen_by(workspace.db, form.key, guideline.version)
    if arguments.json:
        print_json(None if guideline is None else {**to_builtins(guideline), "seen": seen})
    elif guideline is None:
        tell("form {key} has no guideline; write one with `ragdesk guideline set`", key=form.key)
    else:
        tell(
            "version {version}, by {author}, {at}",
            version=guideline.version,
            author=guideline.author,
            at=guideline.at,
        )
        say(seen_text(seen))
        print(guideline.text.rstrip("\n"))
    return 0


@command(
    "set",
    "write the next version of a guideline",
    option("FILE", "text file in UTF-8"),
    form_option(),
    example="guideline.md --form judge_labels",
)
def set_guideline(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import find_form
    from store.formats.faults import read_utf8
    from store.labels import guidelines

    text = read_utf8(arguments.file)
    with workspace_of(arguments) as workspace, workspace.write(durable=True) as db:
        form = find_form(db, arguments.form)
        made = guidelines.put(db, form.key, text, rater(arguments))
    return show(
        arguments,
        made,
        tr("guideline of {key}: version {version}", key=form.key, version=made.version),
    )


COMMANDS = (
    Group(
        "guideline",
        "guidelines for raters, in versions",
        "show|set",
        (show_guideline, set_guideline),
    ),
)
