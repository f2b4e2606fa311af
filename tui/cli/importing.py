"""What all commands of `import` share: they ask for an import as the app does."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import Argument, Command
from tui.cli.options import chosen_taxonomy, chunking_settings, filled, pair, rater
from tui.cli.output import ProgressLine, say_first
from tui.language import tr

if TYPE_CHECKING:
    from engine.importers.outcome import Outcome
    from engine.importers.sources import Import
    from store.workspace import Workspace

SHOWN_WARNINGS = 20
_MORE = tr("warning: {} more (all of them with --json)")


def imports(
    run: Callable[[argparse.Namespace], int],
    name: str,
    help: str,
    *arguments: Argument,
    example: str,
) -> Command:
    """Returns the command that imports from the source of its name."""
    return Command(name, help, run, arguments, example, {"source": name})


def asked_for(arguments: argparse.Namespace) -> Import:
    """Returns the import that is asked for: the options are called as its fields are. Raises
    UsageError and NotFound for what could not be meant, before a workspace is made."""
    from engine.importers.sources import Import

    given = {**vars(arguments), "run": getattr(arguments, "run_name", None)}
    k = given.get("depth")
    if k is not None and not 1 <= k <= 1000:
        raise UsageError(f"--k is {k}.", "Use 1 to 1000.")
    if given.get("taxonomy"):
        chosen_taxonomy(arguments)
    for field, form in (
        ("tasks", "--task-map TYPE=TASK"),
        ("expansions", "--expansions NAME=FILE"),
    ):
        for text in given.get(field, ()):
            pair(text, form)
    if "chunk_size" in given:
        given["chunking"] = chunking_settings(arguments)
    files = given["files"]
    given["files"] = files if isinstance(files, list) else [*filter(None, [files])]
    return filled(Import, argparse.Namespace(**given), author=rater(arguments))


def bring_in(workspace: Workspace, asked: Import) -> Any:
    """Imports it and shows how many documents have come in; returns the report of the import."""
    line = ProgressLine()
    report = asked.bring_in(workspace, lambda stored: line.show(plural(stored.seen, "document")))
    line.end()
    return report


def show_outcome(outcome: Outcome) -> None:
    """Prints what came in, and says what was not as it should be."""
    say_first(
        [tr("warning: {text}", text=text) for text in outcome.warnings], SHOWN_WARNINGS, _MORE
    )
    for line in outcome.lines:
        print(line)
