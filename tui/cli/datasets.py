"""Commands on datasets as a whole: datasets, release, split."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import command, option
from tui.cli.options import ALL, workspace_of
from tui.cli.output import print_json, print_line, print_list, print_table, say_first, tell
from tui.language import tr

if TYPE_CHECKING:
    from engine.splitting.dataset import SplitReport
    from store.datasets.datasets import Dataset
    from store.datasets.splits import Side
    from store.workspace import Workspace

SHOWN_LEFT_OUT = 20


@command("datasets", "list the datasets", ALL, example="--json")
def list_datasets(arguments: argparse.Namespace) -> int:
    from store.datasets import datasets

    with workspace_of(arguments) as workspace:
        rows = [
            _dataset_row(workspace, dataset)
            for dataset in datasets.listing(workspace.db, archived=arguments.all)
        ]
    return print_list(
        arguments,
        "datasets",
        rows,
        ("name", "corpus", "taxonomy", "items", "accepted", "releases"),
        empty=tr("No dataset yet. Make one: ragdesk generate, or ragdesk import"),
    )


def _dataset_row(workspace: Workspace, dataset: Dataset) -> dict[str, object]:
    from store.corpora import corpora, taxonomies
    from store.datasets import datasets
    from store.lifecycle import archiving

    db = workspace.db
    states = datasets.state_counts(db, dataset)
    return {
        "name": dataset.name,
        "corpus": corpora.get_by_id(db, dataset.corpus_id).name,
        "taxonomy": taxonomies.get(db, dataset.taxonomy_id).key,
        "items": sum(states.values()),
        "accepted": states.get("accepted", 0),
        "releases": len(datasets.releases(db, dataset)),
        "archived": archiving.hidden_by(db, "dataset", dataset.id) is not None,
    }


@command(
    "release",
    "freeze a version of a dataset",
    option("--dataset NAME", "dataset whose accepted items are frozen", required=True),
    option("--note TEXT", "note to keep with the version", ""),
    option(
        "--unanswered",
        "also freeze authored questions that wait for their answer, for systems to answer",
    ),
    example="--dataset mine --note 'after the second round'",
)
def release(arguments: argparse.Namespace) -> int:
    from engine.splitting.dataset import release_dataset

    with workspace_of(arguments) as workspace:
        made, report = release_dataset(
            workspace, arguments.dataset, arguments.note, unanswered=arguments.unanswered
        )
    if arguments.json:
        print_json({"release": made.label, "items": made.items, "split": report})
        return 0
    print_line("released {label}: {items}", label=made.label, items=plural(made.items, "item"))
    show_split(report)
    return 0


@command(
    "split",
    "assign each accepted item to a side of a split, for good",
    option("--dataset NAME", "dataset whose accepted items are split", required=True),
    option("--name SPLIT", "name of the split (default: the dataset's name)", ""),
    option(
        "--sides SIDE=SHARE...", "sides of a new split with their shares (default train=30 test=70)"
    ),
    option("--seed N", "seed of the assignment (default 0)", 0),
    example="--dataset mine --sides train=30 test=70",
)
def split(arguments: argparse.Namespace) -> int:
    from engine.splitting.dataset import split_dataset

    sides = [_side(text) for text in arguments.sides] or None
    with workspace_of(arguments) as workspace:
        report = split_dataset(
            workspace, arguments.dataset, name=arguments.name, sides=sides, seed=arguments.seed
        )
    if arguments.json:
        print_json(report)
        return 0
    show_split(report)
    if report.balance:
        print()
        sides_shown = [side.side for side in report.sides]
        counts = {(row.field, row.value, row.side): row.count for row in report.balance}
        labels = sorted({(row.field, row.value) for row in report.balance})
        print_table(
            ("label", "value", *sides_shown),
            [
                (
                    field,
                    value,
                    *(f"{counts.get((field, value, side), 0):,}" for side in sides_shown),
                )
                for field, value in labels
            ],
        )
    return 0


def show_split(report: SplitReport) -> None:
    """Prints the sides with their sizes, and the items that are on none."""
    tell(
        "split {name}: {items} got a side.",
        name=report.split.name,
        items=plural(report.added, "item"),
    )
    print_table(
        ("side", "items", "groups", "target"),
        [
            (side.side, f"{side.members:,}", f"{side.groups:,}", f"{side.target:,.1f}")
            for side in report.sides
        ],
    )
    left_out = [
        tr("on no side: {member}: {reason}", member=item.member, reason=item.reason)
        for item in report.left_out
    ]
    say_first(left_out, SHOWN_LEFT_OUT, tr("on no side: {} more (with --json all)"))


def _side(text: str) -> Side:
    from store.datasets.splits import Side

    name, mark, share = text.partition("=")
    try:
        value = float(share)
    except ValueError:
        value = 0.0
    if not (name and mark) or not 0 < value < 1e9:
        raise UsageError(f"{text!r} is not of the form --sides SIDE=SHARE, as train=30.")
    return Side(name, value)


COMMANDS = (list_datasets, release, split)
