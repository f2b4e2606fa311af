"""The sentences on what a draw of a sample would bring, and on what it brought."""

from __future__ import annotations

from collections.abc import Mapping

from engine.calibration.calibration_records import Choose
from engine.calibration.label_requests import LabelPlan, NextDrawn
from engine.calibration.queries import NextAnswer
from engine.labelling.drawing import Drawn, Plan
from engine.statistics.inference import LabelCount
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


def next_texts(answer: NextAnswer, choose: Choose) -> list[Piece]:
    """How many would be drawn by which chances, then how many labels the question takes."""
    plan, labels = answer.plan, answer.labels
    what = "questions" if choose == "comparison" else "answers"
    chances = (
        "all with the same chance"
        if plan.is_burn_in
        else "half alike, half where the labels so far show that judge and people differ"
    )
    out: list[Piece] = [
        (f"{plan.number:,} of {plan.frame:,} {what} would be drawn, {chances}", "strong")
    ]
    if labels is None:
        return out
    here = "these runs" if len(labels.runs) > 1 else "this run"
    for place, count in ((here, labels.run), ("questions like these", labels.new)):
        out.append((f"{place}, {labels.asked:g}: {_needed(labels, count, what)}", ""))
    pace = "" if labels.is_own_pace else ", a guess"
    held = f"{labels.labels:,} of {labels.answers:,} {what} labelled"
    out.append((f"{held}; {labels.seconds_each:.0f} s each{pace}", "muted"))
    if not labels.has_pilot:
        out.append(("too few labels to plan by: as if the judge said nothing", "warn"))
    return out


def _needed(labels: LabelPlan, count: LabelCount, what: str) -> str:
    minutes = labels.minutes(count)
    if count.needed is None or minutes is None:
        groups = "" if count.questions is None else f"; {count.questions:,} groups of them do"
        return f"no number of labels suffices{groups}"
    bare = count.without_judge
    saved = "" if bare in (None, count.needed) else f" ({bare:,} without the judge)"
    return f"{count.needed:,} {what}{saved}, {minutes:,.0f} min left"


def next_drawn_text(drawn: NextDrawn) -> str:
    """Returns two sentences on what was drawn by chances."""
    whom = ", ".join(drawn.sample.raters)
    further = " Label these, then draw further by what they show." if drawn.is_burn_in else ""
    added = plural(drawn.added, "answer")
    return f"Sample {drawn.sample.name}: {added} drawn.{further} It is for {whom or 'any rater'}."


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
