"""Authored items: who may do which step next, and where items stand by what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from authoring_workspaces import Team, begin, make_banks
from msgspec.structs import replace

from engine.generate.commissions import RoundRequest, begin_round
from engine.labelling.drawing.drawing import SampleRequest, plan_sample
from engine.taxonomy.shapes import REFUSAL
from store.corpora import corpora
from store.datasets import datasets, revisions
from store.errors import Conflict, InputError, RagdeskError, UsageError
from store.labels.log import authoring
from store.labels.log.authoring import ANSWER, QUESTION, VETTING
from store.labels.log.events import Subject
from store.labels.samples import candidates, queue, samples
from store.records import ItemState
from store.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with make_banks(tmp_path / "w") as workspace:
        yield workspace


@pytest.fixture
def team(workspace: Workspace) -> Team:
    return Team(workspace)


def test_three_people_take_an_item_from_documents_to_the_dataset(
    workspace: Workspace, team: Team
) -> None:
    begin(workspace, items=1)
    assert [team.given(name, QUESTION) for name in ("cy", "lin")] == [None, None]
    subject = team.given("ann", QUESTION)
    assert subject is not None
    assert team.given("bo", QUESTION) is None, "ann has it before her"
    assert team.given("cy", ANSWER) is None
    written = team.writes("ann", subject)
    assert team.stands(subject) == (ItemState.NEEDS_CORRECTION, ANSWER, written)
    assert team.given("ann", ANSWER) is None
    assert team.given("cy", ANSWER) == subject
    answered = team.answers("cy", subject)
    assert team.stands(subject) == (ItemState.CORRECTED, VETTING, answered)
    assert team.given("lin", VETTING) == subject
    team.vets("lin", subject, "approved")
    assert team.stands(subject) == (ItemState.ACCEPTED, None, answered)
    sheet = team.sheet(subject)
    authors = [line.author for line in revisions.history(workspace.db, sheet.item)]
    assert authors == ["lin", "ann", "cy"]
    assert sheet.content.facets == {"modality": "text", "hops": "single"}
    with workspace.write() as db:
        assert datasets.release(db, datasets.get(db, "team")).items == 1


def test_a_question_without_an_answer_needs_no_span_and_gets_the_refusal(
    workspace: Workspace, team: Team
) -> None:
    begin(workspace, items=1)
    subject = team.given("ann", QUESTION)
    assert subject is not None
    team.writes("ann", subject, task="no_answer")
    refusal = REFUSAL[team.sheet(subject).content.lang]
    team.answers("cy", subject, " ")
    team.vets("lin", subject, "approved")
    turn = team.sheet(subject).content.turns[0]
    assert (turn.golden_answers, turn.evidence) == ((refusal,), ())


def test_what_is_sent_back_goes_to_who_wrote_it_and_is_vetted_anew(
    workspace: Workspace, team: Team
) -> None:
    begin(workspace, items=2)
    subject = team.given("bo", QUESTION)
    assert subject is not None
    team.writes("bo", subject)
    team.answers("cy", subject, "9%")
    with pytest.raises(InputError, match="with a note"):
        team.vets("lin", subject, "answer")
    team.vets("lin", subject, "answer", "the figure is wrong")
    assert team.stands(subject)[:2] == (ItemState.NEEDS_CORRECTION, ANSWER)
    assert team.given("cy", ANSWER) == subject
    second = team.answers("cy", subject)
    assert team.stands(subject) == (ItemState.CORRECTED, VETTING, second)
    team.vets("lin", subject, "question", "which year?")
    assert team.given("ann", QUESTION) != subject
    assert team.given("bo", QUESTION) == subject
    team.writes("bo", subject)
    assert team.stands(subject)[1] == ANSWER, "a new question is answered anew"


@pytest.mark.parametrize("rater", ["ann", "bo"])
def test_nobody_does_a_step_that_is_not_due_or_of_their_own_question(
    workspace: Workspace, team: Team, rater: str
) -> None:
    begin(workspace, items=1)
    subject = team.given("bo", QUESTION)
    assert subject is not None
    with pytest.raises(Conflict, match="question is to be written"):
        team.answers("cy", subject)
    team.writes("bo", subject)
    with pytest.raises(Conflict):
        team.answers("bo", subject)
    team.writes("bo", subject)
    with pytest.raises(Conflict, match="answer is to be written"):
        team.writes("ann", subject)
    team.answers("cy", subject)
    with pytest.raises(Conflict, match="wrote part"):
        team.vets("cy", subject, "approved")


def test_every_step_can_be_undone_and_brought_back(workspace: Workspace, team: Team) -> None:
    begin(workspace, items=1)
    subject = team.given("ann", QUESTION)
    assert subject is not None
    steps: list[tuple[str, str, Callable[[], object]]] = [
        ("ann", QUESTION, lambda: team.writes("ann", subject)),
        ("cy", ANSWER, lambda: team.answers("cy", subject)),
        ("lin", VETTING, lambda: team.vets("lin", subject, "approved")),
    ]
    before = [team.stands(subject)]
    for _, _, does in steps:
        does()
        before.append(team.stands(subject))
    for (rater, step, _), stood in zip(reversed(steps), reversed(before[:-1]), strict=True):
        team.at(rater, step).undo()
        assert team.stands(subject) == stood
    for (rater, step, _), stood in zip(steps, before[1:], strict=True):
        team.at(rater, step).redo()
        assert team.stands(subject) == stood


def test_skipped_documents_make_no_item(workspace: Workspace, team: Team) -> None:
    begin(workspace, items=1)
    subject = team.given("ann", QUESTION)
    assert subject is not None
    session = team.at("ann", QUESTION)
    session.exclude(subject, "low_quality")
    assert team.stands(subject)[:2] == (ItemState.DISCARDED, None)
    assert team.given("bo", QUESTION) is None
    session.undo()
    assert team.stands(subject)[:2] == (ItemState.NEEDS_CORRECTION, QUESTION)


def test_a_lead_decides_about_a_question_that_nobody_could_answer(
    workspace: Workspace, team: Team
) -> None:
    begin(workspace, items=1)
    subject = team.given("ann", QUESTION)
    assert subject is not None
    team.writes("ann", subject)
    team.at("cy", ANSWER).exclude(subject, "unclear")
    assert team.given("lin", VETTING) == subject
    with pytest.raises(Conflict, match="no answer yet"):
        team.vets("lin", subject, "approved")
    team.vets("lin", subject, "rejected", "unclear indeed")
    assert team.stands(subject)[:2] == (ItemState.DISCARDED, None)


def test_a_text_without_what_its_step_gives_is_refused(workspace: Workspace, team: Team) -> None:
    begin(workspace, items=1)
    subject = team.given("ann", QUESTION)
    assert subject is not None
    content = team.text(subject)
    (turn,) = content.turns
    session = team.at("ann", QUESTION)
    whole = team.sheet(subject).content.turns[0].evidence
    for wrong, why in (
        (replace(content, turns=(replace(turn, question=" "),)), "question is empty"),
        (replace(content, turns=(replace(turn, evidence=whole),)), "document"),
        (replace(content, task="unassigned"), "not chosen"),
        (replace(content, task="no_answer"), "no answer|passage"),
    ):
        with pytest.raises(RagdeskError, match=why):
            session.propose(subject, wrong, "")
    assert team.stands(subject)[1] == QUESTION
    session.propose(subject, content, "")
    with pytest.raises(InputError, match="golden answer is missing"):
        team.answers("cy", subject, " ")


def test_items_in_the_making_are_neither_drawn_nor_released_nor_lost(
    workspace: Workspace, team: Team
) -> None:
    begin(workspace, items=2)
    subject = team.given("ann", QUESTION)
    assert subject is not None
    team.writes("ann", subject)
    dataset = datasets.get(workspace.db, "team")
    assert candidates.revisions(workspace.db, dataset, list(ItemState)) == []
    with workspace.write() as db:
        with pytest.raises(InputError, match="no accepted item"):
            datasets.release(db, dataset)
        released = datasets.release(db, dataset, unanswered=True)
    assert released.items == 1, "systems may answer what is written"
    first = samples.get(workspace.db, "r/question")
    subjects = [one for one, _ in samples.subjects(workspace.db, first)]
    progress = authoring.progress(workspace.db, subjects)
    assert (progress.items, progress.to_write, progress.to_answer) == (2, 1, 1)


def test_groups_are_of_one_matter_and_no_document_is_given_twice(
    workspace: Workspace, team: Team
) -> None:
    first = begin(workspace, items=2, fewest=2, most=2)
    corpus = corpora.get(workspace.db, "banks")
    langs = {one.document_id: one.lang for one in corpora.documents(workspace.db, corpus)}
    given = []
    for subject in first:
        content = team.sheet(Subject("revision", subject)).content
        assert {langs[name] for name in content.documents} == {content.lang}
        given += content.documents
    assert len(given) == len(set(given)) == 4
    with pytest.raises(UsageError, match="exists already"):
        begin(workspace)
    with pytest.raises(Conflict, match="documents for 4 items"):
        begin_round(workspace, RoundRequest("more", "banks", "team", 9), "lin")
    assert [one.name for one in samples.listing(workspace.db)] == [
        "r/question",
        "r/answer",
        "r/vetting",
    ]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"items": 0}, "A round of 0 items"),
        ({"fewest": 2, "most": 5}, "1-4"),
        ({"answerers": ("ann",), "leads": ("bo",)}, "takes 3 people"),
        ({"writers": ("ann", "ann")}, "once a step"),
    ],
)
def test_a_round_that_makes_no_sense_is_refused(
    workspace: Workspace, fields: dict[str, object], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        begin(workspace, **fields)


def test_the_lease_of_one_who_left_gives_way(
    workspace: Workspace, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, items=1)
    subject = team.given("ann", QUESTION)
    assert team.given("bo", QUESTION) is None
    later = queue.now_seconds() + queue.LEASE_SECONDS + 1
    monkeypatch.setattr(queue, "now_seconds", lambda: later)
    assert team.given("bo", QUESTION) == subject


@pytest.mark.parametrize("form", authoring.STEPS)
def test_a_step_is_drawn_by_a_round_alone(workspace: Workspace, form: str) -> None:
    begin(workspace, items=1)
    with pytest.raises(UsageError, match="step of authoring"):
        plan_sample(workspace, SampleRequest("s", form, 1, dataset="team"))


def test_modality_that_the_second_person_corrects_wins_over_the_spans(
    workspace: Workspace, team: Team
) -> None:
    begin(workspace, items=1)
    subject = team.given("ann", QUESTION)
    assert subject is not None
    team.writes("ann", subject)
    content = team.sheet(subject).content
    assert content.facets["modality"] == "text"
    turn = replace(content.turns[0], golden_answers=("1.92%",))
    said = replace(content, turns=(turn,), facets={**content.facets, "modality": "both"})
    team.at("cy", ANSWER).propose(subject, said, "")
    team.vets("lin", subject, "answer", "too short")
    team.answers("cy", subject, "1.92 percent")
    assert team.sheet(subject).content.facets == {"modality": "both", "hops": "single"}
