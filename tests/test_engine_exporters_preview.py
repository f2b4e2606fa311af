"""Looking ahead at an export: the counts of what is then written, and nothing stored."""

from __future__ import annotations

import pytest
from agreement_workspaces import labelled_desk
from compared_workspaces import compared_workspace

from engine.exporters.preview import preview_dataset, preview_judge, preview_preferences
from engine.exporters.scope import Filters
from engine.exporters.writing import export_dataset
from engine.training.data.bundle import Wanted
from engine.training.data.preferences import WantedPairs
from engine.training.judge_export import JudgeExport, export_judge
from engine.training.preference_export import PreferenceExport, export_preferences
from store.datasets import splits
from store.errors import NotFound
from store.records import ItemState
from store.workspace import open_workspace


@pytest.fixture
def workspace(tmp_path):
    made = labelled_desk(tmp_path / "w")
    with made.workspace:
        yield made.workspace


def test_judge_data_are_foreseen_as_they_are_written(workspace, tmp_path):
    export = JudgeExport(Wanted(metrics=("accuracy", "completeness")))
    seen = preview_judge(workspace, export)
    assert splits.listing(workspace.db) == []
    manifest = export_judge(workspace, export, tmp_path / "out")
    assert seen.counts == {
        name: count
        for name, count in manifest.counts.items()
        if count and "rows that follow" not in name
    }
    assert {**seen.by_status, **seen.left_out} == manifest.by_status
    assert seen.left_out["in conflict"] > 0
    assert not seen.problem
    # and once sides are assigned, they are foreseen as they stand
    assert preview_judge(workspace, export).counts == seen.counts


def test_items_are_foreseen_with_what_is_left_out(workspace, tmp_path):
    seen = preview_dataset(workspace, "items", "gold@1", Filters(topics=("rates",)))
    manifest = export_dataset(
        workspace, "items", "gold@1", tmp_path / "out", filters=Filters(topics=("rates",))
    )
    assert seen.counts["items"] == manifest.counts["items"] == 15
    assert seen.by_status == manifest.by_status
    assert seen.left_out == {"of another topic": 15}


def test_an_export_without_an_item_says_so(workspace):
    seen = preview_dataset(workspace, "beir", "gold", Filters(states=(ItemState.DISCARDED,)))
    assert "no item to export" in seen.problem
    assert sum(seen.left_out.values()) == 30
    with pytest.raises(NotFound):
        preview_dataset(workspace, "beir", "none", Filters())


def test_preferences_are_counted_without_storing_a_side(tmp_path) -> None:
    with open_workspace(compared_workspace(tmp_path / "w")) as workspace:
        seen = preview_preferences(workspace, PreferenceExport(WantedPairs()))
        assert splits.listing(workspace.db) == []
        written = export_preferences(workspace, PreferenceExport(WantedPairs()), tmp_path / "out")
        assert seen.counts.items() <= written.counts.items()
        assert {**seen.by_status, **seen.left_out} == written.by_status


def test_an_export_of_labels_without_labels_says_what_to_do(workspace, tmp_path) -> None:
    pairs = preview_preferences(workspace, PreferenceExport(WantedPairs()))
    assert "in a sample of pairs" in pairs.problem
    assert pairs.counts == {}
    with open_workspace(compared_workspace(tmp_path / "compared")) as other:
        assert "in a sample of answers" in preview_judge(other, JudgeExport(Wanted())).problem
