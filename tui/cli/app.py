"""The opening of the app by `ragdesk` without a command."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tui.cli.options import rater
from tui.language import remember, use_language

if TYPE_CHECKING:
    from store.records import Lang
    from tui.app import Ragdesk

FIRST_LOOK_SECONDS = 0.15
"""The first picture waits so long at most for the contents of the workspace."""

PLACES_OF_FORMS = {None: "", "inspection": "inspect"}
"""The place where a rater goes on, by the form of their last label; other forms are at Label."""


def open_app(arguments: argparse.Namespace) -> int:
    """Opens the app over the workspace; returns its exit code when it is left.

    A workspace that is not there yet opens empty and says how to fill it; one that cannot be
    opened is refused here, in one sentence, before the screen is taken over.
    """
    from tui.shell.terminal import FULL_REDRAW_VARIABLE, leave_out_openssl, prepare

    leave_out_openssl()
    from engine.text.signs import ASCII_VARIABLE
    from store.errors import UsageError
    from store.labels.samples import queue
    from store.workspace import FILE_NAME, open_workspace
    from tui.shell.hangup import end_with_terminal

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
    end_with_terminal(sys.stdin.fileno())

    if arguments.lang:
        _keep(arguments.lang)
    place = PLACES_OF_FORMS.get(last_form, "label")
    while True:
        app = _run(folder, who, place, arguments.no_mouse)
        if app.next_language:
            _keep(app.next_language)
            _start_anew(app.next_language, who)
        if not app.next_rater:
            return app.return_code or 0
        who, place = app.next_rater, ""


def _run(folder: Path, who: str, place: str, no_mouse: bool) -> Ragdesk:
    """Runs the app until it is left."""
    from tui.live.watcher import Watcher

    watcher = Watcher(folder, who)
    watcher.start()
    from tui.app import Ragdesk

    watcher.first_look.wait(FIRST_LOOK_SECONDS)
    app = Ragdesk.with_own_keys(watcher, rater=who, place=place)
    app.run(mouse=not no_mouse)
    return app


def _keep(code: Lang) -> None:
    """Keeps the language for this account; where that fails it is spoken this time."""
    with suppress(OSError):
        remember(code, os.environ)


def _start_anew(code: Lang, who: str) -> NoReturn:
    """Starts the process again in that language for this rater: what is imported keeps the texts
    that it has."""
    use_language(code)
    words = iter(sys.orig_argv[1:])
    kept: list[str] = []
    for word in words:
        if word == "--lang":
            next(words)
        elif not word.startswith("--lang="):
            kept.append(word)
    os.execv(sys.executable, [sys.executable, *kept, "--rater", who])
