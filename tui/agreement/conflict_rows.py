"""The conflicts between raters as rows of a list, and the filter on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from engine.report.agreement import field_text
from store.labels.consensus import PlacedConflict
from store.labels.forms import NA, Field, Form
from tui.screens.value_labels import value_text
from tui.widgets.row_source import Cell, Column, Row

COLUMNS = (
    Column("metric", 16),
    Column("who said what", minimum=24),
    Column("topic", 14, drop=2),
    Column("task", 12, drop=3),
    Column("question", minimum=20, drop=1),
    Column("item", 10, drop=4),
)


class Part(NamedTuple):
    """Which conflicts; empty for all."""

    field: str = ""
    raters: tuple[str, str] | tuple[()] = ()
    """Two who differ."""
    topic: str = ""
    task: str = ""

    def holds(self, one: PlacedConflict) -> bool:
        if self.raters:
            said = {given.rater: given.value for given in one.conflict.raters}
            first, second = self.raters
            if first not in said or second not in said or said[first] == said[second]:
                return False
        return (
            self.field in ("", one.conflict.field)
            and self.topic in ("", one.topic)
            and self.task in ("", one.task)
        )

    def text(self, names: Mapping[str, str]) -> str:
        """`accuracy ∙ li / wang` as words; empty for all."""
        cell = " x ".join(names.get(one, one) for one in (self.topic, self.task) if one)
        parts = (field_text(self.field) if self.field else "", " / ".join(self.raters), cell)
        return "   ".join(filter(None, parts))


def conflict_key(one: PlacedConflict) -> str:
    return f"{one.conflict.subject.id}\t{one.conflict.field}"


def conflict_rows(
    found: Sequence[PlacedConflict], form: Form, lang: str, names: Mapping[str, str]
) -> list[Row]:
    return [
        Row(
            conflict_key(one),
            (
                Cell(field_text(one.conflict.field), "strong"),
                _said(one, form.field(one.conflict.field), lang),
                Cell(names.get(one.topic, one.topic)),
                Cell(names.get(one.task, one.task)),
                Cell(one.question.replace("\n", " "), "muted"),
                Cell(one.item_key, "muted"),
            ),
        )
        for one in found
    ]


def _said(one: PlacedConflict, field: Field, lang: str) -> str:
    said = one.conflict.raters
    if field.kind == "revision":
        return f"{', '.join(given.rater for given in said)}: different texts"
    values: list[tuple[str, object]]
    if field.kind == "scale":
        # the number is the value; what it means stands where one rules on it
        values = [(given.rater, "-" if given.value == NA else given.value) for given in said]
    else:
        values = [(given.rater, value_text(field, given.value, lang)) for given in said]
    return "   ".join(f"{rater} {value}" for rater, value in values)


def parts(found: Sequence[PlacedConflict]) -> list[tuple[Part, int]]:
    """What can be chosen among some conflicts, with how many each has: all, metrics, pairs, cells;
    the most of each kind first."""
    fields = Counter(one.conflict.field for one in found)
    pairs: Counter[tuple[str, str]] = Counter()
    for one in found:
        for a, b in combinations(one.conflict.raters, 2):
            pairs[a.rater, b.rater] += a.value != b.value
    cells = Counter((one.topic, one.task) for one in found)
    out = [(Part(), len(found))]
    out += [(Part(field=field), count) for field, count in fields.most_common()]
    out += [(Part(raters=pair), count) for pair, count in pairs.most_common() if count]
    out += [(Part(topic=topic, task=task), count) for (topic, task), count in cells.most_common()]
    return out
