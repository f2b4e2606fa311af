"""Gold items from JSON Lines: what an item names beside question, answer and evidence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_workspaces import TAXONOMY, make_corpus

from engine.exporters.writing import export_dataset
from engine.importers.archive import import_archive
from engine.importers.items import import_items
from engine.importers.parquet import import_parquet
from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.session import LabelSession
from store.datasets import datasets
from store.errors import InputError
from store.records import ItemContent, ItemState
from store.workspace import Workspace, open_workspace

POINTS = ("The rate rose.", "利率为3.5%。")


def bring_in(workspace: Workspace, folder: Path, points: object) -> None:
    turn = {"question": "What of the rate?", "golden_answers": ["It rose."], "keypoints": points}
    file = folder / "items.jsonl"
    file.write_text(json.dumps({"id": "a", "turns": [turn], "topic": "rates"}), "utf-8")
    import_items(
        workspace,
        [file],
        corpus_name="tiny",
        dataset_name="gold",
        taxonomy=TAXONOMY,
        author="test",
    )


def content(workspace: Workspace, dataset: str = "gold") -> ItemContent:
    return datasets.first_contents(workspace.db, datasets.get(workspace.db, dataset))["a"]


def test_keypoints_are_read_asked_about_and_refused_where_they_are_no_texts(
    workspace: Workspace, tmp_path: Path
) -> None:
    with workspace.write() as db:
        make_corpus(db)
    with pytest.raises(InputError, match="keypoints"):
        bring_in(workspace, tmp_path, [1])
    bring_in(workspace, tmp_path, POINTS)
    assert content(workspace).turns[0].keypoints == POINTS
    draw_sample(
        workspace,
        SampleRequest("six", "six_questions", 1, dataset="gold", states=(ItemState.ACCEPTED,)),
    )
    session = LabelSession(workspace, "six_questions", "a")
    assert session.begin()
    assert session.opened.not_applicable == {"key_sentence_completeness"}, "it has none"


@pytest.mark.parametrize(("kind", "back"), [("items", import_archive), ("parquet", import_parquet)])
def test_keypoints_come_back_from_an_export(
    kind: str, back: Callable[..., object], workspace: Workspace, tmp_path: Path
) -> None:
    with workspace.write() as db:
        make_corpus(db)
    bring_in(workspace, tmp_path, POINTS)
    export_dataset(workspace, kind, "gold", tmp_path / "out")
    names = {"corpus_name": "c", "dataset_name": "back"}
    with open_workspace(tmp_path / "other", create=True) as other:
        given = {} if kind == "items" else {"taxonomy": TAXONOMY, "author": "test"}
        back(other, tmp_path / "out", **names, **given)
        assert content(other, "back") == content(workspace)
