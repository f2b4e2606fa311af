"""The six questions on items as a table: AutoEvolve's table 5 in shape."""

from __future__ import annotations

from engine.labelling.quality import QualityTable
from engine.report.sheets import Sheet


def quality_sheets(found: QualityTable) -> list[Sheet]:
    """Percentages of yes: a row a question, in each dataset's column those of the groups."""
    return [
        Sheet(
            "Yes to the six questions, %",
            ("question", *found.datasets),
            tuple(
                (
                    question.replace("_", " "),
                    *("/".join(_cells(found, question, dataset)) for dataset in found.datasets),
                )
                for question in found.questions
            ),
            (f"In each cell the groups {' / '.join(found.groups)}; - where a group said nothing.",),
        ),
        Sheet(
            "Answers behind it",
            ("question", *found.datasets),
            tuple(
                (
                    question.replace("_", " "),
                    *("/".join(_counts(found, question, dataset)) for dataset in found.datasets),
                )
                for question in found.questions
            ),
        ),
    ]


def _cells(found: QualityTable, question: str, dataset: str) -> list[str]:
    shares = found.shares[question].get(dataset, {})
    return [
        f"{100 * one.yes / one.n:.2f}" if (one := shares.get(group)) else "-"
        for group in found.groups
    ]


def _counts(found: QualityTable, question: str, dataset: str) -> list[str]:
    shares = found.shares[question].get(dataset, {})
    return [str(one.n) if (one := shares.get(group)) else "0" for group in found.groups]
