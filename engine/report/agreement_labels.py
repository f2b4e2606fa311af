"""What figures of agreement are called and how they are written, in the shell and in the app."""

from __future__ import annotations

from collections.abc import Iterator

from engine.statistics.agreement.records import POOLED, VERDICT, Agreement, Part, Statistic

NAMED = {
    "raw": "raw",
    "kappa": "kappa_plain",
    "linear": "kappa_linear",
    "quadratic": "kappa_quadratic",
    "alpha": "alpha_nominal",
    "ordinal": "alpha_ordinal",
    "ac1": "ac1",
    "ac2": "ac2",
    "spearman": "spearman",
}
"""By the names that people use."""
MEANINGS = {
    "raw": "share of agreeing pairs of raters",
    "kappa": "Cohen's, beyond chance; 0 is as good as chance",
    "linear": "kappa; a difference counts by its size",
    "quadratic": "kappa; a large difference counts much more",
    "alpha": "Krippendorff's, nominal",
    "ordinal": "Krippendorff's, for ordered values",
    "ac1": "Gwet's; steady where one value prevails",
    "ac2": "Gwet's, with quadratic weights",
    "spearman": "correlation of ranks",
}

LABELS_CHANGED = "labels have changed since: ctrl+r computes again"


def statistic(one: Agreement, name: str) -> Statistic | None:
    """A figure by its name in NAMED; None where it does not suit the field."""
    return one.statistics.get(NAMED[name])


def figure_text(found: Statistic | None, places: int = 3) -> str:
    """`0.812`; `-` where it is undefined, nothing where there is none."""
    if found is None:
        return ""
    return "-" if found.value is None else f"{found.value:.{places}f}"


def interval_text(found: Statistic | None) -> str:
    """`0.74 to 0.88`."""
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return "-"
    return f"{found.low:.2f} to {found.high:.2f}"


def reason_text(found: Statistic) -> str:
    """Why there is no figure or no interval, in words; empty where there are both."""
    return f"undefined: {found.reason}" if found.reason else found.interval_reason


def shares(one: Agreement, rater: str) -> Iterator[str]:
    """`0: 41 (32 %)` for every value that the rater gave."""
    counts = one.base_rates[rater]
    total = sum(counts) or 1
    for value, count in zip(one.values, counts, strict=True):
        if count:
            yield f"{value}: {count} ({100 * count / total:.0f} %)"


def short(text: str) -> str:
    """Figures without the zero before the point."""
    return " ".join(
        part.replace("0.", ".", 1) if part.startswith(("0.", "-0.")) else part
        for part in text.split(" ")
    )


def field_text(field: str) -> str:
    """A field's key as words; the row over all of them says what it is."""
    if field == POOLED:
        return "all pooled"
    return "verdict" if field == VERDICT else field.replace("_", " ")


def part_text(part: Part) -> str:
    return "applies?" if part == "applicability" else "value"
