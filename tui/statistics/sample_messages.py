"""The sentences on what a draw of a sample would bring, and on what it brought."""

from __future__ import annotations

from collections.abc import Mapping

from engine.calibration.calibration_records import Choose
from engine.calibration.label_requests import LabelPlan, NextDrawn
from engine.calibration.queries import NextAnswer
from engine.labelling.drawing.drawing import Drawn, Plan
from engine.statistics.inference import LabelCount
from store.messages import plural
from tui.language import tr
from tui.screens.labels import cell_text
from tui.widgets.line import Piece


def plan_texts(plan: Plan, per_cell: int, names: Mapping[str, str]) -> list[Piece]:
    """How many would come, then the cells, those that lack something first. `names`: what topics
    and tasks are called, by key."""
    held = sum(cell.held for cell in plan.cells)
    parts = [
        tr(
            "{added:,} would be drawn in {cells}",
            added=plan.added,
            cells=plural(len(plan.cells), "cell"),
        )
    ]
    parts += [tr("{held:,} are held already", held=held)] if held else []
    parts += [tr("{repeats:,} hidden repeats", repeats=plan.repeats)] if plan.repeats else []
    short = [cell for cell in plan.cells if cell.subjects < per_cell]
    full = [cell for cell in plan.cells if cell.subjects >= per_cell]
    out: list[Piece] = [("   ".join(parts), "strong")]
    if short:
        cell_texts = (
            f"{cell_text(names, cell.topic, cell.task)} {cell.subjects}/{per_cell}"
            for cell in short
        )
        out.append((tr("short: {cell_texts}", cell_texts="   ".join(cell_texts)), "warn"))
    if full:
        cell_texts = (f"{cell_text(names, cell.topic, cell.task)} {cell.subjects}" for cell in full)
        out.append((tr("full: {cell_texts}", cell_texts="   ".join(cell_texts)), "muted"))
    return out


def next_texts(answer: NextAnswer, choose: Choose) -> list[Piece]:
    """How many would be drawn by which chances, then how many labels the question takes."""
    plan, labels = answer.plan, answer.labels
    what = "questions" if choose == "comparison" else "answers"
    chances = (
        tr("all with the same chance")
        if plan.is_burn_in
        else tr("half alike, half where the labels so far show that judge and people differ")
    )
    out: list[Piece] = [
        (
            tr(
                "{number:,} of {frame:,} {what} would be drawn, {chances}",
                number=plan.number,
                frame=plan.frame,
                what=what,
                chances=chances,
            ),
            "strong",
        )
    ]
    if labels is None:
        return out
    here = tr("these runs") if len(labels.runs) > 1 else tr("this run")
    for place, count in ((here, labels.run), (tr("questions like these"), labels.new)):
        out.append((f"{place}, {labels.asked:g}: {_needed(labels, count, what)}", ""))
    pace = "" if labels.is_own_pace else ", a guess"
    held = tr(
        "{labels:,} of {answers:,} {what} labelled",
        labels=labels.labels,
        answers=labels.answers,
        what=what,
    )
    out.append((f"{held}; {labels.seconds_each:.0f} s each{pace}", "muted"))
    if not labels.has_pilot:
        out.append((tr("too few labels to plan by: as if the judge said nothing"), "warn"))
    return out


def _needed(labels: LabelPlan, count: LabelCount, what: str) -> str:
    minutes = labels.minutes(count)
    if count.needed is None or minutes is None:
        groups = (
            ""
            if count.questions is None
            else tr("; {questions:,} groups of them do", questions=count.questions)
        )
        return tr("no number of labels suffices{groups}", groups=groups)
    bare = count.without_judge
    saved = "" if bare in (None, count.needed) else tr(" ({bare:,} without the judge)", bare=bare)
    return tr(
        "{needed:,} {what}{saved}, {minutes:,.0f} min left",
        needed=count.needed,
        what=what,
        saved=saved,
        minutes=minutes,
    )


def next_drawn_text(drawn: NextDrawn) -> str:
    """Returns two sentences on what was drawn by chances."""
    whom = ", ".join(drawn.sample.raters)
    further = tr(" Label these, then draw further by what they show.") if drawn.is_burn_in else ""
    added = plural(drawn.added, "answer")
    return tr(
        "Sample {name}: {added} drawn.{further} It is for {raters}.",
        name=drawn.sample.name,
        added=added,
        further=further,
        raters=whom or tr("any rater"),
    )


def drawn_text(drawn: Drawn) -> str:
    """Returns one or two sentences on what was drawn."""
    text = tr(
        "Sample {name}: {added:,} drawn, {subjects} in all.",
        name=drawn.sample.name,
        added=drawn.added,
        subjects=plural(drawn.subjects, "subject"),
    )
    if drawn.short:
        text += tr(" Too few candidates in {cells}.", cells=plural(len(drawn.short), "cell"))
    whom = ", ".join(drawn.sample.raters)
    return tr("{text} It is for {raters}.", text=text, raters=whom or tr("any rater"))
