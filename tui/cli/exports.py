"""The commands that export data: datasets by layout, runs, and labels to train judges on."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from engine.exporters.layouts import LAYOUTS, RUN_LAYOUTS
from store.errors import UsageError
from store.messages import choices, plural
from tui.cli.command import Command, Group, command, option
from tui.cli.options import filled, workspace_of
from tui.cli.output import print_json, print_line, print_text, tell
from tui.language import read, tr

if TYPE_CHECKING:
    from engine.exporters.queries import Export
    from store.formats.manifest import Manifest
    from store.records import ItemState


_OUT = (
    option("--out DIR", "folder to write, new or empty", required=True),
    option("--force", "replace an earlier export in that folder"),
)
"""The options of every export: the folder that is written to."""

_FOLDER = (option("--anonymous", "replace people's names by pseudonyms"), *_OUT)
"""The same where people may be named."""

_DATASET = (
    option("--dataset NAME[@V]", "dataset, or one of its releases", required=True),
    option(
        "--state STATE...",
        "states of the items, or all (default: accepted; for `export items` all)",
    ),
    option("--topic KEY...", "only these topics (default: all)"),
    option("--task KEY...", "only these tasks (default: all)"),
    option("--split [NAME:]SIDE", "only one side of a split, such as test", ""),
    *_FOLDER,
)


def export_dataset(arguments: argparse.Namespace) -> int:
    from engine.exporters.queries import DatasetExport

    export = filled(
        DatasetExport,
        arguments,
        states=_states(arguments.state),
        topics=arguments.topic,
        tasks=arguments.task,
        side=arguments.split,
    )
    return _write(arguments, export)


def _states(given: list[str]) -> tuple[ItemState, ...]:
    from store.records import ItemState

    if "all" in given:
        return tuple(ItemState)
    known = [str(state) for state in ItemState]
    for state in given:
        if state not in known:
            raise UsageError(
                f"--state {state}: there is none.", choices(state, [*known, "all"], "States")
            )
    return tuple(map(ItemState, given))


@command(
    "judge",
    "write people's labels to train judges on",
    option(
        "--form FORM",
        "labels to export: judge_labels (default), preference, as pairs for DPO, or a form of one's"
        " own about answers",
        "judge_labels",
    ),
    option("--sample SAMPLE", "only answers of this sample (default: all labelled answers)", ""),
    option("--runs RUN...", "only answers of these runs (default: all)"),
    option(
        "--min-raters N",
        "leave out labels of fewer raters, but for those that somebody ruled on (default 1)",
        1,
    ),
    option(
        "--metrics M...",
        "metrics to export (default: all five); of preferences one of correctness, completeness"
        " and overall (default)",
    ),
    option(
        "--shapes SHAPE...",
        "layouts of the rows: trl, openai, alpaca, sharegpt (default: these four), parquet; of"
        " preferences trl, alpaca, sharegpt",
    ),
    option("--prompt-file [METRIC=]FILE...", "another prompt, for one metric or for all"),
    option(
        "--reply",
        'value (default): {"value": n}, null for n/a; omnieval: {"prediction": n}, -1 for n/a',
        choices=("value", "omnieval"),
    ),
    option("--rationale", "give raters' comments as the reason in the reply"),
    option("--soft-labels", "add the share of raters by value to the records"),
    option(
        "--split SPLIT", "split to take the sides from (default: the one that exports share)", ""
    ),
    *_FOLDER,
    example="--sample judge-1 --out exports/judge",
)
def export_judge(arguments: argparse.Namespace) -> int:
    if arguments.min_raters < 1:
        raise UsageError(f"--min-raters {arguments.min_raters}: a label has one rater or more.")
    if arguments.form == "preference":
        return _export_preferences(arguments)
    from engine.exporters.queries import JudgeDataExport
    from engine.labelling.forms import find_form
    from engine.training.data.cases import metrics_of
    from engine.training.data.shapes import SHAPES

    _check_names("--shapes", arguments.shapes, (*SHAPES, "parquet"))
    with workspace_of(arguments) as workspace:
        form = find_form(workspace.db, arguments.form)
    if form.subject_kind != "prediction":
        raise UsageError(f"Form {form.key!r} is not about answers.", "Judges judge answers.")
    _check_names("--metrics", arguments.metrics, metrics_of(form))
    export = filled(
        JudgeDataExport,
        arguments,
        form=form.key,
        soft=arguments.soft_labels,
        prompt_files=arguments.prompt_file,
    )
    return _write(arguments, export)


def _export_preferences(arguments: argparse.Namespace) -> int:
    from engine.exporters.queries import PreferencesExport
    from engine.labelling.forms import load_form
    from engine.training.data.preferences import PAIR_SHAPES

    for name in ("prompt_file", "reply", "rationale", "soft_labels"):
        if getattr(arguments, name):
            raise UsageError(
                f"--{name.replace('_', '-')} is about what a judge replies; preferences have none.",
                "Leave it out with --form preference.",
            )
    fields = arguments.metrics or ["overall"]
    _check_names("--metrics", fields, [field.key for field in load_form("preference").fields])
    if len(fields) > 1:
        raise UsageError("Preferences are exported by one field.", "Name one with --metrics.")
    _check_names("--shapes", arguments.shapes, PAIR_SHAPES)
    return _write(arguments, filled(PreferencesExport, arguments, field=fields[0]))


@command(
    "run",
    "write runs: every prediction with its passages, and every score",
    option("RUN...", "names or numbers of runs", dest="run_names"),
    option(
        "--as",
        tr(
            "layout: {layouts}",
            layouts="; ".join(f"{name}: {tr(one.help)}" for name, one in RUN_LAYOUTS.items()),
        ),
        "jsonl",
        dest="layout",
        choices=tuple(RUN_LAYOUTS),
    ),
    *_OUT,
    example="bm25 --as jsonl --out exports/bm25",
)
def export_run(arguments: argparse.Namespace) -> int:
    from engine.exporters.queries import RunsExport

    return _write(arguments, RunsExport(arguments.layout, tuple(arguments.run_names)))


def _write(arguments: argparse.Namespace, export: Export) -> int:
    with workspace_of(arguments) as workspace:
        manifest = export.write(workspace, arguments.out, force=arguments.force)
    _show_export(arguments, manifest)
    return 0


def _check_names(option: str, given: list[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(f"{option} {name}: there is none.", choices(name, known, "There are"))


def _show_export(arguments: argparse.Namespace, manifest: Manifest) -> None:
    """Prints what an export holds."""
    if arguments.json:
        print_json({"out": str(arguments.out), "manifest": manifest})
        return
    from store.formats.manifest import FOLLOWING

    counts = ", ".join(
        read(f"{count:,} {name}")
        for name, count in manifest.counts.items()
        # a shape has a row for every label; the manifest counts them for whoever checks it
        if not name.endswith(FOLLOWING)
    )
    statuses = ", ".join(
        f"{count:,} {tr(name)}" for name, count in sorted(manifest.by_status.items())
    )
    print_text(tr("exported to {out}: {counts}", out=arguments.out, counts=counts))
    if statuses:
        print_line("by status: {statuses}", statuses=statuses)
    for note in manifest.notes:
        tell("note: {note}", note=note)
    print_line("check it by: ragdesk verify --export {folder}", folder=quote(str(arguments.out)))


def verify_export(arguments: argparse.Namespace) -> int:
    """Runs `verify --export DIR`; returns 0 when every hash and count holds, else 1."""
    from engine.exporters.writing import verify_export as check

    folder: Path = arguments.export
    checked = check(folder)
    manifest, problems = checked.manifest, checked.problems
    if arguments.json:
        print_json({"ok": not problems, "problems": problems, "manifest": manifest})
    else:
        for problem in problems:
            print(f"{tr('FAILED')}  {read(problem)}")
        if not problems:
            whole = tr(
                "{folder}: {form} {version} by {program}, {files}, every hash and count holds",
                folder=folder,
                form=manifest.format,
                version=manifest.version,
                program=manifest.program,
                files=plural(len(manifest.files), "file"),
            )
            print(f"{tr('ok  ')}    {whole}")
    return 1 if problems else 0


COMMANDS = (
    Group(
        "export",
        "write data out, with a manifest",
        "KIND",
        (
            *(
                Command(kind, layout.help, export_dataset, _DATASET, layout.example, {"kind": kind})
                for kind, layout in LAYOUTS.items()
            ),
            export_run,
            export_judge,
        ),
    ),
)
