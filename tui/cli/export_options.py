"""The options of `export KIND`."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.cli.import_options import Commands

_KINDS = {
    "omnieval": "write a dataset in the layout of OmniEval's authors",
    "items": "write a dataset with all its history, to be imported elsewhere",
    "beir": "write a dataset as corpus.jsonl, queries.jsonl and qrels.tsv",
    "parquet": "write a dataset as flat tables",
}


def add_dataset_exports(exports: Commands) -> None:
    """Adds the kinds that hold a dataset's items."""
    for name, help in _KINDS.items():
        kind = exports.add(name, "export", "export_dataset", help)
        kind.set_defaults(kind=name)
        kind.add_argument(
            "--dataset", required=True, metavar="NAME[@V]", help="a release, or the head"
        )
        kind.add_argument(
            "--state",
            nargs="+",
            default=[],
            metavar="STATE",
            help="accepted (default of a head), drafted ... or all (default of items)",
        )
        kind.add_argument("--topic", nargs="+", default=[], metavar="KEY", help="default: all")
        kind.add_argument("--task", nargs="+", default=[], metavar="KEY", help="default: all")
        kind.add_argument(
            "--split", default="", metavar="[NAME:]SIDE", help="one side of a split, such as test"
        )
        kind.add_argument(
            "--anonymous", action="store_true", help="pseudonyms in the place of people's names"
        )
        add_place(kind)


def add_place(parser: argparse.ArgumentParser) -> None:
    """Where an export goes: every kind has these."""
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a new folder")
    parser.add_argument("--force", action="store_true", help="replace an earlier export there")


def add_judge_export(exports: Commands) -> None:
    """Adds the kind that holds people's labels of answers."""
    kind = exports.add(
        "judge", "export", "export_judge", "write people's labels to train judges on"
    )
    kind.add_argument(
        "--sample", default="", metavar="SAMPLE", help="default: all labelled answers"
    )
    kind.add_argument("--runs", nargs="+", default=[], metavar="RUN", help="default: all runs")
    kind.add_argument("--metrics", nargs="+", default=[], metavar="M", help="default: all five")
    kind.add_argument(
        "--shapes",
        nargs="+",
        default=[],
        metavar="SHAPE",
        help="trl, openai, alpaca, sharegpt (default: these four), parquet",
    )
    kind.add_argument(
        "--prompt-file",
        nargs="+",
        default=[],
        metavar="[METRIC=]FILE",
        help="another prompt, for a metric or for all",
    )
    kind.add_argument(
        "--reply",
        choices=("value", "omnieval"),
        default="value",
        help='value: {"value": n}, null for n/a; omnieval: {"prediction": n}, -1 for n/a',
    )
    kind.add_argument(
        "--rationale", action="store_true", help="raters' comments as the reason in the reply"
    )
    kind.add_argument(
        "--soft-labels", action="store_true", help="shares of the raters by value, in the records"
    )
    kind.add_argument("--split", default="", metavar="SPLIT", help="default: the one all share")
    kind.add_argument(
        "--anonymous", action="store_true", help="pseudonyms in the place of people's names"
    )
    add_place(kind)
