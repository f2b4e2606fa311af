"""Preferences of people going out as DPO pairs, by question and without ties and conflicts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from compared_workspaces import Compared, compared_workspace
from sample_workspaces import copy_workspace

from engine.exporters.writing import verify_export
from engine.judge.base import LABELLED
from engine.labelling.session import LabelSession
from engine.training.data.bundle import Wanted
from engine.training.data.preferences import WantedPairs
from engine.training.judge_export import JudgeExport, export_judge
from engine.training.preference_export import PreferenceExport, export_preferences
from store.datasets import splits
from store.errors import InputError
from store.labels import consensus, forms
from store.labels.log.events import Subject
from store.workspace import open_workspace
from tui.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compared_workspace(tmp_path_factory.mktemp("pairs") / "w")


@pytest.fixture
def compared(folder: Path, tmp_path: Path) -> Iterator[Compared]:
    """A copy of it."""
    with open_workspace(copy_workspace(folder, tmp_path / "w")) as workspace:
        yield Compared(workspace)


def export(compared: Compared, out: Path, **wanted: object) -> dict[str, dict]:
    """Exports; the records by item."""
    settings = PreferenceExport(WantedPairs(**wanted))
    export_preferences(compared.workspace, settings, out)
    files = sorted((out / "records").glob("*.jsonl"))
    records = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return {record["group_id"].partition("/")[2]: record for record in records}


def rows(out: Path, shape: str, suffix: str) -> list[dict]:
    found = []
    for file in sorted((out / shape).iterdir()):
        assert file.suffix == suffix
        text = file.read_text("utf-8")
        found += json.loads(text) if suffix == ".json" else map(json.loads, text.splitlines())
    return found


def test_the_preferred_answer_is_chosen_and_the_other_rejected(compared, tmp_path):
    records = export(compared, tmp_path / "out")
    first = records["q00"]
    assert (first["chosen"], first["rejected"]) == ("answer a 0", "answer b 0")
    assert (first["chosen_run"], first["rejected_run"]) == ("first", "second")
    assert (first["source"], first["rater_labels"], first["agreement"]) == ("unanimous", [2, 1], 1)
    assert records["q06"]["chosen"] == "answer b 7"
    assert records["q06"]["rater_labels"] == [1, 2]
    assert records["q06"]["history"] == [["And then? (0)", "3.5 percent"]]


def test_ties_conflicts_and_equal_answers_are_left_out_and_counted(compared, tmp_path):
    out = tmp_path / "out"
    records = export(compared, out)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["by_status"] == {
        "unanimous": 8,
        "in conflict": 2,
        "neither is preferred": 1,
        "both answers are equal": 1,
    }
    assert len(records) == manifest["counts"]["pairs"] == 8
    assert {"q07", "q08", "q09", "q11"}.isdisjoint(records)


def test_a_ruling_and_a_majority_settle_a_preference(compared, tmp_path):
    with compared.workspace.write(durable=True) as db:
        form = forms.latest(db, "preference")
        consensus.adjudicate(db, form, "zhao", compared.subject(8), "overall", 1)
    compared.label("chen", 9, -2)
    records = export(compared, tmp_path / "out")
    assert (records["q08"]["source"], records["q08"]["adjudicator"]) == ("adjudicated", "zhao")
    assert records["q08"]["chosen_run"] == "second"
    assert (records["q09"]["source"], records["q09"]["agreement"]) == ("majority", 0.666667)


def test_rows_are_those_of_trl_and_of_llama_factory(compared, tmp_path):
    out = tmp_path / "out"
    records = export(compared, out)
    trl = rows(out, "trl", ".jsonl")
    assert len(trl) == len(records)
    dialogue = next(row for row in trl if len(row["prompt"]) == 3)
    assert dialogue == {
        "prompt": [
            {"role": "user", "content": "And then? (0)"},
            {"role": "assistant", "content": "3.5 percent"},
            {"role": "user", "content": "And then? (1)"},
        ],
        "chosen": [{"role": "assistant", "content": "answer b 7"}],
        "rejected": [{"role": "assistant", "content": "answer a 7"}],
    }
    info = json.loads((out / "dataset_info.json").read_text())
    for name, entry in info.items():
        assert entry["ranking"] is True
        (row, *_) = json.loads((out / entry["file_name"]).read_text())
        assert set(entry["columns"].values()) <= row.keys(), name
    (talk,) = [row for row in rows(out, "alpaca", ".json") if row["history"]]
    assert (talk["instruction"], talk["chosen"]) == ("And then? (1)", "answer b 7")
    (talk,) = [row for row in rows(out, "sharegpt", ".json") if len(row["conversations"]) > 1]
    assert talk["rejected"] == {"from": "gpt", "value": "answer a 7"}
    assert [turn["from"] for turn in talk["conversations"]] == ["human", "gpt", "human"]


def test_a_question_is_on_the_side_that_judge_data_has_it_on(compared, tmp_path):
    for place in range(6):
        session = LabelSession(compared.workspace, "judge_labels", "li")
        for metric in LABELLED:
            subject = Subject("prediction", str(compared.pairs[place][1]))
            session.set(subject, metric, 1, active_ms=1000)
    export_judge(compared.workspace, JudgeExport(Wanted()), tmp_path / "judge")
    sides = {
        json.loads(line)["group_id"]: file.stem
        for file in (tmp_path / "judge/records").glob("*.jsonl")
        for line in file.read_text().splitlines()
    }
    assert len(set(sides.values())) > 1
    records = export(compared, tmp_path / "out")
    for place in range(6):
        assert records[f"q{place:02}"]["split"] == sides[f"gold/q{place:02}"]
    db = compared.workspace.db
    before = splits.members(db, splits.get(db, "judge data"))
    again = export(compared, tmp_path / "again")
    assert again == records
    assert splits.members(db, splits.get(db, "judge data")) == before


def test_every_row_is_checked_against_its_record(compared, tmp_path):
    out = tmp_path / "out"
    export(compared, out)
    assert verify_export(out).problems == ()
    file = out / "trl/train.jsonl"
    turned = [json.loads(line) for line in file.read_text().splitlines()]
    for row in turned:
        row["chosen"], row["rejected"] = row["rejected"], row["chosen"]
    file.write_text("".join(json.dumps(row) + "\n" for row in turned))
    manifest = json.loads((out / "manifest.json").read_text())
    entry = manifest["files"]["trl/train.jsonl"]
    entry["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    entry["bytes"] = file.stat().st_size
    (out / "manifest.json").write_text(json.dumps(manifest))
    (problem,) = verify_export(out).problems
    assert problem.startswith("trl rows that follow from the records")


def test_only_what_is_asked_for_goes_out(compared, tmp_path):
    with pytest.raises(InputError, match="No pair of answers is completely labelled"):
        export(compared, tmp_path / "one", runs=("first",))
    assert len(export(compared, tmp_path / "both", runs=("first", "second"))) == 8
    with pytest.raises(InputError, match="No preference can be exported: 12 neither is preferred"):
        export(compared, tmp_path / "field", field="completeness")


def test_the_command_writes_pairs_and_refuses_what_only_judges_have(compared, tmp_path, capsys):
    def call(*words: str) -> tuple[int, str]:
        place = ("--workspace", str(compared.workspace.folder), "--out", str(tmp_path / "cli"))
        code = main(["export", "judge", "--form", "preference", *place, *words])
        return code, "".join(capsys.readouterr())

    code, out = call("--shapes", "trl", "--anonymous")
    assert code == 0
    assert "8 pairs, 8 questions" in out
    assert "2 left out: in conflict" in out
    assert sorted(path.name for path in (tmp_path / "cli").iterdir()) == [
        "README.md",
        "manifest.json",
        "records",
        "trl",
    ]
    assert "li" not in json.loads((tmp_path / "cli/manifest.json").read_text())["by_rater"]
    for words in (["--reply", "value"], ["--soft-labels"], ["--shapes", "openai"],
                  ["--metrics", "accuracy"], ["--metrics", "overall", "correctness"]):  # fmt: skip
        assert call(*words)[0] == 2
