"""Labels of people going out as training data for judges, and what keeps them apart and whole."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from sample_workspaces import copy_workspace
from tiny_workspaces import answer_and_score, make_corpus, make_release, make_run, prediction_ids
from tiny_workspaces import question as item

from engine.exporters.writing import verify_export
from engine.judge.base import LABELLED
from engine.judge.model.replies import read_judgement
from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.session import LabelSession
from engine.metrics.spec import resolve
from engine.training.data.bundle import Wanted
from engine.training.judge_export import JudgeExport, export_judge
from store.errors import InputError
from store.labels.log.events import Subject
from store.records import ScoreState
from store.workspace import open_workspace

CASES = 40
MORE = 10


def truth(case: int, metric: str) -> int | str:
    if metric in ("completeness", "numerical_accuracy") and case % 4 == 0:
        return "na"
    return case % (2 if metric in ("hallucination", "numerical_accuracy") else 3)


class Labelled:
    """Answers of two systems to `CASES` questions; three raters, of whom one errs."""

    def __init__(self, folder: Path, answers: list[int] | None = None) -> None:
        self.workspace = open_workspace(folder, create=answers is None)
        if answers is None:
            self.make()
        else:
            self.answers = answers

    def make(self) -> None:
        with self.workspace.write() as db:
            asked = CASES // 2 + MORE
            contents = {
                f"q{at:02}": item(f"{'利率' if at % 2 else 'Rate'} {at:02}?", topic="rates")
                for at in range(asked)
            }
            release = make_release(db, make_corpus(db), contents=contents)
            runs = [make_run(db, release, name) for name in ("first", "second")]
            self.answers = [
                id
                for pair in zip(*(prediction_ids(db, run) for run in runs), strict=True)
                for id in pair
            ]
            for id in self.answers:
                answer_and_score(db, id, [], answer=f"answer {id}")
        for rater in ("li", "wang", "zhao"):
            self.label(rater, range(CASES))

    def label(self, rater: str, cases: range) -> None:
        session = LabelSession(self.workspace, "judge_labels", rater)
        for case in cases:
            subject = self.subject(case)
            for metric in LABELLED:
                value = truth(case, metric)
                if rater == "zhao" and metric == "accuracy" and case % 5 == 0:
                    value = (int(value) + 1) % 3
                session.set(subject, metric, value, active_ms=1000)
        session.comment(self.subject(3), "the unit is missing", "accuracy")

    def subject(self, case: int) -> Subject:
        return Subject("prediction", str(self.answers[case]))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of the labelled workspace, closed, and the numbers of its answers."""
    made = Labelled(tmp_path_factory.mktemp("labelled") / "w")
    made.workspace.close()
    return made.workspace.folder, made.answers


@pytest.fixture
def labelled(made, tmp_path):
    folder, answers = made
    opened = Labelled(copy_workspace(folder, tmp_path / "w"), answers)
    with opened.workspace:
        yield opened


def export(labelled: Labelled, out: Path, **options: object) -> dict[str, list[dict]]:
    """Exports; the records by side."""
    export_judge(labelled.workspace, JudgeExport(**{"wanted": Wanted(), **options}), out)
    return {
        side: [
            json.loads(line) for line in (out / f"records/{side}.jsonl").read_text().splitlines()
        ]
        for side in ("train", "validation", "test")
    }


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_every_label_goes_out_once_five_to_one_to_four_and_no_question_twice(labelled, tmp_path):
    records = export(labelled, tmp_path / "out")
    assert sum(map(len, records.values())) == CASES * len(LABELLED)
    cases = {side: {one["response_id"] for one in rows} for side, rows in records.items()}
    assert sum(map(len, cases.values())) == CASES
    for side, share in (("train", 0.5), ("validation", 0.1), ("test", 0.4)):
        # groups here hold two answers, and the split keeps its ratio to within two groups
        assert abs(len(cases[side]) - share * CASES) <= 4
    groups = [{one["group_id"] for one in rows} for rows in records.values()]
    assert len(set().union(*groups)) == sum(map(len, groups))


def test_the_label_is_what_most_raters_said_and_all_of_them_are_kept(labelled, tmp_path):
    records = [one for rows in export(labelled, tmp_path / "out").values() for one in rows]
    by_id = {one["id"]: one for one in records}
    erred = by_id["first/q00/0/accuracy"]
    assert (erred["label"], erred["source"], erred["agreement"]) == (0, "majority", 0.666667)
    assert erred["rater_labels"] == [0, 0, 1]
    assert erred["raters"] == ["li", "wang", "zhao"]
    outside = by_id["first/q00/0/completeness"]
    assert (outside["label"], outside["applicable"], outside["source"]) == (
        None,
        False,
        "unanimous",
    )
    commented = by_id["second/q01/0/accuracy"]
    assert commented["rationale"] == "\n".join(["the unit is missing"] * 3)
    assert commented["active_ms_median"] == 1000
    assert not commented["revealed_before"]


def test_labels_that_were_given_with_aids_say_so_in_records_and_card(labelled, tmp_path):
    request = SampleRequest("aided", "judge_labels", per_cell=99, runs=("first",), aids=True)
    draw_sample(labelled.workspace, request)
    labelled.label("eve", range(2))
    records = [one for rows in export(labelled, tmp_path / "out").values() for one in rows]
    aided = {one["response_id"] for one in records if one["aids_before"]}
    assert aided == {"first/q00/0"}, "the other answer of these two is of another run"
    assert {tuple(one["origins"]) for one in records if one["aids_before"]} == {
        ("human", "human_with_aids")
    }
    card = " ".join((tmp_path / "out" / "README.md").read_text("utf-8").split())
    assert f"{len(LABELLED)} were given with aids" in card


def test_each_shape_has_the_fields_that_its_trainer_documents(labelled, tmp_path):
    out = tmp_path / "out"
    records = export(labelled, out)["train"]
    trl, openai = lines(out / "trl/train.jsonl"), lines(out / "openai/train.jsonl")
    alpaca = json.loads((out / "alpaca/train.json").read_text())
    sharegpt = json.loads((out / "sharegpt/train.json").read_text())
    assert len(trl) == len(openai) == len(alpaca) == len(sharegpt) == len(records)
    for record, a, b, c, d in zip(records, trl, openai, alpaca, sharegpt, strict=True):
        assert set(a) == {"prompt", "completion"}
        assert [turn["role"] for turn in a["prompt"]] == ["system", "user"]
        assert [turn["role"] for turn in a["completion"]] == ["assistant"]
        assert b == {"messages": [*a["prompt"], *a["completion"]]}
        system, user = (turn["content"] for turn in a["prompt"])
        reply = a["completion"][0]["content"]
        assert c == {"instruction": user, "input": "", "output": reply, "system": system}
        assert d == {
            "conversations": [{"from": "human", "value": user}, {"from": "gpt", "value": reply}],
            "system": system,
        }
        assert record["response"] in user
        # what a judge learns to say is what a judge's reply is read as
        said = read_judgement(resolve(record["metric"]), reply).score
        assert said.state is (ScoreState.OK if record["applicable"] else ScoreState.NA)
        assert said.value == record["label"]
    info = json.loads((out / "dataset_info.json").read_text())
    assert info["judge_alpaca_train"]["columns"]["query"] == "input"
    assert info["judge_sharegpt_test"]["formatting"] == "sharegpt"
    assert all((out / entry["file_name"]).is_file() for entry in info.values())


def test_the_same_labels_give_the_same_bytes_and_more_of_them_move_nothing(labelled, tmp_path):
    before = export(labelled, tmp_path / "a")
    export(labelled, tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    for rater in ("li", "wang", "zhao"):
        labelled.label(rater, range(CASES, CASES + MORE))
    after = export(labelled, tmp_path / "c")
    old = {one["id"]: side for side, rows in before.items() for one in rows}
    new = {one["id"]: side for side, rows in after.items() for one in rows}
    assert len(new) == len(old) + MORE * len(LABELLED)
    assert {id: new[id] for id in old} == old


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_a_conflict_and_an_unfinished_answer_are_counted_and_left_out(labelled, tmp_path):
    session = LabelSession(labelled.workspace, "judge_labels", "zhao")
    session.set(labelled.subject(1), "accuracy", 2)
    LabelSession(labelled.workspace, "judge_labels", "wang").set(labelled.subject(1), "accuracy", 0)
    session.set(labelled.subject(CASES), "accuracy", 1)  # an answer of the first run
    manifest = export_judge(labelled.workspace, JudgeExport(Wanted()), tmp_path / "out")
    assert manifest.by_status["in conflict"] == 1
    assert manifest.by_status["unfinished"] == 1
    assert manifest.counts["labels"] == CASES * len(LABELLED) - 1
    card = (tmp_path / "out/README.md").read_text()
    assert "- 1 left out: in conflict." in card
    # what is left out is counted as what goes out is: of the runs that were asked for
    runs = {of: JudgeExport(Wanted(runs=(of,))) for of in ("first", "second")}
    unfinished = [
        export_judge(labelled.workspace, export, tmp_path / of).by_status.get("unfinished", 0)
        for of, export in runs.items()
    ]
    assert unfinished == [1, 0]


def test_a_damaged_bundle_is_found_out_and_so_is_a_row_that_does_not_follow(labelled, tmp_path):
    out = tmp_path / "out"
    export(labelled, out)
    assert verify_export(out).problems == ()
    file = out / "trl/train.jsonl"
    changed = file.read_text().replace('{\\"value\\":1}', '{\\"value\\":2}', 1)
    file.write_text(changed)
    assert "trl/train.jsonl has been changed" in verify_export(out).problems[0]
    manifest = json.loads((out / "manifest.json").read_text())
    from hashlib import sha256

    manifest["files"]["trl/train.jsonl"]["sha256"] = sha256(file.read_bytes()).hexdigest()
    (out / "manifest.json").write_text(json.dumps(manifest))
    (problem,) = verify_export(out).problems
    assert problem.startswith("trl rows that follow from the records: the manifest says 200")


def test_metrics_prompts_replies_and_names_can_be_chosen(labelled, tmp_path):
    prompt = tmp_path / "mine.txt"
    prompt.write_text(
        "[system]\nJudge.\n[user]\n{question}\n{golden_answers}\n{answer}\n{documents}\n"
    )
    records = export(
        labelled,
        tmp_path / "out",
        wanted=Wanted(
            metrics=("hallucination",), prompt_files={"": prompt}, soft=True, reply="omnieval"
        ),
        shapes=("trl",),
        anonymous=True,
    )["train"]
    assert {one["metric"] for one in records} == {"hallucination"}
    assert records[0]["raters"] == ["rater-1", "rater-2", "rater-3"]
    assert records[0]["soft_label"] == {str(records[0]["label"]): 1.0}
    row = lines(tmp_path / "out/trl/train.jsonl")[0]
    assert row["prompt"][0]["content"] == "Judge."
    assert row["completion"][0]["content"] == f'{{"prediction":{records[0]["label"]}}}'
    assert not (tmp_path / "out/alpaca").exists()
    assert "li" not in Counter((tmp_path / "out/README.md").read_text().split())


def test_the_rationale_goes_into_the_reply_only_when_asked(labelled, tmp_path):
    rows = [
        reply
        for side, made in export(labelled, tmp_path / "out", wanted=Wanted(rationale=True)).items()
        for reply in (
            turn["completion"][0]["content"] for turn in lines(tmp_path / f"out/trl/{side}.jsonl")
        )
        if made
    ]
    assert sum("the unit is missing" in reply for reply in rows) == 1
    assert msgspec.json.decode(next(reply for reply in rows if "unit" in reply))["value"] == 0


@pytest.mark.parametrize("style", ["value", "omnieval"])
@pytest.mark.parametrize("rationale", [False, True])
def test_every_prompt_asks_for_what_its_reply_has(labelled, tmp_path, style, rationale):
    out = tmp_path / "out"
    export(labelled, out, wanted=Wanted(reply=style, rationale=rationale))
    key = "prediction" if style == "omnieval" else "value"
    reasons = 0
    for asked, reply in all_rows(out):
        given = json.loads(reply)
        assert list(given) == (["reason", key] if "reason" in given else [key])
        assert ('"reason"' in asked) == ("reason" in given)
        assert f'"{key}"' in asked
        assert not (style == "omnieval" and "null" in asked)
        reasons += "reason" in given
    # one answer has a comment, on one metric, in each of the four shapes
    assert reasons == (4 if rationale else 0)
    assert not verify_export(out).problems
    templates = [file.read_text() for file in (out / "prompts").rglob("*.txt")]
    assert templates
    assert all(('"reason"' in text) == rationale for text in templates)


def all_rows(out: Path) -> list[tuple[str, str]]:
    """System message and reply of every row in every shape."""
    rows = []
    for side in ("train", "validation", "test"):
        for row in lines(out / f"trl/{side}.jsonl"):
            rows.append((row["prompt"][0]["content"], row["completion"][0]["content"]))
        for row in lines(out / f"openai/{side}.jsonl"):
            rows.append((row["messages"][0]["content"], row["messages"][-1]["content"]))
        for row in json.loads((out / f"alpaca/{side}.json").read_text()):
            rows.append((row["system"], row["output"]))
        for row in json.loads((out / f"sharegpt/{side}.json").read_text()):
            rows.append((row["system"], row["conversations"][-1]["value"]))
    return rows


def test_verify_refuses_rows_that_ask_for_a_reason_and_give_none(labelled, tmp_path):
    out = tmp_path / "out"
    export(labelled, out, shapes=("trl",))
    file = out / "trl/train.jsonl"
    file.write_text(
        file.read_text().replace('{\\"value\\": 0', '{\\"reason\\": \\"x\\", \\"value\\": 0')
    )
    manifest = json.loads((out / "manifest.json").read_text())
    content = file.read_bytes()
    manifest["files"]["trl/train.jsonl"] |= {
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
    }
    (out / "manifest.json").write_text(json.dumps(manifest))
    (problem,) = verify_export(out).problems
    assert problem.startswith("trl rows that follow from the records")


def test_a_prompt_of_ones_own_that_must_have_a_reason_is_refused(labelled, tmp_path):
    prompt = tmp_path / "mine.txt"
    slots = "{question}\n{golden_answers}\n{answer}\n"
    prompt.write_text('[system]\nGive "value" and, in "reason", why.\n[user]\n' + slots)
    wanted = Wanted(metrics=("accuracy",), prompt_files={"": prompt})
    with pytest.raises(InputError, match=r"mine\.txt: It asks for a reason"):
        export_judge(labelled.workspace, JudgeExport(wanted), tmp_path / "out")
    prompt.write_text('[system]\nReply {"reason": "why", "value": 0, 1 or 2}.\n[user]\n' + slots)
    export_judge(labelled.workspace, JudgeExport(wanted), tmp_path / "out")
    row = lines(tmp_path / "out/trl/train.jsonl")[0]
    assert row["prompt"][0]["content"] == 'Reply {"value": 0, 1 or 2}.'


def test_a_prompt_without_its_slots_is_refused_and_nothing_is_written(labelled, tmp_path):
    prompt = tmp_path / "mine.txt"
    prompt.write_text("[system]\nJudge.\n[user]\n{question}\n")
    wanted = Wanted(prompt_files={"accuracy": prompt})
    with pytest.raises(InputError, match=r"mine\.txt: .*lacks the slot \{answer\}"):
        export_judge(labelled.workspace, JudgeExport(wanted), tmp_path / "out")
    prompt.write_text("no parts")
    with pytest.raises(InputError, match=r"mine\.txt has no \[system\]"):
        export_judge(labelled.workspace, JudgeExport(wanted), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_without_labels_it_says_how_to_get_some(tmp_path):
    with (
        open_workspace(tmp_path / "empty", create=True) as empty,
        pytest.raises(InputError, match="completely labelled"),
    ):
        export_judge(empty, JudgeExport(Wanted()), tmp_path / "out")


def test_parquet_holds_the_messages_and_the_label(labelled, tmp_path):
    pytest.importorskip("pyarrow")
    from store.formats.parquet import read

    records = export(labelled, tmp_path / "out", shapes=("trl",), parquet=True)["test"]
    rows = read(tmp_path / "out/parquet/test.parquet")
    assert [row["id"] for row in rows] == [one["id"] for one in records]
    assert rows[0]["prompt"] == lines(tmp_path / "out/trl/test.jsonl")[0]["prompt"]


def test_what_the_form_rules_out_is_not_said_to_come_from_raters(tmp_path):
    plain = item("Is the rate fixed?")
    plain = msgspec.structs.replace(
        plain, turns=(msgspec.structs.replace(plain.turns[0], golden_answers=("it is fixed",)),)
    )
    with open_workspace(tmp_path / "w", create=True) as workspace:
        with workspace.write() as db:
            run = make_run(db, make_release(db, make_corpus(db), contents={"q": plain}))
            (id,) = prediction_ids(db, run)
            answer_and_score(db, id, [], answer="fixed")
        draw_sample(workspace, SampleRequest("s", "judge_labels", 1, runs=(run.name,)))
        session = LabelSession(workspace, "judge_labels", "li")
        for metric in LABELLED:
            if metric not in session.state(Subject("prediction", str(id))).not_applicable:
                session.set(Subject("prediction", str(id)), metric, 1, active_ms=1)
        export_judge(workspace, JudgeExport(wanted=Wanted()), tmp_path / "out")
    files = (tmp_path / "out" / "records").glob("*.jsonl")
    rows = [one for file in files for one in lines(file)]
    said = {one["metric"]: (one["source"], one["raters"]) for one in rows}
    assert said["numerical_accuracy"] == ("not_applicable", [])
    assert said["accuracy"] == ("single", ["li"])


def test_labels_of_too_few_raters_are_left_out_and_counted(
    labelled: Labelled, tmp_path: Path
) -> None:
    every = sum(map(len, export(labelled, tmp_path / "all").values()))
    labelled.label("li", range(CASES, CASES + 2))
    more = export(labelled, tmp_path / "more")
    assert sum(map(len, more.values())) > every
    enough = export(labelled, tmp_path / "enough", wanted=Wanted(min_raters=2))
    records = [record for side in enough.values() for record in side]
    assert len(records) == every
    assert all(len(one["raters"]) > 1 or not one["raters"] for one in records)
    manifest = json.loads((tmp_path / "enough" / "manifest.json").read_text())
    assert manifest["by_status"]["by too few raters"] > 0
    assert manifest["source"]["min_raters"] == "2"
    assert not verify_export(tmp_path / "enough").problems
