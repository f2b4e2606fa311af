"""New workspaces as copies of one that is made once, since making one applies every migration.

The fixture `made_anew` turns that off, for tests of how a workspace is made.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

from store import migrations, workspace
from store.sharing import modes
from store.sharing.modes import FILE_NAME

MADE_VARIABLE = "RAGDESK_TEST_WORKSPACE"
"""Folder of the workspace that is copied; set for everything that the tests start."""

_STEPS = migrations.STEPS
_REAL_NEW_FILE = modes.new_file


def use_made_workspace() -> None:
    """Makes this process, and what it forks, begin each new workspace with a copy."""
    modes.new_file = _new_file


def _new_file(file: Path) -> None:
    is_usual = migrations.STEPS is _STEPS and MADE_VARIABLE in os.environ
    if file.name != FILE_NAME or not is_usual or file.exists():
        _REAL_NEW_FILE(file)
        return
    begun = file.with_name(f"{FILE_NAME}.{os.getpid()}.{threading.get_ident()}")
    try:
        # the whole file at once, as another process may look at any moment
        shutil.copyfile(_made(Path(os.environ[MADE_VARIABLE])), begun)
        begun.chmod(0o600)
        with suppress(FileExistsError):
            os.link(begun, file)
    finally:
        begun.unlink(missing_ok=True)


def _made(folder: Path) -> Path:
    """The file that is copied; the first process that asks makes it for all."""
    file = folder / "made" / FILE_NAME
    if not file.exists():
        folder.mkdir(exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                begun = folder / "begun"
                begun.mkdir(exist_ok=True)
                (begun / FILE_NAME).unlink(missing_ok=True)
                workspace._connect(begun / FILE_NAME, workspace.BUSY_MS).close()
                begun.rename(file.parent)
    return file
