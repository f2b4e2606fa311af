"""The workspace as a child process of the pool sees it: opened once, for reading.

Functions that run in children name what they need by number and read it from the store
themselves, so that little travels between processes.
"""

from __future__ import annotations

from pathlib import Path

from store.workspace import Workspace, open_workspace

_folder: Path | None = None
_workspace: Workspace | None = None


def use_folder(folder: Path) -> None:
    """Names the folder of the workspace; called when a child starts."""
    global _folder, _workspace
    _folder, _workspace = folder, None


def workspace() -> Workspace:
    """The workspace, open from the first call on."""
    global _workspace
    if _folder is None:
        raise RuntimeError("use_folder was not called in this process")
    if _workspace is None:
        _workspace = open_workspace(_folder)
    return _workspace
