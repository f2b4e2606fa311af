"""What is asked of labels: agreement, answers read, figures over work, what a draw would add."""

from __future__ import annotations

from msgspec import Struct

from engine.labelling.drawing.drawing import Plan, SampleRequest
from engine.labelling.figures.agreement_records import By, RaterAgreement
from engine.labelling.figures.work_records import LabelledSubject, SampleProgress, WorkReport
from engine.labelling.reading.answer_records import AnswerReading
from store.workspace import Workspace


class AgreementQuery(Struct, frozen=True):
    """How far raters agree; a sample of None is all labels, a field of "" every field."""

    form: str
    sample: str | None
    by: By
    field: str

    def answer(self, workspace: Workspace) -> RaterAgreement:
        """Raises as `rater_agreement` does."""
        from engine.labelling.figures.agreement import rater_agreement

        return rater_agreement(
            workspace.db, self.form, sample=self.sample, by=self.by, field=self.field
        )


class AnswersQuery(Struct, frozen=True):
    """Some predictions read beside what was retrieved for them."""

    predictions: tuple[int, ...]

    def answer(self, workspace: Workspace) -> tuple[AnswerReading, ...]:
        """One reading for each prediction, in their order."""
        from engine.labelling.reading.answer_reading import read_prediction

        return tuple(read_prediction(workspace.db, one) for one in self.predictions)


class WorkQuery(Struct, frozen=True):
    """Figures over raters' work with a form."""

    form: str
    viewer: str
    """Who looks: what this rater has not labelled yet stays hidden."""
    by: str
    since: str
    """When the day began, UTC text."""

    def answer(self, workspace: Workspace) -> WorkReport:
        """Raises as `work_report` does."""
        from engine.labelling.figures.work_report import work_report

        return work_report(workspace.db, self.form, self.viewer, by=self.by, since=self.since)


class LabelledQuery(Struct, frozen=True):
    """The subjects behind a row or a cell of a report; a key of None is all of them."""

    form: str
    viewer: str
    by: str
    keys: tuple[str | None, ...]

    def answer(self, workspace: Workspace) -> tuple[LabelledSubject, ...]:
        """Raises as `labelled_subjects` does."""
        from engine.labelling.figures.work_report import labelled_subjects

        db = workspace.db
        return tuple(labelled_subjects(db, self.form, self.viewer, by=self.by, keys=self.keys))


class ProgressQuery(Struct, frozen=True):
    """The cells of a form's samples, of one or of all."""

    form: str
    viewer: str
    sample: str | None

    def answer(self, workspace: Workspace) -> SampleProgress:
        """Raises NotFound for an unknown form."""
        from engine.labelling.figures.work_report import named_axes
        from store.labels.samples import progress, samples

        db = workspace.db
        cells = progress.cell_progress(db, self.form, self.viewer, sample=self.sample)
        names = tuple(one.name for one in samples.listing(db, self.form))
        return SampleProgress(tuple(cells), *named_axes(db, self.form), names)


class DrawQuery(Struct, frozen=True):
    """What drawing a sample would do."""

    sample: SampleRequest

    def answer(self, workspace: Workspace) -> Plan:
        """Raises as `plan_sample` does."""
        from engine.labelling.drawing.drawing import plan_sample

        return plan_sample(workspace, self.sample)
