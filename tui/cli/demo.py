"""The command that shows the main job on the sample corpus, end to end: demo."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from store.errors import InputError
from store.messages import plural
from tui.cli.command import command, option
from tui.cli.options import workspace_of
from tui.cli.output import print_json, print_line, tell, terminal_width
from tui.language import language

if TYPE_CHECKING:
    from store.workspace import Workspace

METRIC = "f1"


@command(
    "demo",
    "build ./ragdesk-demo from the sample and show its matrix",
    option("--force", "use the folder even though it is not empty"),
    defaults={"default_workspace": Path("ragdesk-demo")},
)
def run_demo(arguments: argparse.Namespace) -> int:
    """Ingests the sample, evaluates three offline systems over it and prints their matrices."""
    from engine.evaluate.new_run import NewRun
    from engine.evaluate.run_job import Evaluate
    from engine.evaluate.systems import DEMO_SYSTEMS
    from engine.importers.sample import SAMPLE, load_sample
    from engine.jobs.operation import queue
    from engine.jobs.start import ensure_worker
    from store.corpora import corpora
    from store.runs import runs
    from tui.cli.follow import follow

    folder: Path = arguments.workspace
    _refuse_occupied(folder, force=arguments.force)
    with workspace_of(arguments, create=True) as workspace:
        release = load_sample(workspace)
        documents = corpora.counts(workspace.db, corpora.get(workspace.db, SAMPLE)).documents
        tell(
            "Ingested {documents}; {label} holds {items}.",
            documents=plural(documents, "document"),
            label=release.label,
            items=plural(release.items, "item"),
        )
        queued = [
            queue(workspace, Evaluate(NewRun(system, release.label))) for system in DEMO_SYSTEMS
        ]
        tell(
            "Evaluating {demo_systems} over {label} in the background.",
            demo_systems=", ".join(DEMO_SYSTEMS),
            label=release.label,
        )
        ensure_worker(workspace)
        code = follow(workspace, [job.id for job in queued])
        if code != 0:
            return code
        made = [runs.get(workspace.db, job.run_id) for job in queued if job.run_id is not None]
        _show(arguments, workspace, [run.name for run in made])
    return 0


def _refuse_occupied(folder: Path, *, force: bool) -> None:
    """Raises InputError for a folder with anything in it; `force` removes an earlier demo, and only
    that: no workspace with other corpora or with labels."""
    from engine.importers.sample import SAMPLE
    from store.workspace import FILE_NAME, open_workspace

    if not folder.exists() or not any(folder.iterdir()):
        return
    if not force:
        raise InputError(
            f"{folder} is not empty.",
            "Choose another with --workspace, or start afresh in it with --force.",
        )
    if (folder / FILE_NAME).exists():
        with open_workspace(folder, create=True) as workspace:
            others, labels = workspace.db.execute(
                "SELECT (SELECT count(*) FROM corpus WHERE name <> ?),"
                " (SELECT count(*) FROM label_event)",
                (SAMPLE,),
            ).fetchone()
        if others or labels:
            raise InputError(
                f"{folder} is not a demo alone: it holds"
                f" {plural(others, 'other corpus', 'other corpora')} and"
                f" {plural(labels, 'label')}.",
                "Choose another folder with --workspace.",
            )
    for name in (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / "artefacts", ignore_errors=True)


def _show(arguments: argparse.Namespace, workspace: Workspace, names: list[str]) -> None:
    from engine.report.comparison import leaderboard_text
    from engine.report.run_matrix import as_json, render
    from engine.results.metric_query import MetricQuery
    from engine.results.run_comparison import rank_runs
    from engine.results.run_matrix import run_matrix

    lang = language()
    views = [run_matrix(workspace.db, name, MetricQuery(METRIC, lang=lang)) for name in names]
    if arguments.json:
        print_json({"workspace": str(workspace.folder), "runs": [as_json(view) for view in views]})
        return
    print()
    for view in views:
        print(render(view, "text", width=terminal_width()))
        print()
    board = rank_runs(workspace.db, names, MetricQuery(METRIC))
    print(leaderboard_text(*board, lang=lang, width=terminal_width()))
    print()
    folder = quote(str(workspace.folder))
    print_line(
        "next: ragdesk --workspace {folder}   (opens the app on these results)", folder=folder
    )


COMMANDS = (run_demo,)
