"""What an evolution came to, as tables: AutoEvolve's figures 12 and 13 and table 7 in shape."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.evolve.figures import EvolutionFigures
from engine.report.sheets import Sheet
from engine.results.evolved import EvolvedRun
from engine.statistics.aggregation import Summary

_EDGES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, float("inf"))


def evolution_sheets(found: EvolutionFigures) -> list[Sheet]:
    """RGD before and after, operations, evolutions needed, and reasons of rejection."""
    bins = list(pairwise(_EDGES))
    heads = tuple(
        f"{low:g} to {'more' if high == _EDGES[-1] else f'{high:g}'}" for low, high in bins
    )

    def counted(figures: tuple[float, ...]) -> tuple[int, ...]:
        return tuple(sum(low <= figure < high for figure in figures) for low, high in bins)

    parts = (
        ("initial", found.before, found.mean_before),
        ("hardest", found.after, found.mean_after),
    )
    return [
        Sheet(
            "RGD before and after evolution",
            ("questions", "mean", *heads),
            tuple(
                (name, "-" if mean is None else f"{mean:.3f}", *map(str, counted(figures)))
                for name, figures, mean in parts
            ),
            (
                f"{found.evolved:,} of {found.families:,} families reach an RGD above"
                f" {found.threshold:g}.",
            ),
            {
                name: [
                    (low, count / (len(figures) or 1))
                    for (low, _), count in zip(bins, counted(figures), strict=True)
                ]
                for name, figures, _ in parts
            },
        ),
        Sheet(
            "Operations",
            ("operation", "made", "kept", "items", "rejected"),
            tuple(
                (one.operation, *(f"{n:,}" for n in (one.made, one.kept, one.items, one.rejected)))
                for one in found.operations
            ),
        ),
        Sheet(
            "Evolutions needed",
            ("operations", "families"),
            tuple((str(depth), f"{count:,}") for depth, count in found.evolutions.items()),
        ),
        Sheet(
            "Why something was rejected",
            ("reason", "times"),
            tuple((reason, f"{count:,}") for reason, count in list(found.reasons.items())[:10]),
        ),
    ]


def change_sheets(runs: Sequence[EvolvedRun]) -> list[Sheet]:
    """Initial and evolved questions of the same families, by run and metric."""
    return [
        Sheet(
            "Families before and after",
            ("run", "metric", "questions", "families", "initial", "after", "difference"),
            tuple(
                (
                    one.run,
                    one.metric,
                    change.part,
                    f"{change.families:,}",
                    _shown(change.before),
                    _shown(change.after),
                    _shown(change.difference, signed=True),
                )
                for one in runs
                for change in one.changes
            ),
            ("In brackets 95 % intervals over families.",),
        )
    ]


def _shown(summary: Summary, *, signed: bool = False) -> str:
    if summary.mean is None:
        return "-"
    text = f"{summary.mean:+.3f}" if signed else f"{summary.mean:.3f}"
    if summary.low is None or summary.high is None:
        return text
    return f"{text} ({summary.low:.2f} to {summary.high:.2f})"
