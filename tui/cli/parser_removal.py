"""The commands that put things out of sight, bring them back, or remove them for good."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.cli.parser import _Commands

KINDS = ("run", "dataset", "corpus")


def add_removal(commands: _Commands) -> None:
    """Adds `corpora`, `datasets`, `delete` and `restore`."""
    add_all(commands.add("corpora", "inventory", "list_corpora", "list the corpora"))
    add_all(commands.add("datasets", "inventory", "list_datasets", "list the datasets"))
    delete = commands.add(
        "delete", "removal", "delete", "archive a run, dataset or corpus, or remove it for good"
    )
    _thing(delete)
    delete.add_argument(
        "--purge",
        action="store_true",
        help="remove it for good, with all that nothing else needs; people's labels never",
    )
    delete.add_argument("--yes", action="store_true", help="purge without asking")
    _thing(commands.add("restore", "removal", "restore", "bring back what was archived"))


def add_all(listing: argparse.ArgumentParser) -> None:
    """Gives a list the option that shows what is archived too."""
    listing.add_argument("--all", action="store_true", help="also what is archived")


def _thing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=KINDS, metavar="run|dataset|corpus", help="what it is")
    parser.add_argument("name", metavar="NAME", help="of a run its number will do")
