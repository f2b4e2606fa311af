"""Samples drawn from a workspace: items, answers by judge value, pairs in drawn order."""

from __future__ import annotations

import msgspec
import pytest
from labelling_workspaces import make_drafts
from tiny_workspaces import answer_and_score, make_run, prediction_ids

from engine.labelling.drawing.drawing import SampleRequest, draw_sample, sources
from engine.labelling.forms.definitions import load_form
from engine.labelling.forms.rules import fields_not_applicable, revision_facts
from engine.labelling.session import LabelSession
from store.errors import NotFound, UsageError
from store.labels.log import reading
from store.labels.log.events import Subject
from store.labels.samples import samples
from store.records import Evidence, ItemContent, MetricScore, Turn
from store.runs import runs, stages
from store.workspace import Workspace


@pytest.fixture
def judged(workspace: Workspace, released):
    """Two runs, all answered, with accuracy by a judge: 0, 1, 2, 0, 1."""
    with workspace.write() as db:
        judge = stages.put_judge(db, "rules", {"kind": "rules"})
        for name in ("first", "second"):
            run = make_run(db, released, name)
            for at, prediction in enumerate(prediction_ids(db, run)):
                score = MetricScore("accuracy", "", float(at % 3))
                answer_and_score(db, prediction, [score], judge_id=judge)
    return released


def test_items_are_drawn_and_drawn_further(workspace: Workspace):
    with workspace.write() as db:
        make_drafts(db, 12)
    request = SampleRequest("pilot", "inspection", per_cell=1, dataset="drafts", seed=5)
    first = draw_sample(workspace, request)
    assert (first.added, first.subjects, first.short) == (4, 4, {})
    before = samples.subjects(workspace.db, first.sample)
    more = draw_sample(workspace, msgspec.structs.replace(request, per_cell=5))
    assert (more.added, more.subjects) == (8, 12)
    assert set(more.short.values()) == {2}
    assert samples.subjects(workspace.db, more.sample)[:4] == before
    assert draw_sample(workspace, request).added == 0
    with pytest.raises(UsageError, match="drawn for 1 raters a subject; this asks for 2"):
        draw_sample(workspace, msgspec.structs.replace(request, per_cell=9, raters_wanted=2))
    assert sources(more.sample) == ["drafts"]


def test_answers_are_drawn_over_a_judges_values_and_asked_what_applies(
    workspace: Workspace, judged
):
    request = SampleRequest(
        "j", "judge_labels", per_cell=3, runs=("first", "second"), metric="accuracy"
    )
    drawn = draw_sample(workspace, request)
    taken = samples.taken(workspace.db, drawn.sample)
    dialogue = [one.stratum for one in taken if one.task == "conversational"]
    assert sorted(dialogue) == ["bm25 0", "bm25 1", "bm25 2"]
    session = LabelSession(workspace, "judge_labels", "a")
    queued = session.next()
    assert queued is not None
    for field in ("accuracy", "hallucination", "utilization", "numerical_accuracy"):
        assert not session.set(queued.subject, field, 0).is_complete
    assert session.set(queued.subject, "completeness", "na").is_complete


def test_pairs_put_either_system_first(workspace: Workspace, judged):
    request = SampleRequest("ab", "preference", per_cell=9, runs=("first", "second"))
    drawn = draw_sample(workspace, request)
    pairs = [Subject("pair", name) for name, _ in samples.subjects(workspace.db, drawn.sample)]
    assert len(pairs) == 5
    first_run = set(prediction_ids(workspace.db, runs.get(workspace.db, "first")))
    placed_first = [pair.numbers[0] in first_run for pair in pairs]
    assert {True, False} == set(placed_first)
    assert all((pair.numbers[0] in first_run) != (pair.numbers[1] in first_run) for pair in pairs)
    session = LabelSession(workspace, "preference", "a")
    session.set(pairs[0], "overall", -2)
    assert reading.values(workspace.db, "preference", "a", pairs[0]) == {"overall": -2}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"per_cell": 0}, UsageError, "at least one"),
        ({"repeat_share": 2.0}, UsageError, "0 to 1"),
        ({"dataset": ""}, UsageError, "Name a dataset"),
        ({"form": "judge_labels"}, UsageError, "Name a run"),
        ({"metric": "accuracy"}, UsageError, "alone have scores"),
        ({"judge": "rules"}, UsageError, "A judge is named"),
        ({"form": "preference", "dataset": "", "runs": ("first",)}, UsageError, "two runs"),
        (
            {"form": "preference", "dataset": "", "runs": ("first", "first")},
            UsageError,
            "with itself",
        ),
        ({"form": "six_questions", "name": "taken"}, UsageError, "of form 'inspection'"),
        ({"aids": True}, UsageError, "is about items"),
        ({"dataset": "nothing"}, NotFound, "no dataset"),
        ({"form": "none"}, NotFound, "no form"),
    ],
)
def test_what_cannot_be_drawn_is_refused(workspace: Workspace, judged, change, error, message):
    with workspace.write() as db:
        make_drafts(db)
    request = SampleRequest("taken", "inspection", per_cell=1, dataset="drafts")
    draw_sample(workspace, request)
    with pytest.raises(error, match=message):
        draw_sample(workspace, msgspec.structs.replace(request, **{"name": "new", **change}))


def test_adjudicators_and_aids_are_drawn_with_the_sample(workspace: Workspace, judged):
    request = SampleRequest(
        "s", "judge_labels", 1, runs=("first",), adjudicators=("chen",), aids=True
    )
    drawn = draw_sample(workspace, request).sample
    assert (drawn.adjudicators, drawn.aids) == (("chen",), True)
    further = msgspec.structs.replace(request, per_cell=2, adjudicators=None, aids=False)
    assert draw_sample(workspace, further).sample == drawn, "what it is stays"
    plain = msgspec.structs.replace(request, name="plain", aids=False)
    draw_sample(workspace, plain)
    with pytest.raises(UsageError, match="drawn without aids"):
        draw_sample(workspace, msgspec.structs.replace(plain, per_cell=2, aids=True))


def test_no_question_is_asked_about_keypoints_that_no_item_has(workspace: Workspace):
    with workspace.write() as db:
        make_drafts(db)
    draw_sample(workspace, SampleRequest("six", "six_questions", 2, dataset="drafts"))
    session = LabelSession(workspace, "six_questions", "a")
    assert session.begin()
    for field in session.form.fields[:4]:
        session.set(session.subject, field.key, 1)
    assert session.opened.is_complete
    assert session.opened.not_applicable == {"keypoint_relevancy", "keypoint_correctness"}


def test_no_question_is_asked_about_key_sentences_that_an_item_does_not_quote():
    form = load_form("six_questions")
    quoted = ItemContent((Turn("q", ("a",), (Evidence("d", 0, 2, "ab"),), keypoints=("k",)),))
    whole = ItemContent((Turn("q", ("a",), (Evidence("d"),), keypoints=("k",)),))
    assert fields_not_applicable(form, revision_facts(quoted)) == ()
    not_asked = ("key_sentence_completeness",)
    assert fields_not_applicable(form, revision_facts(whole)) == not_asked
