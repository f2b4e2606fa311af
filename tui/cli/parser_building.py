"""The options of the commands on taxonomies, inspection and splits."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.cli.parser import _Commands

_STATES = ("drafted", "needs_correction", "corrected", "accepted", "discarded")


def add_taxonomy(parser: argparse.ArgumentParser) -> None:
    """Adds --taxonomy."""
    parser.add_argument(
        "--taxonomy", default="omnieval", metavar="NAME", help="topics and tasks (default omnieval)"
    )


def add_topics(commands: _Commands) -> None:
    """Adds topics and classify."""
    topics = commands.group(
        "topics", "taxonomies of topics and tasks", "list|build|prune|import|export"
    )
    listing = topics.add("list", "topics", "list_topics", "list a taxonomy's topics and tasks")
    add_taxonomy(listing)
    listing.add_argument("--corpus", metavar="NAME", help="count this corpus' documents a topic")

    build = topics.add("build", "topics", "build", "propose topics for a corpus")
    build.add_argument(
        "--corpus", required=True, metavar="NAME", help="whose documents the topics are for"
    )
    build.add_argument("--name", required=True, metavar="TAXONOMY", help="what to call them")
    build.add_argument("--domain", default="", metavar="TEXT", help="default: the corpus' name")
    build.add_argument("--count", type=int, default=12, metavar="N", help="about (default 12)")
    build.add_argument("--lang", choices=("zh", "en"), help="default: of most documents")
    build.add_argument(
        "--sample",
        type=int,
        default=40,
        metavar="N",
        help="documents that a model is shown (default 40)",
    )
    build.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")
    _tasks_from(build)
    _model(build, "topics by shared words")
    _background(build)

    prune = topics.add("prune", "topics", "prune", "drop or rename topics of a taxonomy")
    prune.add_argument("taxonomy", metavar="TAXONOMY", help="as `topics list --taxonomy` takes it")
    prune.add_argument(
        "--drop", nargs="+", default=[], metavar="KEY", help="a topic, or the name of a group"
    )
    prune.add_argument(
        "--rename", nargs="+", default=[], metavar="KEY=NAME", help="the key stays as it is"
    )
    prune.add_argument(
        "--lang", choices=("zh", "en"), help="of the new names (default: both languages)"
    )
    prune.add_argument("--as", dest="new_name", default="", metavar="NAME", help="prune a copy")

    bring = topics.add(
        "import", "topics", "import_topics", "read a taxonomy, or a topic_tree.json of OmniEval"
    )
    bring.add_argument("file", type=Path, metavar="FILE", help="JSON")
    bring.add_argument("--name", default="", metavar="TAXONOMY", help="default: the file's key")
    _tasks_from(bring)

    write = topics.add("export", "topics", "export_topics", "write a taxonomy as JSON, to edit it")
    write.add_argument(
        "taxonomy", metavar="TAXONOMY", help="one that comes with ragdesk, or your own"
    )
    write.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")

    classify = commands.add("classify", "topics", "classify", "give each document its topic")
    classify.add_argument(
        "--corpus", required=True, metavar="NAME", help="whose documents are classified"
    )
    add_taxonomy(classify)
    classify.add_argument("--again", action="store_true", help="also documents that have a topic")
    _model(classify, "by words")
    _background(classify)
    _dry_run(classify)


def add_quality(commands: _Commands) -> None:
    """Adds inspect and split."""
    inspect = commands.add(
        "inspect", "inspection", "inspect", "judge drafted items 0, 1 or 2, and correct the 1s"
    )
    inspect.add_argument(
        "--dataset", required=True, metavar="NAME", help="whose items are inspected"
    )
    inspect.add_argument(
        "--only-state",
        nargs="+",
        default=["drafted"],
        choices=_STATES,
        metavar="STATE",
        help="of the items (default drafted)",
    )
    _model(inspect, "the five checks by rule")
    _background(inspect)
    _dry_run(inspect)

    split = commands.add(
        "split", "splitting", "split", "give each accepted item its side, once and for all"
    )
    split.add_argument(
        "--dataset", required=True, metavar="NAME", help="whose accepted items are split"
    )
    split.add_argument("--name", default="", metavar="SPLIT", help="default: the dataset's name")
    split.add_argument(
        "--sides",
        nargs="+",
        default=[],
        metavar="SIDE=SHARE",
        help="of a new split (default train=30 test=70)",
    )
    split.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")


def _tasks_from(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tasks-from",
        default="omnieval",
        metavar="TAXONOMY",
        help="whose tasks it has (default omnieval)",
    )


def _model(parser: argparse.ArgumentParser, otherwise: str) -> None:
    parser.add_argument(
        "--model", metavar="NAME", help=f"a provider of ragdesk.toml (default: {otherwise})"
    )


def _background(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-tokens", type=int, metavar="N", help="pause after so many tokens")
    parser.add_argument(
        "--max-cost", type=float, metavar="X", help="pause after so much money, in its currency"
    )
    parser.add_argument("--detach", action="store_true", help="return at once; the worker goes on")


def _dry_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dry-run", action="store_true", help="say what it would take; ask no model, store nothing"
    )
