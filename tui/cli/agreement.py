"""The command that measures how far raters agree: agree."""

from __future__ import annotations

import argparse

from store.errors import NotFound, UsageError
from store.messages import choices, plural
from tui.cli.command import Command
from tui.cli.options import add_form, workspace_of
from tui.cli.output import print_json, say, terminal_width


def _agree_arguments(parser: argparse.ArgumentParser) -> None:
    add_form(parser, "judge_labels")
    parser.add_argument("--sample", metavar="SAMPLE", help="only labels of this sample")
    parser.add_argument(
        "--raters", nargs="+", default=[], metavar="RATER", help="two raters or more (default: all)"
    )
    parser.add_argument(
        "--by",
        choices=("metric", "cell", "topic", "task", "pair"),
        default="metric",
        help="grouping of the rows (default metric: all labels together)",
    )
    parser.add_argument(
        "--statistic",
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
        help="only this statistic, with its interval",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the intervals (default 0)"
    )


def agree(arguments: argparse.Namespace) -> int:
    from engine.labelling.agreement_figures import agreement, rater_names, self_consistency
    from engine.labelling.forms import load_form
    from engine.report.agreement import agreement_text
    from store.labels import agreement as label_agreement

    form = load_form(arguments.form)
    with workspace_of(arguments) as workspace:
        rated = label_agreement.rated(workspace.db, form, sample=arguments.sample)
    known = rater_names(rated)
    for name in arguments.raters:
        if name not in known:
            raise NotFound(
                f"{name} has no complete labels of form {form.key!r} here.",
                choices(name, known, "These have", none="nobody yet"),
            )
    if len(set(arguments.raters)) != len(arguments.raters) or len(arguments.raters) == 1:
        raise UsageError("Agreement is between two raters or more, each named once.")
    rows = agreement(rated, form, by=arguments.by, raters=arguments.raters, seed=arguments.seed)
    own = [
        row
        for row in self_consistency(rated, form, seed=arguments.seed)
        if not arguments.raters or row.group in arguments.raters
    ]
    names = arguments.raters or known
    after_reveal = len(
        {(label.subject, label.rater) for label in rated if label.origin == "human_after_reveal"}
    )
    if arguments.json:
        print_json(
            {
                "raters": names,
                "after_reveal": after_reveal,
                "agreement": rows,
                "self_consistency": own,
            }
        )
        return 0
    options = {"only": arguments.statistic, "width": terminal_width()}
    if len(names) < 2:
        say(f"complete labels of {', '.join(names) or 'nobody'}: agreement needs two raters")
    else:
        print(f"{form.en}: {', '.join(names)}")
        print(agreement_text(rows, **options))
    if own:
        print("\nthe same rater again (hidden repeats)")
        print(agreement_text(own, **options))
    if after_reveal:
        say(f"{plural(after_reveal, 'subject')} labelled after looking at what the form hides")
    return 0


COMMANDS = (
    Command(
        "agree",
        "say how far raters agree",
        agree,
        _agree_arguments,
        "ragdesk agree --form judge_labels --by pair",
    ),
)
