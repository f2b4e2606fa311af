"""The commands on forms: forms list, show, check, new."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from store.errors import RagdeskError, UsageError
from store.messages import plural
from tui.cli.command import command, option
from tui.cli.options import FORCE, workspace_of
from tui.cli.output import print_json, print_line, say, show, show_table
from tui.language import tr

if TYPE_CHECKING:
    from store.labels.forms import Form


@command("list", "list the forms with their fields, the workspace's own too")
def list_forms(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import load_form, shipped_forms
    from store.workspace import FILE_NAME

    found: dict[str, Form | str] = {key: load_form(key) for key in shipped_forms()}
    if (arguments.workspace / FILE_NAME).exists():
        found |= _own(arguments)
    shipped = shipped_forms()
    rows = [
        [key, "", "", "", tr("cannot be read: `ragdesk forms check` says why")]
        if isinstance(form, str)
        else [
            key,
            form.en,
            form.zh,
            form.subject_kind,
            ", ".join(field.key for field in form.fields),
        ]
        for key, form in found.items()
    ]
    value = [
        {
            "key": key,
            "own": key not in shipped,
            **({"problem": form} if isinstance(form, str) else {"form": form}),
        }
        for key, form in found.items()
    ]
    return show_table(arguments, value, ["form", "", "", "subject", "fields"], rows)


def _own(arguments: argparse.Namespace) -> dict[str, Form | str]:
    """The workspace's own forms, or what is wrong with them, by key."""
    from engine.labelling.forms import find_form
    from engine.labelling.forms.own import own_keys

    found: dict[str, Form | str] = {}
    with workspace_of(arguments) as workspace:
        for key in own_keys(workspace.db):
            try:
                found[key] = find_form(workspace.db, key)
            except RagdeskError as error:
                found[key] = str(error)
    return found


@command(
    "show",
    "print a form as its file would hold it",
    option("FORM", "a form that `forms list` lists"),
    example="judge_labels",
)
def show_form(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import find_form

    with workspace_of(arguments) as workspace:
        form = find_form(workspace.db, arguments.form)
    sys.stdout.write(_text(form))
    return 0


@command(
    "check",
    "check forms of one's own, with file and field",
    option("[FILE...]", "files of forms (default: all of the workspace)"),
    example="forms/tone.json",
)
def check_forms(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms.own import FOLDER, read_own
    from store.labels import forms

    with workspace_of(arguments) as workspace:
        files = arguments.file or sorted((workspace.folder / FOLDER).glob("*.json"))
        problems: dict[str, str] = {}
        for file in files:
            try:
                forms.check_change(workspace.db, read_own(file))
            except RagdeskError as error:
                problems[str(file)] = str(error)
    if arguments.json:
        print_json({"checked": [str(file) for file in files], "problems": problems})
    else:
        for problem in problems.values():
            say(problem)
        print_line(
            "{forms} checked, {number:,} with a problem",
            forms=plural(len(files), "form"),
            number=len(problems),
        )
    return 1 if problems else 0


@command(
    "new",
    "write a form of one's own to begin from",
    option("FORM", "key of the new form, which its file is named by"),
    option("--like FORM", "begin from this form (default judge_labels)", "judge_labels"),
    FORCE,
    example="tone --like judge_labels",
)
def new_form(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import find_form, shipped_forms
    from engine.labelling.forms.own import FOLDER, starting_form
    from store.files import write_whole
    from store.messages import check_printable
    from store.sharing.modes import make_folder
    from store.sharing.team import check_directs

    check_printable("form", arguments.form)
    if "/" in arguments.form or arguments.form.startswith("."):
        raise UsageError(f"{arguments.form!r} cannot name a file.", "Use letters, digits and _.")
    if arguments.form in shipped_forms():
        raise UsageError(f"Form {arguments.form!r} comes with ragdesk.", "Give yours another key.")
    with workspace_of(arguments) as workspace:
        form = starting_form(arguments.form, find_form(workspace.db, arguments.like))
        file = workspace.folder / FOLDER / f"{form.key}.json"
    check_directs(arguments.workspace, file)
    make_folder(file.parent)
    write_whole(_text(form), file, force=arguments.force, of_workspace=True)
    return show(
        arguments,
        {"form": form.key, "file": str(file)},
        tr("wrote {file}", file=file),
        tr("next: edit it, then `ragdesk forms check`"),
    )


def _text(form: Form) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(form), indent=2).decode() + "\n"


COMMANDS = (list_forms, show_form, check_forms, new_form)
