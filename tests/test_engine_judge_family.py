"""Models of one family as judge and answerer."""

from __future__ import annotations

from pathlib import Path

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    ENVIRON,
    job_now,
    make_workspace,
    provider_table,
    questions,
    queue,
    run_named,
    system_table,
    write_settings,
)
from scripted_server import ScriptedServer
from worker_here import work_here

from engine.jobs import operation
from engine.judge.family import families
from engine.judge.judge_job import JudgeRun
from engine.judge.trust import family_text
from engine.report.run_matrix import as_json, caption_of
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from store.jobs import jobs
from store.records import JobState
from store.workspace import open_workspace


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("gpt-4o-2024-08-06", {"gpt"}),
        ("openai/gpt4o", {"gpt"}),
        ("o3-mini", {"gpt"}),
        ("claude-sonnet-4", {"claude"}),
        ("Qwen/Qwen2.5-7B-Instruct", {"qwen"}),
        ("qwq-32b", {"qwen"}),
        ("Meta-Llama-3.1-70B-Instruct", {"llama"}),
        ("deepseek-r1-distill-qwen-7b", {"deepseek", "qwen"}),
        ("THUDM/chatglm3-6b", {"glm"}),
        ("glm-4-plus", {"glm"}),
        ("gemini-2.0-flash", {"gemini"}),
        ("mixtral-8x7b", {"mistral"}),
        ("Yi-34B", {"yi"}),
        ("anything", set()),
        ("philosopher", set()),
        ("", set()),
    ],
)
def test_a_models_name_tells_its_family(model: str, known: set[str]) -> None:
    assert families(model) == known


def test_what_is_said_is_said_in_both_languages() -> None:
    assert family_text(["gpt", "qwen"], "en") == "judge and answerer are of one family (gpt, qwen)"
    assert "gpt" in family_text(["gpt"], "zh")


def test_a_judge_of_the_answerers_family_is_named_wherever_it_judges(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path / "w", questions(1))
    given = scripted.answer('{"reason": "so", "value": 1}')
    with ScriptedServer(default=given) as server, pytest.MonkeyPatch.context() as patch:
        address = server.base_url
        write_settings(
            folder,
            provider_table("answers", address, model="qwen2.5-7b-instruct"),
            provider_table("kin", address, model="qwen-max"),
            provider_table("stranger", address, model="glm-4"),
            system_table("asked", "answers"),
            '[judges.kin]\nmodel = "kin"\nmetrics = ["accuracy"]\n',
            '[judges.stranger]\nmodel = "stranger"\nmetrics = ["accuracy"]\n',
            '[judges.jury]\nmethod = "jury"\nmembers = ["kin", "stranger"]\n',
        )
        patch.setenv(*next(iter(ENVIRON.items())))
        queue(folder, "asked", name="run")
        work_here(folder)
        for judge, shared in (("kin", ("qwen",)), ("stranger", ()), ("jury", ("qwen",))):
            with open_workspace(folder) as workspace:
                asked = JudgeRun("run", judge)
                assert operation.dry_run(workspace, asked).same_family == shared
                job = operation.queue(workspace, asked)
            work_here(folder)
            assert job_now(folder, job).state is JobState.DONE
            with open_workspace(folder) as workspace:
                db = workspace.db
                said = [e.text for e in jobs.events(db, job.id) if e.kind == jobs.WARNING]
                assert any("one family (qwen)" in text for text in said) == bool(shared)
                assert run_named(workspace, "run").settings.provider is not None
                view = run_matrix(db, "run", MetricQuery("accuracy", judge=judge, lang="en"))
            assert ("one family (qwen)" in caption_of(view).judge) == bool(shared)
            assert as_json(view)["same_family"] == shared
