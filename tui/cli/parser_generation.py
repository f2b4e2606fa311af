"""The options of the command that generates items."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.cli.parser import _Commands


def add_generation(commands: _Commands) -> None:
    """Adds generate."""
    generate = commands.add(
        "generate", "generation", "generate", "write items into the cells of a dataset"
    )
    generate.add_argument(
        "--corpus", required=True, metavar="NAME", help="whose documents are drafted from"
    )
    generate.add_argument("--dataset", required=True, metavar="NAME", help="made if missing")
    generate.add_argument(
        "--per-cell",
        type=int,
        required=True,
        metavar="N",
        help="items of a topic and task; what the dataset holds counts",
    )
    generate.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all of the taxonomy")
    generate.add_argument(
        "--topics",
        nargs="+",
        metavar="TOPIC",
        help="default: all of the taxonomy; unassigned for documents without a topic",
    )
    generate.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="TOPIC/TASK=N",
        help="another number for one cell, 0 to leave it out; may be repeated",
    )
    generate.add_argument("--taxonomy", metavar="NAME", help="of a new dataset (default omnieval)")
    generate.add_argument(
        "--model", metavar="NAME", help="a provider of ragdesk.toml (default: drafts by rule)"
    )
    generate.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the order of documents (default 0)"
    )
    generate.add_argument("--max-tokens", type=int, metavar="N", help="pause after so many tokens")
    generate.add_argument(
        "--max-cost", type=float, metavar="X", help="pause after so much money, in its currency"
    )
    generate.add_argument(
        "--inspect",
        nargs="?",
        const="offline",
        metavar="MODEL",
        help="when it is done, inspect the drafts: by a provider's model, or by the five checks",
    )
    generate.add_argument(
        "--detach", action="store_true", help="return at once; the worker goes on"
    )
    generate.add_argument(
        "--dry-run", action="store_true", help="say what it would take; ask no model, store nothing"
    )
