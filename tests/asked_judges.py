"""Judges that ask a scripted model about runs with given answers, through the real worker."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from unittest.mock import patch

from endpoint_workspaces import ENVIRON, job_now, make_workspace, provider_table, write_settings
from msgspec.structs import replace
from scripted_server import Reply, Request, ScriptedServer
from tiny_workspaces import question
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.judge.estimate import JudgeEstimate
from engine.judge.judge_job import JudgeRun
from store.jobs.jobs import Job
from store.records import ItemContent
from store.runs import details
from store.runs.details import JudgedScore
from store.workspace import open_workspace

TOKENS_IN, TOKENS_OUT = 100, 10
"""What each good reply is said to have taken."""


def item(asked: str, golden: Sequence[str]) -> ItemContent:
    """A question with other golden answers than the tiny corpus'."""
    content = question(asked)
    return replace(content, turns=(replace(content.turns[0], golden_answers=tuple(golden)),))


class AskedJudges:
    """Runs `NAME` whose answer to each item is given, a server, and what judging them came to."""

    def __init__(
        self,
        folder: Path,
        items: dict[str, ItemContent],
        answers: dict[str, Callable[[int], str]],
        reply: Callable[[Request], Reply],
        tables: Iterable[str],
    ) -> None:
        """`answers` gives each run the answer to the item of a number; closed-book runs are called
        `closed...`. `tables` are judges by the provider `p`."""
        self.folder = make_workspace(folder, items)
        self.server = ScriptedServer(reply=reply)
        self.tables = list(tables)
        self.jobs: dict[str, Job] = {}
        self.asked: dict[str, int] = {}
        self.estimates: dict[str, JudgeEstimate] = {}
        with open_workspace(self.folder) as workspace:
            for run in answers:
                system = "closed-book" if run.startswith("closed") else "bm25"
                queue(workspace, Evaluate(NewRun(system, "gold", name=run)))
        work_here(self.folder)
        self.number_of: dict[int, int] = {}
        """The item's number by that of a prediction."""
        with open_workspace(self.folder) as workspace, workspace.write() as db:
            rows = db.execute(
                "SELECT prediction.id, run.name, item_key FROM prediction"
                " JOIN run ON run.id = run_id JOIN revision ON revision.id = revision_id"
                " JOIN item ON item.id = item_id"
            ).fetchall()
            for id, run, key in rows:
                self.number_of[id] = int(key.removeprefix("q"))
                db.execute(
                    "UPDATE prediction SET answer = ?1,"
                    " checksum = row_sum(state, ?1, error_kind, error_text) WHERE id = ?2",
                    (answers[run](self.number_of[id]), id),
                )

    def __enter__(self) -> AskedJudges:
        self.server.__enter__()
        prices = {"prices.input": 1.0, "prices.output": 1.0}
        provider = provider_table("p", self.server.base_url, **prices)
        write_settings(self.folder, provider, *self.tables)
        return self

    def __exit__(self, *given: object) -> None:
        self.server.__exit__(*given)

    def judge(self, label: str, run: str, judge: str) -> None:
        """Lets a judge score a run; its job, estimate and requests are kept under `label`."""
        with open_workspace(self.folder) as workspace, patch.dict(os.environ, ENVIRON):
            asked = JudgeRun(run, judge)
            self.estimates[label] = asked.estimate(workspace)
            self.jobs[label] = queue(workspace, asked)
        before = self.server.count
        work_here(self.folder)
        self.jobs[label] = job_now(self.folder, self.jobs[label])
        self.asked[label] = self.server.count - before

    def scores(self, label: str, metric: str) -> dict[int, JudgedScore]:
        """What the judge of `label` said of each item, by the item's number."""
        params = self.jobs[label].params
        with open_workspace(self.folder) as workspace:
            db = workspace.db
            (judge,) = db.execute(
                "SELECT name FROM judge WHERE id = ?", (params["judge_id"],)
            ).fetchone()
            rows = db.execute("SELECT id FROM prediction WHERE run_id = ?", (params["run"],))
            return {
                self.number_of[id]: one
                for (id,) in rows.fetchall()
                for one in details.scores(db, id)
                if (one.judge, one.score.metric) == (judge, metric)
            }
