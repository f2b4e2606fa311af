"""The options that several commands share, with the functions that read them."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from store.errors import InputError, UsageError, WorkspaceError
from tui.cli.command import Argument, option
from tui.language import later, tr

if TYPE_CHECKING:
    from msgspec import Struct

    from engine.jobs.operation import Budget
    from store.labels.news import Seen
    from store.records import ChunkingSettings, Taxonomy
    from store.workspace import Workspace

S = TypeVar("S", bound="Struct")


def workspace_of(arguments: argparse.Namespace, *, create: bool = False) -> Workspace:
    """Opens the workspace that --workspace names; `create` makes one that is missing."""
    from store.workspace import open_workspace

    return open_workspace(arguments.workspace, create=create, alone=True)


def rater(arguments: argparse.Namespace) -> str:
    """Returns the rater's name: --rater, else $RAGDESK_RATER, else the user's name. In a workspace
    that a group shares it is the account, and an operator may name another, which is logged.

    Raises NotAllowed for anybody else who does.
    """
    from store.sharing.modes import is_shared

    if is_shared(arguments.workspace):
        return _rater_of_team(arguments)
    if arguments.rater:
        return str(arguments.rater)
    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        raise WorkspaceError("Your user name is unknown.", "Give --rater NAME.") from error


def _rater_of_team(arguments: argparse.Namespace) -> str:
    from store.sharing import team
    from store.sharing.accounts import account

    own = account()
    if arguments.rater in ("", own):
        return own
    with workspace_of(arguments) as workspace:
        if not workspace.role.may(team.Role.OPERATOR):
            raise team.NotAllowed(
                f"You are {own}, and in this workspace the rater is the account.",
                "Leave out --rater and $RAGDESK_RATER; an operator may name somebody else.",
            )
        with workspace.write(durable=True) as db:
            team.note(db, "act", arguments.rater)
    return str(arguments.rater)


BUDGET = (
    option("--max-tokens N", "pause the job after this many tokens"),
    option(
        "--max-cost X",
        "pause the job at this cost, in the currency of the provider's prices",
    ),
)


def budget_of(arguments: argparse.Namespace) -> Budget:
    from engine.jobs.operation import Budget

    return Budget(arguments.max_tokens, arguments.max_cost)


def model_option(otherwise: str) -> Argument:
    """Returns --model; `otherwise` says what is done without one."""
    help = tr("a provider of ragdesk.toml (default: {otherwise})", otherwise=tr(otherwise))
    return option("--model NAME", help)


def detach_option(then: str = later("the job runs in the background")) -> Argument:
    """Returns --detach; `then` says what the worker does when the command has returned."""
    return option("--detach", tr("return at once; {then}", then=tr(then)))


DRY_RUN = option(
    "--dry-run", "print the estimated calls, tokens and cost; ask no model and store nothing"
)


ALL = option("--all", "also list what is archived")


FOLLOW_LINKS = option("--follow-links", "also read links in folders that lead out of what is named")

FORCE = option("--force", "replace the file if it exists; never one of a workspace")

OUT = (option("--out FILE", "file to write (default: standard output)"), FORCE)


def format_options(
    *formats: str, help: str = later("format of the result (default text)")
) -> tuple[Argument, ...]:
    """Returns --format, for text and further formats, with the options of `OUT`."""
    return (option("--format", help, "text", choices=("text", *formats)), *OUT)


def form_option(default: str = "inspection") -> Argument:
    """Returns --form."""
    return option(
        "--form FORM", tr("form of the labels (default {default})", default=default), default
    )


def taxonomy_option(
    default: str = "omnieval", of: str = later("taxonomy of topics and tasks")
) -> Argument:
    """Returns --taxonomy; `of` says what it is of."""
    help = tr("{kind} (default {default})", kind=tr(of), default=default)
    return option("--taxonomy NAME", help, default)


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


CHUNKING = (
    option("--chunk-size N", "size of a chunk (default 2048)"),
    option("--chunk-overlap N", "overlap of neighbouring chunks (default 256)"),
    option("--unit", "unit of both (default tokens)", choices=("tokens", "chars")),
)
"""The options on how a corpus is cut into chunks."""


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


def filled(kind: type[S], arguments: argparse.Namespace, **more: Any) -> S:
    """Makes a struct of the options that are called as its fields, with `more` in the place of
    those that are not. What is None leaves a field its default; several values are a tuple."""
    given = {**vars(arguments), **more}
    fields = {name: given[name] for name in kind.__struct_fields__ if given.get(name) is not None}
    return kind(**{name: _plain(value) for name, value in fields.items()})


def _plain(value: Any) -> Any:
    """Paths as text, several values as a tuple."""
    if isinstance(value, list):
        return tuple(map(_plain, value))
    return str(value) if isinstance(value, Path) else value


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
        raise UsageError(error.message, error.remedy, error.command) from error


def seen_text(seen: Sequence[Seen]) -> str:
    """Says who has seen a message or guideline, and when first."""
    names = ", ".join(f"{one.rater} ({one.at[:16].replace('T', ' ')})" for one in seen)
    return tr("seen by: {names}", names=names or tr("nobody yet"))
