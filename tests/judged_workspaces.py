"""An answered run with judges and people's labels, for tests of calibration."""

from __future__ import annotations

from pathlib import Path

from endpoint_workspaces import make_workspace, questions

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.judge.base import LABELLED
from engine.judge.rules.method import RULE_JUDGE
from engine.labelling.forms import load_form
from store.labels import forms
from store.labels.log import log
from store.labels.log.events import Subject
from store.records import MetricScore, PredictionState
from store.runs import runs, stages
from store.workspace import Workspace, open_workspace

ITEMS = 30
OTHERS = [metric for metric in LABELLED if metric not in ("accuracy", "completeness")]


class Desk:
    """An answered run: the rules say `truth` of every third answer wrongly, `model` never."""

    def __init__(self, folder: Path) -> None:
        self.folder = make_workspace(folder, questions(ITEMS))
        self.workspace: Workspace = open_workspace(self.folder)
        with self.workspace.write() as db:
            self.form = forms.register(db, load_form("judge_labels"))
            self.rules = stages.put_judge(db, RULE_JUDGE.name, RULE_JUDGE.config)
        self.answers: list[int] = []
        self.answers = self.answered("r")
        with self.workspace.write():
            for at in range(ITEMS):
                self.score(self.rules, at, (at + (at % 3 == 0)) % 3)
        self.run = runs.get(self.workspace.db, "r")

    def answered(self, name: str) -> list[int]:
        """The answers of a new run, which stand behind those that there are."""
        queue(self.workspace, Evaluate(NewRun("bm25", "gold", name=name)))
        with self.workspace.write() as db:
            run = runs.get(db, name)
            rows = db.execute("SELECT id FROM prediction WHERE run_id = ? ORDER BY id", (run.id,))
            made = [id for (id,) in rows.fetchall()]
            for at, id in enumerate(made, len(self.answers)):
                stages.finish_prediction(db, id, PredictionState.OK, answer=f"answer {at}")
                stages.put(db, id, "score", {"scores": 1, "code": ""}, elapsed_ms=0.0)
        return made

    @staticmethod
    def truth(at: int) -> int:
        return at % 3

    def score(self, judge: int, at: int, value: int) -> None:
        score = MetricScore("accuracy", "standard", float(value))
        stages.put_scores(self.workspace.db, self.answers[at], [score], judge_id=judge)

    def judge(self, name: str, **config: object) -> int:
        """A judge that is right everywhere."""
        with self.workspace.write() as db:
            judge = stages.put_judge(db, name, {"judge": name, "kind": "model", **config})
            for at in range(ITEMS):
                self.score(judge, at, self.truth(at))
        return judge

    def label(self, rater: str, at: int, value: int) -> None:
        with self.workspace.write(durable=True) as db:
            subject = Subject("prediction", str(self.answers[at]))
            log.append(db, self.form, rater, subject, "accuracy", value)
            for field in ("completeness", *OTHERS):
                given = "na" if field in ("completeness", "numerical_accuracy") else 0
                log.append(db, self.form, rater, subject, field, given)

    def label_all(self, rater: str = "anna", count: int = ITEMS) -> None:
        for at in range(count):
            self.label(rater, at, self.truth(at))
