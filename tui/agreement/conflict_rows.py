"""The conflicts between raters as rows of a list, and the filter on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from engine.report.agreement import field_text
from store.labels.consensus import PlacedConflict
from store.labels.forms import NA, Field, Form
from tui.language import tr
from tui.screens.labels import value_text
from tui.widgets.row_source import Cell, Column, Row

COLUMNS = (
    Column("metric", 16),
    Column("values", minimum=24),
    Column("topic", 14, drop=2),
    Column("task", 12, drop=3),
    Column("question", minimum=20, drop=1),
    Column("item", 10, drop=4),
)


class Part(NamedTuple):
    """A filter on conflicts; an empty field lets all pass."""

    field: str = ""
    raters: tuple[str, str] | tuple[()] = ()
    """Two who differ."""
    topic: str = ""
    task: str = ""

    def holds(self, placed: PlacedConflict) -> bool:
        if self.raters:
            values = {given.rater: given.value for given in placed.conflict.raters}
            first, second = self.raters
            if first not in values or second not in values or values[first] == values[second]:
                return False
        return (
            self.field in ("", placed.conflict.field)
            and self.topic in ("", placed.topic)
            and self.task in ("", placed.task)
        )

    def text(self, names: Mapping[str, str]) -> str:
        """Describes the filter, such as `accuracy ∙ li / wang`; empty when it lets all pass."""
        cell = " x ".join(names.get(one, one) for one in (self.topic, self.task) if one)
        parts = (field_text(self.field) if self.field else "", " / ".join(self.raters), cell)
        return "   ".join(filter(None, parts))


def conflict_key(placed: PlacedConflict) -> str:
    return f"{placed.conflict.subject.id}\t{placed.conflict.field}"


def conflict_rows(
    conflicts: Sequence[PlacedConflict], form: Form, names: Mapping[str, str]
) -> list[Row]:
    return [
        Row(
            conflict_key(placed),
            (
                Cell(field_text(placed.conflict.field), "strong"),
                _values_cell(placed, form.field(placed.conflict.field)),
                Cell(names.get(placed.topic, placed.topic)),
                Cell(names.get(placed.task, placed.task)),
                Cell(placed.question.replace("\n", " "), "muted"),
                Cell(placed.item_key, "muted"),
            ),
        )
        for placed in conflicts
    ]


def _values_cell(placed: PlacedConflict, field: Field) -> str:
    labels = placed.conflict.raters
    if field.kind == "revision":
        return tr("{join}: different texts", join=", ".join(given.rater for given in labels))
    values: list[tuple[str, object]]
    if field.kind == "scale":
        # the number is the value; what it means stands where one rules on it
        values = [(given.rater, "-" if given.value == NA else given.value) for given in labels]
    else:
        values = [(given.rater, value_text(field, given.value)) for given in labels]
    return "   ".join(f"{rater} {value}" for rater, value in values)


def parts(conflicts: Sequence[PlacedConflict]) -> list[tuple[Part, int]]:
    """Returns the filters that some conflicts offer, each with its number of conflicts: all,
    metrics, pairs of raters, cells; the most frequent of each kind first."""
    fields = Counter(placed.conflict.field for placed in conflicts)
    pairs: Counter[tuple[str, str]] = Counter()
    for placed in conflicts:
        for a, b in combinations(placed.conflict.raters, 2):
            pairs[a.rater, b.rater] += a.value != b.value
    cells = Counter((placed.topic, placed.task) for placed in conflicts)
    out = [(Part(), len(conflicts))]
    out += [(Part(field=field), count) for field, count in fields.most_common()]
    out += [(Part(raters=pair), count) for pair, count in pairs.most_common() if count]
    out += [(Part(topic=topic, task=task), count) for (topic, task), count in cells.most_common()]
    return out
