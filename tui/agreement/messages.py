"""The messages of the Agreement screen, above its figures or in their place."""

from __future__ import annotations

from engine.labelling.figures.agreement_records import RaterAgreement
from engine.report.agreement import LABELS_CHANGED, MEANINGS
from engine.statistics.aggregation import SMALL_CELL
from store.labels.consensus import LabelCount
from store.labels.forms import Form
from tui.agreement.shown import ShownAgreement
from tui.agreement.table import metric_text, part_text
from tui.language import later, local_name, tr
from tui.widgets.line import Piece

NO_PAIR = tr("Nothing here was labelled by two raters.")
EMPTY = {
    "again": tr("No rater has been shown a hidden repeat: Repeats of a new sample says how many."),
    "pair": tr("Agreement needs two raters who labelled the same subjects."),
}
"""Instead of `NO_PAIR`, by what the lines are by."""


def nobody(*, in_team: bool) -> str:
    """Says what to do when no subject was fully labelled; in a team raters are their accounts."""
    if in_team:
        return tr(
            "No subject has been fully labelled yet. F7 Label, then + draws a sample: "
            "write 2 into Raters each.\n\nEach rater labels under their own account on F7; "
            "items are inspected on F4. The figures appear here by themselves."
        )
    return tr(
        "No subject has been fully labelled yet. F7 Label, then + draws a sample: "
        "write 2 into Raters each.\n\nEach rater labels under a name of their own on "
        "F7 (ctrl+p, then change rater); items are inspected on F4. The figures "
        "appear here by themselves."
    )


def alone(count: LabelCount, *, in_team: bool) -> str:
    """Says what to do when no subject was labelled by two raters."""
    text = (
        later(
            "{subjects:,} labelled with {form}, none of them by two raters. Agreement "
            "needs two: F7, then + draws a sample for two raters each. J shows judges "
            "against the labels that there are."
        )
        if in_team
        else later(
            "{subjects:,} labelled with {form}, none of them by two raters. Agreement "
            "needs two: F7, then + draws a sample for two raters each; or let a second "
            "rater label (ctrl+p, then change rater). J shows judges against the labels "
            "that there are."
        )
    )
    return tr(text, subjects=count.subjects, form=count.form)


def who_pieces(
    form: Form, shown: ShownAgreement, count: LabelCount, agreement: RaterAgreement | None
) -> list[Piece]:
    """Returns the line with the form, its raters and the number of subjects that they share."""
    pieces: list[Piece] = [(local_name(form), "strong")]
    if agreement is not None:
        pieces.append((f"   {', '.join(agreement.raters)}", ""))
    if shown.field and not shown.is_map:
        metric = f"{metric_text(shown.field)}, {part_text(shown.part)}"
        pieces.append((tr("   only {metric_text}: m shows all", metric_text=metric), "warn"))
    of = agreement if shown.sample and agreement is not None else count
    shared = tr(
        "   {shared:,} of {subjects:,} by two raters or more",
        shared=of.shared,
        subjects=of.subjects,
    )
    return [*pieces, (shared, "muted")]


def how_pieces(
    shown: ShownAgreement, agreement: RaterAgreement | None, *, is_stale: bool
) -> list[Piece]:
    """Returns the line that warns of something wrong with the figures, else explains them."""
    if is_stale:
        return [(LABELS_CHANGED, "warn")]
    if agreement is not None and (agreement.after_reveal or agreement.with_aids):
        parts = [tr("{after_reveal:,} labelled after looking", after_reveal=agreement.after_reveal)]
        parts = parts if agreement.after_reveal else []
        parts += (
            [tr("{with_aids:,} labelled with aids", with_aids=agreement.with_aids)]
            if agreement.with_aids
            else []
        )
        return [("   ".join(parts), "warn")]
    if shown.is_map:
        text = f"{metric_text(shown.field)}, {part_text(shown.part)}: {tr(shown.statistic)}"
        return [(text, "strong"), (f"   {tr(MEANINGS[shown.statistic])}", "muted")]
    text = tr(
        "0 as good as chance, 1 always equal   - undefined   grey: under {small_cell} groups",
        small_cell=SMALL_CELL,
    )
    return [(text, "muted")]
