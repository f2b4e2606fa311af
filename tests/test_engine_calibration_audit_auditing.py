"""An audit put together from what is stored: labels, scores, stated probabilities, standing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from agreement_workspaces import labelled_desk
from judged_workspaces import ITEMS, Desk

from engine.calibration.audit.auditing import audited
from engine.calibration.audit.plan import AuditPlan
from engine.report.audit import audit_html, audit_markdown, audit_text
from store.records import MetricScore
from store.runs import judge_scores, stages
from store.runs.judge_scores import JudgeValue


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "w")
    with made.workspace:
        yield made


def stated(desk: Desk, probability: float, right: float) -> int:
    """A judge that states one probability of every value, and is right on a share of them."""
    with desk.workspace.write() as db:
        judge = stages.put_judge(db, "sure", {"judge": "sure", "kind": "trained"})
        for at in range(ITEMS):
            value = desk.truth(at) if at < right * ITEMS else (desk.truth(at) + 1) % 3
            judge_scores.put(
                db,
                desk.answers[at],
                judge,
                MetricScore("accuracy", "standard", float(value)),
                0,
                JudgeValue(details={"probability": probability + at / 1000}),
            )
    return judge


def test_probabilities_are_held_against_people(desk: Desk) -> None:
    desk.label_all()
    judge = stated(desk, 0.9, 0.5)
    (found,) = audited(desk.workspace, AuditPlan(judge, (desk.run.id,))).confidence
    assert (found.metric, found.n, [one.n for one in found.bins]) == ("accuracy", 30, [15, 15])
    assert [one.right for one in found.bins] == [1.0, 0.0]
    wanted = sum((0.9 + at / 1000 - (at < 15)) ** 2 for at in range(30)) / 30
    assert found.brier == pytest.approx(wanted)
    assert found.error == pytest.approx((1 - 0.907 + 0.922) / 2)


def test_a_judge_that_states_none_is_said_to(desk: Desk) -> None:
    desk.label_all()
    audit = audited(desk.workspace, AuditPlan(desk.rules, (desk.run.id,)))
    assert audit.confidence == ()
    assert "states no probability" in audit_text(audit, "now")


def test_labels_of_an_older_configuration_make_it_stale(desk: Desk) -> None:
    desk.label_all()
    desk.judge("rules", version=1)
    with desk.workspace.write() as db:
        db.execute("DELETE FROM score WHERE judge_id = ?", (desk.rules,))
    audit = audited(desk.workspace, AuditPlan(desk.rules, (desk.run.id,)))
    assert (audit.verdict, audit.standing) == ("stale", "stale")


def test_without_labels_they_are_too_few(desk: Desk) -> None:
    audit = audited(desk.workspace, AuditPlan(desk.rules, (desk.run.id,)))
    assert (audit.verdict, audit.more, audit.labels) == ("too few labels", 30, 0)


def test_a_judge_that_agrees_is_trusted_though_it_was_not_probed(desk: Desk) -> None:
    desk.label_all()
    judge = desk.judge("gpt")
    audit = audited(
        desk.workspace, AuditPlan(judge, (desk.run.id,), not_probed="it is not in ragdesk.toml")
    )
    assert audit.verdict == "trusted"
    assert audit.reasons[-1] == "not probed: it is not in ragdesk.toml"


def test_raters_who_differ_lower_the_bar(tmp_path: Path) -> None:
    made = labelled_desk(tmp_path / "w")
    with made.workspace:
        audit = audited(made.workspace, AuditPlan(made.rules, (made.run.id,)))
    (one,) = audit.metrics
    assert one.raters.value is not None
    assert one.bar == min(0.6, one.raters.value) < 0.6


def test_cards_hold_texts_from_outside_as_they_are(desk: Desk) -> None:
    judge = desk.judge("<b>|x")
    audit = audited(desk.workspace, AuditPlan(judge, (desk.run.id,)))
    assert "&lt;b&gt;" in audit_html(audit, "now")
    assert "<b>" not in audit_html(audit, "now")
    assert r"&lt;b&gt;\|x@" in audit_markdown(audit, "now")
