"""A conflict in a few lines: which keys rule on it, and who said what."""

from __future__ import annotations

import pytest

from engine.forms import load_form
from store.label_events import Subject
from store.label_review import Settled
from tui.judging.conflict_lines import conflict_lines
from tui.wrap import cell_width


@pytest.mark.parametrize(("lang", "not_applicable"), [("en", "- n/a"), ("zh", "- 不适用")])
def test_every_key_is_named_within_80_columns(lang: str, not_applicable: str) -> None:
    form = load_form("judge_labels")
    for field in form.fields:
        conflict = Settled(Subject("prediction", "1"), field.key, None, "conflict", ())
        line = "".join(text for text, _ in conflict_lines(conflict, field, {}, lang)[0])
        assert cell_width(line) <= 78
        assert line.endswith(not_applicable) == field.na
