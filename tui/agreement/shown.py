"""The view that the Agreement screen is set to, and the figures computed for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from engine.labelling.figures.agreement_records import Agreement, By, Part, RaterAgreement
from engine.labelling.queries import AgreementQuery
from store.labels.forms import Form
from tui.agreement.conflict_rows import Part as ConflictPart
from tui.agreement.table import TIMES
from tui.calculator.calculator import Calculator

AgreementsBy = Mapping[By, RaterAgreement]
"""What was computed, by how it is grouped."""

_OF_MAP: tuple[By, ...] = ("cell", "topic", "task", "metric")


class ShownAgreement(NamedTuple):
    form: str
    sample: str | None = None
    by: str = "metric"
    field: str = ""
    """Empty for all; a heat map has one."""
    part: Part = "value"
    statistic: str = "kappa"

    @property
    def is_map(self) -> bool:
        return self.by == "cell"


def compute(calculator: Calculator, shown: ShownAgreement) -> AgreementsBy:
    """Computes the groupings that are needed: a heat map needs its cells and margins, a list
    one."""
    if shown.is_map:
        groupings = _OF_MAP
    else:
        groupings = ("metric" if shown.by == "again" else cast(By, shown.by),)
    return {
        by: calculator.ask(AgreementQuery(shown.form, shown.sample, by, shown.field))
        for by in groupings
    }


def shown_of(agreements: AgreementsBy, shown: ShownAgreement) -> list[Agreement]:
    """Returns the agreements that the lines of a list stand for."""
    if shown.by == "again":
        return _of_metric(agreements["metric"].again, shown)
    return _of_metric(agreements[cast(By, shown.by)].rows, shown)


def shown_at(
    agreements: AgreementsBy, shown: ShownAgreement, topic: str | None, task: str | None
) -> Agreement | None:
    """Returns the agreement that a cell or a margin of the heat map stands for."""
    by: By = "cell" if topic and task else "topic" if topic else "task" if task else "metric"
    group = TIMES.join(filter(None, (topic, task)))
    return next((one for one in _of_metric(agreements[by].rows, shown) if one.group == group), None)


def _of_metric(rows: tuple[Agreement, ...], shown: ShownAgreement) -> list[Agreement]:
    wanted = (shown.field, shown.part)
    return [one for one in rows if not shown.field or (one.field, one.part) == wanted]


def metrics_of(
    form: Form, agreements: AgreementsBy, shown: ShownAgreement
) -> list[tuple[str, Part]]:
    """Returns the metrics that can be shown alone: those of the form, then the pooled ones."""
    kinds = ("scale", "choice", "flag")
    out: list[tuple[str, Part]] = []
    for field in form.fields:
        if field.kind in kinds:
            out += [(field.key, "applicability")] if field.na else []
            out.append((field.key, "value"))
    seen = [(one.field, one.part) for grouped in agreements.values() for one in grouped.rows]
    return list(dict.fromkeys([*out, *seen]))


def conflicts_behind(
    form: Form, one: Agreement, shown: ShownAgreement, topic: str | None, task: str | None
) -> ConflictPart:
    """Returns the filter for the conflicts behind a line, or behind a cell of the heat map."""
    fields = {field.key for field in form.fields}
    part = ConflictPart(field=one.field if one.field in fields else "")
    if shown.by == "pair":
        first, second = one.raters
        return part._replace(raters=(first, second))
    if shown.by == "topic":
        return part._replace(topic=one.group)
    if shown.by == "task":
        return part._replace(task=one.group)
    if shown.is_map:
        return part._replace(topic=topic or "", task=task or "")
    return part
