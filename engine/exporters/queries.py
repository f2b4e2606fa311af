"""Looking ahead at an export, and writing it: of a dataset, of runs, or of labels to train judges
on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from store.formats.manifest import Manifest, Preview, Verified
from store.records import ItemState
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.exporters.scope import Filters
    from engine.training.judge_export import JudgeExport
    from engine.training.preference_export import PreferenceExport


class DatasetExport(Struct, frozen=True, tag=True):
    """The items of a dataset or release, in a layout."""

    kind: str
    dataset: str
    states: tuple[ItemState, ...] = ()
    topics: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    side: str = ""
    anonymous: bool = False

    def preview(self, workspace: Workspace) -> Preview:
        """The preview of the export."""
        from engine.exporters.preview import preview_dataset

        return preview_dataset(
            workspace, self.kind, self.dataset, self._filters(), anonymous=self.anonymous
        )

    def write(self, workspace: Workspace, out: Path, *, force: bool) -> Manifest:
        """Writes the export into a folder; returns its manifest."""
        from engine.exporters.writing import export_dataset

        return export_dataset(
            workspace,
            self.kind,
            self.dataset,
            out,
            filters=self._filters(),
            anonymous=self.anonymous,
            force=force,
        )

    def _filters(self) -> Filters:
        from engine.exporters.scope import Filters

        return Filters(self.states, self.topics, self.tasks, self.side)


class RunsExport(Struct, frozen=True, tag=True):
    """Runs in a layout; an empty list is all there are."""

    layout: str
    runs: tuple[str, ...] = ()

    def preview(self, workspace: Workspace) -> Preview:
        """The preview of the export."""
        from engine.exporters.preview import preview_runs

        return preview_runs(workspace, self._names(workspace), self.layout)

    def write(self, workspace: Workspace, out: Path, *, force: bool) -> Manifest:
        """Writes the export into a folder; returns its manifest."""
        from engine.exporters.runs import export_runs

        return export_runs(workspace, self._names(workspace), self.layout, out, force=force)

    def _names(self, workspace: Workspace) -> tuple[str, ...]:
        from store.runs import runs

        return self.runs or tuple(run.name for run in runs.listing(workspace.db))


class JudgeDataExport(Struct, frozen=True, tag=True):
    """Labels as training data for judges; an empty list is all there are."""

    sample: str = ""
    runs: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    reply: str = "value"
    rationale: bool = False
    soft: bool = False
    anonymous: bool = False
    min_raters: int = 1
    prompt_files: tuple[str, ...] = ()
    """`[METRIC=]FILE`: another prompt, for one metric or for all."""
    split: str = ""
    """What the sides are taken from; empty for the split that exports share."""
    form: str = "judge_labels"
    """Of the labels; one of one's own is about answers."""

    def preview(self, workspace: Workspace) -> Preview:
        """The preview of the export."""
        from engine.exporters.preview import preview_judge

        return preview_judge(workspace, self._settings(workspace))

    def write(self, workspace: Workspace, out: Path, *, force: bool) -> Manifest:
        """Writes the export into a folder; returns its manifest."""
        from engine.training.judge_export import export_judge

        return export_judge(workspace, self._settings(workspace), out, force=force)

    def _settings(self, workspace: Workspace) -> JudgeExport:
        from engine.labelling.forms import find_form
        from engine.training.data.bundle import Wanted, named_prompt_files
        from engine.training.data.cases import metrics_of
        from engine.training.data.shapes import SHAPES
        from engine.training.data.sides import SPLIT_NAME
        from engine.training.judge_export import DEFAULT_SHAPES, JudgeExport

        chosen = set(self.shapes) or set(DEFAULT_SHAPES)
        metrics = metrics_of(find_form(workspace.db, self.form))
        return JudgeExport(
            Wanted(
                form=self.form,
                sample=self.sample,
                runs=self.runs,
                metrics=tuple(name for name in metrics if name in (self.metrics or metrics)),
                prompt_files=named_prompt_files(self.prompt_files, metrics),
                split=self.split or SPLIT_NAME,
                soft=self.soft,
                reply="omnieval" if self.reply == "omnieval" else "value",
                rationale=self.rationale,
                min_raters=self.min_raters,
            ),
            shapes=tuple(name for name in SHAPES if name in chosen),
            parquet="parquet" in chosen,
            anonymous=self.anonymous,
        )


class PreferencesExport(Struct, frozen=True, tag=True):
    """Preferences between answers as pairs for DPO; an empty list is all there are."""

    sample: str = ""
    runs: tuple[str, ...] = ()
    field: str = "overall"
    shapes: tuple[str, ...] = ()
    anonymous: bool = False
    min_raters: int = 1
    split: str = ""
    """What the sides are taken from; empty for the split that exports share."""

    def preview(self, workspace: Workspace) -> Preview:
        """The preview of the export."""
        from engine.exporters.preview import preview_preferences

        return preview_preferences(workspace, self._settings())

    def write(self, workspace: Workspace, out: Path, *, force: bool) -> Manifest:
        """Writes the export into a folder; returns its manifest."""
        from engine.training.preference_export import export_preferences

        return export_preferences(workspace, self._settings(), out, force=force)

    def _settings(self) -> PreferenceExport:
        from engine.training.data.preferences import PAIR_SHAPES, WantedPairs
        from engine.training.data.sides import SPLIT_NAME
        from engine.training.preference_export import PreferenceExport

        return PreferenceExport(
            WantedPairs(
                sample=self.sample,
                runs=self.runs,
                field=self.field,
                split=self.split or SPLIT_NAME,
                min_raters=self.min_raters,
            ),
            tuple(one for one in PAIR_SHAPES if one in (self.shapes or PAIR_SHAPES)),
            self.anonymous,
        )


Export = DatasetExport | JudgeDataExport | PreferencesExport | RunsExport


class PreviewQuery(Struct, frozen=True):
    export: Export

    def answer(self, workspace: Workspace) -> Preview:
        """The preview of the export; writes nothing."""
        return self.export.preview(workspace)


class WriteQuery(Struct, frozen=True):
    """An export into a folder."""

    export: Export
    out: str
    force: bool
    """Whether an export that is there is replaced."""

    def answer(self, workspace: Workspace) -> Verified:
        """Writes it, and compares what was written with its manifest."""
        from engine.exporters.writing import verify_export

        out = Path(self.out)
        self.export.write(workspace, out, force=self.force)
        return verify_export(out)
