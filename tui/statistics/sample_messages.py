"""The sentences on what a draw of a sample would bring, and on what it brought."""

from __future__ import annotations

from collections.abc import Mapping

from engine.labelling.drawing import Drawn, Plan
from store.messages import plural
from tui.screens.labels import cell_text
from tui.widgets.line import Piece


def plan_texts(plan: Plan, per_cell: int, names: Mapping[str, str]) -> list[Piece]:
    """How many would come, then the cells, those that lack something first. `names`: what topics
    and tasks are called, by key."""
    held = sum(cell.held for cell in plan.cells)
    parts = [f"{plan.added:,} would be drawn in {plural(len(plan.cells), 'cell')}"]
    parts += [f"{held:,} are held already"] if held else []
    parts += [f"{plan.repeats:,} hidden repeats"] if plan.repeats else []
    short = [cell for cell in plan.cells if cell.subjects < per_cell]
    full = [cell for cell in plan.cells if cell.subjects >= per_cell]
    out: list[Piece] = [("   ".join(parts), "strong")]
    if short:
        cell_texts = (
            f"{cell_text(names, cell.topic, cell.task)} {cell.subjects}/{per_cell}"
            for cell in short
        )
        out.append((f"short: {'   '.join(cell_texts)}", "warn"))
    if full:
        cell_texts = (f"{cell_text(names, cell.topic, cell.task)} {cell.subjects}" for cell in full)
        out.append((f"full: {'   '.join(cell_texts)}", "muted"))
    return out


def drawn_text(drawn: Drawn) -> str:
    """Returns one or two sentences on what was drawn."""
    text = (
        f"Sample {drawn.sample.name}: {drawn.added:,} drawn,"
        f" {plural(drawn.subjects, 'subject')} in all."
    )
    if drawn.short:
        text += f" Too few candidates in {plural(len(drawn.short), 'cell')}."
    whom = ", ".join(drawn.sample.raters)
    return f"{text} It is for {whom or 'any rater'}."
