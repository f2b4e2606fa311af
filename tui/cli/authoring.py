"""The commands on authoring: author begin, author show."""

from __future__ import annotations

import argparse

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import Group, command, option
from tui.cli.options import filled, rater, workspace_of
from tui.cli.output import print_json, print_line, print_table, show
from tui.language import tr


@command(
    "begin",
    "give documents out to be authored",
    option("ROUND", "name of the new round", dest="name"),
    option("--corpus NAME", "corpus whose documents are given out", required=True),
    option("--dataset NAME", "dataset for the items; made if missing", required=True),
    option("--items N", "number of items to author", required=True),
    option(
        "--documents RANGE",
        "documents given together, on one matter: 1, or from 1 to 4 as in 1-4 (default 1)",
        "1",
    ),
    option("--writers NAME...", "who writes questions and marks spans (default: anyone)"),
    option("--answerers NAME...", "who writes final answers (default: anyone)"),
    option("--leads NAME...", "who vets (default: anyone)"),
    option("--taxonomy NAME", "taxonomy of a new dataset (default ekrag)", ""),
    option("--seed N", "seed of the draw (default 0)", 0),
    example="q3 --corpus filings --dataset team --items 20 --documents 1-4"
    " --writers ann bo --answerers bo cy --leads lin",
)
def begin(arguments: argparse.Namespace) -> int:
    from engine.generate.commissions import RoundRequest, begin_round

    fewest, most = _range(arguments.documents)
    asked = filled(RoundRequest, arguments, fewest=fewest, most=most)
    with workspace_of(arguments) as workspace:
        made = begin_round(workspace, asked, rater(arguments))
    return show(
        arguments,
        made,
        tr(
            "round {name}: {items} of dataset {dataset} to be authored from {documents}; "
            "the app gives them out at Label",
            name=made.name,
            items=plural(made.items, "item"),
            dataset=made.dataset,
            documents=plural(made.documents, "document"),
        ),
    )


def _range(text: str) -> tuple[int, int]:
    fewest, mark, most = text.partition("-")
    try:
        return int(fewest), int(most if mark else fewest)
    except ValueError:
        raise UsageError(f"--documents {text!r} is no range.", "Give 1, or 1-4.") from None


@command(
    "show",
    "how far rounds are, and who does what",
    option("[ROUND]", "one round (default: all)", dest="name"),
    example="q3",
)
def show_rounds(arguments: argparse.Namespace) -> int:
    from msgspec.structs import astuple

    from engine.generate.commissions import rounds

    with workspace_of(arguments) as workspace:
        found = rounds(workspace.db, arguments.name or "")
    if arguments.json:
        print_json(
            [
                {"round": one.name, "dataset": one.dataset}
                | dict(zip(("writers", "answerers", "leads"), one.people, strict=True))
                | {"progress": one.progress}
                for one in found
            ]
        )
        return 0
    if not found:
        print_line("No round yet. Begin one: ragdesk author begin --help")
        return 0
    print_table(
        ["round", "dataset", "items", "write", "answer", "vet", "again", "accepted", "discarded"],
        [
            [one.name, one.dataset, *(str(count) for count in astuple(one.progress))]
            for one in found
        ],
    )
    anyone, steps = tr("anyone"), (tr("writers"), tr("answerers"), tr("leads"))
    for one in found:
        people = zip(steps, one.people, strict=True)
        named = "; ".join(f"{step} {', '.join(names) or anyone}" for step, names in people)
        print(f"{one.name}: {named}")
    return 0


COMMANDS = (
    Group(
        "author",
        "rounds in which people write items from documents",
        "begin|show",
        (begin, show_rounds),
    ),
)
