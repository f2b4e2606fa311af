"""The commands on all labels: labels progress, statistics, events, forms, import, export."""

from __future__ import annotations

import argparse

from store.messages import plural
from tui.cli.command import command, option
from tui.cli.labels import session_of
from tui.cli.options import FORCE, OUT, form_option, format_options, pair, rater, workspace_of
from tui.cli.output import (
    print_json,
    print_line,
    print_table,
    tell,
    write_rendered,
    write_result,
)
from tui.language import tr


@command(
    "progress",
    "count the finished subjects by cell",
    form_option(),
    option("--sample SAMPLE", "only this sample"),
    example="--sample pilot",
)
def progress(arguments: argparse.Namespace) -> int:
    from store.clock import start_of_day
    from store.labels.samples import progress, samples

    with workspace_of(arguments) as workspace:
        session = session_of(workspace, arguments)
        if arguments.sample is not None:
            samples.of_form(workspace.db, arguments.sample, session.form.key)
        cells = session.progress(arguments.sample)
        today = progress.done_since(workspace.db, session.form.key, session.rater, start_of_day())
    if arguments.json:
        print_json({"today": today, "cells": cells})
        return 0
    if not cells:
        tell("nothing to label: draw a sample first with ragdesk sample draw SAMPLE")
        return 0
    print_table(
        ["topic", "task", "done", "wanted", "yours"],
        [
            [cell.topic, cell.task, str(cell.done), str(cell.wanted), str(cell.by_rater)]
            for cell in cells
        ],
        keys=2,
    )
    print_line("{today} today", today=today)
    return 0


@command(
    "statistics",
    "print acceptance rates and the time per item",
    form_option(),
    option(
        "--by WHAT",
        "group by rater, day, rater_day, topic, task, cell, or a facet of the items such as model",
        "",
    ),
    *format_options("csv", "markdown"),
    example="--by cell",
)
def statistics(arguments: argparse.Namespace) -> int:

    from engine.labelling.figures.work_report import work_report
    from engine.report.work import render
    from store.clock import start_of_day

    with workspace_of(arguments) as workspace:
        report = work_report(
            workspace.db, arguments.form, rater(arguments), by=arguments.by, since=start_of_day()
        )
    write_rendered(arguments, render, report)
    return 0


@command(
    "events",
    "write the log of labels as JSON lines",
    option("--form FORM", "form of the labels (default: all)"),
    *OUT,
    example="--out labels.jsonl",
)
def events(arguments: argparse.Namespace) -> int:
    """Writes the log as JSON lines in the order of the events; with --json as one list."""
    import msgspec

    from engine.labelling.forms import find_form
    from store.labels import consensus
    from store.labels.log import reading

    with workspace_of(arguments) as workspace:
        if arguments.form:
            # a name that is mistyped is not taken for a form without labels
            find_form(workspace.db, arguments.form)
        events = reading.events(workspace.db, arguments.form, rater=arguments.rater or None)
        more = {
            "reason": consensus.reasons(workspace.db),
            "account": reading.accounts(workspace.db),
        }
        log = [
            msgspec.to_builtins(event)
            | {name: of[event.seq] for name, of in more.items() if event.seq in of}
            for event in events
        ]
    lines = "".join(msgspec.json.encode(event).decode() + "\n" for event in log)
    if not arguments.json:
        write_result(arguments, lines)
    elif arguments.out is None:
        print_json(log)
    else:
        write_result(arguments, lines)
        print_json({"out": str(arguments.out), "events": len(log)})
    return 0


@command(
    "import",
    "read labels from a table, .csv or .jsonl",
    option("FILE", "table with a row per subject, .csv or .jsonl"),
    form_option(),
    option(
        "--map COLUMN=WHAT",
        "meaning of a column: a field, RATER:FIELD, rater, item, turn, run ... (repeatable)",
        action="append",
    ),
    option("--na TEXT", "another text for `does not apply`, besides - and na", ""),
    example="labels.csv --form judge_labels --rater wang",
)
def import_labels(arguments: argparse.Namespace) -> int:
    from engine.labelling.importing import import_labels as bring_in

    columns = dict(pair(text, "COLUMN=WHAT") for text in arguments.map)
    with workspace_of(arguments) as workspace:
        made = bring_in(
            workspace,
            arguments.file,
            arguments.form,
            columns=columns,
            # never the user of this computer: labels of others are not theirs by default
            rater=arguments.rater,
            na=arguments.na,
        )
    if arguments.json:
        print_json(made)
        return 0
    print(
        tr(
            "{labels} of {subjects} by {raters}",
            labels=plural(made.added, "label"),
            subjects=plural(made.subjects, "subject"),
            raters=", ".join(made.raters),
        )
        + (
            f"; {tr('{unchanged:,} stood there already', unchanged=made.unchanged)}"
            if made.unchanged
            else ""
        )
    )
    if made.ignored:
        tell("ignored: {ignored}", ignored=", ".join(made.ignored))
    return 0


@command(
    "export",
    "write labels as a table that imports again",
    form_option(),
    option("--out FILE", "file to write, .csv or .jsonl", required=True),
    FORCE,
    example="--form judge_labels --out labels.csv",
)
def export_labels(arguments: argparse.Namespace) -> int:
    from engine.labelling.exporting import label_file

    with workspace_of(arguments) as workspace:
        text = label_file(workspace, arguments.form, arguments.out)
    write_result(arguments, text)
    if arguments.json:
        print_json({"form": arguments.form, "out": str(arguments.out)})
    return 0


COMMANDS = (progress, statistics, events, import_labels, export_labels)
