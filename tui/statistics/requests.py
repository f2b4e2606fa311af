"""What is asked of the process that computes: reports on work, what is behind them, plans."""

from __future__ import annotations

from msgspec import Struct

from engine.labelling.drawing import Plan, SampleRequest
from engine.labelling.work_records import Axis, JudgedSubject, WorkReport
from store.labels.progress import CellLabels
from store.workspace import Workspace


class ReportRequest(Struct, frozen=True, tag=True):
    form: str
    viewer: str
    by: str
    since: str
    """When the day began, UTC text."""


class JudgedRequest(Struct, frozen=True, tag=True):
    """The subjects behind a row or a cell of a report; a key of None is all of them."""

    form: str
    viewer: str
    by: str
    keys: tuple[str | None, ...]


class ProgressRequest(Struct, frozen=True, tag=True):
    """The cells of a form's samples, of one or of all."""

    form: str
    viewer: str
    sample: str | None


class PlanRequest(Struct, frozen=True, tag=True):
    sample: SampleRequest


WorkRequest = ReportRequest | JudgedRequest | ProgressRequest | PlanRequest


class Progress(Struct, frozen=True):
    """How far the cells of a form's samples are."""

    cells: tuple[CellLabels, ...]
    topics: Axis
    tasks: Axis
    samples: tuple[str, ...]
    """All open samples of the form, by name."""


Worked = WorkReport | tuple[JudgedSubject, ...] | Progress | Plan


def compute(workspace: Workspace, request: WorkRequest) -> Worked:
    """The answer to a request; raises RagdeskError with what is wrong with it."""
    from engine.labelling.drawing import plan_sample
    from engine.labelling.work_report import judged_subjects, named_axes, work_report
    from store.labels import progress as label_progress
    from store.labels import samples as label_samples

    db = workspace.db
    match request:
        case ReportRequest(form, viewer, by, since):
            return work_report(db, form, viewer, by=by, since=since)
        case JudgedRequest(form, viewer, by, keys):
            return tuple(judged_subjects(db, form, viewer, by=by, keys=keys))
        case ProgressRequest(form, viewer, sample):
            cells = label_progress.cell_progress(db, form, viewer, sample=sample)
            names = tuple(one.name for one in label_samples.listing(db, form))
            return Progress(tuple(cells), *named_axes(db, form), names)
        case PlanRequest(asked):
            return plan_sample(workspace, asked)
