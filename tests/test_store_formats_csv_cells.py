"""Text in CSV files is never a formula, and is the same text when it is read again."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.report.tables import csv_text
from store.formats.csv_cells import safe_cell, text_of_cell
from store.formats.label_rows import read_label_rows, write_label_rows

FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(1)")
PLAIN = ("-5", "+.5", "-1.5e3", "-", "a=b", "'quoted'", "中文", "", "5-3")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_looks_like_a_formula_is_written_as_text(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", [*PLAIN, -5, -0.25, None, True])
def test_numbers_and_other_texts_stay_as_they_are(value: object) -> None:
    assert safe_cell(value) == value


@given(st.text(alphabet="=+-@\t\r'15.ea中 ", max_size=8))
def test_what_was_written_is_read_as_the_same_text(text: str) -> None:
    written = safe_cell(text)
    assert isinstance(written, str)
    assert text_of_cell(written) == text


def test_tables_of_results_hold_no_formula() -> None:
    text = csv_text(["=run", "mean"], [[formula, -0.5] for formula in FORMULAS])
    for row in csv.reader(io.StringIO(text, newline="")):
        assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r"))
        assert row[1] in ("mean", "-0.5")


def test_labels_come_back_with_the_same_names_and_comments(tmp_path: Path) -> None:
    rows = [
        {"rater": text, "accuracy": -1, "completeness": "-", "comment": f"{text}!"}
        for text in FORMULAS
    ]
    file = tmp_path / "labels.csv"
    file.write_bytes(write_label_rows(rows, list(rows[0]), ".csv").encode())
    assert [row for _, row in read_label_rows(file)] == [
        {key: str(value) for key, value in row.items()} for row in rows
    ]
