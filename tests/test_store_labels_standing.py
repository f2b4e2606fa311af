"""The ground of agreement: values of complete subjects, with their places, of one sample or all."""

from __future__ import annotations

import pytest
from labelling_workspaces import assignments, make_drafts, register

from store.errors import NotFound, UsageError
from store.labels import standing
from store.labels.log import log
from store.labels.log.events import EventKind, Subject
from store.labels.samples import samples


@pytest.fixture
def labelled(workspace):
    """The first four items scored by li and wang; li excludes the third, wang's fourth lacks it."""
    with workspace.write() as db:
        drafts, form = make_drafts(db), register(db)
        for rater in ("li", "wang"):
            for at in range(4):
                log.append(db, form, rater, drafts.subject(at), "answer", 1)
                if (rater, at) != ("wang", 3):
                    log.append(db, form, rater, drafts.subject(at), "score", 5)
        log.append(db, form, "li", drafts.subject(2), "", "broken", kind=EventKind.EXCLUDE)
        log.append(db, form, "li", drafts.subject(0), "answer", 0)
        again = Subject("revision", f"{drafts.subject(0).id}#1")
        log.append(db, form, "li", again, "score", 2)
    return workspace, drafts, form.form


def test_only_complete_subjects_count_with_what_is_said_last(labelled):
    workspace, drafts, form = labelled
    found = standing.rated(workspace.db, form)
    said = {(one.subject, one.rater, one.field): one.value for one in found}
    assert said[drafts.subject(0), "li", "answer"] == 0
    assert (drafts.subject(2), "li", "score") not in said
    assert (drafts.subject(2), "wang", "score") in said
    assert (drafts.subject(3), "wang", "answer") not in said
    assert [one.value for one in found if one.subject.is_repeat] == [2]
    (first, *_) = found
    assert (first.topic, first.task, first.group_key) == ("rates", "extractive", "g0")


def test_a_sample_limits_it_and_must_be_of_the_form(labelled):
    workspace, drafts, form = labelled
    with workspace.write() as db:
        sample = samples.create(db, "pilot", "inspection", "revision", {})
        samples.add(db, sample, assignments(drafts)[:1])
        samples.create(db, "other", "judge_labels", "prediction", {})
    found = standing.rated(workspace.db, form, sample="pilot")
    assert {one.subject for one in found} == {drafts.subject(0)}
    with pytest.raises(UsageError, match="of form 'judge_labels'"):
        standing.rated(workspace.db, form, sample="other")
    with pytest.raises(NotFound):
        standing.rated(workspace.db, form, sample="none")
