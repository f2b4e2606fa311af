"""The workspace that an action needs: there already, or made for it."""

from __future__ import annotations

from store.errors import RagdeskError
from store.workspace import open_workspace
from tui.screens.host import Host


def has_workspace(host: Host) -> bool:
    """Whether there is a workspace to work on; says so where there is none."""
    if not host.facts.is_open:
        host.advise("There is no workspace yet: F1 says how to begin.")
    return host.facts.is_open


def make_workspace(host: Host) -> bool:
    """Makes the workspace where there is none yet; whether there is one then."""
    if not host.facts.is_open:
        try:
            open_workspace(host.folder, create=True).close()
        except RagdeskError as error:
            host.show_problem(str(error))
            return False
    return True
