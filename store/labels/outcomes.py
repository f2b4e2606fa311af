"""What an item becomes by the judgements of its raters: pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from store.labels.forms import Verdict
from store.records import ITEM_TRANSITIONS, ItemState


class Standing(Struct, frozen=True):
    """An item's state and the revision that is its text."""

    state: ItemState
    head: int


class Opinion(Struct, frozen=True):
    """What one rater, or the adjudicator, holds of a revision."""

    rater: str
    since: int
    """The event by which the rater first decided; who decided first goes first."""
    verdict: Verdict
    proposal: int | None = None
    """The revision that the rater proposes instead."""
    is_accepted: bool = False
    """Whether the rater made the proposal the item's text."""


def decide(
    before: Standing,
    shown: int,
    opinions: Sequence[Opinion],
    ruling: Opinion | None,
    quorum: int,
) -> Standing:
    """Where an item stands by what people said of revision `shown`.

    An adjudicator's ruling goes before all opinions. Without one the item waits, as it stood
    `before`, until `quorum` raters have decided. With a quorum of one the first rater's opinion
    holds, and a later one that differs is a conflict; with a larger quorum all must agree, and a
    text is replaced by a ruling only. A judgement begins at `drafted`, whatever an import or an
    automatic inspection had made of the item, and goes forward from there.
    """
    if ruling is not None:
        return _follow(ruling, shown)
    ordered = sorted(opinions, key=lambda opinion: opinion.since)
    if not ordered or len(ordered) < quorum:
        return before
    if quorum == 1:
        return _follow(ordered[0], shown)
    if len({opinion.verdict for opinion in ordered}) > 1:
        return before
    proposed = next((one.proposal for one in ordered if one.proposal is not None), None)
    return _follow(Opinion("", 0, ordered[0].verdict, proposed), shown)


def _follow(opinion: Opinion, shown: int) -> Standing:
    if opinion.verdict == "accept":
        return Standing(_walk(ItemState.ACCEPTED), shown)
    if opinion.verdict == "discard":
        return Standing(_walk(ItemState.DISCARDED), shown)
    if opinion.proposal is None:
        return Standing(_walk(ItemState.NEEDS_CORRECTION), shown)
    corrected = (ItemState.NEEDS_CORRECTION, ItemState.CORRECTED)
    if opinion.is_accepted:
        return Standing(_walk(*corrected, ItemState.ACCEPTED), opinion.proposal)
    return Standing(_walk(*corrected), shown)


def _walk(*steps: ItemState) -> ItemState:
    """The last of the steps, each of which leads on from the one before, the first from drafted."""
    state = ItemState.DRAFTED
    for step in steps:
        assert step in ITEM_TRANSITIONS[state], (state, step)
        state = step
    return state
