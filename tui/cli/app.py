"""The opening of the app by `ragdesk` without a command."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tui.cli.options import rater

FIRST_LOOK_SECONDS = 0.15
"""The first picture waits so long at most for the contents of the workspace."""

PLACES_OF_FORMS = {None: "", "inspection": "inspect"}
"""The place where a rater goes on, by the form of their last label; other forms are at Label."""


def open_app(arguments: argparse.Namespace) -> int:
    """Opens the app over the workspace; returns its exit code when it is left.

    A workspace that is not there yet opens empty and says how to fill it; one that cannot be
    opened is refused here, in one sentence, before the screen is taken over.
    """
    from engine.text.signs import ASCII_VARIABLE
    from store.errors import UsageError
    from store.labels import queue
    from store.workspace import FILE_NAME, open_workspace
    from tui.shell.terminal import FULL_REDRAW_VARIABLE, prepare

    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise UsageError(
            "The app needs a terminal for input and output.",
            "Every action has a command too: `ragdesk --help`.",
        )
    folder = arguments.workspace
    who = rater(arguments)
    last_form = None
    if (folder / FILE_NAME).exists():
        with open_workspace(folder) as workspace:
            last_form = queue.last_form(workspace.db, who)
    if arguments.ascii:
        os.environ[ASCII_VARIABLE] = "1"
    if arguments.full_redraw:
        os.environ[FULL_REDRAW_VARIABLE] = "1"
    prepare()

    code = 0
    while who:
        code, who = _run(folder, who, PLACES_OF_FORMS.get(last_form, "label"), arguments.no_mouse)
        last_form = None
    return code


def _run(folder: Path, who: str, place: str, no_mouse: bool) -> tuple[int, str]:
    """Runs the app until it is left; returns its exit code, and who goes on with it anew."""
    from tui.live.watcher import Watcher

    watcher = Watcher(folder, who)
    watcher.start()
    from tui.app import Ragdesk

    watcher.first_look.wait(FIRST_LOOK_SECONDS)
    app = Ragdesk.with_own_keys(watcher, rater=who, place=place)
    app.run(mouse=not no_mouse)
    return app.return_code or 0, app.next_rater
