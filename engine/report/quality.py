"""The six questions on items as a table: AutoEvolve's table 5 in shape."""

from __future__ import annotations

from collections.abc import Callable

from engine.labelling.figures.quality import QualityTable, Share
from engine.report.sheets import Sheet


def quality_sheets(found: QualityTable) -> list[Sheet]:
    """Percentages of yes: a row a question, in each dataset's column those of the groups."""
    groups = f"In each cell the groups {' / '.join(found.groups)}; - where a group said nothing."
    return [
        _sheet(found, "Yes to the six questions, %", _percentage, (groups,)),
        _sheet(found, "Answers behind it", lambda one: str(one.n) if one else "0"),
    ]


def _sheet(
    found: QualityTable,
    title: str,
    text: Callable[[Share | None], str],
    notes: tuple[str, ...] = (),
) -> Sheet:
    def row(question: str) -> tuple[str, ...]:
        by_dataset = (found.shares[question].get(one, {}) for one in found.datasets)
        cells = ("/".join(text(one.get(group)) for group in found.groups) for one in by_dataset)
        return (question.replace("_", " "), *cells)

    return Sheet(title, ("question", *found.datasets), tuple(map(row, found.questions)), notes)


def _percentage(one: Share | None) -> str:
    return f"{100 * one.yes / one.n:.2f}" if one else "-"
