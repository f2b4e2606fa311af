"""Commands that read labels: progress, statistics, events, forms."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any

from store.errors import UsageError
from store.workspace import open_workspace
from tui.cli.labelling import session_of
from tui.cli.output import print_json, print_table, write_result


def progress(arguments: argparse.Namespace) -> int:
    from store import label_queue

    with open_workspace(arguments.workspace) as workspace:
        session = session_of(workspace, arguments)
        cells = session.progress(arguments.sample)
        today = label_queue.done_since(workspace.db, session.form.key, session.rater, _midnight())
    if arguments.json:
        print_json({"today": today, "cells": cells})
        return 0
    print_table(
        ["topic", "task", "done", "wanted", "yours"],
        [
            [cell.topic, cell.task, str(cell.done), str(cell.wanted), str(cell.by_rater)]
            for cell in cells
        ],
    )
    print(f"{today} today")
    return 0


def statistics(arguments: argparse.Namespace) -> int:
    from engine.forms import load_form
    from engine.labelling.statistics import facet_names, figures
    from store import label_review

    with open_workspace(arguments.workspace) as workspace:
        work = label_review.work(workspace.db, load_form(arguments.form))
    axes = ("rater", "topic", "task", "cell", *facet_names(work))
    if arguments.by and arguments.by not in axes:
        raise UsageError(
            f"There is nothing called {arguments.by!r} to group by.",
            f"There are: {', '.join(axes)}.",
        )
    rows = figures(work, arguments.by)
    if arguments.json:
        print_json([{**_as_dict(row), "acceptance": row.acceptance} for row in rows])
        return 0
    print_table(
        [arguments.by or "", "subjects", "labels", "excluded", "acceptance", "seconds", "raters"],
        [
            [
                row.group,
                str(row.subjects),
                str(row.complete),
                str(row.excluded),
                "-" if row.acceptance is None else f"{row.acceptance:.4f}",
                "-" if row.median_seconds is None else f"{row.median_seconds:.1f}",
                ", ".join(row.raters),
            ]
            for row in rows
        ],
    )
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


def _as_dict(row: Any) -> dict[str, Any]:
    import msgspec

    return dict(msgspec.structs.asdict(row))


def _midnight() -> str:
    """When the rater's day began, as the store writes times."""
    start = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return start.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
