"""Audits through the real worker, with judges at a scripted server."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest
from asked_judges import AskedJudges, item
from endpoint_workspaces import ENVIRON, job_now
from scripted_server import Reply, Request, answer
from worker_here import work_here

from engine.calibration.audit.audit_job import AuditJudge
from engine.calibration.audit.audit_records import Audit
from engine.jobs.operation import Budget, queue
from store.errors import InputError, NotFound, UsageError
from store.records import JobState, PauseReason
from store.runs import audits
from store.workspace import open_workspace
from tui.cli import main

ITEMS = 30
TABLES = [
    f'[judges.{name}]\nmodel = "p"\nmetrics = ["accuracy"]\ntemperature = {heat}\n'
    for name, heat in (("fair", 0.1), ("long", 0.2), ("own", 0.3))
]
TABLES.append('[judges.pair]\nmethod = "jury"\nmembers = ["fair", "long"]\n')
TABLES.append('[embeddings.e]\nprovider = "p"\n')
TABLES.append('[judges.near]\nmethod = "similarity"\nembedding = "e"\n')
TABLES.append('[judges.first]\nmodel = "p"\nmetrics = ["utilization"]\n')
BY_HEAT = {0.1: "fair", 0.2: "long", 0.3: "own"}


def reply(request: Request) -> Reply:
    """2 where the golden answer is in the answer; `long` likes length, `own` its own name, and
    `first` goes by the passage that comes first."""
    text = request.body["messages"][-1]["content"]
    if "Utilization" in text:
        passage = re.search(r"\[1\] .*\nContent: (.*)\n", text)[1]  # type: ignore[index]
        return answer(json.dumps({"value": 2 if "The rate" in passage else 0}))
    golden, given = (
        re.search(rf"{head}:\n(.*)\n", text)[1]  # type: ignore[index]
        for head in ("Golden answer", "Answer to grade")
    )
    who = BY_HEAT[request.body["temperature"]]
    right = golden in given.translate(FULL_WIDTH) and "false" not in given
    flattered = (who == "long" and "once more" in given) or (who == "own" and "scripted" in given)
    return answer(json.dumps({"value": 2 if right or flattered else 0}))


FULL_WIDTH = str.maketrans("０１２３４５６７８９", "0123456789")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedJudges]:
    folder = tmp_path_factory.mktemp("audits") / "w"
    items = {
        f"q{at:05}": item(f"What was the rate in month {at}?", [f"{at + 31} percent"])
        for at in range(ITEMS)
    }
    answers = {"r": lambda at: f"It was {at + 31 + at % 2} percent."}
    with AskedJudges(folder, items, answers, reply, TABLES) as made:
        (folder / "prompts" / "en" / "strict").mkdir(parents=True)
        text = (Path(__file__).parents[1] / "engine/prompts/en/judge/accuracy.txt").read_text()
        (folder / "prompts/en/strict/accuracy.txt").write_text(text.replace("Values:", "Marks:"))
        (folder / "prompts/zh/strict").mkdir(parents=True)
        zh = (Path(__file__).parents[1] / "engine/prompts/zh/judge/accuracy.txt").read_text()
        (folder / "prompts/zh/strict/accuracy.txt").write_text(zh)
        yield made


def audited(asked: AskedJudges, operation: AuditJudge) -> tuple[Audit, int]:
    """The audit, and how many requests it took."""
    before = asked.server.count
    with open_workspace(asked.folder) as workspace, patch.dict(os.environ, ENVIRON):
        job = queue(workspace, operation)
    work_here(asked.folder)
    job = job_now(asked.folder, job)
    assert job.state is JobState.DONE, job.error
    with open_workspace(asked.folder) as workspace:
        stored = audits.latest(workspace.db, job.params["plan"]["judge_id"])
    assert stored is not None
    return msgspec.json.decode(stored.report, type=Audit), asked.server.count - before


@pytest.mark.parametrize(
    ("judge", "wanted"), [("fair", set()), ("long", {"length"}), ("own", {"own-family"})]
)
def test_a_planted_bias_is_found_and_nothing_asked_twice(
    asked: AskedJudges, judge: str, wanted: set[str]
) -> None:
    operation = AuditJudge(judge=judge, runs=("r",), answers=ITEMS)
    with open_workspace(asked.folder) as workspace:
        estimate = operation.estimate(workspace)
    found, requests = audited(asked, operation)
    assert {one.change for one in found.probes if one.verdict == "biased"} == wanted
    assert {one.verdict for one in found.probes if one.p is None} == {"caught"}
    assert requests == estimate.calls - estimate.cached
    assert audited(asked, operation) == (found, 0)


def test_a_judge_that_goes_by_the_first_passage_is_found(asked: AskedJudges) -> None:
    found, _ = audited(asked, AuditJudge(judge="first", runs=("r",), answers=ITEMS))
    verdicts = {one.change: one.verdict for one in found.probes}
    assert {change for change, verdict in verdicts.items() if verdict == "biased"} == {"order"}


def test_another_wording_and_another_judge_stand_beside(asked: AskedJudges) -> None:
    asked.judge("long", "r", "long")
    operation = AuditJudge(
        judge="fair", runs=("r",), answers=ITEMS, prompts=("strict",), against="long"
    )
    found, _ = audited(asked, operation)
    (wording,) = found.wordings
    assert (wording.other, wording.answers, wording.verdict) == (
        "prompts strict",
        ITEMS,
        "no drift found",
    )
    (drift,) = found.drifts
    assert (drift.answers, drift.flips, drift.verdict) == (ITEMS, 0.0, "no drift found")


def test_a_budget_pauses_and_what_was_asked_is_kept(asked: AskedJudges) -> None:
    operation = AuditJudge(
        judge="own", runs=("r",), prompts=("strict",), answers=ITEMS, budget=Budget(max_tokens=1)
    )
    with open_workspace(asked.folder) as workspace, patch.dict(os.environ, ENVIRON):
        job = queue(workspace, operation)
    work_here(asked.folder)
    job = job_now(asked.folder, job)
    assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.BUDGET)


@pytest.mark.parametrize(
    ("operation", "error", "said"),
    [
        (AuditJudge(judge="nobody", runs=("r",)), NotFound, "no judge 'nobody'"),
        (AuditJudge(judge="fair"), InputError, "No answer is labelled"),
        (AuditJudge(judge="fair", runs=("s",)), UsageError, "no run 's'"),
        (AuditJudge(judge="fair", runs=("r",), metrics=("f1",)), UsageError, "give 'f1'"),
        (
            AuditJudge(judge="fair", runs=("r",), answers=0),
            UsageError,
            "The number of answers is 0",
        ),
        (AuditJudge(judge="fair", runs=("r",), prompts=("no",)), InputError, "no"),
        (AuditJudge(judge="rules", runs=("r",), prompts=("no",)), UsageError, "reads no prompts"),
        (AuditJudge(judge="fair", runs=("r",), against="x@1"), NotFound, "No judge 'x@1'"),
    ],
)
def test_what_cannot_be_audited_is_refused(
    asked: AskedJudges, operation: AuditJudge, error: type[Exception], said: str
) -> None:
    with (
        open_workspace(asked.folder) as workspace,
        patch.dict(os.environ, ENVIRON),
        pytest.raises(error, match=said),
    ):
        operation.check(workspace)


def test_the_command_prints_the_last_audit_as_card_and_exit_code(
    asked: AskedJudges, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audited(asked, AuditJudge(judge="long", runs=("r",), answers=ITEMS))
    audited(asked, AuditJudge(judge="fair", runs=("r",), answers=ITEMS))

    def call(*words: str) -> int:
        return main(["audit", *words, "--workspace", str(asked.folder)])

    assert call("long", "--last") == 4
    assert "accuracy, length: +0.50" in capsys.readouterr().out
    assert call("fair", "--last", "--json") == 5
    printed = json.loads(capsys.readouterr().out)
    assert (printed["verdict"], printed["more"]) == ("too few labels", 30)
    assert call("long", "--last", "--out", str(tmp_path / "a.html")) == 4
    assert "not trusted" in (tmp_path / "a.html").read_text("utf-8")
    assert call("long", "--last", "--out", str(tmp_path / "a.md")) == 4
    assert (tmp_path / "a.md").read_text("utf-8").startswith("# long@")
    assert call("long", "--last", "--out", str(tmp_path / "a.txt")) == 2
    assert call("own2", "--last") == 2


def test_an_audit_of_what_the_judge_was_is_stale(
    asked: AskedJudges, capsys: pytest.CaptureFixture[str]
) -> None:
    audited(asked, AuditJudge(judge="long", runs=("r",), answers=ITEMS))
    settings = asked.folder / "ragdesk.toml"
    before = settings.read_text("utf-8")
    settings.write_text(before.replace("temperature = 0.2", "temperature = 0.25"), "utf-8")
    try:
        assert main(["audit", "long", "--last", "--workspace", str(asked.folder)]) == 5
        assert "stale: the judge has changed" in capsys.readouterr().err
    finally:
        settings.write_text(before, "utf-8")


def test_a_jury_is_probed_by_what_its_members_say(asked: AskedJudges) -> None:
    """Of two it takes the lower value: that one of them likes length is outvoted."""
    operation = AuditJudge(judge="pair", runs=("r",), answers=ITEMS)
    found, _ = audited(asked, operation)
    by_change = {one.change: one.verdict for one in found.probes}
    assert by_change["length"] == "clean"
    assert by_change["wrong-number"] == by_change["denied"] == "caught"
    assert "own-family" not in by_change
    assert (found.kind, found.probed, found.not_probed) == ("jury", ITEMS, "")
    with open_workspace(asked.folder) as workspace:
        left = operation.estimate(workspace)
    assert (left.calls, left.values) == (0, 0)
    assert audited(asked, operation)[1] == 0


def test_vectors_by_an_endpoint_are_said_beside_the_estimate(asked: AskedJudges) -> None:
    with open_workspace(asked.folder) as workspace:
        estimate = AuditJudge(judge="near", runs=("r",)).estimate(workspace)
    assert (estimate.calls, estimate.embeds_at) == (0, "p")


def test_a_dry_run_asks_nothing(asked: AskedJudges, capsys: pytest.CaptureFixture[str]) -> None:
    before = asked.server.count
    with patch.dict(os.environ, ENVIRON):
        words = ["audit", "own", "r", "--answers", "10", "--dry-run"]
        assert main([*words, "--workspace", str(asked.folder)]) == 0
    assert "10 answers to change" in capsys.readouterr().out
    assert asked.server.count == before
