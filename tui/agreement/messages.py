"""The messages of the Agreement screen, above its figures or in their place."""

from __future__ import annotations

from engine.labelling.agreement_records import RaterAgreement
from engine.labelling.forms import load_form
from engine.report.agreement import LABELS_CHANGED, MEANINGS, field_text, part_text
from engine.statistics.aggregation import SMALL_CELL
from store.labels.consensus import LabelCount
from tui.agreement.shown import ShownAgreement
from tui.widgets.line import Piece

NOBODY = (
    "Nobody has labelled anything to its end yet. F7 Label, then + draws a sample for two raters;"
    " in a shell:"
    "\n\nragdesk sample draw first --form judge_labels --run RUN --per-cell 5 --raters-wanted 2"
    "\n\nEach rater opens this workspace with --rater NAME and labels on F7; items are inspected on"
    " F4. Figures show here by themselves."
)
NO_PAIR = "Nothing here has two raters."
EMPTY = {
    "again": "No rater has been shown a hidden repeat: ragdesk sample draw ... --repeats 0.1",
    "pair": "Agreement needs two raters who labelled the same.",
}
"""Instead of `NO_PAIR`, by what the lines are by."""


def alone(count: LabelCount) -> str:
    """What to do where nobody has labelled what another has."""
    return (
        f"{count.subjects:,} labelled with {count.form}, none of them by two raters. Agreement"
        " needs two: draw with --raters-wanted 2, or let a second rater open this workspace with"
        " --rater NAME. J shows judges against the labels that there are."
    )


def who_pieces(
    shown: ShownAgreement, count: LabelCount, found: RaterAgreement | None
) -> list[Piece]:
    """The form, its raters, and how many subjects they share."""
    pieces: list[Piece] = [(load_form(shown.form).en, "strong")]
    if found is not None:
        pieces.append((f"   {', '.join(found.raters)}", ""))
    if shown.field and not shown.is_map:
        said = f"{field_text(shown.field)}, {part_text(shown.part)}"
        pieces.append((f"   only {said}: m shows all", "warn"))
    of = found if shown.sample and found is not None else count
    shared = f"   {of.shared:,} of {of.subjects:,} by two raters or more"
    return [*pieces, (shared, "muted")]


def how_pieces(
    shown: ShownAgreement, found: RaterAgreement | None, *, is_stale: bool
) -> list[Piece]:
    """What is wrong with the figures, else how to read them."""
    if is_stale:
        return [(LABELS_CHANGED, "warn")]
    if found is not None and found.after_reveal:
        return [(f"{found.after_reveal:,} labelled after looking", "warn")]
    if shown.is_map:
        said = f"{field_text(shown.field)}, {part_text(shown.part)}: {shown.statistic}"
        return [(said, "strong"), (f"   {MEANINGS[shown.statistic]}", "muted")]
    said = f"0 as good as chance, 1 always equal   - undefined   grey: n below {SMALL_CELL}"
    return [(said, "muted")]
