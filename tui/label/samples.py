"""Which samples a rater may label at the labelling screen, and how far each is."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from engine.labelling.forms import load_form
from store.labels import queue, samples
from store.labels.samples import Sample
from tui.label.messages import own_text
from tui.live.facts import INSPECTION
from tui.widgets.row_source import Cell, Column, Row

COLUMNS = (Column(minimum=16), Column(minimum=10, drop=1), Column("", 16, "right"))


class SampleChoice(NamedTuple):
    sample: Sample
    done: int
    """Subjects that this rater is done with."""
    waiting: int
    """Those that the queue still gives them, as Home counts them."""


def samples_of(db: sqlite3.Connection, rater: str) -> list[SampleChoice]:
    """Samples that this rater may label, newest first; those that give nothing come last."""
    drawn = [one for one in samples.listing(db) if one.form_key != INSPECTION]
    counts = {
        one.sample: one
        for form in {one.form_key for one in drawn}
        for one in queue.by_sample(db, form, rater)
    }
    found = [
        SampleChoice(one, counts[one.name].done, counts[one.name].waiting)
        for one in reversed(drawn)
        if one.name in counts
    ]
    return sorted(found, key=lambda one: not one.waiting)


def sample_rows(found: Sequence[SampleChoice], lang: str) -> list[Row]:
    rows = []
    for one in found:
        form = load_form(one.sample.form_key)
        title = form.zh if lang == "zh" else form.en
        amount = own_text(one.done, one.done + one.waiting) or "none for you"
        cells = (Cell(one.sample.name, "strong"), Cell(title), Cell(amount, "muted"))
        rows.append(Row(one.sample.name, cells))
    return rows
