"""Judges calibrated in a workspace: whose labels count, which judge is meant, when it is stale."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from judged_workspaces import ITEMS, Desk
from msgspec import Struct
from msgspec.structs import replace
from tiny_workspaces import TAXONOMY

from engine.calibration.calibrate import calibrate_judges, judge_trust
from engine.importers.scores import import_scores
from engine.judge.trust import trust_text
from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.report.calibration import calibration_as_json, calibration_text, mean_warnings
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from store.corpora import taxonomies
from store.errors import InputError, NotFound, UsageError
from store.labels import consensus
from store.labels.log.events import Subject
from store.runs import audits, judged_answers, results, stages


class Report(Struct):
    """An audit without tables: what is asked of it here is its verdict alone."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "w")
    with desk.workspace:
        yield desk


def test_every_judge_is_measured_against_people(desk: Desk) -> None:
    desk.judge("model", provider={"model": "m"})
    desk.label_all()
    found = calibrate_judges(desk.workspace, metric="accuracy", resamples=99)
    assert (found.answers, found.labels, found.sources) == (ITEMS, ITEMS, {"single": ITEMS})
    rules, model = found.judges
    assert (rules.name, rules.standing, model.standing) == ("rules", "current", "not configured")
    assert rules.metrics[1].accuracy.value == pytest.approx(2 / 3)
    assert model.metrics[1].kappa.value == 1.0
    assert found.tests[0].pooled.verdict == "b better"
    (mean,) = rules.means
    assert mean.powered.mean == pytest.approx(0.5)
    text = calibration_text(found, details=True)
    for said in ("30 single", "rules@", "second better", "people's rows", "by cell"):
        assert said in text
    assert "nan" not in text
    assert json.dumps(calibration_as_json(found))


def test_a_metric_that_the_task_does_not_use_has_no_corrected_mean(desk: Desk) -> None:
    desk.label_all()
    lists = {"extractive": ("em",), "conversational": ("accuracy",)}
    tasks = tuple(replace(task, metrics=lists[task.key]) for task in TAXONOMY.tasks)
    with desk.workspace.write() as db:
        taxonomies.save(db, replace(TAXONOMY, tasks=tasks), "test")
    (rules,) = calibrate_judges(desk.workspace, metric="accuracy", resamples=9).judges
    assert rules.means == ()
    assert rules.metrics[1].n == ITEMS


def test_labels_that_were_given_with_aids_are_counted(desk: Desk) -> None:
    desk.label_all(count=10)
    assert calibrate_judges(desk.workspace, metric="accuracy", resamples=9).with_aids == 0
    draw_sample(desk.workspace, SampleRequest("a", "judge_labels", 99, runs=("r",), aids=True))
    for at in range(4):
        desk.label("bo", at, desk.truth(at))
    found = calibrate_judges(desk.workspace, metric="accuracy", resamples=9)
    assert (found.labels, found.with_aids) == (10, 4)
    assert "4 labels given with aids: they flatter the judge rules." in calibration_text(found)


def test_the_adjudicated_value_counts_then_the_one_of_most(desk: Desk) -> None:
    desk.judge("model")
    desk.label_all(count=4)
    for rater in ("bo", "cy"):
        for at, value in ((0, 0), (1, 2), (2, 0)):
            desk.label(rater, at, value)
    desk.label("dee", 2, 2)
    desk.label("bo", 3, 2)
    with desk.workspace.write(durable=True) as db:
        subject = Subject("prediction", str(desk.answers[3]))
        consensus.adjudicate(db, desk.form, "eve", subject, "accuracy", 1)
    found = calibrate_judges(desk.workspace, metric="accuracy", judges=["model"], resamples=0)
    # 0: all say 0; 1: two of three say 2; 2: two against two; 3: ruled to be 1
    assert found.sources == {"unanimous": 1, "majority": 1, "adjudicated": 1}
    assert found.conflicts == 1
    (mean,) = found.judges[0].means
    assert mean.conflicts == 1
    (warning,) = mean_warnings(mean)
    assert warning.startswith("1 label in conflict left out of the mean.")
    assert "1 label in conflict left out of the mean" in calibration_text(found)
    confusion = found.judges[0].metrics[1].confusion
    assert confusion is not None
    assert sum(map(sum, confusion.counts)) == 3
    assert found.judges[0].metrics[1].accuracy.value == pytest.approx(1 / 3)


def test_a_judge_whose_settings_changed_is_stale_in_table_and_caption(desk: Desk) -> None:
    provider = '[providers.p]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'
    (desk.folder / "ragdesk.toml").write_text(f'{provider}[judges.gpt]\nmodel = "p"\n', "utf-8")
    old = desk.judge("gpt", provider={"model": "other"})
    desk.label_all()
    found = calibrate_judges(desk.workspace, judges=["gpt"], resamples=0)
    assert found.judges[0].standing == "stale"
    assert "Let it judge again." in calibration_text(found)
    trust = run_matrix(desk.workspace.db, "r", MetricQuery("accuracy", judge="gpt")).trust
    assert trust is not None
    assert (trust.kappa, trust.n, trust.stale) == (1.0, ITEMS, False)

    # a newer configuration that has scored nothing which people labelled borrows the older figure
    with desk.workspace.write() as db:
        new = stages.put_judge(db, "gpt", {"judge": "gpt", "kind": "model", "version": 2})
    key = results.MetricKey("accuracy", "standard", new, "gpt")
    borrowed = judge_trust(desk.workspace.db, key)
    assert borrowed is not None
    assert borrowed.stale
    assert (
        trust_text(borrowed, "en")
        == "kappa 1.00 vs people (n 30), stale: of an older configuration"
    )
    assert "已过时" in trust_text(borrowed, "zh")
    assert old != new


def test_a_caption_says_what_the_newest_audit_of_the_configuration_found(desk: Desk) -> None:
    judge = desk.judge("gpt", provider={"model": "m"})
    desk.label_all()
    with desk.workspace.write() as db:
        for verdict in ("too few labels", "not trusted"):
            audits.add(db, judge, verdict, Report())
    trust = run_matrix(desk.workspace.db, "r", MetricQuery("accuracy", judge="gpt")).trust
    assert trust is not None
    assert trust_text(trust, "en") == "kappa 1.00 vs people (n 30), audit: not trusted"
    assert trust_text(trust, "zh") == "与人工标注的 κ 1.00（n 30），审计：不可信"
    rules = run_matrix(desk.workspace.db, "r", MetricQuery("accuracy", judge="rules")).trust
    assert rules is not None
    assert rules.audit == ""


def test_no_caption_without_labels(desk: Desk) -> None:
    assert run_matrix(desk.workspace.db, "r", MetricQuery("accuracy")).trust is None


def test_answers_shown_as_examples_are_left_out(desk: Desk) -> None:
    asked = judged_answers.places(desk.workspace.db, desk.answers[:1])[desk.answers[0]].question
    desk.judge("shown", examples=[{"question": asked, "answer": "answer 0", "metric": "accuracy"}])
    desk.label_all()
    (judge,) = calibrate_judges(
        desk.workspace, judges=["shown"], metric="accuracy", resamples=0
    ).judges
    assert (judge.shown, judge.metrics[1].n) == (1, ITEMS - 1)


def test_answers_that_taught_a_trained_judge_are_left_out(desk: Desk) -> None:
    desk.judge("taught", trained_on=desk.answers[:10])
    desk.label_all()
    (judge,) = calibrate_judges(
        desk.workspace, judges=["taught"], metric="accuracy", resamples=0
    ).judges
    assert (judge.shown, judge.metrics[1].n) == (10, ITEMS - 10)


def test_a_group_that_taught_a_judge_is_left_out_whole(desk: Desk) -> None:
    places = judged_answers.places(desk.workspace.db, desk.answers[:2])
    with desk.workspace.write() as db:
        for place in places.values():
            db.execute("UPDATE item SET group_key = 'twins' WHERE item_key = ?", (place.item_key,))
    desk.judge("taught", trained_on=desk.answers[:1])
    desk.label_all()
    (judge,) = calibrate_judges(
        desk.workspace, judges=["taught"], metric="accuracy", resamples=0
    ).judges
    assert (judge.shown, judge.metrics[1].n) == (2, ITEMS - 2)
    (mean,) = judge.means
    # of what it was taught it knows more than of the rest: such a value counts for nothing
    assert (mean.powered.answers, mean.powered.n_judged) == (ITEMS, ITEMS - 2)


def test_every_cell_with_enough_labels_has_a_mean(desk: Desk) -> None:
    desk.judge("model")
    desk.label_all()
    (judge,) = calibrate_judges(
        desk.workspace, judges=["model"], metric="accuracy", resamples=0
    ).judges
    (mean,) = judge.means
    assert [cell.powered.n_labelled for cell in mean.cells] == [ITEMS // 2, ITEMS // 2]
    assert {cell.powered.run.state for cell in mean.cells} == {"census"}
    found = calibrate_judges(desk.workspace, judges=["model"], metric="accuracy", resamples=0)
    text = calibration_text(found, details=True)
    assert "by cell with enough labels" in text
    assert "all labelled" in text


def test_a_sample_s_quotas_are_weighted_back(desk: Desk) -> None:
    desk.judge("model")
    request = SampleRequest(
        "pilot", "judge_labels", 4, runs=("r",), metric="accuracy", judge="rules"
    )
    draw_sample(desk.workspace, request)
    desk.label_all()
    found = calibrate_judges(
        desk.workspace, sample="pilot", judges=["model"], metric="accuracy", resamples=0
    )
    assert found.labels == 8
    (mean,) = found.judges[0].means
    assert (mean.sample, mean.powered.n_labelled) == ("pilot", 8)
    assert "by the draw of sample pilot" in calibration_text(found)


def test_what_cannot_be_calibrated_is_named(desk: Desk) -> None:
    with pytest.raises(InputError, match="No answer of this workspace has a settled label"):
        calibrate_judges(desk.workspace)
    desk.label_all(count=3)
    with pytest.raises(UsageError, match="People do not label 'f1'"):
        calibrate_judges(desk.workspace, metric="f1")
    with pytest.raises(NotFound, match="no run 'x'"):
        calibrate_judges(desk.workspace, runs=["x"])
    with pytest.raises(NotFound, match="no sample 'x'"):
        calibrate_judges(desk.workspace, sample="x")
    with pytest.raises(NotFound, match=r"No judge 'x' has scored .* rules@"):
        calibrate_judges(desk.workspace, judges=["x"])


def test_imported_scores_are_a_judge_like_any_other(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "theirs.jsonl"
    rows: list[dict[str, object]] = [
        {"id": f"q{at:05}", "metric": "accuracy", "value": desk.truth(at)} for at in range(20)
    ]
    rows[0]["value"], rows[1]["value"] = None, 9
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    made = import_scores(desk.workspace, file, "r", "theirs")
    assert made.states == {"missing": 10, "na": 1, "ok": 18, "out_of_range": 1}
    desk.label_all()
    (judge,) = calibrate_judges(
        desk.workspace, judges=["theirs"], metric="accuracy", resamples=0
    ).judges
    one = judge.metrics[1]
    assert (judge.standing, one.n, one.left_out) == (
        "imported",
        19,
        {"missing": 10, "out_of_range": 1},
    )
    with pytest.raises(UsageError, match="scores of 'theirs' already"):
        import_scores(desk.workspace, file, "r", "theirs")


@pytest.mark.parametrize(
    ("name", "text", "error", "said"),
    [
        ("a.jsonl", '{"id": "x", "metric": "accuracy", "value": 1}', InputError, "no item 'x'"),
        (
            "a.jsonl",
            '{"id": "q00001", "metric": "beauty", "value": 1}',
            InputError,
            "line 1: .*beauty",
        ),
        (
            "a.jsonl",
            '{"id": "q00001", "metric": "accuracy", "value": "good"}',
            InputError,
            "not a number",
        ),
        ("a.jsonl", '{"id": "q00001", "metric": "accuracy"}', InputError, "value"),
        ("a.jsonl", "", InputError, "no score"),
        ("a.jsonl", '{"id": "q00001"', InputError, "line 1"),
        ("a.csv", "id,value\nq00001,1\n", InputError, "no column 'metric'"),
        ("a.csv", "id,metric,value\nq00001,accuracy,\n", InputError, "line 2"),
    ],
)
def test_a_broken_file_of_scores_is_refused_whole(
    desk: Desk, tmp_path: Path, name: str, text: str, error: type[Exception], said: str
) -> None:
    file = tmp_path / name
    file.write_text(text, "utf-8")
    with pytest.raises(error, match=said):
        import_scores(desk.workspace, file, "r", "theirs")
    assert not [key for key in results.metrics(desk.workspace.db, 1) if key.judge == "theirs"]


def test_scores_come_from_csv_too(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "theirs.csv"
    file.write_text("id,turn,metric,value\nq00001,0,accuracy,2\nq00002,0,accuracy,na\n", "utf-8")
    made = import_scores(desk.workspace, file, "r", "theirs")
    assert made.states == {"missing": ITEMS - 2, "na": 1, "ok": 1}
