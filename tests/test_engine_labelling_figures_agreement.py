"""Agreement read from the store: one field alone gives what all fields together give."""

from __future__ import annotations

import pytest
from agreement_workspaces import RATERS, labelled_desk

from engine.labelling.figures.agreement import rater_agreement
from store.errors import NotFound, UsageError


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    made = labelled_desk(tmp_path_factory.mktemp("rated"))
    with made.workspace:
        yield made.workspace.db


@pytest.mark.parametrize("by", ["metric", "cell", "pair"])
@pytest.mark.parametrize("field", ["accuracy", "completeness", "pooled"])
def test_one_field_gives_what_all_give(db, by, field):
    every = rater_agreement(db, "judge_labels", by=by, resamples=50)
    alone = rater_agreement(db, "judge_labels", by=by, field=field, resamples=50)
    assert every.raters == alone.raters == RATERS
    assert alone.rows
    assert alone.rows == tuple(one for one in every.rows if one.field == field)


def test_an_unknown_sample_or_form_is_refused(db):
    with pytest.raises(NotFound):
        rater_agreement(db, "judge_labels", sample="none")
    with pytest.raises(NotFound):
        rater_agreement(db, "none")


def test_chosen_raters_only_are_compared(db):
    pair = tuple(RATERS[:2])
    chosen = rater_agreement(db, "judge_labels", raters=pair, resamples=50)
    assert chosen.raters == pair
    assert {row.raters for row in chosen.rows} == {pair}


def test_a_rater_who_is_unknown_alone_or_named_twice_is_refused(db):
    with pytest.raises(NotFound, match="nobody has no complete labels"):
        rater_agreement(db, "judge_labels", raters=(RATERS[0], "nobody"))
    for raters in (RATERS[:1], (RATERS[0], RATERS[0])):
        with pytest.raises(UsageError, match="two raters or more"):
            rater_agreement(db, "judge_labels", raters=raters)
