"""The options that several commands share, with the functions that read them."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import InputError, UsageError, WorkspaceError

if TYPE_CHECKING:
    from engine.jobs.budget import Budget
    from store.records import ChunkingSettings, Taxonomy
    from store.workspace import Workspace


def workspace_of(arguments: argparse.Namespace, *, create: bool = False) -> Workspace:
    """Opens the workspace that --workspace names; `create` makes one that is missing."""
    from store.workspace import open_workspace

    return open_workspace(arguments.workspace, create=create)


def rater(arguments: argparse.Namespace) -> str:
    """Returns the rater's name: --rater, else $RAGDESK_RATER, else the user's name."""
    if arguments.rater:
        return str(arguments.rater)
    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        raise WorkspaceError("Your user name is unknown.", "Give --rater NAME.") from error


def add_budget(parser: argparse.ArgumentParser) -> None:
    """Adds --max-tokens and --max-cost."""
    parser.add_argument(
        "--max-tokens", type=int, metavar="N", help="pause the job after this many tokens"
    )
    parser.add_argument(
        "--max-cost",
        type=float,
        metavar="X",
        help="pause the job at this cost, in the currency of the provider's prices",
    )


def budget_of(arguments: argparse.Namespace) -> Budget:
    from engine.jobs.budget import Budget

    return Budget(arguments.max_tokens, arguments.max_cost)


def add_model(parser: argparse.ArgumentParser, otherwise: str) -> None:
    """Adds --model; `otherwise` says what is done without one."""
    parser.add_argument(
        "--model", metavar="NAME", help=f"a provider of ragdesk.toml (default: {otherwise})"
    )


def add_detach(
    parser: argparse.ArgumentParser, then: str = "the job runs in the background"
) -> None:
    """Adds --detach; `then` says what the worker does when the command has returned."""
    parser.add_argument("--detach", action="store_true", help=f"return at once; {then}")


def add_dry_run(parser: argparse.ArgumentParser) -> None:
    """Adds --dry-run."""
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print the estimated calls, tokens and cost; ask no model and store nothing",
    )


def add_all(parser: argparse.ArgumentParser) -> None:
    """Adds the option of a list that shows what is archived too."""
    parser.add_argument("--all", action="store_true", help="also list what is archived")


def add_out(parser: argparse.ArgumentParser) -> None:
    """Adds --out for a result that goes to standard output without it."""
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="file to write (default: standard output)"
    )


def add_form(parser: argparse.ArgumentParser, default: str = "inspection") -> None:
    """Adds --form."""
    parser.add_argument(
        "--form", default=default, metavar="FORM", help=f"form of the labels (default {default})"
    )


def add_taxonomy(
    parser: argparse.ArgumentParser,
    default: str = "omnieval",
    of: str = "taxonomy of topics and tasks",
) -> None:
    """Adds --taxonomy; `of` says what it is of."""
    parser.add_argument(
        "--taxonomy", default=default, metavar="NAME", help=f"{of} (default {default})"
    )


def chosen_taxonomy(arguments: argparse.Namespace) -> Taxonomy:
    """The taxonomy that --taxonomy names: a shipped one, or one of the workspace."""
    from engine.taxonomy.definitions import load_taxonomy, shipped_taxonomies
    from engine.taxonomy.stored import find_taxonomy
    from store.workspace import FILE_NAME

    is_shipped = arguments.taxonomy in shipped_taxonomies()
    if is_shipped or not (arguments.workspace / FILE_NAME).exists():
        return load_taxonomy(arguments.taxonomy)
    with workspace_of(arguments) as workspace:
        return find_taxonomy(workspace.db, arguments.taxonomy)


def add_chunking(parser: argparse.ArgumentParser) -> None:
    """Adds how a corpus is cut into chunks."""
    parser.add_argument(
        "--chunk-size", type=int, metavar="N", help="size of a chunk (default 2048)"
    )
    parser.add_argument(
        "--chunk-overlap",
        type=int,
        metavar="N",
        help="overlap of neighbouring chunks (default 256)",
    )
    parser.add_argument("--unit", choices=("tokens", "chars"), help="unit of both (default tokens)")


def chunking_settings(arguments: argparse.Namespace) -> ChunkingSettings | None:
    """The chunk options, or None when none was given."""
    from store.records import ChunkingSettings

    given = (arguments.chunk_size, arguments.chunk_overlap, arguments.unit)
    if all(value is None for value in given):
        return None
    standard = ChunkingSettings()
    size = standard.size if arguments.chunk_size is None else arguments.chunk_size
    overlap = arguments.chunk_overlap
    if overlap is None:
        overlap = min(standard.overlap, size // 8)
    return ChunkingSettings(size, overlap, arguments.unit or standard.unit)


def pair(text: str, form: str) -> tuple[str, str]:
    """Splits an argument such as NAME=FILE into its two sides; `form` is named in the error
    message."""
    name, mark, value = text.partition("=")
    if not (name and mark and value.strip()):
        raise UsageError(f"{text!r} is not of the form {form}.")
    return name, value


@contextmanager
def typed() -> Iterator[None]:
    """Turns an InputError into a UsageError, for values from the command line."""
    try:
        yield
    except InputError as error:
        raise UsageError(error.message, error.remedy) from error
