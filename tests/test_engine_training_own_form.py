"""Judge data of a form of one's own: its scales are the metrics, by templates of the workspace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from label_workspaces import label_workspace
from own_forms import TONE, changed, write_form

from engine.exporters.writing import verify_export
from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.session import LabelSession
from engine.training.data.bundle import Wanted
from engine.training.judge_export import JudgeExport, export_judge
from store.errors import InputError, NotFound
from store.workspace import Workspace
from tui.cli import main

TEMPLATES = {
    "zh": """[system]
判断回答是否礼貌。只输出一个 JSON 对象：{"reason": "一句理由", "value": 0 或 1 或 2}
[user]
问题：{question}
标准答案：{golden_answers}
回答：{answer}
""",
    "en": """[system]
Judge whether it is polite. Reply with one JSON object: {"reason": "why", "value": 0, 1 or 2}
[user]
Question: {question}
Golden answer: {golden_answers}
Answer: {answer}
""",
}


@pytest.fixture
def labelled(tmp_path: Path):
    with label_workspace(tmp_path / "w", 6, characters=200) as workspace:
        write_form(workspace.folder, TONE)
        label(workspace)
        yield workspace


def label(workspace: Workspace) -> None:
    request = SampleRequest("tone", "口吻", 9, runs=("retriever-x-1",), raters_wanted=2)
    draw_sample(workspace, request)
    for rater, register in (("王芳", "formal"), ("li", "casual")):
        session = LabelSession(workspace, "口吻", rater)
        while (queued := session.next()) is not None:
            session.set(queued.subject, "politeness", 2)
            session.set(queued.subject, "register", register)


def write_templates(workspace: Workspace) -> None:
    for lang, text in TEMPLATES.items():
        file = workspace.folder / "prompts" / lang / "judge" / "politeness.txt"
        file.parent.mkdir(parents=True)
        file.write_text(text, "utf-8")


def wanted(**parts: object) -> JudgeExport:
    return JudgeExport(Wanted(form="口吻", metrics=("politeness",), **parts), ("trl",))


def test_its_scales_are_asked_for_by_the_workspaces_templates(labelled, tmp_path) -> None:
    write_templates(labelled)
    out = tmp_path / "judge"
    manifest = export_judge(labelled, wanted(sample="tone"), out)
    assert manifest.source["form"] == "口吻"
    rows = [
        json.loads(line)
        for file in sorted((out / "trl").rglob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]
    assert len(rows) == 6
    assert {row["completion"][0]["content"] for row in rows} == {'{"value":2}'}
    asked = {row["prompt"][0]["content"].split()[0] for row in rows}
    assert asked == {"判断回答是否礼貌。只输出一个", "Judge"}
    assert verify_export(out).problems == ()


def test_without_a_template_the_field_is_named(labelled, tmp_path) -> None:
    with pytest.raises((InputError, NotFound), match="politeness"):
        export_judge(labelled, wanted(), tmp_path / "judge")


def test_a_metrics_name_with_other_values_needs_a_prompt_of_its_own(labelled, tmp_path) -> None:
    field = {**TONE["fields"][0], "key": "accuracy", "kind": "scale"}
    field["choices"] = [*field["choices"], {"value": 3, "zh": "很好", "en": "great"}]
    form = changed(key="own", fields=[field], complete=[{"field": "accuracy"}])
    write_form(labelled.folder, form, "own")
    draw_sample(labelled, SampleRequest("own", "own", 9, runs=("retriever-x-1",)))
    session = LabelSession(labelled, "own", "li")
    queued = session.next()
    assert queued is not None
    session.set(queued.subject, "accuracy", 3)
    asked = JudgeExport(Wanted(form="own", metrics=("accuracy",)), ("trl",))
    with pytest.raises(InputError, match="Give a prompt of its own"):
        export_judge(labelled, asked, tmp_path / "judge")


def test_the_command_takes_the_form(labelled, tmp_path, capsys) -> None:
    write_templates(labelled)
    words = ["export", "judge", "--workspace", str(labelled.folder), "--form"]
    assert main([*words, "口吻", "--out", str(tmp_path / "judge")]) == 0
    assert main([*words, "口吻", "--metrics", "register", "--out", str(tmp_path / "x")]) == 2
    assert main([*words, "inspection", "--out", str(tmp_path / "x")]) == 2
    assert "not about answers" in capsys.readouterr().err
