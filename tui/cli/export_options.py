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
