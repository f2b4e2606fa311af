"""The commands for labels: draw, label, undo and read, without the app."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from label_workspaces import label_workspace
from labelling_workspaces import make_drafts, new_workspace

from engine.labelling.forms import shipped_forms
from tui.cli import main


@pytest.fixture
def call(tmp_path: Path, capsys):
    """Calls a command on a workspace with eight drafted items; returns exit code and output."""
    folder = tmp_path / "workspace"
    with new_workspace(folder) as workspace, workspace.write() as db:
        make_drafts(db)

    def run(line: str, rater: str = "王芳"):
        capsys.readouterr()
        at = [] if "--workspace" in line else ["--workspace", str(folder)]
        code = main([*line.split(), *at, "--rater", rater])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def as_json(result):
    code, out, err = result
    assert code == 0, err
    return json.loads(out)


def test_a_sample_is_drawn_assigned_and_listed(call):
    drawn = as_json(call("sample draw pilot --dataset drafts --per-cell 3 --json"))
    assert (drawn["added"], len(drawn["short"])) == (8, 4)
    assert call("assign pilot 王芳 li")[1] == "sample pilot is for 王芳, li\n"
    assert call("labels next", rater="other")[1:] == ("", "nothing is left in your queue\n")
    assert "王芳, li" in call("sample list")[1]


def test_a_rater_whose_quota_is_full_is_told_so_and_who_gives_more(call):
    call("sample draw pilot --dataset drafts --per-cell 3")
    call("assign pilot li=1")
    subject = as_json(call("labels next --json", rater="li"))["subject"]["id"]
    call(f"labels set {subject} answer=0 score=5", rater="li")
    assert call("labels next", rater="li")[2] == (
        "nothing is left in your queue. Your quota of 1 in pilot is full; a larger quota gives"
        " more.\n"
    )


def test_a_subject_is_labelled_undone_and_shown(call):
    call("sample draw pilot --dataset drafts --per-cell 1")
    subject = as_json(call("labels next --json"))["subject"]["id"]
    code, out, err = call(f"labels set {subject} answer=0 score=5")
    assert (code, out) == (0, "saved, complete\n")
    assert "warning: Scored as good" in err
    assert as_json(call("labels progress --json"))["today"] == 1
    assert call("labels undo")[1] == f"saved: undo of score on revision {subject}\n"
    assert call("labels redo")[0] == 0
    shown = as_json(call(f"labels show {subject} --json"))
    assert {one["field"]: one["value"] for one in shown} == {"answer": 0, "score": 5}
    assert as_json(call(f"labels show {subject} --json", rater="li")) == []


def test_a_rater_sees_what_is_to_be_judged(call):
    call("sample draw pilot --dataset drafts --per-cell 1")
    found = as_json(call("labels next --json"))
    turn = found["shown"]["turns"][-1]
    out = call("labels next")[1]
    assert out.startswith(f"{found['subject']['id']}  {found['topic']} x {found['task']}  ")
    for text in (turn["question"], turn["golden_answers"][0], turn["evidence"][0]["quote"]):
        assert text in out
    assert turn["question"] in call(f"labels show {found['subject']['id']}")[1]


def test_a_rater_sees_what_was_retrieved_and_not_who_answered(call, tmp_path):
    label_workspace(tmp_path / "answers").close()
    where = f"--form judge_labels --workspace {tmp_path / 'answers'}"
    found = as_json(call(f"labels next {where} --json"))
    texts = found["shown"]["retrieved"]
    evidence = found["shown"]["turns"][-1]["evidence"][0]
    assert [one["holds_evidence"] for one in texts] == [True, False]
    assert {one["document_id"] for one in texts} == {evidence["document_id"]}
    assert evidence["quote"] in texts[0]["text"]
    assert texts[0]["title"].startswith("报告")
    code, out, _ = call(f"labels next {where}")
    assert code == 0
    assert f"answer: {found['shown']['answers'][0]}\nretrieved 1/2: {texts[0]['title']}" in out
    assert evidence["quote"] in out
    assert out.count(texts[1]["text"].splitlines()[0]) == 2
    assert "retriever-x" not in f"{found}{out}"
    shown = call(f"labels show {found['subject']['id']} {where}")[1]
    assert "retrieved 2/2: 报告" in shown


def test_a_field_that_always_applies_says_why_it_takes_no_dash(call, tmp_path):
    label_workspace(tmp_path / "answers").close()
    where = f"--form judge_labels --workspace {tmp_path / 'answers'}"
    code, _, err = call(f"labels set 1 accuracy=- {where}")
    assert code == 2
    assert 'accuracy cannot be "-" (not applicable): accuracy applies to every answer' in err
    assert "It takes 0, 1, 2." in err
    err = call(f"labels set 1 hallucination=- {where}")[2]
    assert "where hallucination does not apply it is not asked" in err
    assert call(f"labels set 1 completeness=- {where}")[0] == 0


def test_both_answers_of_a_pair_come_with_their_texts(call, tmp_path):
    label_workspace(tmp_path / "pairs", form="preference").close()
    out = call(f"labels next --form preference --workspace {tmp_path / 'pairs'}")[1]
    for name in ("answer A: ", "answer B: ", "retrieved for A 1/2: ", "retrieved for B 2/2: "):
        assert name in out


def test_an_answer_without_retrieval_says_so(call, tmp_path):
    label_workspace(tmp_path / "closed", retrieves=False).close()
    where = f"--form judge_labels --workspace {tmp_path / 'closed'}"
    assert "\nretrieved: nothing\n" in call(f"labels next {where}")[1]
    assert as_json(call(f"labels next {where} --json"))["shown"]["retrieved"] == []


def test_notes_take_one_kind_at_a_time(call):
    assert call("labels note 1 --comment why --field answer")[1] == "saved\n"
    assert call("labels note 1 --flag on")[0] == 0
    assert call("labels note 1 --exclude broken")[0] == 0
    assert call("labels note 1 --exclude tired")[0] == 2
    assert call("labels note 1 --flag on --postpone on")[0] == 2


def test_statistics_and_conflicts_of_two_raters(call):
    call("labels set 1 score=5")
    call("labels set 1 score=1", rater="li")
    call("labels set 2 score=2")
    (row,) = as_json(call("labels statistics --json"))["rows"]
    assert (row["judged"], row["accepted"], row["acceptance"]) == (2, 1, 0.5)
    assert len(as_json(call("labels statistics --by cell --json"))["rows"]) == 2
    assert call("labels statistics --by colour")[0] == 2
    (conflict,) = as_json(call("adjudicate list --json", rater="zhang"))
    assert [one["value"] for one in conflict["raters"]] == [1, 5]
    log = [json.loads(line) for line in call("labels events")[1].splitlines()]
    assert [event["value"] for event in log] == [5, 2]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("labels set 1 score=7", 2, "takes 1, 2, 3, 4, 5"),
        ("labels set 1 score", 2, "FIELD=VALUE"),
        ("labels set 99 score=4", 2, "no revision with number 99"),
        ("labels set x score=4", 2, "names no revision"),
        ("labels set 1 grade=4", 2, "no field 'grade'"),
        ("labels next --form none", 2, "no form 'none'"),
        ("assign nothing", 2, "no sample 'nothing'"),
        (
            "sample draw s --dataset drafts --per-cell 1 --states corrected discarded",
            1,
            "Dataset 'drafts' has no corrected or discarded items; it has 8 drafted.",
        ),
        ("guideline set missing.md", 1, "cannot be read"),
        ("labels next --sample plot", 2, "no sample 'plot'"),
        ("labels progress --sample plot", 2, "no sample 'plot'"),
        ("labels events --form judges", 2, "no form 'judges'"),
        ("sample close plot", 2, "no sample 'plot'"),
    ],
)
def test_what_is_wrong_is_said(call, line, code, message):
    found, _, err = call(line)
    assert found == code
    assert message in err


def test_forms_and_guidelines_are_read(call, tmp_path: Path):
    assert {one["key"] for one in as_json(call("forms list --json"))} == {*shipped_forms()}
    assert "no guideline" in call("guideline show")[2]
    (tmp_path / "g.md").write_text("先读证据。\n", "utf-8")
    assert call(f"guideline set {tmp_path / 'g.md'}")[1] == "guideline of inspection: version 1\n"
    assert call("guideline show")[1] == "先读证据。\n"


@pytest.fixture
def rated_twice(call, tmp_path):
    """Labels the first items as li and wang, who differ on the fourth."""

    def label(subjects=8):
        rows = [
            f"{subject},{rater},1,{5 if subject < (4 if rater == 'li' else 5) else 2}"
            for subject in range(1, subjects + 1)
            for rater in ("li", "wang")
        ]
        file = tmp_path / "rated.csv"
        file.write_text("\n".join(["subject,rater,answer,score", *rows, ""]), "utf-8")
        assert call(f"labels import {file} --form inspection")[0] == 0

    return label


def test_agreement_is_printed_with_its_intervals_and_reasons(call, rated_twice):
    rated_twice()
    code, out, _ = call("agree --form inspection")
    assert code == 0
    assert out.startswith("Inspection: li, wang\n")
    verdict = next(line for line in out.splitlines() if line.split()[:1] == ["verdict"])
    assert verdict.split()[2:5] == ["8", "0.875", "0.750"]
    assert "all gave the value 1: chance would agree as well" in out
    document = as_json(call("agree --form inspection --by pair --raters wang li --json"))
    assert document["raters"] == ["wang", "li"]
    kappas = {one["field"]: one["statistics"]["kappa_plain"] for one in document["agreement"]}
    assert kappas["verdict"]["value"] == 0.75
    assert kappas["answer"]["value"] is None
    one = call("agree --form inspection --statistic quadratic")[1]
    assert "quadratic" in one
    assert "AC1" not in one


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("agree --form inspection --raters li zhao", 2, "zhao has no complete labels"),
        ("agree --form inspection --raters li", 2, "two raters or more"),
        ("agree --form inspection --raters li li", 2, "each named once"),
        ("agree --sample none", 2, "no sample 'none'"),
        ("agree --form none", 2, "no form 'none'"),
    ],
)
def test_agreement_that_cannot_be_is_refused(call, rated_twice, line, code, message):
    rated_twice(2)
    found = call(line)
    assert found[0] == code
    assert message in found[2]


def test_intervals_of_nothing_are_left_out_and_the_reason_is_said_once(call, rated_twice):
    rated_twice(2)
    out = call("agree --form inspection")[1]
    assert "95 % intervals" not in out
    reasons = [line for line in out.splitlines() if "groups" in line and "interval" in line]
    assert len(reasons) == len({line.split(": ", 1)[1] for line in reasons}) == 1
    rated_twice(8)
    assert "95 % intervals" in call("agree --form inspection")[1]


def test_one_rater_agrees_with_nobody(call):
    call("labels set 1 score=5")
    code, _, err = call("agree --form inspection")
    assert code == 0
    assert "complete labels of 王芳: agreement needs two raters" in err


def test_a_third_person_rules_on_conflicts(call, rated_twice):
    rated_twice()
    assert "1 conflict left out: on labels of your own" in call("adjudicate list", rater="li")[2]
    assert "rater 1 2, rater 2 5" in call("adjudicate list --allow-own", rater="li")[1]
    (conflict,) = as_json(call("adjudicate list --json", rater="zhang"))
    assert (conflict["subject"]["id"], conflict["field"]) == ("4", "score")
    shown = call("adjudicate show 4", rater="zhang")[1]
    assert "golden answer: 3.5 percent" in shown
    assert "conflict" in shown
    assert "wang" not in shown, "who rules is not told whose labels they are"
    code, _, err = call("adjudicate set 4 score=4", rater="wang")
    assert code == 1
    assert "or ragdesk adjudicate set --allow-own" in err
    assert call("adjudicate set 4 score=7", rater="zhang")[0] == 2
    assert call("adjudicate set 4 score=4 --reason units", rater="zhang")[0] == 0
    assert as_json(call("adjudicate list --json", rater="zhang")) == []
    assert "4 (adjudicated by zhang): units" in call("adjudicate show 4", rater="li")[1]
    # a rater who thinks again opens it anew; one's own word by leave only
    call("labels set 4 score=1", rater="li")
    assert call("adjudicate set 4 score=2 --allow-own", rater="li")[0] == 0


def test_labels_go_out_and_come_in_as_a_table(call, rated_twice, tmp_path):
    rated_twice(3)
    file = tmp_path / "labels.csv"
    assert call(f"labels export --form inspection --out {file}")[0] == 0
    assert file.read_text("utf-8").startswith("dataset,item,revision,again,rater,status,")
    code, out, err = call(f"labels import {file} --form inspection")
    assert (code, out) == (
        0,
        "0 labels of 3 subjects by li, wang; 12 stood there already\n",
    )
    assert err == "ignored: origin, status\n"
    assert call(f"labels import {file} --form inspection --map score")[0] == 2
    assert call(f"labels import {tmp_path}/none.csv --form inspection")[0] == 1
    assert call(f"labels export --form inspection --out {tmp_path}/labels.txt")[0] == 2


def test_a_sample_is_closed_and_reopened(call):
    call("sample draw pilot --dataset drafts --per-cell 1")
    assert call("labels next --json", rater="li")[0] == 0
    code, out, _ = call("sample close pilot")
    assert (code, out.splitlines()) == (
        0,
        ["sample pilot is closed; its labels stay", "undo: ragdesk sample reopen pilot"],
    )
    assert call("labels next")[1:] == ("", "nothing is left in your queue\n")
    assert as_json(call("sample list --json")) == []
    (listed,) = as_json(call("sample list --all --json"))
    assert (listed["name"], listed["subjects"], bool(listed["closed_at"])) == ("pilot", 4, True)
    code, _, err = call("sample draw pilot --dataset drafts --per-cell 2")
    assert (code, "ragdesk sample reopen pilot" in err) == (1, True)
    assert call("sample reopen pilot")[1] == "sample pilot is open, for anyone\n"
    assert as_json(call("sample draw pilot --dataset drafts --per-cell 2 --json"))["added"] == 4
    assert call("sample close other")[0] == 2


def test_conflicts_without_a_majority_are_listed_alone(call):
    for rater, score in (("a", 5), ("b", 5), ("c", 1)):
        call(f"labels set 1 answer=1 score={score}", rater=rater)
        call(f"labels set 2 answer=1 score={score - (rater == 'b')}", rater=rater)
    everything = as_json(call("adjudicate list --json", rater="z"))
    assert {one["subject"]["id"] for one in everything} == {"1", "2"}
    without = as_json(call("adjudicate list --no-majority --json", rater="z"))
    assert [(one["subject"]["id"], one["field"]) for one in without] == [("2", "score")]
    assert "rater 1 5, rater 2 4, rater 3 1" in call("adjudicate list --no-majority", rater="z")[1]
    assert (
        "1 conflict left out: on labels of your own"
        in call("adjudicate list --no-majority", rater="a")[2]
    )


def test_a_sample_of_another_form_is_not_an_empty_queue(call):
    call("sample draw pilot --dataset drafts --per-cell 1")
    code, out, err = call("labels next --sample pilot --form reasonable")
    assert (code, out) == (2, "")
    assert "Use its form. (--form inspection)" in err
    assert call("labels events")[1] == ""


def test_the_log_is_one_document_with_json_and_lines_without(call, tmp_path: Path):
    call("labels set 1 answer=1 score=5")
    assert len(call("labels events")[1].splitlines()) == 2
    assert [event["value"] for event in as_json(call("labels events --json"))] == [1, 5]
    told = as_json(call(f"labels events --json --out {tmp_path / 'log.jsonl'}"))
    assert told == {"out": str(tmp_path / "log.jsonl"), "events": 2}
    table = tmp_path / "labels.csv"
    assert as_json(call(f"labels export --json --out {table}"))["out"] == str(table)


def test_named_adjudicators_rule_and_nobody_else(call):
    call("sample draw pilot --dataset drafts --per-cell 2 --raters-wanted 2 --adjudicators chen")
    for rater, value in (("li", 5), ("wang", 1)):
        call(f"labels set 1 score={value}", rater=rater)
    assert as_json(call("adjudicate list --json", rater="zoe")) == []
    code, _, err = call("adjudicate set 1 score=5", rater="zoe")
    assert (code, "zoe is no adjudicator" in err) == (1, True)
    assert len(as_json(call("adjudicate list --json", rater="chen"))) == 1
    changed = call("sample adjudicators pilot zoe")[1]
    assert changed == "conflicts in sample pilot are for zoe\n"
    assert call("adjudicate set 1 score=5", rater="zoe")[0] == 0


def test_a_sample_says_how_many_subjects_have_how_many_labels(call):
    call("sample draw pilot --dataset drafts --per-cell 2 --raters-wanted 2")
    for rater in ("li", "wang"):
        for _ in range(3):
            subject = as_json(call("labels next --json", rater=rater))["subject"]["id"]
            call(f"labels set {subject} score=4", rater=rater)
    shown = as_json(call("sample show pilot --json"))
    assert shown["subjects_by_labels"] == {"0": 5, "2": 3}
    assert (shown["aids"], shown["adjudicators"]) == (False, [])
    text = call("sample show pilot")[1]
    for line in ("8, 2 raters wanted for each", "with 0 labels", "with 2 labels", "anyone"):
        assert line in text, text
