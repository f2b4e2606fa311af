import json
from pathlib import Path

import numpy as np
import pytest
from planted_judge_cases import planted_cases

from engine.calibration.calibration_records import PairedTest
from engine.judge.base import LABELLED, compute
from engine.judge.light.folder import trained_judges, write_judge, writing
from engine.judge.registry import find_judge, open_judge
from engine.statistics.difference import difference
from engine.statistics.inference import Settings
from engine.statistics.pairing import CommonSet
from engine.training.light.report import gain_sentences
from engine.training.light.training import evaluate, given_by, learn
from store.errors import InputError, UsageError
from store.records import ScoreState


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A judge taught by 160 planted cases, and 160 others."""
    folder = tmp_path_factory.mktemp("planted")
    cases = planted_cases(320, seed=3)
    with writing(folder, "light", replace=False) as draft:
        judge, fitted, skipped = learn(cases[:160], LABELLED, draft)
        write_judge(draft, [one.model for one in fitted], range(160), "# Judge light\n")
    return folder, judge, fitted, skipped, cases[160:]


@pytest.fixture(scope="module")
def report(planted):
    _, judge, _, _, unseen = planted
    return evaluate("test", unseen, judge)


def test_a_taught_judge_is_nearer_to_people_than_the_rules(planted, report):
    assert not planted[3]
    gain = report.test.pooled
    assert gain.low > 0.1
    assert report.judge[0].kappa.low > report.rules[0].kappa.high


def test_cross_validation_foretells_what_unseen_cases_show(planted, report):
    found = {one.metric: one for one in report.judge}
    for one in planted[2]:
        assert one.folds == 5
        taught = planted_cases(320, seed=3)[:160]
        labels = [case.labels[one.model.metric].name for case in taught]
        assert len(one.held_out) == len(labels)
        right = sum(a == b for a, b in zip(one.held_out, labels, strict=True)) / len(labels)
        assert abs(right - found[one.model.metric].accuracy.value) < 0.12


def test_it_is_surer_where_it_is_right_and_about_as_sure_as_it_is_right(planted):
    _, judge, _, _, unseen = planted
    sure: dict[bool, list[float]] = {True: [], False: []}
    for case, judgements in zip(
        unseen, compute(judge, [case.case for case in unseen], LABELLED), strict=True
    ):
        for score in (made.score for made in judgements):
            value = None if score.value is None else int(score.value)
            chance = float(score.reason.split(";")[0].removeprefix("p = "))
            sure[value == case.labels[score.metric].value].append(chance)
    right, wrong = sure[True], sure[False]
    assert sum(right) / len(right) > sum(wrong) / len(wrong)
    meant = (sum(right) + sum(wrong)) / (len(right) + len(wrong))
    assert abs(meant - len(right) / (len(right) + len(wrong))) < 0.1


def test_a_judge_read_back_says_what_it_said(planted):
    folder, judge, _, _, unseen = planted
    spec = find_judge(folder, "light")
    assert (spec.kind, spec.metrics) == ("trained", LABELLED)
    assert given_by(open_judge(folder, spec), unseen) == given_by(judge, unseen)


def test_what_cannot_apply_is_said_without_the_model(planted):
    import msgspec

    _, judge, _, _, unseen = planted
    closed = msgspec.structs.replace(unseen[0].case, closed_book=True, passages=())
    by_metric = {made.score.metric: made.score for made in compute(judge, [closed], LABELLED)[0]}
    assert by_metric["hallucination"].state is ScoreState.NA
    assert by_metric["hallucination"].reason == "the system retrieves nothing"


def test_a_changed_file_is_refused_by_name(planted, tmp_path):
    import shutil

    folder, *_ = planted
    shutil.copytree(folder / "artefacts", tmp_path / "artefacts")
    file = tmp_path / "artefacts" / "trained" / "light" / "judge.json"
    content = json.loads(file.read_text())
    content["models"][0]["temperature"] = 2.0
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"judge\.json is missing or has changed"):
        open_judge(tmp_path, find_judge(tmp_path, "light"))


def test_a_name_is_taken_once_and_a_failed_training_leaves_nothing(planted, tmp_path):
    folder, *_ = planted
    with pytest.raises(UsageError, match="already"), writing(folder, "light", replace=False):
        pass

    def stop_halfway() -> None:
        with writing(tmp_path, "other", replace=False) as draft:
            (draft / "judge.json").write_text("{")
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        stop_halfway()
    assert trained_judges(tmp_path) == []
    assert not list((tmp_path / "artefacts" / "trained").iterdir())


@pytest.mark.parametrize("name", ["", "a/b", ".hidden", "a@1", " a"])
def test_a_name_that_is_no_folders_is_refused(tmp_path: Path, name: str):
    with (
        pytest.raises(UsageError, match="cannot name a judge"),
        writing(tmp_path, name, replace=False),
    ):
        pass


def test_one_label_throughout_is_learned_as_such_and_too_few_are_refused(tmp_path):
    cases = planted_cases(60, seed=1, noise=0)
    right = [case for case in cases if case.labels["numerical_accuracy"].value == 1][:12]
    judge, fitted, skipped = learn(right, ("numerical_accuracy",), tmp_path)
    assert fitted[0].model.classes == ("1",)
    assert skipped == {}
    made = compute(judge, [case.case for case in cases], ("numerical_accuracy",))
    assert all(row[0].score.value == 1 for row in made)
    with pytest.raises(InputError, match="enough labels"):
        learn(cases[:3], ("accuracy",), tmp_path)


def test_the_gain_stands_by_metric_and_a_metric_that_gets_worse_is_named():
    def gain(at):
        cases = np.array([1.0, 0.0]) if at > 0 else np.array([0.0, 1.0])
        values = np.tile(cases, (60, 1))
        common = CommonSet(values, np.arange(60), (("", ""),) * 60, {})
        return difference(common, True, Settings(resamples=99))

    test = PairedTest("judge", "rules", gain(1), {"accuracy": gain(1), "completeness": gain(-1)})
    assert gain_sentences(test) == [
        "all, pooled: +1.000 (95 % +1.000 to +1.000)",
        "accuracy: +1.000 (95 % +1.000 to +1.000)",
        "completeness: -1.000 (95 % -1.000 to -1.000)",
        "Worse than the rules: completeness (tested).",
    ]
