"""The report on raters' work: every figure counted by hand, and told to each as far as they may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from judged_workspaces import Desk
from labelling_workspaces import Drafts, make_drafts, new_workspace, register, score

from engine.labelling.drawing.drawing import SampleRequest, draw_sample, plan_sample
from engine.labelling.figures.statistics import wilson
from engine.labelling.figures.work_report import labelled_subjects, named_axes, work_report
from engine.report.work import agreement_texts, automatic_texts, render, report_as_json
from store.errors import Conflict, UsageError
from store.labels.log.events import Subject
from store.labels.samples import samples
from store.labels.samples.samples import Assignment, Candidate
from store.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with new_workspace(tmp_path / "ws") as found:
        yield found


@pytest.fixture
def drafts(workspace: Workspace) -> Drafts:
    """Eight items of two models: a judges the first five, b the first and the fourth."""
    with workspace.write(durable=True) as db:
        made = make_drafts(db)
        form = register(db)
        for at, value in enumerate((5, 4, 1, 3, 2)):
            score(db, form, "a", made.subject(at), value)
        for at, value in ((0, 4), (3, 1)):
            score(db, form, "b", made.subject(at), value)
    return made


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (8, 10), (10, 10), (1, 3), (640, 1000)])
def test_the_interval_is_wilsons(successes: int, trials: int) -> None:
    from scipy.stats import binomtest

    expected = binomtest(successes, trials).proportion_ci(method="wilson")
    assert wilson(successes, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_no_trial_has_no_interval_and_no_share_none() -> None:
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match="no share"):
        wilson(3, 2)


def test_the_figures_are_those_counted_by_hand(workspace: Workspace, drafts: Drafts) -> None:
    report = work_report(workspace.db, "inspection", "lead", by="model")
    assert {row.place: (row.accepted, row.judged, row.complete) for row in report.rows} == {
        ("m0",): (1, 3, 4),
        ("m1",): (1, 2, 3),
    }
    assert report.choices == (1, 2, 3, 4, 5)
    assert report.total is not None
    assert report.total.values == (2, 1, 1, 2, 1)
    assert report.axes == ("cell", "topic", "task", "rater", "day", "rater_day", "model")
    cells = work_report(workspace.db, "inspection", "lead", by="cell")
    assert {row.place: row.judged for row in cells.rows} == {
        ("rates", "extractive"): 2,
        ("rates", "conversational"): 1,
        ("funds", "extractive"): 1,
        ("funds", "conversational"): 1,
    }
    with pytest.raises(UsageError, match="colour"):
        work_report(workspace.db, "inspection", "lead", by="colour")


def test_today_counts_the_viewers_labels_and_their_pace(
    workspace: Workspace, drafts: Drafts
) -> None:
    # each label took one second
    own = work_report(workspace.db, "inspection", "a").today
    assert (own.labels, own.per_hour) == (5, 3600.0)
    assert work_report(workspace.db, "inspection", "lead").today.labels == 7
    later = work_report(workspace.db, "inspection", "a", since="9999").today
    assert (later.labels, later.per_hour) == (0, None)


def test_agreement_is_that_of_second_raters_and_says_why_it_is_undefined(
    workspace: Workspace, drafts: Drafts
) -> None:
    report = work_report(workspace.db, "inspection", "lead")
    verdict = next(one for one in report.seconds if one.field == "verdict")
    assert (verdict.n, verdict.raw.value) == (2, 0.5)
    # chance: a accept, correct; b accept, discard -> .25; (.5 - .25) / .75
    assert verdict.kappa.value == pytest.approx(1 / 3)
    with workspace.write(durable=True) as db:
        form = register(db)
        score(db, form, "b", drafts.subject(3), 4)
        score(db, form, "a", drafts.subject(3), 5)
    texts = agreement_texts(work_report(workspace.db, "inspection", "lead"))
    assert texts[0].startswith(
        "agreement on verdict: raw 1.000, kappa undefined (each two raters gave one value only"
    )


def test_automatic_verdicts_stand_against_what_the_viewer_may_see(
    workspace: Workspace, drafts: Drafts
) -> None:
    with workspace.write() as db:
        (job,) = db.execute(
            "INSERT INTO job (kind, title, params, state, run_id, created_at) VALUES"
            " ('inspect', 'i', '{}', 'done', NULL, '2026') RETURNING id"
        ).fetchone()
        for revision, evaluation in zip(drafts.revisions, (2, 0, 0, 1, 2), strict=False):
            db.execute(
                "INSERT INTO inspection (job_id, revision_id, repeat, inspector, state, evaluation,"
                " reason, checks, cached, at) VALUES (?, ?, 0, 'offline', 'parsed', ?, '', '[]', 0,"
                " '2026')",
                (job, revision, evaluation),
            )
    everybody = work_report(workspace.db, "inspection", "lead").automatic
    assert everybody is not None
    assert everybody.counts == {
        2: {"accept": 2, "discard": 1},
        1: {"correct": 1, "discard": 1},
        0: {"accept": 1, "discard": 1},
    }
    assert (everybody.n, everybody.agreeing) == (7, 4)
    own = work_report(workspace.db, "inspection", "b")
    assert own.automatic is not None
    assert own.automatic.counts == {2: {"accept": 1}, 1: {"discard": 1}}
    assert automatic_texts(own)[0].startswith("automatic verdicts against your decisions: 1 of 2")


def test_a_rater_is_told_of_others_together_and_of_own_subjects_only(
    workspace: Workspace, drafts: Drafts
) -> None:
    def groups(viewer: str) -> list[str]:
        report = work_report(workspace.db, "inspection", viewer, by="rater")
        return [row.group for row in report.rows]

    assert groups("lead") == ["a", "b"]
    assert groups("b") == ["b", "others"]
    with workspace.write() as db:
        samples.create(db, "s", "inspection", "revision", {}, ("lead",))
    assert groups("lead") == ["others"]
    told = labelled_subjects(workspace.db, "inspection", "b", by="cell", keys=(None, None))
    assert [one.line.subject.id for one in told] == [str(id) for id in drafts.revisions[:5]]
    assert [one.is_told for one in told] == [True, False, False, True, False]
    assert told[0].values == (("a", 5), ("b", 4))
    assert told[1].values == ()
    assert told[1].seconds is None
    others = labelled_subjects(workspace.db, "inspection", "b", by="rater", keys=("others",))
    assert len(others) == 5


def test_the_questions_and_names_are_those_of_the_dataset(
    workspace: Workspace, drafts: Drafts
) -> None:
    (one,) = labelled_subjects(
        workspace.db, "inspection", "lead", by="cell", keys=("rates", "conversational")
    )
    assert one.line.item_key == "i1"
    assert one.line.question == "What is rate number 1? (0)"
    topics, tasks = named_axes(workspace.db, "inspection")
    assert "rates" in topics.keys
    assert "extractive" in tasks.keys


def test_nothing_done_is_an_empty_report(workspace: Workspace) -> None:
    report = work_report(workspace.db, "inspection", "a", by="cell")
    assert (report.rows, report.total, report.today.labels) == ((), None, 0)
    assert render(report, "csv").count("\n") == 1
    assert report_as_json(report)["total"] is None


def test_the_documents_escape_what_the_data_holds(workspace: Workspace, drafts: Drafts) -> None:
    report = work_report(workspace.db, "inspection", "lead", by="model")
    markdown = render(report, "markdown")
    assert "| m0 | 3 | 0.3333 |" in markdown
    assert "(n \\< 20)" in markdown or "(n &lt; 20)" in markdown
    header, *lines = render(report, "csv").splitlines()
    assert header.split(",")[:4] == ["form", "model", "judged", "accepted"]
    assert len(lines) == 2


def test_a_form_without_decisions_counts_labels_and_values(
    workspace: Workspace, drafts: Drafts
) -> None:
    with workspace.write(durable=True) as db:
        form = register(db, "six_questions")
        from store.labels.log import log

        for field in form.form.fields:
            if field.choices:
                value = field.choices[0].value
                log.append(db, form, "a", drafts.subject(0), field.key, value)
    report = work_report(workspace.db, "six_questions", "a", by="cell")
    assert not report.decides
    assert report.automatic is None
    assert report.rows[0].complete == 1
    assert sum(report.rows[0].values) == 1


def test_a_plan_is_what_drawing_does_and_writes_nothing(
    workspace: Workspace, drafts: Drafts
) -> None:
    asked = SampleRequest(
        "s",
        "inspection",
        2,
        dataset="drafts",
        raters_wanted=2,
        repeat_share=0.5,
        raters=("wang", "li"),
    )
    plan = plan_sample(workspace, asked)
    assert samples.listing(workspace.db) == []
    drawn = draw_sample(workspace, asked)
    assert drawn.added == plan.added + plan.repeats
    assert drawn.sample.raters == ("wang", "li")
    again = plan_sample(workspace, asked)
    assert (again.added, again.is_new) == (0, False)
    assert sum(cell.held for cell in again.cells) == plan.added
    with pytest.raises(UsageError, match="2 raters a subject"):
        plan_sample(
            workspace,
            SampleRequest("t", "inspection", 1, "drafts", raters_wanted=2, raters=("wang",)),
        )


def test_a_sample_keeps_its_raters_where_none_are_named(
    workspace: Workspace, drafts: Drafts
) -> None:
    first = SampleRequest("s", "inspection", 1, dataset="drafts", raters=("wang",))
    draw_sample(workspace, first)
    further = SampleRequest("s", "inspection", 2, dataset="drafts")
    assert draw_sample(workspace, further).sample.raters == ("wang",)
    opened = SampleRequest("s", "inspection", 2, dataset="drafts", raters=())
    assert draw_sample(workspace, opened).sample.raters == ()


def test_a_refused_draw_leaves_no_sample_behind(workspace: Workspace, drafts: Drafts) -> None:
    with workspace.write() as db:
        sample = samples.create(db, "s", "inspection", "revision", {}, ())
        subject = Subject("revision", str(drafts.revisions[7]))
        samples.add(db, sample, [Assignment(Candidate(subject.id), 3)])
    with pytest.raises(Conflict, match="wants 3 raters"):
        draw_sample(workspace, SampleRequest("s", "inspection", 1, "drafts", raters=("wang",)))
    assert len(samples.subjects(workspace.db, sample)) == 1


def test_labels_of_answers_have_counts_by_cell_and_the_question_of_their_turn(
    tmp_path: Path,
) -> None:
    found = Desk(tmp_path / "judged")
    found.label_all("anna", 6)
    found.label("wei", 0, 0)
    found.label("wei", 1, 2)
    db = found.workspace.db
    report = work_report(db, "judge_labels", "anna", by="cell")
    assert not report.decides
    assert report.field == "accuracy"
    assert report.total is not None
    assert report.total.values == (3, 2, 3)
    assert report.total.judged == 0
    assert {one.field for one in report.distributions} >= {"accuracy", "hallucination"}
    accuracy = next(one for one in report.seconds if one.field == "accuracy")
    assert (accuracy.n, accuracy.raw.value) == (2, 0.5)
    listed = labelled_subjects(db, "judge_labels", "wei", by="cell", keys=(None, None))
    assert [one.is_told for one in listed] == [True, True, False, False, False, False]
    assert all(one.line.question for one in listed)
    found.workspace.close()
