"""The query for a calibration of judges against people."""

from __future__ import annotations

from msgspec import Struct

from engine.calibration.calibration_records import Calibration, LabelGoal
from store.workspace import Workspace


class CalibrationQuery(Struct, frozen=True):
    """Every judge against people; a sample of None is all labels."""

    sample: str | None

    def answer(self, workspace: Workspace) -> Calibration:
        """Raises as `calibrate_judges` does."""
        from engine.calibration.calibrate import calibrate_judges

        return calibrate_judges(workspace, sample=self.sample)


class GoalQuery(Struct, frozen=True):
    """How far a sample is from answering what it was drawn for."""

    sample: str

    def answer(self, workspace: Workspace) -> LabelGoal | None:
        """None for a sample without a question; raises as `label_goal` does."""
        from engine.calibration.stopping import label_goal

        return label_goal(workspace.db, self.sample)
