"""The query for a calibration of judges against people."""

from __future__ import annotations

from msgspec import Struct

from engine.calibration.calibration_records import Calibration
from store.workspace import Workspace


class CalibrationQuery(Struct, frozen=True):
    """Every judge against people; a sample of None is all labels."""

    sample: str | None

    def answer(self, workspace: Workspace) -> Calibration:
        """Raises as `calibrate_judges` does."""
        from engine.calibration.calibrate import calibrate_judges

        return calibrate_judges(workspace, sample=self.sample)
