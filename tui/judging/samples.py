"""Which samples a rater may label at the labelling screen, and how far each is."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from engine.forms import load_form
from store import label_queue, label_samples
from store.label_samples import Sample
from tui.live.facts import INSPECTION
from tui.widgets.row_source import Cell, Column, Row

COLUMNS = (Column(minimum=16), Column(minimum=10, drop=1), Column("", 16, "right"))


class SampleChoice(NamedTuple):
    sample: Sample
    done: int
    """Subjects that this rater has done."""
    subjects: int


def samples_of(db: sqlite3.Connection, rater: str) -> list[SampleChoice]:
    """Samples that this rater may label, newest first; what is not finished before the rest."""
    found = []
    for sample in reversed(label_samples.listing(db)):
        if sample.form_key == INSPECTION or (sample.raters and rater not in sample.raters):
            continue
        cells = label_queue.cell_progress(db, sample.form_key, rater, sample=sample.name)
        done, subjects = sum(one.by_rater for one in cells), sum(one.subjects for one in cells)
        found.append(SampleChoice(sample, done, subjects))
    return sorted(found, key=lambda one: one.done >= one.subjects)


def sample_rows(found: Sequence[SampleChoice], lang: str) -> list[Row]:
    rows = []
    for one in found:
        form = load_form(one.sample.form_key)
        title = form.zh if lang == "zh" else form.en
        amount = f"yours {one.done:,}/{one.subjects:,}"
        cells = (Cell(one.sample.name, "strong"), Cell(title), Cell(amount, "muted"))
        rows.append(Row(one.sample.name, cells))
    return rows
