"""A conflict in a few lines: which keys rule on it, and who said what."""

from __future__ import annotations

import pytest

from engine.labelling.forms import load_form
from engine.text.wrapping import cell_width
from store.labels.consensus import RaterValue, Settled
from store.labels.log.events import Subject
from tui.label.conflict_lines import conflict_lines


@pytest.mark.parametrize(("lang", "not_applicable"), [("en", "- n/a"), ("zh", "- 不适用")])
def test_every_key_is_named_within_80_columns(
    lang: str, not_applicable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.language.choice._chosen", lang)
    form = load_form("judge_labels")
    for field in form.fields:
        conflict = Settled(Subject("prediction", "1"), field.key, None, "conflict", ())
        line = "".join(text for text, _ in conflict_lines(conflict, field, {})[0])
        assert cell_width(line) <= 78
        assert line.endswith(not_applicable) == field.na


@pytest.mark.parametrize(("lang", "said"), [("en", "n/a"), ("zh", "不适用")])
def test_not_applicable_is_said_as_the_form_says_it(
    lang: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.language.choice._chosen", lang)
    field = load_form("judge_labels").field("completeness")
    raters = (RaterValue("王小明", "na", 1), RaterValue("li", 1, 2))
    conflict = Settled(Subject("prediction", "1"), field.key, None, "conflict", raters)
    _, first, second = conflict_lines(conflict, field, {})
    assert first[1][0] == f" {said}"
    # values stand below each other whatever the script of the names
    assert cell_width(first[0][0]) == cell_width(second[0][0])
