"""The fields of a new sample, read: what they ask for, and what is refused with its field named."""

from __future__ import annotations

import pytest

from engine.calibration.label_requests import NextRequest
from engine.labelling.forms import load_form, shipped_forms
from store.errors import InputError, RagdeskError
from store.records import ItemState
from tui.statistics.sample_request import (
    NUMBERS,
    TEXTS,
    read_asked,
    read_next,
    read_request,
    shown,
    usual_states,
)

FORMS = {key: load_form(key) for key in shipped_forms()}
USUAL = {field: "" for field, _, _ in TEXTS} | {field: usual for field, _, usual in NUMBERS}
ITEMS = {**USUAL, "name": "one", "form": "inspection", "of": "finance"}
ANSWERS = {**USUAL, "name": "two", "form": "judge_labels", "of": "bm25@1, lsa@1"}


def test_items_come_from_a_dataset_in_their_states() -> None:
    asked = read_request(FORMS, {**ITEMS, "metric": "accuracy rules"}, ("drafted", "corrected"))
    assert (asked.dataset, asked.runs) == ("finance", ())
    assert asked.states == (ItemState.DRAFTED, ItemState.CORRECTED)
    assert (asked.per_cell, asked.raters_wanted, asked.repeat_share, asked.seed) == (5, 1, 0.0, 0)
    # items have no scores to balance by
    assert (asked.metric, asked.judge) == ("", "")
    assert asked.raters is None


def test_drafts_are_drawn_and_where_there_are_none_what_was_inspected() -> None:
    assert usual_states({"accepted": 3, "drafted": 1}) == ("drafted",)
    inspected = {"accepted": 3, "corrected": 1, "discarded": 9}
    assert usual_states(inspected) == ("accepted", "corrected")
    assert usual_states({"discarded": 2}) == ("discarded",)
    assert usual_states({}) == ("drafted",)


def test_answers_come_from_runs_balanced_by_a_metric_of_a_judge() -> None:
    asked = read_request(FORMS, {**ANSWERS, "metric": "accuracy rules", "raters": "li, 王芳"})
    assert (asked.dataset, asked.runs) == ("", ("bm25@1", "lsa@1"))
    assert (asked.metric, asked.judge) == ("accuracy", "rules")
    assert asked.raters == ("li", "王芳")


CHOSEN = {**ANSWERS, "choose": "precision", "of": "bm25@1", "metric": "accuracy rules"}


def test_answers_are_drawn_by_chances_to_learn_something() -> None:
    asked = read_next(FORMS, {**CHOSEN, "raters": "li"})
    assert asked == NextRequest(
        "two", "precision", ("bm25@1",), "accuracy", "rules", 30, within=0.05, raters=("li",)
    )
    assert read_asked(CHOSEN) == 0.05
    assert read_asked({**CHOSEN, "within": ""}) is None
    two = {**CHOSEN, "choose": "comparison", "of": "bm25@1, lsa@1", "number": "8"}
    asked = read_next(FORMS, two)
    assert asked is not None
    assert (asked.runs, asked.number, asked.within) == (("bm25@1", "lsa@1"), 8, None)
    assert read_asked(two) == 0.1
    assert read_asked({**CHOSEN, "choose": "agreement"}) is None


@pytest.mark.parametrize("texts", [ANSWERS, {**CHOSEN, "choose": "cells"}, {**CHOSEN, **ITEMS}])
def test_cells_are_filled_where_nothing_is_to_be_learned(texts: dict[str, str]) -> None:
    assert read_next(FORMS, texts) is None


@pytest.mark.parametrize(
    ("field", "written", "said"),
    [
        ("choose", "luck", "Choose by is 'luck'"),
        ("metric", "accuracy", "Whose metric is not said"),
        ("within", "2", "Within is '2'"),
        ("number", "some", "Number is 'some'"),
    ],
)
def test_what_cannot_be_learned_names_its_field(field: str, written: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_next(FORMS, {**CHOSEN, field: written})


def test_only_the_fields_that_matter_are_shown() -> None:
    form = load_form("judge_labels")
    assert {"per_cell", "aids", "choose"} <= shown(form, "")
    assert "difference" not in shown(form, "precision")
    assert {"number", "difference"} <= shown(form, "comparison")
    assert not {"per_cell", "aids", "within"} & shown(form, "comparison")
    assert "choose" not in shown(load_form("preference"), "precision")
    assert "states" in shown(load_form("inspection"), "precision")


def test_adjudicators_and_aids_are_asked_for_answers_and_aids_not_for_items() -> None:
    plain = read_request(FORMS, ANSWERS)
    assert (plain.adjudicators, plain.aids) == (None, False)
    asked = read_request(FORMS, {**ANSWERS, "adjudicators": "chen, wu", "aids": "yes"})
    assert (asked.adjudicators, asked.aids) == (("chen", "wu"), True)
    assert not read_request(FORMS, {**ITEMS, "aids": "yes"}).aids


@pytest.mark.parametrize(("written", "share"), [("0", 0.0), ("0.1", 0.1), ("10%", 0.1)])
def test_repeats_are_a_share_or_percent(written: str, share: float) -> None:
    assert read_request(FORMS, {**ITEMS, "repeats": written}).repeat_share == pytest.approx(share)


@pytest.mark.parametrize(
    ("field", "written", "said"),
    [
        ("per_cell", "many", "Per cell is 'many'"),
        ("seed", "1.5", "Seed is '1.5'"),
        ("repeats", "few", "Repeats are 'few'"),
    ],
)
def test_what_cannot_be_read_names_its_field(field: str, written: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_request(FORMS, {**ITEMS, field: written})


def test_a_form_that_there_is_not_is_refused() -> None:
    with pytest.raises(RagdeskError, match="nothing_like_it"):
        read_request(FORMS, {**ITEMS, "form": "nothing_like_it"})
