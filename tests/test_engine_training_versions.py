"""Better prompts by labels: examples of the train side, versions on the others, without a leak."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from endpoint_workspaces import make_workspace
from judged_workspaces import Desk
from tiny_workspaces import question

from engine.training.data.cases import LabelledCase, labelled_cases
from engine.training.data.sides import SPLIT_NAME, assign_sides
from engine.training.versions.examples import WantedExamples, choose_examples
from engine.training.versions.leaks import leaks
from engine.training.versions.versions import ask_test_side, judge_versions
from store.datasets import splits
from store.errors import Conflict, InputError, NotFound, UsageError
from store.runs import side_readings
from tui.cli import main

THINGS = """apples bridges candles deserts engines forests gardens harbours islands jungles kettles
    lanterns mountains needles oceans palaces quarries rivers saddles temples uniforms valleys
    windows yachts zebras anchors barrels castles dragons eagles"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """Thirty labelled answers to questions that are no near-duplicates, and no judge but rules."""
    contents = {
        f"q{at:05}": question(f"{thing.title()}, {thing[::-1]}: which {thing * 2} belong here?")
        for at, thing in enumerate(THINGS.split())
    }
    monkeypatch.setattr("judged_workspaces.questions", lambda count: contents)
    monkeypatch.setattr("judged_workspaces.make_workspace", make_workspace)
    made = Desk(tmp_path / "w")
    made.label_all()
    with made.workspace:
        yield made


def of_side(desk: Desk, side: str) -> list[LabelledCase]:
    cases = labelled_cases(desk.workspace.db)
    placed = assign_sides(desk.workspace, cases)
    return [case for case in cases if placed[case.name].side == side]


def example(case: LabelledCase) -> dict[str, Any]:
    return {"metric": "accuracy", "question": case.case.question, "value": 2}


def test_all_three_sides_have_labels(desk: Desk) -> None:
    assert [len(of_side(desk, side)) for side in ("train", "validation", "test")] == [15, 3, 12]


def test_examples_are_of_the_train_side_alone(desk: Desk) -> None:
    train = {case.case.question for case in of_side(desk, "train")}
    chosen = choose_examples(desk.workspace, WantedExamples(each=99))
    assert {one.question for one in chosen} == train
    assert {one.value for one in chosen if one.metric == "accuracy"} == {0, 1, 2}


def test_one_example_of_every_value_and_the_same_ones_again(desk: Desk) -> None:
    wanted = WantedExamples(("accuracy",), each=2)
    chosen = choose_examples(desk.workspace, wanted)
    assert sorted(one.value for one in chosen) == [0, 0, 1, 1, 2, 2]
    assert len({one.question for one in chosen}) == 6
    assert choose_examples(desk.workspace, wanted) == chosen
    other = WantedExamples(("accuracy",), each=2, seed=1)
    assert choose_examples(desk.workspace, other) != chosen


def test_what_a_judge_got_wrong_comes_first(desk: Desk) -> None:
    wrong = {desk.answers[at] for at in range(0, 30, 3)}
    mine = {int(case.name) for case in of_side(desk, "train")} & wrong
    wanted = WantedExamples(("accuracy",), each=len(mine), wrong_by=desk.rules)
    asked = {case.case.question: int(case.name) for case in of_side(desk, "train")}
    # only those that people gave 0 are judged wrongly by the rules here
    zero = [asked[one.question] for one in choose_examples(desk.workspace, wanted) if not one.value]
    assert set(zero) == mine


def test_versions_are_compared_on_the_validation_side(desk: Desk) -> None:
    desk.judge("gpt", provider={"model": "small"})
    desk.judge("gpt", provider={"model": "large"}, examples=[example(of_side(desk, "train")[0])])
    found = judge_versions(desk.workspace, "gpt")
    assert (found.labels, found.questions) == (15, 3)
    assert [(one.model, one.examples, one.unjudged) for one in found.versions] == [
        ("small", 0, 0),
        ("large", 1, 0),
    ]
    assert all(one.metrics[0].n == 3 and not one.leaks for one in found.versions)
    (test,) = found.tests
    assert (test.pooled.items, test.pooled.difference) == (3, 0.0)


@pytest.mark.parametrize("side", ["validation", "test"])
def test_a_version_that_was_shown_a_side_has_no_figures_there(desk: Desk, side: str) -> None:
    shown = of_side(desk, side)[0]
    desk.judge("gpt", examples=[example(of_side(desk, "train")[0]), example(shown)])
    desk.judge("own", prompts={"en/judge/accuracy": f"As in: {shown.case.question} Then judge."})
    for name, place in (("gpt", "examples[1]"), ("own", "prompt en/judge/accuracy")):
        if side == "validation":
            (version,) = judge_versions(desk.workspace, name).versions
            assert (version.leaks, version.metrics) == ((place,), ())
        else:
            with pytest.raises(Conflict) as refused:
                ask_test_side(desk.workspace, name)
            assert place in refused.value.message


def test_a_version_that_was_trained_on_a_side_has_no_figures_there(desk: Desk) -> None:
    desk.judge("gpt", trained_on=[int(of_side(desk, "validation")[0].name)])
    (version,) = judge_versions(desk.workspace, "gpt").versions
    assert (version.leaks, version.metrics) == (("answers of its groups",), ())


def test_the_test_side_is_asked_once_and_that_is_kept(desk: Desk) -> None:
    judge = desk.judge("gpt")
    first, at = ask_test_side(desk.workspace, "gpt")
    assert (first.labels, first.metrics[0].n, first.before) == (60, 12, 0)
    with desk.workspace.write() as db:
        db.execute("DELETE FROM score WHERE judge_id = ?", (judge,))
        desk.score(judge, 0, 0)
    assert ask_test_side(desk.workspace, "gpt") == (first, at)
    split = splits.get(desk.workspace.db, SPLIT_NAME)
    assert len(side_readings.of_side(desk.workspace.db, split.id, "test")) == 1
    assert judge_versions(desk.workspace, "gpt").versions[0].tested_at == at


def test_a_second_version_is_held_against_the_first_on_equal_labels(desk: Desk) -> None:
    desk.judge("gpt")
    ask_test_side(desk.workspace, "gpt")
    desk.judge("gpt", temperature=0)
    second, _ = ask_test_side(desk.workspace, "gpt")
    assert second.before == 1
    assert second.over is not None
    assert (second.over.pooled.items, second.over.pooled.difference) == (12, 0.0)


def test_a_version_that_has_not_judged_the_side_does_not_use_it_up(desk: Desk) -> None:
    judge = desk.judge("gpt")
    gone = int(of_side(desk, "test")[0].name)
    with desk.workspace.write() as db:
        db.execute("DELETE FROM score WHERE judge_id = ? AND prediction_id = ?", (judge, gone))
    with pytest.raises(InputError, match="has not scored 1 labels"):
        ask_test_side(desk.workspace, "gpt")
    split = splits.get(desk.workspace.db, SPLIT_NAME)
    assert side_readings.of_side(desk.workspace.db, split.id, "test") == []


def test_eight_tokens_in_a_row_are_a_leak_in_both_languages() -> None:
    told = ["一只猫坐在红色的垫子上面睡觉", "How many ships left the old harbour of Hull in 1901?"]
    ids = {
        "zh": "例如：猫坐在红色的垫子上，给2分",
        "en": "e.g. Ships left the OLD harbour of Hull in May: 2",
        "none": "Judge how many of the claims are right, 红色的垫子",
    }
    found = leaks({"prompts": ids}, told, [])
    assert found == ["prompt en", "prompt zh"]


def test_wrong_use_is_refused(desk: Desk) -> None:
    with pytest.raises(UsageError, match="do not label 'f1'"):
        choose_examples(desk.workspace, WantedExamples(("f1",)))
    with pytest.raises(NotFound, match="No judge 'nobody'"):
        judge_versions(desk.workspace, "nobody")


def test_the_commands_write_examples_and_print_versions(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.judge("gpt", provider={"model": "small"})
    desk.workspace.close()

    def call(*words: str) -> int:
        return main([*words, "--workspace", str(desk.folder)])

    file = tmp_path / "e.jsonl"
    assert call("judge-examples", str(file), "--metrics", "accuracy", "--wrong-by", "rules") == 0
    assert len([json.loads(line) for line in file.read_text("utf-8").splitlines()]) == 3
    assert call("judge-examples", str(file)) == 1
    assert call("judge-examples", str(file), "--force", "--each", "0") == 2
    assert call("judge-versions", "gpt") == 0
    assert "15 labels on 3 questions" in capsys.readouterr().out
    assert call("judge-versions", "gpt", "--test") == 0
    assert "0 versions tested before" in capsys.readouterr().out
    assert call("judge-versions", "gpt", "--test", "--json") == 0
    assert json.loads(capsys.readouterr().out)["reading"]["labels"] == 60
    assert call("judge-versions", "nobody") == 2
