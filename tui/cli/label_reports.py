"""Commands that read labels: progress, statistics, events, forms."""

from __future__ import annotations

import argparse

from store.workspace import open_workspace
from tui.cli.labelling import session_of
from tui.cli.output import (
    json_text,
    print_json,
    print_table,
    rater,
    terminal_width,
    write_result,
)
from tui.judging.sitting import start_of_day


def progress(arguments: argparse.Namespace) -> int:
    from store import label_queue

    with open_workspace(arguments.workspace) as workspace:
        session = session_of(workspace, arguments)
        cells = session.progress(arguments.sample)
        today = label_queue.done_since(
            workspace.db, session.form.key, session.rater, start_of_day()
        )
    if arguments.json:
        print_json({"today": today, "cells": cells})
        return 0
    print_table(
        ["topic", "task", "done", "wanted", "yours"],
        [
            [cell.topic, cell.task, str(cell.done), str(cell.wanted), str(cell.by_rater)]
            for cell in cells
        ],
        keys=2,
    )
    print(f"{today} today")
    return 0


def statistics(arguments: argparse.Namespace) -> int:
    from engine.labelling.work_report import work_report
    from tui.work_output import render, report_as_json

    with open_workspace(arguments.workspace) as workspace:
        report = work_report(
            workspace.db,
            arguments.form,
            rater(arguments),
            by=arguments.by,
            since=start_of_day(),
        )
    width = terminal_width() if arguments.out is None else None
    text = (
        json_text(report_as_json(report))
        if arguments.json
        else render(report, arguments.format, width=width)
    )
    write_result(text, arguments.out)
    return 0


def events(arguments: argparse.Namespace) -> int:
    """The log as JSON lines, in the order in which the events came."""
    import msgspec

    from store import labels

    with open_workspace(arguments.workspace) as workspace:
        log = labels.events(workspace.db, arguments.form, rater=arguments.rater or None)
        write_result(
            "".join(msgspec.json.encode(one).decode() + "\n" for one in log), arguments.out
        )
    return 0


def list_forms(arguments: argparse.Namespace) -> int:
    from engine.forms import load_form, shipped_forms

    found = [load_form(key) for key in shipped_forms()]
    if arguments.json:
        print_json(found)
        return 0
    print_table(
        ["form", "", "subject", "fields"],
        [
            [form.key, form.en, form.subject_kind, ", ".join(field.key for field in form.fields)]
            for form in found
        ],
    )
    return 0
