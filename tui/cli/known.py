"""The commands on questions with known answers: known choose, mix, list; and labels reliability."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from store.messages import plural
from tui.cli.command import command, option
from tui.cli.options import filled, form_option, rater, typed, workspace_of
from tui.cli.output import print_json, show, show_table, tell
from tui.language import tr

_FORM = form_option("judge_labels")
_SOURCE = option(
    "--gold SOURCE",
    "whose answers are right: adjudicated, or a rater whose labels were imported (default"
    " adjudicated)",
    "adjudicated",
)


@command(
    "choose",
    "make attention or training questions of settled labels",
    option("[SUBJECT...]", "numbers of settled subjects (default: drawn by --number)"),
    _FORM,
    option(
        "--as",
        "attention (the rater never knows) or training (told the answer and the reason)",
        dest="purpose",
        choices=("attention", "training"),
        required=True,
    ),
    _SOURCE,
    option("--number N", "draw so many of the settled subjects", 0),
    option("--seed N", "seed of the draw (default 0)", 0),
    option("--reason TEXT", "told with each answer (default: what rulings or comments say)", ""),
    example="--as attention --number 20 --form judge_labels",
)
def choose(arguments: argparse.Namespace) -> int:
    from engine.labelling.drawing.known import GoldRequest, choose_gold

    request = filled(GoldRequest, arguments, source=arguments.gold, subjects=arguments.subject)
    with workspace_of(arguments) as workspace:
        made = choose_gold(workspace, request, rater(arguments))
    without = sum(not one.reason for one in made)
    if without and arguments.purpose == "training" and not arguments.json:
        tell("{without:,} of them have no reason to tell: --reason gives one", without=without)
    questions = (
        plural(len(made), "training question")
        if arguments.purpose == "training"
        else plural(len(made), "attention question")
    )
    return show(
        arguments,
        made,
        tr("{questions} of form {form}", questions=questions, form=arguments.form),
        tr("next: ragdesk known mix SAMPLE --rate 0.1"),
    )


@command(
    "mix",
    "mix known questions into a sample",
    option("SAMPLE", "an open sample of the form"),
    option("--rate X", "known questions to a subject of the sample, such as 0.1", required=True),
    option("--seed N", "seed of which come, and where (default 0)", 0),
    option("--as", "of one kind only", dest="purpose", choices=("attention", "training")),
    example="judge-1 --rate 0.1",
)
def mix(arguments: argparse.Namespace) -> int:
    from engine.labelling.drawing.known import MixRequest
    from engine.labelling.drawing.known import mix as mix_in

    request = filled(MixRequest, arguments)
    with workspace_of(arguments) as workspace:
        made = mix_in(workspace, request, rater(arguments))
    if made.lacking and not arguments.json:
        tell(
            "{questions} would make the rate: choose more",
            questions=plural(made.lacking, "more question"),
        )
    return show(
        arguments,
        made,
        tr(
            "sample {sample}: {added} mixed in, {questions} to {subjects}",
            sample=made.sample,
            added=made.added,
            questions=plural(made.questions, "known question"),
            subjects=plural(made.subjects, "subject"),
        ),
    )


@command(
    "list",
    "list the known questions, or what could be one",
    _FORM,
    _SOURCE,
    option("--candidates", "list the settled subjects that could be chosen"),
    example="--candidates",
)
def list_known(arguments: argparse.Namespace) -> int:
    from engine.labelling.drawing.known import gold
    from engine.labelling.forms import find_form
    from store.labels.samples import known

    with workspace_of(arguments) as workspace:
        form = find_form(workspace.db, arguments.form)
        if arguments.candidates:
            found = gold(workspace.db, form, arguments.gold)
            return show_table(
                arguments,
                found,
                ["subject", "answer", "reason"],
                [[one.subject.id, _answer(one.answers), one.reason] for one in found],
                empty=tr("No subject is settled so that its answer could be known."),
            )
        held = known.listing(workspace.db, form.key)
    return show_table(
        arguments,
        held,
        ["subject", "as", "answer", "gold", "chosen by", "reason"],
        [
            [
                one.subject.base,
                tr(one.purpose),
                _answer(one.answers),
                one.source,
                one.chosen_by,
                one.reason,
            ]
            for one in held
        ],
        empty=tr(
            "Form {key} has no known questions: `ragdesk known choose` makes some.", key=form.key
        ),
    )


def _answer(answers: Mapping[str, object]) -> str:
    return " ".join(f"{field}={value}" for field, value in answers.items())


@command(
    "reliability",
    "how reliable raters are: known answers, agreement, minutes a label",
    _FORM,
    option(
        "--by",
        "a row for each rater in all time, or in each month, week or day (default all)",
        "all",
        choices=("all", "month", "week", "day"),
    ),
    option("--raters RATER...", "these raters only"),
    example="--form judge_labels --by week",
)
def show_reliability(arguments: argparse.Namespace) -> int:
    from engine.labelling.figures.reliability import reliability
    from engine.report.work import estimate_text

    with workspace_of(arguments) as workspace, typed():
        report = reliability(
            workspace.db,
            arguments.form,
            rater(arguments),
            by=arguments.by,
            raters=arguments.raters,
        )
    if arguments.json:
        print_json(report)
        return 0
    if report.is_rater:
        tell(
            "{rater} labels with {form}, and sees their own figures only",
            rater=rater(arguments),
            form=report.form,
        )
    periods = [] if report.by == "all" else [report.by]
    return show_table(
        arguments,
        report,
        ["rater", *periods, "labels", "known answers", "agreement", "minutes"],
        [
            [
                row.rater,
                *([row.period] if periods else []),
                f"{row.labels:,}",
                estimate_text(row.known, 2),
                estimate_text(row.agreement, 2),
                estimate_text(row.minutes, 1),
            ]
            for row in report.rows
        ],
        empty=tr("Nobody has labelled with form {form}.", form=report.form),
    )


COMMANDS = (choose, mix, list_known)
"""The commands of the group `known`; `show_reliability` stands beside the other figures over
labels."""
