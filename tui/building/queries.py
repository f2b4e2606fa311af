"""What is asked of the engine while a dataset is built: an estimate, a job, a changed taxonomy."""

from __future__ import annotations

from msgspec import Struct

from store.workspace import Workspace
from tui.building.requests import BuildRequest, Built


class BuildQuery(Struct, frozen=True):
    request: BuildRequest

    def answer(self, workspace: Workspace) -> Built:
        """Raises what the engine's function for it raises."""
        from tui.building.answers import build

        return build(workspace, self.request)
