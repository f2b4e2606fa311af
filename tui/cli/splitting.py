"""The command that splits a dataset, and how a split is shown."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from store.workspace import open_workspace
from tui.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from engine.splitting.dataset import SplitReport
    from store.datasets.splits import Side

SHOWN_LEFT_OUT = 20


def split(arguments: argparse.Namespace) -> int:
    from engine.splitting.dataset import split_dataset

    sides = [_side(text) for text in arguments.sides] or None
    with open_workspace(arguments.workspace) as workspace:
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
    """Prints the sides, and who is on none."""
    say(f"split {report.split.name}: {plural(report.added, 'item')} got a side.")
    print_table(
        ("side", "items", "groups", "target"),
        [
            (one.side, f"{one.members:,}", f"{one.groups:,}", f"{one.target:,.1f}")
            for one in report.sides
        ],
    )
    for one in report.left_out[:SHOWN_LEFT_OUT]:
        say(f"on no side: {one.member}: {one.reason}")
    if len(report.left_out) > SHOWN_LEFT_OUT:
        say(f"on no side: {len(report.left_out) - SHOWN_LEFT_OUT:,} more (with --json all)")


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
