"""Questions with known answers: chosen, mixed in, given like others, and never labels of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_workspaces import label_workspace

from engine.calibration.truths import truths_of
from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.drawing.known import GoldRequest, MixRequest, choose_gold, gold, mix
from engine.labelling.exporting import label_rows
from engine.labelling.figures.agreement import rater_agreement
from engine.labelling.session import LabelSession
from engine.labelling.subject_state import KNOWN_ANSWER
from engine.training.data.cases import labelled_cases
from store import views
from store.errors import Conflict, InputError, UsageError
from store.labels import consensus, standing, statistics
from store.labels.log import log
from store.labels.log.events import EventKind, Subject
from store.labels.replay import problems
from store.labels.samples import known, queue, samples
from store.workspace import Workspace

FORM = "judge_labels"
RIGHT = {"accuracy": 2, "completeness": 2, "hallucination": 0, "utilization": 2}


def answer(session: LabelSession, subject: Subject, **changed: object):
    """Gives every field that is asked its value; returns the state."""
    state = session.state(subject)
    for field, value in {**RIGHT, "numerical_accuracy": 1, **changed}.items():
        if field not in state.not_applicable:
            state = session.set(subject, field, value, active_ms=6000)
    return state


@pytest.fixture
def made(tmp_path: Path):
    """Twelve answers of one system, of which three are settled by a ruling; the other system's
    twelve wait in the sample `work`."""
    with label_workspace(tmp_path / "w", 12, characters=200, raters_wanted=2) as workspace:
        subjects = [Subject("prediction", str(number)) for number in (1, 3, 5)]
        for rater, accuracy in (("a", 0), ("b", 1)):
            session = LabelSession(workspace, FORM, rater)
            for subject in subjects:
                answer(session, subject, accuracy=accuracy)
        judge = LabelSession(workspace, FORM, "judge")
        for subject in subjects:
            judge.adjudicate(subject, "accuracy", 1, reason="the unit is missing")
        with workspace.write() as db:
            samples.close(db, samples.get(db, "first"))
        draw_sample(workspace, SampleRequest("work", FORM, 6, runs=("rival-y-1",), raters_wanted=2))
        yield workspace


def chosen(workspace: Workspace, purpose: str = "attention", number: int = 3):
    return choose_gold(workspace, GoldRequest(FORM, purpose, number=number), "lead")


def work_off(workspace: Workspace, rater: str = "c", **changed: object) -> list[str]:
    """The rater completes all that the queue gives; returns the subjects in their order."""
    session = LabelSession(workspace, FORM, rater)
    given = []
    while (queued := session.next()) is not None:
        given.append(queued.subject.id)
        answer(session, queued.subject, **changed)
    return given


# Choosing


def test_what_was_ruled_on_can_be_known_with_its_answer_and_reason(made) -> None:
    found = gold(made.db, LabelSession(made, FORM, "x").form, "adjudicated")
    assert [one.subject.id for one in found] == ["1", "3", "5"]
    assert found[0].answers["accuracy"] == 1
    assert found[0].reason == "the unit is missing"


def test_a_draw_of_known_questions_is_seeded_and_takes_none_twice(made) -> None:
    assert [one.subject.base for one in chosen(made, number=2)] == ["3", "5"]
    assert [one.subject.base for one in chosen(made, number=1)] == ["1"]
    with pytest.raises(InputError, match="0 subjects can be known questions"):
        chosen(made, number=1)


def test_imported_labels_of_a_rater_can_be_the_answers(made) -> None:
    stored = LabelSession(made, FORM, "x")._stored
    subject = Subject("prediction", "7")
    with made.write() as db:
        for field, value in {**RIGHT, "numerical_accuracy": 0}.items():
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
    (one,) = choose_gold(made, GoldRequest(FORM, "training", "gold", ("7",)), "lead")
    assert (one.source, one.answers["accuracy"], one.purpose) == ("gold", 2, "training")


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (GoldRequest(FORM, "attention"), UsageError),
        (GoldRequest(FORM, "attention", subjects=("1",), number=1), UsageError),
        (GoldRequest(FORM, "attention", subjects=("2",)), InputError),
        (GoldRequest(FORM, "attention", "nobody", ("1",)), InputError),
        (GoldRequest("authoring_answer", "attention", number=1), UsageError),
    ],
)
def test_what_is_not_settled_cannot_be_known(made, request_, error) -> None:
    with pytest.raises(error):
        choose_gold(made, request_, "lead")


def test_a_known_answer_is_never_changed(made) -> None:
    (one,) = chosen(made, number=1)
    with pytest.raises(Conflict, match="known already"), made.write() as db:
        known.put(db, FORM, one.subject, "training", {}, reason="", source="x", chosen_by="lead")


# Mixing


def test_questions_are_mixed_in_at_the_rate_one_to_each_stretch(made) -> None:
    chosen(made)
    mixed = mix(made, MixRequest("work", 0.25, seed=7), "lead")
    assert (mixed.added, mixed.subjects, mixed.lacking) == (3, 12, 0)
    due = list(known.mixed_into(made.db, samples.get(made.db, "work")).values())
    assert [place // 4 for place in due] == [0, 1, 2]
    with pytest.raises(InputError, match="has its 3 known questions already"):
        mix(made, MixRequest("work", 0.25), "lead")
    assert made.db.execute("SELECT rate, seed, questions FROM known_mix").fetchall() == [
        (0.25, 7, 3)
    ]


def test_the_same_seed_mixes_the_same_and_another_otherwise(made) -> None:
    chosen(made)
    seen = []
    for seed in (1, 1, 2):
        mix(made, MixRequest("work", 0.25, seed), "lead")
        seen.append(known.mixed_into(made.db, samples.get(made.db, "work")))
        with made.write() as db:
            db.execute("DELETE FROM assignment WHERE due_after IS NOT NULL")
    assert seen[0] == seen[1] != seen[2]


def test_a_rate_that_asks_for_more_than_there_are_says_how_many_lack(made) -> None:
    chosen(made, number=1)
    assert mix(made, MixRequest("work", 0.5), "lead").lacking == 5


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.5])
def test_a_rate_is_a_share(made, rate: float) -> None:
    with pytest.raises(UsageError):
        mix(made, MixRequest("work", rate), "lead")


# At work


def test_a_rater_is_given_them_at_their_places_among_the_others(made) -> None:
    chosen(made)
    mix(made, MixRequest("work", 0.25, seed=7), "lead")
    due = known.mixed_into(made.db, samples.get(made.db, "work"))
    (waiting,) = queue.by_sample(made.db, FORM, "c")
    assert waiting.waiting == queue.whole_queue(made.db, FORM, "c") == 15, "from the first on"
    given = work_off(made)
    assert len(given) == 15
    others = 0
    for subject in given:
        if subject in due:
            assert due[subject] == others
        else:
            others += 1
    (done,) = queue.by_sample(made.db, FORM, "c")
    assert (done.waiting, done.done) == (0, 15)
    assert list(problems(made.db)) == []


def test_who_labelled_the_subject_otherwise_is_not_given_it(made) -> None:
    chosen(made)
    mix(made, MixRequest("work", 0.25), "lead")
    assert not any("#" in subject for subject in work_off(made, "a"))


def test_several_raters_each_get_all_of_them(made) -> None:
    chosen(made)
    mix(made, MixRequest("work", 0.25), "lead")
    for rater in ("c", "d"):
        assert sum("#k" in subject for subject in work_off(made, rater)) == 3


def test_an_attention_question_is_shown_as_any_other(made) -> None:
    chosen(made)
    mix(made, MixRequest("work", 0.25), "lead")
    session = LabelSession(made, FORM, "c")
    states = {}
    while (queued := session.next()) is not None:
        states[queued.subject.id] = answer(session, queued.subject)
    (told,) = {state.told for state in states.values()}
    assert told is None
    assert {state.is_revealed for state in states.values()} == {False}
    held = queue.listed(made.db, session.form, "c", "complete")
    assert len(held) == 15


def test_a_training_question_tells_answer_and_reason_with_its_last_value(made) -> None:
    chosen(made, "training", 1)
    mix(made, MixRequest("work", 0.1), "lead")
    (subject,) = (
        Subject("prediction", one)
        for one in known.mixed_into(made.db, samples.get(made.db, "work"))
    )
    session = LabelSession(made, FORM, "c")
    assert session.set(subject, "accuracy", 2).told is None
    state = answer(session, subject, accuracy=2)
    assert state.told is not None
    assert (state.told.answers["accuracy"], state.told.reason) == (1, "the unit is missing")
    assert session.state(subject).told == state.told, "also when it is opened again"
    later = session.set(subject, "accuracy", 1)
    assert later.told is not None
    (label,) = (one for one in session.labels(subject) if one.field == "accuracy")
    assert label.origin == "human_after_reveal"
    events = [event.value for event in session.history(subject) if event.kind == "reveal"]
    assert events == [KNOWN_ANSWER], "told once"


def test_what_was_said_before_the_answer_was_told_counts(made) -> None:
    chosen(made, "training", 1)
    mix(made, MixRequest("work", 0.1), "lead")
    (name,) = known.mixed_into(made.db, samples.get(made.db, "work"))
    subject = Subject("prediction", name)
    session = LabelSession(made, FORM, "c")
    answer(session, subject, accuracy=2, numerical_accuracy=0)
    session.undo()
    session.set(subject, "accuracy", 1)
    said = {one.field: one.value for one in known.answered(made.db, FORM)}
    assert said["accuracy"] == 2
    assert said["numerical_accuracy"] == 0


# Never labels


@pytest.fixture
def worked(made) -> Workspace:
    """A rater has done the sample, and answered the known questions like nobody else."""
    chosen(made)
    mix(made, MixRequest("work", 0.25), "lead")
    work_off(made, "c", accuracy=2)
    return made


def test_agreement_does_not_hold_them(worked) -> None:
    found = rater_agreement(worked.db, FORM, resamples=9, keep_empty=True)
    assert found.again == ()
    assert {row.n for row in found.rows if row.field == "accuracy"} <= {0, 3}
    assert not any(one.subject.is_known for one in standing.rated(worked.db, _form(worked)))


def test_calibration_does_not_hold_them(worked) -> None:
    truths, disputed = truths_of(worked.db, (), None, "accuracy")
    assert len(truths) + len(disputed) == 3 + 12
    assert {truth.source for truth in truths if truth.prediction_id in (1, 3, 5)} == {"adjudicated"}


def test_judge_data_does_not_hold_them(worked) -> None:
    cases = labelled_cases(worked.db)
    assert len(cases) == 15
    raters = {
        rater.rater
        for case in cases
        if case.name in ("1", "3", "5")
        for label in case.labels.values()
        for rater in label.raters
    }
    assert raters == {"a", "b"}


def test_exports_and_views_do_not_hold_them(worked) -> None:
    rows, _ = label_rows(worked, FORM)
    assert len(rows) == 6 + 12
    assert not any(row["again"] for row in rows)
    assert not [row for row in views.rows(worked.db, "labels") if "#" in str(row["subject"])]


def test_conflicts_and_counts_do_not_hold_them(worked) -> None:
    assert consensus.conflicts(worked.db, _form(worked)) == []
    (count,) = consensus.label_counts(worked.db)
    assert (count.subjects, count.shared) == (15, 3)
    assert not [subject for subject, _ in statistics.values(worked.db, FORM) if "#" in subject]


def _form(workspace: Workspace):
    return LabelSession(workspace, FORM, "x").form
