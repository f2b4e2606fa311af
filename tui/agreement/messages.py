"""The messages of the Agreement screen, above its figures or in their place."""

from __future__ import annotations

from engine.labelling.agreement_records import RaterAgreement
from engine.report.agreement import LABELS_CHANGED, MEANINGS, field_text, part_text
from engine.statistics.aggregation import SMALL_CELL
from store.labels.consensus import LabelCount
from store.labels.forms import Form
from tui.agreement.shown import ShownAgreement
from tui.widgets.line import Piece

NOBODY = (
    "No subject has been fully labelled yet. F7 Label, then + draws a sample: write 2 into Raters"
    " each."
    "\n\nEach rater labels under a name of their own on F7 (ctrl+p, then change rater); items are"
    " inspected on F4. The figures appear here by themselves."
)
NO_PAIR = "Nothing here was labelled by two raters."
EMPTY = {
    "again": "No rater has been shown a hidden repeat: Repeats of a new sample says how many.",
    "pair": "Agreement needs two raters who labelled the same subjects.",
}
"""Instead of `NO_PAIR`, by what the lines are by."""


def alone(count: LabelCount) -> str:
    """Says what to do when no subject was labelled by two raters."""
    return (
        f"{count.subjects:,} labelled with {count.form}, none of them by two raters. Agreement"
        " needs two: F7, then + draws a sample for two raters each; or let a second rater label"
        " (ctrl+p, then change rater). J shows judges against the labels that there are."
    )


def who_pieces(
    form: Form, shown: ShownAgreement, count: LabelCount, agreement: RaterAgreement | None
) -> list[Piece]:
    """Returns the line with the form, its raters and the number of subjects that they share."""
    pieces: list[Piece] = [(form.en, "strong")]
    if agreement is not None:
        pieces.append((f"   {', '.join(agreement.raters)}", ""))
    if shown.field and not shown.is_map:
        metric_text = f"{field_text(shown.field)}, {part_text(shown.part)}"
        pieces.append((f"   only {metric_text}: m shows all", "warn"))
    of = agreement if shown.sample and agreement is not None else count
    shared = f"   {of.shared:,} of {of.subjects:,} by two raters or more"
    return [*pieces, (shared, "muted")]


def how_pieces(
    shown: ShownAgreement, agreement: RaterAgreement | None, *, is_stale: bool
) -> list[Piece]:
    """Returns the line that warns of something wrong with the figures, else explains them."""
    if is_stale:
        return [(LABELS_CHANGED, "warn")]
    if agreement is not None and (agreement.after_reveal or agreement.with_aids):
        parts = [f"{agreement.after_reveal:,} labelled after looking"]
        parts = parts if agreement.after_reveal else []
        parts += [f"{agreement.with_aids:,} labelled with aids"] if agreement.with_aids else []
        return [("   ".join(parts), "warn")]
    if shown.is_map:
        text = f"{field_text(shown.field)}, {part_text(shown.part)}: {shown.statistic}"
        return [(text, "strong"), (f"   {MEANINGS[shown.statistic]}", "muted")]
    text = f"0 as good as chance, 1 always equal   - undefined   grey: under {SMALL_CELL} groups"
    return [(text, "muted")]
