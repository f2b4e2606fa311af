"""Workspaces whose systems ask models at a scripted server, and the real worker to run them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from unittest.mock import patch

from tiny_workspaces import make_corpus, make_release, question

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs import operation
from engine.jobs.operation import Budget
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import ItemContent
from store.runs import runs
from store.runs.runs import Run
from store.workspace import Workspace, open_workspace

KEY = "sk-scripted-0123456789abcdefghijklmn"
VARIABLE = "RAGDESK_TEST_KEY"
ENVIRON = {VARIABLE: KEY}


def questions(count: int) -> dict[str, ItemContent]:
    """So many single questions, no two alike, over two topics."""
    return {
        f"q{number:05}": question(
            f"What was the rate in month {number}?", topic=("rates", "funds")[number % 2]
        )
        for number in range(count)
    }


def make_workspace(folder: Path, contents: Mapping[str, ItemContent]) -> Path:
    """The tiny corpus with these items, released as `gold@1`."""
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        make_release(db, make_corpus(db), contents=dict(contents))
    return folder


def provider_table(name: str, base_url: str, **fields: object) -> str:
    """A `[providers.NAME]` table with the key's variable, and limits that keep a test brisk."""
    given = {
        "base_url": base_url,
        "model": "scripted",
        "api_key_env": VARIABLE,
        "limits.max_in_flight": 8,
        **fields,
    }
    lines = [f"{key} = {_toml(value)}" for key, value in given.items()]
    return "\n".join([f"[providers.{name}]", *lines, ""])


def system_table(name: str, generator: str, retriever: str | None = None, **fields: object) -> str:
    given = {"generator": generator, **({"retriever": retriever} if retriever else {}), **fields}
    return "\n".join(
        [f"[systems.{name}]", *(f"{key} = {_toml(value)}" for key, value in given.items()), ""]
    )


def write_settings(folder: Path, *tables: str) -> None:
    (folder / "ragdesk.toml").write_text("\n".join(tables), "utf-8")


def queue(
    folder: Path,
    system: str,
    *,
    name: str | None = None,
    repeats: int = 1,
    budget: Budget | None = None,
) -> Job:
    """The job of a new run of `system` over `gold`."""
    new = NewRun(system, "gold", name=name, repeats=repeats)
    with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
        return operation.queue(workspace, Evaluate(new, budget=budget or Budget()))


def start_worker(folder: Path, environ: Mapping[str, str] = ENVIRON) -> subprocess.Popen[bytes]:
    """The worker as `ragdesk run` starts it, with its log where that has it."""
    with (folder / "worker.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "engine.jobs.worker", str(folder)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environ},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def work(folder: Path, environ: Mapping[str, str] = ENVIRON) -> None:
    """Runs a worker until nothing is queued or running, without the wait for more to come."""
    worker = start_worker(folder, environ)
    with open_workspace(folder) as workspace:
        busy = "SELECT 1 FROM job WHERE state IN ('queued', 'running') LIMIT 1"
        while workspace.db.execute(busy).fetchone() and worker.poll() is None:
            time.sleep(0.02)
    worker.terminate()
    status = worker.wait(timeout=300)
    assert status == 0, f"the worker ended with {status}: {(folder / 'worker.log').read_text()}"


def resume(folder: Path, job: Job, budget: Budget | None = None) -> None:
    """Puts a job back into the queue, with other bounds where any are given."""
    with open_workspace(folder) as workspace, workspace.write() as db:
        operation.change_budget(db, jobs.get(db, job.id), budget or Budget())
        jobs.resume(db, job.id)


def job_now(folder: Path, job: Job) -> Job:
    with open_workspace(folder) as workspace:
        return jobs.get(workspace.db, job.id)


def run_named(workspace: Workspace, name: str) -> Run:
    return runs.get(workspace.db, name)


def predictions(folder: Path, run: str) -> list[tuple[object, ...]]:
    """(item, repeat, state, answer, kind of error, its text) of a run, by item."""
    with open_workspace(folder) as workspace:
        return workspace.db.execute(
            "SELECT item_key, repeat, prediction.state, answer, error_kind, error_text"
            " FROM prediction JOIN run ON run.id = run_id"
            " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
            " WHERE run.name = ? ORDER BY item_key, repeat",
            (run,),
        ).fetchall()


def scores(folder: Path, run: str) -> list[tuple[object, ...]]:
    """Every score of a run, in an order that two runs share."""
    with open_workspace(folder) as workspace:
        return workspace.db.execute(
            "SELECT item_key, turn, prediction.repeat, metric.name, variant, judge_id, score.state,"
            " value, score.reason FROM score JOIN prediction ON prediction.id = prediction_id"
            " JOIN run ON run.id = run_id JOIN revision ON revision.id = revision_id"
            " JOIN item ON item.id = item_id JOIN metric ON metric.id = metric_id"
            " WHERE run.name = ? ORDER BY 1, 2, 3, 4, 5, 6",
            (run,),
        ).fetchall()


def files_holding(folder: Path, text: str) -> list[str]:
    """The files of a workspace in which `text` stands anywhere."""
    needle = text.encode()
    return [
        file.relative_to(folder).as_posix()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and needle in file.read_bytes()
    ]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Iterable):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return repr(value)
