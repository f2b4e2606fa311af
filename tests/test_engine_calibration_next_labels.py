"""What to label next: chances stored before the labels, from which everything is rebuilt."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from judged_workspaces import ITEMS, Desk
from msgspec import structs

from engine.calibration.calibrate import calibrate_judges
from engine.calibration.label_requests import NextPlan, NextRequest
from engine.calibration.next_labels import draw_next, plan_next
from engine.calibration.populations import Design, stands_for
from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import compare_runs
from engine.statistics.chances import chances, drawn
from store.errors import Conflict, InputError, NotFound, UsageError
from store.labels.samples import draws, queue, samples
from store.records import MetricScore
from store.runs import stages
from store.verify import verify

REQUEST = NextRequest("next", "precision", ("r",), "accuracy", "rules", 10, seed=3)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "w")
    with desk.workspace:
        yield desk


def label_drawn(desk: Desk, number: int | None = None) -> None:
    sample = samples.get(desk.workspace.db, "next")
    for one in samples.taken(desk.workspace.db, sample)[:number]:
        at = desk.answers.index(int(one.subject))
        desk.label("anna", at, desk.truth(at))


def test_the_first_draw_is_alike_and_the_second_follows_the_labels(desk: Desk) -> None:
    desk.judge("other")
    first = draw_next(desk.workspace, REQUEST)
    assert (first.added, first.frame, first.is_burn_in) == (10, ITEMS, True)
    assert first.least == first.most == pytest.approx(10 / ITEMS)
    label_drawn(desk)
    second = draw_next(desk.workspace, REQUEST)
    assert (second.added, second.frame, second.draw.number) == (10, ITEMS - 10, 2)
    assert not second.is_burn_in
    # where the other judge differs, the rules were wrong
    stored = draws.chances(desk.workspace.db, second.draw)
    differs = {str(id) for at, id in enumerate(desk.answers) if at % 3 == 0}
    likely = {
        kind: {round(one.chance, 9) for one in stored if (one.unit in differs) == kind}
        for kind in (True, False)
    }
    assert min(likely[True]) > max(likely[False])
    assert verify(desk.workspace.db).ok


def test_a_plan_draws_nothing_and_refuses_what_the_draw_refuses(desk: Desk) -> None:
    assert plan_next(desk.workspace, REQUEST) == NextPlan(10, ITEMS, True)
    assert samples.listing(desk.workspace.db) == []
    draw_next(desk.workspace, REQUEST)
    with pytest.raises(Conflict, match="Only 0 of the 10 drawn"):
        plan_next(desk.workspace, REQUEST)
    label_drawn(desk)
    assert plan_next(desk.workspace, REQUEST) == NextPlan(10, ITEMS - 10, False)
    with pytest.raises(UsageError, match="was drawn otherwise"):
        plan_next(desk.workspace, structs.replace(REQUEST, judge="other"))


def test_the_stored_log_rebuilds_every_chance_and_the_seed_the_draw(desk: Desk) -> None:
    draw_next(desk.workspace, REQUEST)
    label_drawn(desk)
    draw_next(desk.workspace, REQUEST)
    sample = samples.get(desk.workspace.db, "next")
    for draw in draws.of_sample(desk.workspace.db, sample):
        stored = draws.chances(desk.workspace.db, draw)
        assert draws.frame_hash(reversed(stored)) == draw.frame_hash
        by_number = sorted(stored, key=lambda one: desk.answers.index(int(one.unit)))
        share = draw.rule["uniform_share"]
        rebuilt = chances(np.array([one.uncertainty for one in by_number]), draw.wanted, share)
        assert rebuilt == pytest.approx([one.chance for one in by_number], abs=1e-12)
        again = [by_number[at].unit for at in drawn(rebuilt, draw.seed)]
        kept = draws.chances(desk.workspace.db, draw, drawn_only=True)
        assert again == [one.unit for one in kept]
        assert draw.rule["judge_hash"]
    with pytest.raises(sqlite3.IntegrityError, match="known before the label"):
        desk.workspace.db.execute("UPDATE draw_chance SET chance = .5")


def test_the_queue_gives_what_was_drawn_in_its_order(desk: Desk) -> None:
    made = draw_next(desk.workspace, REQUEST)
    order = [one.unit for one in draws.chances(desk.workspace.db, made.draw, drawn_only=True)]
    given = queue.upcoming(desk.workspace.db, "judge_labels", "anna", limit=10)
    assert [one.subject.id for one in given] == order
    assert queue.upcoming(desk.workspace.db, "judge_labels", "anna")[0] == given[0]


def test_labels_weigh_by_their_chances(desk: Desk) -> None:
    draw_next(desk.workspace, REQUEST)
    label_drawn(desk)
    draw_next(desk.workspace, REQUEST)
    label_drawn(desk)
    found = calibrate_judges(
        desk.workspace, sample="next", judges=["rules"], metric="accuracy", resamples=0
    )
    (mean,) = found.judges[0].means
    assert (mean.sample, mean.powered.n_labelled) == ("next", 20)
    assert mean.powered.effective < 20
    # the rules are wrong on a third; drawn more often, those would be half of the labels
    accuracy = found.judges[0].metrics[1].accuracy
    assert accuracy.value is not None
    assert accuracy.low is not None
    right = [at for at in range(ITEMS) if at % 3]
    taken = samples.taken(desk.workspace.db, samples.get(desk.workspace.db, "next"))
    plain = np.mean([desk.answers.index(int(one.subject)) in right for one in taken])
    assert abs(accuracy.value - 2 / 3) < abs(plain - 2 / 3)


def test_an_answer_that_nobody_drew_is_in_no_estimate(desk: Desk) -> None:
    draw_next(desk.workspace, REQUEST)
    label_drawn(desk)
    taken = {
        one.subject
        for one in samples.taken(desk.workspace.db, samples.get(desk.workspace.db, "next"))
    }
    stray = next(at for at, id in enumerate(desk.answers) if str(id) not in taken)
    desk.label("anna", stray, 0)
    found = calibrate_judges(desk.workspace, judges=["rules"], metric="accuracy", resamples=0)
    assert found.judges[0].means[0].powered.n_labelled == 10
    assert found.judges[0].metrics[1].n == 10


def test_a_comparison_draws_both_answers_of_a_question(desk: Desk) -> None:
    desk.answers = [*desk.answers, *desk.answered("s")]
    with desk.workspace.write():
        for at in range(ITEMS, 2 * ITEMS):
            desk.score(desk.rules, at, 2 if at % 2 else desk.truth(at))
    request = structs.replace(REQUEST, choose="comparison", runs=("r", "s"), number=8)
    made = draw_next(desk.workspace, request)
    assert (made.added, made.draw.wanted, made.frame) == (16, 8, ITEMS)
    label_drawn(desk)
    made = draw_next(desk.workspace, request)
    assert made.most > made.least
    label_drawn(desk)
    found = compare_runs(desk.workspace.db, "r", "s", MetricQuery("accuracy", judge="rules"))
    assert found.corrected is not None
    one = found.corrected.overall
    assert (one.is_paired, one.paired) == (True, 16)
    assert found.corrected.samples == ("next",)


def test_agreement_draws_where_judge_and_people_may_differ(desk: Desk) -> None:
    desk.judge("other")
    request = structs.replace(REQUEST, choose="agreement", number=20)
    draw_next(desk.workspace, request)
    label_drawn(desk)
    made = draw_next(desk.workspace, request)
    assert made.added == 10
    assert made.draw.rule["choose"] == "agreement"


def test_a_later_draw_waits_for_labels_and_keeps_to_its_sample(desk: Desk) -> None:
    draw_next(desk.workspace, REQUEST)
    label_drawn(desk, 4)
    with pytest.raises(Conflict, match="Only 4 of the 10 drawn"):
        draw_next(desk.workspace, REQUEST)
    with pytest.raises(UsageError, match=r"drawn otherwise \(metric\)"):
        draw_next(desk.workspace, structs.replace(REQUEST, metric="completeness"))
    with pytest.raises(UsageError, match=r"drawn otherwise \(within\)"):
        draw_next(desk.workspace, structs.replace(REQUEST, within=0.2))
    with pytest.raises(UsageError, match="drawn by precision"):
        draw_sample(desk.workspace, SampleRequest("next", "judge_labels", 3, runs=("r",)))


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"metric": "f1"}, UsageError, "People do not label 'f1'"),
        ({"runs": ("r", "r")}, UsageError, "takes one run"),
        ({"choose": "comparison"}, UsageError, "takes two runs"),
        ({"number": 0}, UsageError, "At least one"),
        ({"within": 1.5}, UsageError, "above 0 and below 1"),
        ({"judge": "nobody"}, NotFound, "No judge 'nobody'"),
        ({"runs": ("x",)}, NotFound, "no run 'x'"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused_and_writes_nothing(
    desk: Desk, change: dict[str, object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        draw_next(desk.workspace, structs.replace(REQUEST, **change))
    assert samples.listing(desk.workspace.db) == []


def test_a_metric_that_hardly_applies_is_drawn_alike(desk: Desk) -> None:
    with desk.workspace.write() as db:
        for at in range(ITEMS):
            score = MetricScore("completeness", "standard", 1.0)
            stages.put_scores(db, desk.answers[at], [score], judge_id=desk.rules)
    request = structs.replace(REQUEST, metric="completeness")
    draw_next(desk.workspace, request)
    label_drawn(desk)
    second = draw_next(desk.workspace, request)
    assert (second.added, second.is_burn_in) == (10, False)
    assert second.least == pytest.approx(second.most)
    with pytest.raises(InputError, match="has no value of 'utilization' there"):
        draw_next(desk.workspace, structs.replace(REQUEST, name="u", metric="utilization"))


def test_several_draws_stand_for_all_and_missing_labels_for_others() -> None:
    design = Design("s", batches=({1: 0.5, 2: 0.5}, {3: 0.4, 4: 0.8}))
    whole = stands_for(design, {1, 2, 3, 4})
    # half of each estimate: an answer of the first draw stands for itself in the second
    assert whole[1] == (pytest.approx(0.5 / 0.5 + 0.5), pytest.approx(0.25 * 0.5 / 0.25))
    assert whole[3] == (pytest.approx(0.5 / 0.4), pytest.approx(0.25 * 0.6 / 0.16))
    part = stands_for(design, {1, 3, 4})
    assert part[1][0] == pytest.approx(1 / 3 / 0.25 + 2 / 3 * 2)
    assert 2 not in part
    one = stands_for(Design("s", batches=({1: 0.1, 2: 0.1},)), {1, 2})
    assert one[1] == (pytest.approx(10), pytest.approx(90))
