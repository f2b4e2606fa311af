"""The command that measures how far raters agree: agree."""

from __future__ import annotations

import argparse

from store.messages import plural
from tui.cli.command import command, option
from tui.cli.options import form_option, workspace_of
from tui.cli.output import print_json, tell, terminal_width
from tui.language import local_name, tr


@command(
    "agree",
    "measure how far raters agree",
    form_option("judge_labels"),
    option("--sample SAMPLE", "only labels of this sample"),
    option("--raters RATER...", "two raters or more (default: all)"),
    option(
        "--by",
        "grouping of the rows (default metric: all labels together)",
        "metric",
        choices=("metric", "cell", "topic", "task", "pair"),
    ),
    option(
        "--statistic",
        "only this statistic, with its interval",
        choices=(
            "raw",
            "kappa",
            "linear",
            "quadratic",
            "alpha",
            "ordinal",
            "ac1",
            "ac2",
            "spearman",
        ),
    ),
    option("--seed N", "seed of the intervals (default 0)", 0),
    example="--form judge_labels --by pair",
)
def agree(arguments: argparse.Namespace) -> int:
    from engine.labelling.figures.agreement import rater_agreement
    from engine.labelling.forms import find_form
    from engine.report.agreement import agreement_text

    with workspace_of(arguments) as workspace:
        form = find_form(workspace.db, arguments.form)
        result = rater_agreement(
            workspace.db,
            form.key,
            sample=arguments.sample,
            by=arguments.by,
            raters=arguments.raters,
            keep_empty=True,
            seed=arguments.seed,
        )
    names = result.raters
    if arguments.json:
        print_json(
            {
                "raters": names,
                "after_reveal": result.after_reveal,
                "with_aids": result.with_aids,
                "agreement": result.rows,
                "self_consistency": result.again,
            }
        )
        return 0
    options = {"only": arguments.statistic, "width": terminal_width()}
    if len(names) < 2:
        tell(
            "complete labels of {raters}: agreement needs two raters",
            raters=", ".join(names) or tr("nobody"),
        )
    else:
        print(f"{local_name(form)}: {', '.join(names)}")
        print(agreement_text(result.rows, **options))
    if result.again:
        print(f"\n{tr('the same rater again (hidden repeats)')}")
        print(agreement_text(result.again, **options))
    if result.after_reveal:
        subjects = plural(result.after_reveal, "subject")
        tell("{subjects} labelled after looking at what the form hides", subjects=subjects)
    if result.with_aids:
        subjects = plural(result.with_aids, "subject")
        tell(
            "{subjects} labelled with the comparison to the golden answer in sight",
            subjects=subjects,
        )
    return 0


COMMANDS = (agree,)
