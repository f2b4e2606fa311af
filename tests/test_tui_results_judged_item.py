"""What judges of every method said of an answer is read on its screen, beside people's labels."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from asked_judges import AskedJudges, item
from desks import SIZES, desk, seen, until
from msgspec.structs import replace
from scripted_server import Reply, Request, answer

from engine.judge.base import LABELLED
from engine.labelling.forms import load_form
from engine.text.wrapping import cell_width
from store.labels import forms
from store.labels.log import log
from store.labels.log.events import Subject
from store.runs import results
from store.workspace import open_workspace
from tui.results.item import ItemScreen
from tui.results.metric_labels import metric_id
from tui.screens.choose import Choose

JUDGES = (
    '[judges.gpt]\nmodel = "p"\nmetrics = ["accuracy", "utilization"]\n',
    '[judges.claims]\nmethod = "claims"\nmodel = "p"\n',
    '[judges.quest]\nmethod = "ragquesteval"\nmodel = "p"\n',
    '[judges.ekrag]\nmethod = "ekrag"\nmodel = "p"\nlevels = 4\n',
    '[judges.alike]\nmethod = "similarity"\nembedding = "lsa-stand-in"\ncorpus = "tiny"\n',
    '[judges.jury]\nmethod = "jury"\nmembers = ["rules", "gpt"]\n',
)
GOLDEN = ("The rate rose to 3.5 percent in March.", "保费收入同比下降3.4%，基金净值上涨2.1%。")
ANSWERS = (
    "The rate rose to 4 percent. 3.5 percent was before.",
    "保费收入下降3.4%，净值没有变化。",
)


SAID = (
    (
        "accuracy            1/2 or 2/2  conflict, 2 raters",
        "completeness        0/2         unanimous, 2 raters",
        "stand-in: LSA of corpus tiny",
        "1 The rate rose.",
        "by golden answer entailed; entailed by passages 1, 2",
        "1 of 4: It names another rate.",
        "median of 0, 1",
        "2 gpt: 1",
        "1 What did the rate do?",
        "answer It rose; f1 1; golden It rose",
    ),
    (
        "accuracy            0/2  一致，2 人",
        "人工标注",
        "评判器 claims",
        "回答的论断",
        "0, 1的中位数",
        "1 保费收入下降3.4%。",
        "2 净值没有变化。",
        "标准答案 矛盾",
        "净值与标准答案不符。",
        "1 保费收入怎样变化？",
        "答案 下降3.4%; f1 1; 标准答案 下降3.4%",
    ),
)
"""What the sheet of each answer has to say, of people and of each method."""


def reply(request: Request) -> Reply:
    """In the language of what is asked about."""
    said = "\n".join(message["content"] for message in request.body["messages"])
    is_chinese = "保费" in said
    if "<text>" in said:
        claims = ["保费收入下降3.4%。", "净值没有变化。"] if is_chinese else ["The rate rose."]
        return answer(json.dumps({"claims": claims}))
    if "<reference>" in said:
        verdicts = [{"claim": 1, "verdict": "entailed"}, {"claim": 2, "verdict": "contradicted"}]
        return answer(json.dumps({"verdicts": verdicts[: 1 + is_chinese]}))
    if "key_info" in said:
        asked = ["保费收入怎样变化？"] if is_chinese else ["What did the rate do?"]
        return answer(json.dumps({"key_info": ["x"], "question": asked}))
    if "<response>" in said:
        text = "下降3.4%" if is_chinese else "It rose"
        return answer(f"<response>\n{text}\n</response>")
    reason = "净值与标准答案不符。" if is_chinese else "It names another rate."
    return answer(json.dumps({"reason": reason, "value": 1}))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedJudges]:
    """An English and a Chinese answer, judged by every method and labelled by two people."""
    chinese = replace(item("保费收入怎样变化？", GOLDEN[1:]), lang="zh")
    work = AskedJudges(
        tmp_path_factory.mktemp("methods") / "w",
        {"q00000": item("What was the rate?", GOLDEN[:1]), "q00001": chinese},
        {"run": lambda number: ANSWERS[number]},
        reply,
        JUDGES,
    )
    with work:
        for judge in ("gpt", "claims", "quest", "ekrag", "alike", "jury"):
            work.judge(judge, "run", judge)
        with open_workspace(work.folder) as workspace, workspace.write(durable=True) as db:
            form = forms.register(db, load_form("judge_labels"))
            for rater, value in (("anna", 1), ("li", 2)):
                for id, number in work.number_of.items():
                    for field in LABELLED:
                        given = value if field == "accuracy" and number == 0 else 0
                        subject = Subject("prediction", str(id))
                        log.append(db, form, rater, subject, field, given)
        yield work


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("number", [0, 1])
async def test_every_method_is_read(
    judged: AskedJudges, size: tuple[int, int], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (prediction,) = (id for id, one in judged.number_of.items() if one == number)
    async with desk(judged.folder, size) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage")
        await pilot.press("end", "pagedown", "pagedown", "enter")
        await seen(pilot, "2 answers")
        monkeypatch.setattr("tui.language.choice._chosen", ("en", "zh")[number])
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ItemScreen), "the item")
        screen = app.screen
        assert isinstance(screen, ItemScreen)
        while screen.ids[screen.index] != prediction:
            await pilot.press("]" if screen.index == 0 else "[")
        text = screen.sheet.text
        for said in SAID[number]:
            assert said in text
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        await pilot.press('"')
        asked = screen.sheet.text
        assert "".join(ANSWERS[number].split()) in "".join(asked.split())
        for judge in ("gpt", "claims", "quest", "ekrag"):
            assert f"{'评判器' if number else 'judge'} {judge}" in asked


@pytest.mark.parametrize(
    ("metric", "judge", "mark"),
    [
        ("accuracy", "gpt", "kappa undefined vs people (n 1)"),
        ("accuracy", "jury", "vs people (n 1)"),
        ("claim_f1", "claims", ""),
        ("QA_recall", "quest", ""),
        ("ekrag_relevance", "ekrag", ""),
        ("sentence_similarity", "alike", ""),
    ],
)
async def test_the_heat_map_takes_the_metrics_of_every_method(
    judged: AskedJudges, metric: str, judge: str, mark: str
) -> None:
    async with desk(judged.folder, SIZES[1]) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage")
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the metrics")
        screen = app.screen
        assert isinstance(screen, Choose)
        with open_workspace(judged.folder) as workspace:
            keys = results.metrics(workspace.db, 1)
        (wanted,) = (
            metric_id(key)
            for key in keys
            if (key.name, key.judge) == (metric, judge) and key.variant != "omnieval"
        )
        names = [str(row.key) for row in screen._rows]
        screen.rows.move_to(names.index(wanted))
        await pilot.press("enter")
        text = await seen(pilot, f"{metric} (judge {judge})")
        await until(pilot, lambda: app.screen.view.metric.judge == judge, "its matrix")
        text = await seen(pilot, mark)
        assert ("vs people" in text) == bool(mark)
