"""A copy of a workspace's file that has the judges trained in the workspace."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from store.clock import now_text
from store.errors import DiskFull
from store.workspace import open_workspace

BACKUPS = "backups"


class Backup(Struct, frozen=True):
    """A copy that was checked."""

    file: str
    bytes: int
    notes: tuple[str, ...]
    """What of the workspace is not in it, one sentence each."""


def proposed_backup(folder: Path) -> Path:
    """The file that a backup of the workspace in `folder` made now is written to."""
    stamp = now_text()[:19].replace(":", "").replace("-", "")
    return folder / BACKUPS / f"ragdesk-{stamp}.sqlite"


def back_up(folder: Path, target: Path) -> Backup:
    """Copies the file of the workspace in `folder` to `target`, also while others write.

    Raises WorkspaceError for a `target` that exists or cannot be written.
    """
    # imported on use: it brings the features of answers with it
    from engine.judge.light.folder import fine_tuned, keep_trained

    open_workspace(
        folder, alone=True
    ).close()  # what cannot be opened is refused by the words for that
    notes = []
    try:
        keep_trained(folder)
    except DiskFull as error:
        notes.append(f"Judges trained since the last backup are not in the copy: {error}")
    with open_workspace(folder, alone=True) as workspace:
        made = workspace.backup(target)
    notes += [
        f"{one}, a fine-tuned model, is not in the copy: copy the folder too."
        for one in fine_tuned(folder)
    ]
    return Backup(str(made), made.stat().st_size, tuple(notes))
