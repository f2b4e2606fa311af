"""What is asked of labels and judges: calibrations, goals, and what to label next."""

from __future__ import annotations

from msgspec import Struct

from engine.calibration.calibration_records import Calibration, LabelGoal
from engine.calibration.label_requests import LabelPlan, NextDrawn, NextPlan, NextRequest
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


class NextAnswer(Struct, frozen=True):
    plan: NextPlan
    labels: LabelPlan | None
    """What the question takes; null where nobody said how well it is to be answered."""


class NextQuery(Struct, frozen=True):
    """What a draw by chances would take, and how many labels its question does."""

    request: NextRequest
    asked: float | None
    """Half of the interval's width, or the difference of two runs that is to be found."""
    rater: str

    def answer(self, workspace: Workspace) -> NextAnswer:
        """Raises as `plan_next` and `plan_labels` do."""
        from engine.calibration.next_labels import plan_next
        from engine.calibration.planning import plan_labels

        one, db = self.request, workspace.db
        plan = plan_next(workspace, one)
        if self.asked is None:
            return NextAnswer(plan, None)
        labels = plan_labels(db, one.runs, one.metric, one.judge, self.asked, self.rater)
        return NextAnswer(plan, labels)


class DrawNext(Struct, frozen=True):
    """Have answers drawn by chances into a sample."""

    request: NextRequest

    def answer(self, workspace: Workspace) -> NextDrawn:
        """Raises as `draw_next` does."""
        from engine.calibration.next_labels import draw_next

        return draw_next(workspace, self.request)
