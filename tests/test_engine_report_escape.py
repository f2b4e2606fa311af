"""Text in Markdown, LaTeX and HTML holds nothing that a terminal or reader obeys."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.report import escape

HOSTILE = "a\x1b[2Jb\x9bc\x7fd\u202ee\u200ff\u061cg\u2066h"


@pytest.mark.parametrize("form", [escape.markdown, escape.latex, escape.html])
def test_controls_and_marks_of_direction_are_left_out(form: Callable[[str], str]) -> None:
    shown = form(HOSTILE)
    assert shown.isprintable()
    assert not set(shown) & set("\u202e\u200f\u061c\u2066")
    assert [letter for letter in shown if letter in "bcdefgh"] == list("bcdefgh")


@pytest.mark.parametrize("text", ["Kontokorrent, 5 % – 中文（基金）", "naïve café"])
def test_ordinary_text_stays_readable(text: str) -> None:
    assert escape.html(text) == text
    assert escape.markdown(text) == text
