"""Difficulty as tables: how it is distributed, and how it goes with the metrics of a run."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from engine.report.sheets import Sheet
from engine.results.difficulty import EDGES, WEIGHTS, Correlations, Distribution, Spread
from engine.statistics.rank_correlation import RankCorrelation
from store.datasets.difficulties import Measure
from store.messages import plural

STRONGEST = 3
"""Metrics that are shown beside a figure of difficulty, where not all are."""


def correlation_sheets(found: Correlations) -> list[Sheet]:
    """AutoEvolve's table 4 and figure 5 in shape, for one run."""
    by = f" by {found.embedding}" if found.embedding else ""
    sheets = [
        Sheet(
            f"Spearman's rho of difficulty{by} with the metrics of {found.run}",
            ("figure", *found.metrics),
            tuple((name, *map(_rho, line)) for name, line in found.figures.items()),
            (
                f"RGD = GD + {found.weight:g} RD. In brackets 95 % intervals over groups of items.",
                "Below 0: what is called harder fares worse.",
            ),
        )
    ]
    if found.sweep:
        sheets.append(
            Sheet(
                "Spearman's rho of RGD by lambda",
                ("lambda", *found.sweep),
                tuple(
                    (f"{weight:g}", *(_rho(line[at]) for line in found.sweep.values()))
                    for at, weight in enumerate(WEIGHTS)
                ),
                curves={
                    name: [
                        (weight, one.rho)
                        for weight, one in zip(WEIGHTS, line, strict=True)
                        if one.rho is not None
                    ]
                    for name, line in found.sweep.items()
                },
            )
        )
    return sheets


def strongest_sheets(found: Correlations) -> list[Sheet]:
    """The same with the `STRONGEST` metrics alone that each figure goes with most, either way."""
    ranked = {
        name: sorted(
            ((metric, one) for metric, one in zip(found.metrics, line, strict=True) if one.rho),
            key=lambda pair: -abs(pair[1].rho or 0),
        )[:STRONGEST]
        for name, line in found.figures.items()
    }
    kept = {metric for metric, _ in ranked.get("RGD", ())}
    swept = structs.replace(
        found, sweep={name: line for name, line in found.sweep.items() if name in kept}
    )
    figures, *sweep = correlation_sheets(swept)
    rows = tuple(
        ("" if at else name, metric, _rho(one))
        for name, line in ranked.items()
        for at, (metric, one) in enumerate(line)
    )
    head = ("figure", "metric", "rho")
    return [structs.replace(figures, head=head, rows=rows), *sweep]


def distribution_sheets(
    dataset: str, measure: Measure, parts: Sequence[Distribution], weight: float
) -> list[Sheet]:
    """The figures of each part, and AutoEvolve's figure 13 in shape."""
    ends = [*(f"{edge:g}" for edge in EDGES[1:]), "more"]
    bins = [f"{edge:g} to {end}" for edge, end in zip(EDGES, ends, strict=True)]
    return [
        Sheet(
            f"Difficulty of {dataset} by {measure.embedding}",
            ("items", "turns", "RD mean", "GD mean", "RGD mean", "RGD quartiles", "RGD range"),
            tuple(_figures(part) for part in parts),
            (
                f"RGD = GD + {weight:g} RD, of the items as they are now.",
                *(
                    f"{plural(part.unmeasured, 'turn')} without evidence that a system can find."
                    for part in parts[:1]
                    if part.unmeasured
                ),
            ),
        ),
        Sheet(
            "Turns by RGD",
            ("items", *bins),
            tuple((part.part, *(f"{count:,}" for count in part.bins)) for part in parts),
            curves={
                part.part: [
                    (edge, count / total) for edge, count in zip(EDGES, part.bins, strict=True)
                ]
                for part in parts
                if (total := sum(part.bins))
            },
        ),
    ]


def _figures(part: Distribution) -> tuple[str, ...]:
    if part.rd is None or part.gd is None or part.rgd is None:
        return (part.part, "0", *[""] * 5)
    quartiles = " / ".join(f"{value:.2f}" for value in part.rgd.quartiles)
    return (
        part.part,
        f"{part.rd.n:,}",
        f"{part.rd.mean:.3f}",
        f"{part.gd.mean:.3f}",
        f"{part.rgd.mean:.3f}",
        quartiles,
        _range(part.rgd),
    )


def _range(spread: Spread) -> str:
    return f"{spread.low:.2f} to {spread.high:.2f}"


def _rho(one: RankCorrelation) -> str:
    if one.rho is None:
        return "-"
    if one.low is None or one.high is None:
        return f"{one.rho:+.3f}"
    return f"{one.rho:+.3f} ({one.low:+.2f} to {one.high:+.2f})"
