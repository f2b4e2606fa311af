"""Looking ahead at exports and writing them, for the Export screen: in a process of its own."""

from __future__ import annotations

from pathlib import Path

from engine.exporters.kinds import export_dataset, verify_export
from engine.exporters.preview import preview_dataset, preview_judge
from engine.exporters.records import Preview, Verified
from engine.exporters.scope import Filters
from engine.judge.base import LABELLED
from engine.training.data.bundle import Wanted
from engine.training.data.shapes import SHAPES
from engine.training.judge_export import DEFAULT_SHAPES, JudgeExport, export_judge
from store.workspace import Workspace
from tui.exporting.requests import DatasetExport, JudgeDataExport


def preview(workspace: Workspace, export: DatasetExport | JudgeDataExport) -> Preview:
    """What the export would hold."""
    if isinstance(export, JudgeDataExport):
        return preview_judge(workspace, _judge_data(export))
    return preview_dataset(
        workspace, export.kind, export.dataset, _filters(export), anonymous=export.anonymous
    )


def write(
    workspace: Workspace, export: DatasetExport | JudgeDataExport, out: Path, *, force: bool
) -> Verified:
    """Writes the export as the commands do, and compares the folder with its manifest."""
    if isinstance(export, JudgeDataExport):
        export_judge(workspace, _judge_data(export), out, force=force)
    else:
        export_dataset(
            workspace,
            export.kind,
            export.dataset,
            out,
            filters=_filters(export),
            anonymous=export.anonymous,
            force=force,
        )
    return verify_export(out)


def _filters(export: DatasetExport) -> Filters:
    return Filters(export.states, export.topics, export.tasks, export.side)


def _judge_data(export: JudgeDataExport) -> JudgeExport:
    chosen = set(export.shapes) or set(DEFAULT_SHAPES)
    return JudgeExport(
        Wanted(
            sample=export.sample,
            runs=export.runs,
            metrics=tuple(one for one in LABELLED if one in (export.metrics or LABELLED)),
            soft=export.soft,
        ),
        shapes=tuple(one for one in SHAPES if one in chosen),
        parquet="parquet" in chosen,
        reply="omnieval" if export.reply == "omnieval" else "value",
        rationale=export.rationale,
        anonymous=export.anonymous,
    )
