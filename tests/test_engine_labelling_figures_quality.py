"""The six questions as percentages by dataset and group of raters."""

from __future__ import annotations

import pytest
from labelling_workspaces import make_drafts

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.figures.quality import FORM, Share, quality_table
from engine.labelling.session import LabelSession
from engine.report import sheets
from engine.report.quality import quality_sheets
from store.errors import InputError, NotFound, UsageError
from store.workspace import Workspace


@pytest.fixture
def answered(workspace: Workspace) -> Workspace:
    """Anna says yes and ben no to the first four questions of an item each sees."""
    with workspace.write() as db:
        make_drafts(db)
    draw_sample(
        workspace,
        SampleRequest("six", FORM, 1, dataset="drafts", raters_wanted=2, raters=("anna", "ben")),
    )
    for rater, value in (("anna", 1), ("ben", 0)):
        session = LabelSession(workspace, FORM, rater)
        assert session.begin()
        for field in session.form.fields[:4]:
            if field.key not in session.opened.not_applicable:
                session.set(session.subject, field.key, value)
    return workspace


def test_shares_are_counted_by_question_dataset_and_group(answered: Workspace) -> None:
    found = quality_table(answered.db)
    assert found.groups == ("anna", "ben")
    shares = found.shares["context_relevancy"]["drafts"]
    assert shares == {"anna": Share(1, 1), "ben": Share(0, 1)}
    assert "keypoint_relevancy" not in found.questions
    both = quality_table(answered.db, {"both": ["anna", "ben"]})
    assert both.shares["context_relevancy"]["drafts"] == {"both": Share(1, 2)}
    assert "50.00" in sheets.text(quality_sheets(both))


def test_raters_who_are_not_there_or_twice_are_refused(answered: Workspace) -> None:
    with pytest.raises(NotFound, match="'chen' has not answered"):
        quality_table(answered.db, {"a": ["chen"]})
    with pytest.raises(UsageError, match="in the groups"):
        quality_table(answered.db, {"a": ["anna"], "b": ["anna"]})


def test_without_labels_it_says_so(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="Nobody"):
        quality_table(workspace.db)
