"""Commands that read labels: progress, statistics, events, forms."""

from __future__ import annotations

import argparse

from engine.report.output import json_text
from store.workspace import open_workspace
from tui.cli.labelling import check_sample, session_of
from tui.cli.output import (
    print_json,
    print_table,
    rater,
    say,
    terminal_width,
    write_result,
)
from tui.label.sitting import start_of_day


def progress(arguments: argparse.Namespace) -> int:
    from store.labels import queue

    with open_workspace(arguments.workspace) as workspace:
        session = session_of(workspace, arguments)
        check_sample(workspace, session, arguments.sample)
        cells = session.progress(arguments.sample)
        today = queue.done_since(workspace.db, session.form.key, session.rater, start_of_day())
    if arguments.json:
        print_json({"today": today, "cells": cells})
        return 0
    if not cells:
        say("nothing is to be labelled: ragdesk sample draw SAMPLE says what is")
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
    from engine.report.work_output import render, report_as_json

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
    """The log as JSON lines, in the order in which the events came; with --json as one list."""
    import msgspec

    from engine.labelling.forms import load_form
    from store.labels import log as labels

    if arguments.form:
        # a name that is mistyped is not taken for a form without labels
        load_form(arguments.form)
    with open_workspace(arguments.workspace) as workspace:
        log = list(labels.events(workspace.db, arguments.form, rater=arguments.rater or None))
    lines = "".join(msgspec.json.encode(one).decode() + "\n" for one in log)
    if not arguments.json:
        write_result(lines, arguments.out)
    elif arguments.out is None:
        print_json(log)
    else:
        write_result(lines, arguments.out)
        print_json({"out": str(arguments.out), "events": len(log)})
    return 0


def list_forms(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import load_form, shipped_forms

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
