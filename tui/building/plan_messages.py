"""The lines above the quota matrix: what is built, how full it is; what to do without a plan."""

from __future__ import annotations

from store.messages import plural
from tui.building.figures import Figures
from tui.building.grid import added
from tui.building.plan import Plan
from tui.live.facts import Facts
from tui.widgets.line import Piece


def plan_pieces(plan: Plan) -> list[Piece]:
    """Corpus, dataset and taxonomy."""
    parts = (
        ("corpus", plan.corpus, ""),
        ("dataset", plan.dataset, "  new" if plan.is_new else ""),
        ("taxonomy", plan.taxonomy.key, ""),
    )
    pieces: list[Piece] = []
    for label, value, note in parts:
        pieces += [(f"{label} ", "muted"), (value, "strong"), (f"{note}   ", "muted")]
    return pieces


def count_pieces(plan: Plan, figures: Figures) -> list[Piece]:
    """Items and cells of those wanted, what they took, and documents that have no topic yet."""
    wanted = plan.wanted
    full = sum(figures.filled.get((topic, task), 0) >= n for topic, task, n in wanted)
    filled, target = added(plan, figures, [(topic, task) for topic, task, _ in wanted])
    pieces: list[Piece] = [
        (f"{filled:,} of {target:,} items", ""),
        (f"   {full} of {len(wanted)} cells full", ""),
    ]
    if drafted := figures.states.get("drafted"):
        pieces.append((f"   {drafted:,} drafted", ""))
    if figures.tokens:
        money = f", {figures.cost:,.4f} {figures.currency}" if figures.currency else ""
        pieces.append((f"   {plural(figures.tokens, 'token')}{money}", ""))
    if figures.unclassified:
        pieces += [
            (f"   ! {plural(figures.unclassified, 'document')} to classify  ", "warn"),
            ("C", "key"),
        ]
    return pieces


def how_to_fill(facts: Facts) -> str:
    """What to do while there is no plan."""
    if not facts.is_open or not facts.sources:
        return "No corpus yet. F2 Corpus reads your files into one; then its cells are filled here."
    return "Looking at the workspace."
