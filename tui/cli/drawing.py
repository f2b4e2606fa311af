"""The commands that draw what is to be labelled, and say how much that takes: sample draw, plan."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import command, option
from tui.cli.options import filled, form_option, rater, workspace_of
from tui.cli.output import print_json, print_line, print_table, show, tell
from tui.language import later, tr

if TYPE_CHECKING:
    from engine.labelling.drawing.drawing import Plan


@command(
    "draw",
    "draw a sample, or draw one further; what it holds stays",
    option("SAMPLE", "name of a new sample, or of one to draw further", dest="name"),
    form_option(),
    option("--dataset NAME", "draw items of this dataset", ""),
    option(
        "--states STATE...",
        "states of the items (default drafted)",
        ["drafted"],
        choices=("drafted", "accepted", "discarded", "needs_correction", "corrected"),
    ),
    option("--run RUN...", "draw answers of these runs", dest="run_names"),
    option("--metric M", "balance the sample over the values of this metric", ""),
    option("--judge NAME", "judge of the metric, where several scored it", ""),
    option("--per-cell N", "number of subjects per topic and task", None),
    option(
        "--choose",
        "draw answers by chances instead, to learn most of: the mean of a run (precision), the"
        " difference of two (comparison), how far judge and people agree (agreement)",
        choices=("precision", "comparison", "agreement"),
    ),
    option("--number N", "with --choose: answers to draw (questions of a comparison)", 0),
    option(
        "--within H",
        "with --choose: half of the interval's width that is precise enough, 0 to 1; the desk says"
        " when it is reached",
        None,
        type=float,
    ),
    option("--raters-wanted K", "raters per subject (default 1)", 1),
    option(
        "--repeats SHARE", "share of subjects that a rater is shown again, hidden (default 0)", 0.0
    ),
    option("--seed N", "seed of the draw (default 0)", 0),
    option("--raters [RATER...]", "raters of the sample; none: anyone"),
    option(
        "--adjudicators [NAME...]",
        "who rules on conflicts in it; none: anyone who has not labelled the subject",
    ),
    option(
        "--aids",
        "let raters see, before they label an answer, how it compares with the golden one; each"
        " label, card and export records this",
    ),
    option("--dry-run", "only print what would be drawn"),
    example="pilot --dataset mine --per-cell 5 --raters wang li",
)
def draw(arguments: argparse.Namespace) -> int:
    from engine.labelling.drawing.drawing import SampleRequest, draw_sample, plan_sample
    from store.records import ItemState

    if arguments.choose:
        return _draw_next(arguments)
    if arguments.number or arguments.within is not None:
        raise UsageError("--number and --within go with --choose.", "Give --per-cell N alone.")
    if arguments.per_cell is None:
        raise UsageError("How many to draw is not said.", "Give --per-cell N, or --choose.")
    request = filled(
        SampleRequest,
        arguments,
        states=[ItemState(state) for state in arguments.states],
        runs=arguments.run_names,
        repeat_share=arguments.repeats,
    )
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            return _show_plan(plan_sample(workspace, request), arguments)
        drawn = draw_sample(workspace, request)
    if arguments.json:
        print_json(
            {
                "sample": drawn.sample.name,
                "added": drawn.added,
                "subjects": drawn.subjects,
                "short": [
                    {"topic": topic, "task": task, "lacks": lacks}
                    for (topic, task), lacks in drawn.short.items()
                ],
            }
        )
        return 0
    print_line(
        "sample {name}: {added} drawn, {subjects} in all",
        name=drawn.sample.name,
        added=drawn.added,
        subjects=plural(drawn.subjects, "subject"),
    )
    for (topic, task), lacks in drawn.short.items():
        tell(
            "cell {topic} x {task} lacks {candidates}",
            topic=topic,
            task=task,
            candidates=plural(lacks, "candidate"),
        )
    return 0


def _draw_next(arguments: argparse.Namespace) -> int:
    from engine.calibration.label_requests import NextRequest
    from engine.calibration.next_labels import draw_next, plan_next

    given = {
        "--per-cell": arguments.per_cell,
        "--dataset": arguments.dataset,
        "--repeats": arguments.repeats,
        "--aids": arguments.aids,
    }
    if arguments.form not in ("inspection", "judge_labels"):
        raise UsageError("--choose is for form 'judge_labels'.", "Leave --form out.")
    for name, value in given.items():
        if value:
            raise UsageError(f"{name} does not go with --choose.", f"Leave {name} out.")
    if not arguments.metric or not arguments.judge:
        raise UsageError("--choose learns of a judge.", "Give --metric M and --judge NAME.")
    request = filled(NextRequest, arguments, runs=arguments.run_names)
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            plan = plan_next(workspace, request)
            how = (
                tr("all with the same chance") if plan.is_burn_in else tr("by what the labels show")
            )
            line = tr(
                "{number:,} of {frame:,} would be drawn, {how}",
                number=plan.number,
                frame=plan.frame,
                how=how,
            )
            return show(arguments, plan, line)
        made = draw_next(workspace, request)
    if arguments.json:
        print_json(made)
        return 0
    print_line(
        "sample {name}: draw {number}, {answers}",
        name=made.sample.name,
        number=made.draw.number,
        answers=plural(made.added, "answer"),
    )
    if made.is_burn_in:
        print_line(
            "all with the same chance, {wanted} of {frame:,}: label these, then draw "
            "further by what they show",
            wanted=made.draw.wanted,
            frame=made.frame,
        )
    else:
        print_line(
            "chances from {least:.3f} to {most:.3f}, half of all drawn alike",
            least=made.least,
            most=made.most,
        )
    return 0


def _show_plan(plan: Plan, arguments: argparse.Namespace) -> int:
    if arguments.json:
        print_json({"added": plan.added, "repeats": plan.repeats, "cells": plan.cells})
        return 0
    print_table(
        ["topic", "task", "candidates", "held", "added", "lacks"],
        [
            [
                cell.topic,
                cell.task,
                str(cell.candidates),
                str(cell.held),
                str(cell.added),
                str(max(arguments.per_cell - cell.subjects, 0)),
            ]
            for cell in plan.cells
        ],
    )
    print_line(
        "{added} would be drawn, and {repeats} hidden repeats",
        added=plan.added,
        repeats=plan.repeats,
    )
    return 0


@command(
    "plan",
    "how many labels a precision, or telling two runs apart, takes",
    option("RUN...", "a run, or two to tell apart", dest="run_names"),
    option("--metric M", "metric that people label", required=True),
    option("--judge NAME", "judge whose scores are corrected", required=True),
    option("--within H", "half of the interval's width that is precise enough", None, type=float),
    option("--difference D", "difference of two runs that is to be found", None, type=float),
    example="bm25-mine@1 --metric accuracy --judge rules --within 0.05",
)
def plan(arguments: argparse.Namespace) -> int:
    from msgspec import to_builtins

    from engine.calibration.planning import plan_labels

    runs = tuple(arguments.run_names)
    asked = arguments.within if len(runs) == 1 else arguments.difference
    if len(runs) > 2 or asked is None or None not in (arguments.within, arguments.difference):
        raise UsageError(
            "A plan is for one run within a precision, or for two and a difference.",
            "Give RUN --within H, or RUN RUN --difference D.",
        )
    with workspace_of(arguments) as workspace:
        made = plan_labels(
            workspace.db, runs, arguments.metric, arguments.judge, asked, rater(arguments)
        )
    if arguments.json:
        counts = {
            name: {**to_builtins(count), "minutes": made.minutes(count)}
            for name, count in (("run", made.run), ("new", made.new))
        }
        print_json({**to_builtins(made), **counts})
        return 0
    rows = []
    is_pair = len(runs) > 1
    for name, count in (
        (tr("these runs") if is_pair else tr("this run"), made.run),
        (tr("questions like these"), made.new),
    ):
        minutes = made.minutes(count)
        rows.append(
            [
                name,
                _number(count.needed),
                _number(count.without_judge),
                _number(
                    None
                    if count.needed is None or count.without_judge is None
                    else count.without_judge - count.needed
                ),
                "-" if minutes is None else f"{minutes:,.0f}",
            ]
        )
    print_table(
        ["target", "labels needed", "without the judge", "labels saved", "minutes left"], rows
    )
    labelled = (
        later("{labels:,} of {answers:,} questions labelled; {seconds:.0f} s each")
        if is_pair
        else later("{labels:,} of {answers:,} answers labelled; {seconds:.0f} s each")
    )
    print_line(labelled, labels=made.labels, answers=made.answers, seconds=made.seconds_each)
    if not made.has_pilot:
        tell("Too few labels to plan by: as if the judge said nothing. Label about 30, plan again.")
    if made.new.questions is not None:
        tell(
            "No number of labels suffices for questions like these: it takes about "
            "{questions:,} groups of questions.",
            questions=made.new.questions,
        )
    if not made.is_own_pace:
        tell("{rater} has labelled no answer yet: the time is a guess.", rater=rater(arguments))
    return 0


def _number(count: int | None) -> str:
    return "-" if count is None else f"{count:,}"


COMMANDS = (draw, plan)
