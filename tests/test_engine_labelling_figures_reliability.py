"""Reliability of raters: known answers, agreement with others, minutes, each with its interval."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_workspaces import label_workspace
from labelling_workspaces import assignments, make_drafts, register, score

from engine.labelling.drawing.known import GoldRequest, MixRequest, choose_gold, mix
from engine.labelling.figures.reliability import _median, _period, reliability
from engine.labelling.figures.work_records import Estimate
from engine.labelling.session import LabelSession
from engine.report.work import estimate_text
from store.clock import local_day
from store.errors import NotFound
from store.labels.log import log
from store.labels.log.events import EventKind, Subject
from store.labels.samples import samples
from store.workspace import Workspace

FORM = "judge_labels"
VALUES = {
    "accuracy": 2,
    "completeness": 2,
    "hallucination": 0,
    "utilization": 2,
    "numerical_accuracy": 1,
}


@pytest.fixture
def made(tmp_path: Path):
    """Twenty answers for two raters, and known questions among them by imported gold."""
    with label_workspace(tmp_path / "w", 20, characters=200, raters_wanted=2) as workspace:
        stored = LabelSession(workspace, FORM, "x")._stored
        gold = [Subject("prediction", str(number)) for number in range(21, 31)]
        with workspace.write() as db:
            for subject in gold:
                for field, value in VALUES.items():
                    log.append(
                        db,
                        stored,
                        "gold",
                        subject,
                        field,
                        value,
                        kind=EventKind.IMPORT,
                        origin="import",
                    )
        request = GoldRequest(FORM, "attention", "gold", tuple(one.id for one in gold))
        choose_gold(workspace, request, "lead")
        mix(workspace, MixRequest("first", 0.5), "lead")
        yield workspace


def work_off(workspace: Workspace, rater: str, wrong: int = 0, active_ms: int = 30_000) -> None:
    """Completes the queue; the first `wrong` known questions, and as many others, with another
    accuracy."""
    session = LabelSession(workspace, FORM, rater)
    left = {True: wrong, False: wrong}
    while (queued := session.next()) is not None:
        is_known = queued.subject.is_known
        left[is_known] -= 1
        skipped = session.state(queued.subject).not_applicable
        for field, value in VALUES.items():
            if field not in skipped:
                given = 0 if field == "accuracy" and left[is_known] >= 0 else value
                session.set(queued.subject, field, given, active_ms=active_ms)


def of(workspace: Workspace, rater: str, viewer: str = "lead", by="all"):
    report = reliability(workspace.db, FORM, viewer, by=by)
    return next(row for row in report.rows if row.rater == rater)


def test_the_share_of_right_values_is_that_of_known_questions(made) -> None:
    work_off(made, "a", wrong=4)
    found = of(made, "a").known
    values = sum(
        count
        for (count,) in made.db.execute(
            "SELECT count(*) FROM label_current WHERE rater = 'a' AND subject LIKE '%#k'"
            " AND aspect = 'value'"
        )
    )
    assert found.n == 10
    assert found.value == pytest.approx(1 - 4 / values)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < found.value < found.high <= 1


def test_agreement_is_with_the_others_on_the_same_subjects(made) -> None:
    work_off(made, "a", wrong=4)
    work_off(made, "b")
    found = of(made, "a").agreement
    (shared,) = made.db.execute(
        "SELECT count(*) FROM label_current WHERE rater = 'a' AND instr(subject, '#') = 0"
        " AND aspect = 'value'"
    ).fetchone()
    assert found.n == 20
    assert found.value == pytest.approx(1 - 4 / shared)
    assert of(made, "b").agreement.value == found.value
    assert of(made, "gold").agreement.value is None


def test_minutes_are_the_median_time_of_a_subject(made) -> None:
    work_off(made, "a", active_ms=12_000)
    found = of(made, "a")
    assert found.labels == 30
    assert found.minutes.value == pytest.approx(1.0)
    assert (found.minutes.low, found.minutes.high) == (pytest.approx(1.0), pytest.approx(1.0))


def test_the_interval_of_a_median_lies_between_two_order_statistics() -> None:
    found = _median(range(1, 101))
    assert (found.value, found.low, found.high) == (50.5, 40, 61)
    assert _median([1.0, 2.0, 3.0]).low is None
    assert _median([]).value is None


def test_a_row_for_each_period_that_a_rater_worked_in(made) -> None:
    work_off(made, "a")
    (at,) = made.db.execute("SELECT max(at) FROM label_event").fetchone()
    day = local_day(at)
    assert of(made, "a", by="day").period == day
    assert of(made, "a", by="month").period == day[:7]
    assert [_period("2026-01-01T12:00:00.000Z", by) for by in ("all", "month", "week", "day")] == [
        "",
        "2026-01",
        "2026-W01",
        "2026-01-01",
    ]


def test_who_labels_sees_themselves_and_not_what_attention_found(made) -> None:
    work_off(made, "a", wrong=4)
    work_off(made, "b")
    report = reliability(made.db, FORM, "b")
    assert report.is_rater
    assert [row.rater for row in report.rows] == ["b"]
    assert report.rows[0].known.n == 0


def test_an_unknown_rater_is_named_with_those_that_there_are(made) -> None:
    work_off(made, "a")
    with pytest.raises(NotFound, match="These have: a, gold"):
        reliability(made.db, FORM, "lead", raters=("aa",))


def test_a_form_that_decides_is_compared_by_what_is_decided(workspace) -> None:
    with workspace.write() as db:
        drafts, form = make_drafts(db), register(db)
        log.append(
            db, form, "gold", drafts.subject(7), "score", 4, kind=EventKind.IMPORT, origin="import"
        )
        sample = samples.create(db, "s", "inspection", "revision", {})
        samples.add(db, sample, assignments(drafts)[:4])
    choose_gold(workspace, GoldRequest("inspection", "attention", "gold", ("8",)), "lead")
    mix(workspace, MixRequest("s", 0.25), "lead")
    before = workspace.db.execute("SELECT state, head FROM item").fetchall()
    for rater, value in (("a", 5), ("b", 3)):
        with workspace.write() as db:
            score(db, form, rater, Subject("revision", "8#k"), value)
    rows = {row.rater: row for row in reliability(workspace.db, "inspection", "lead").rows}
    assert (rows["a"].known.value, rows["b"].known.value) == (1, 0)
    assert workspace.db.execute("SELECT state, head FROM item").fetchall() == before


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((0.9123, 0.8, 0.97, 1200), "0.91 (0.80 to 0.97), n 1,200"),
        ((0.5, None, None, 3), "0.50, n 3"),
        ((None, None, None, 0), "-"),
    ],
)
def test_a_figure_in_words(values, text: str) -> None:
    assert estimate_text(Estimate(*values), 2) == text
