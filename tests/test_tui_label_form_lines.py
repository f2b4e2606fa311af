"""A form as lines: whatever the form, every legal value is shown with its key."""

from __future__ import annotations

import pytest

from engine.labelling.forms import load_form, shipped_forms, value_keys
from engine.text.wrapping import cell_width
from store.labels.forms import NA
from tui.label.form.lines import (
    FormState,
    check_lines,
    checks,
    clicked_key,
    field_line,
    label_width,
    next_check,
    walked,
)

WIDTHS = (76, 118)


def text(pieces: object) -> str:
    return "".join(text for text, _ in pieces)  # type: ignore[attr-defined]


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("key", shipped_forms())
def test_every_form_fits_and_shows_its_keys(
    key: str, width: int, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.language.choice._chosen", lang)
    form = load_form(key)
    fields = walked(form)
    label = label_width(fields)
    for field in fields:
        pieces = field_line(field, FormState(), label, width)
        assert cell_width(text(pieces)) <= width
        values = text(pieces[2:])
        assert all(one in values for one in value_keys(field))
    for line in check_lines(checks(form), FormState(), {}, width):
        assert cell_width(text(line)) <= width + 3


def test_the_checks_of_inspection_are_no_fields_to_walk_through() -> None:
    form = load_form("inspection")
    assert [field.key for field in walked(form)] == ["score"]
    assert [field.key for field in checks(form)] == [
        "task",
        "topic",
        "question",
        "answer",
        "passages",
    ]


def test_a_check_fails_first_then_holds_then_says_nothing() -> None:
    assert [next_check(value) for value in (None, 0, 1)] == [0, 1, None]


def test_values_stand_in_the_same_place_chosen_or_not() -> None:
    field = load_form("judge_labels").field("completeness")
    lines = [
        text(field_line(field, FormState(values), 12, 76))
        for values in ({}, {"completeness": 1}, {"completeness": NA})
    ]
    assert len({line.index("covers all") for line in lines}) == 1
    assert lines[1] != lines[0]
    assert "n/a" in lines[2]


def test_an_unsaved_value_is_marked_without_colour() -> None:
    field = load_form("inspection").field("score")
    line = text(field_line(field, FormState(unsaved=("score", 4)), 6, 76))
    assert "4 good!" in line


def test_a_field_that_is_not_asked_says_so() -> None:
    field = load_form("judge_labels").field("utilization")
    line = text(field_line(field, FormState({}, frozenset({"utilization"})), 12, 76))
    assert "is not asked here" in line


def test_a_click_finds_the_key_of_the_value_that_stands_there() -> None:
    field = load_form("judge_labels").field("completeness")
    keys = tuple(value_keys(field))
    line = field_line(field, FormState(focus=field.key), 12, 78)
    drawn = text(line)
    for key in keys:
        at = cell_width(drawn[: drawn.index(f"{key} ")])
        assert clicked_key(line, at, keys) == key
        assert clicked_key(line, at + 2, keys) == key
    assert clicked_key(line, 3, keys) == ""
