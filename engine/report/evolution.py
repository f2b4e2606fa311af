"""What an evolution came to, as tables: AutoEvolve's figures 12 and 13 and table 7 in shape."""

from __future__ import annotations

from itertools import pairwise

from engine.evolve.figures import EvolutionFigures
from engine.report.sheets import Sheet

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
