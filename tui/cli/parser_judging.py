"""The options of the commands about judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.cli.parser import _Commands


def add_judging(commands: _Commands) -> None:
    """Adds judges and judge."""
    commands.add("judges", "judging", "list_judges", "list who can judge answers")

    judge = commands.add("judge", "judging", "judge", "let a judge score the answers of a run")
    judge.add_argument("run_name", metavar="RUN", help="name or number")
    judge.add_argument("--judge", required=True, metavar="NAME", help="as `judges` lists them")
    judge.add_argument("--metrics", nargs="+", metavar="M", help="default: all that it gives")
    judge.add_argument("--max-tokens", type=int, metavar="N", help="pause after so many tokens")
    judge.add_argument(
        "--max-cost", type=float, metavar="X", help="pause after so much money, in its currency"
    )
    judge.add_argument("--detach", action="store_true", help="return at once; the worker goes on")
    judge.add_argument(
        "--dry-run", action="store_true", help="say what it would take; ask no model, store nothing"
    )
