"""A folder that is imported is not left through its links, unless that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.importers.archive import import_archive
from engine.importers.beir import import_beir
from engine.importers.crud import import_crud
from engine.importers.multihop_rag import import_multihop_rag
from engine.importers.omnieval_items import import_omnieval_items
from engine.importers.omnieval_predictions import import_omnieval
from engine.importers.parquet import import_parquet
from engine.taxonomy.definitions import load_taxonomy
from store.errors import InputError, RagdeskError
from store.workspace import Workspace

OMNIEVAL = {"taxonomy": load_taxonomy("omnieval"), "author": "test"}
INTO = {"corpus_name": "c", "dataset_name": "d"}
RUN = {"run_name": "r", "dataset": "d", "corpus_name": "c", **OMNIEVAL}
Import = Callable[..., Any]

CASES: dict[str, tuple[str, Import, dict[str, Any]]] = {
    "omnieval items": ("G/T/task.jsonl", import_omnieval_items, {**INTO, **OMNIEVAL}),
    "omnieval corpus": ("corpus.jsonl", import_omnieval_items, {**INTO, **OMNIEVAL}),
    "omnieval run": ("G - T - task.pred.jsonl", import_omnieval, RUN),
    "crud": ("task.json", import_crud, RUN),
    "multihop-rag": ("MultiHopRAG.json", import_multihop_rag, {**INTO, **OMNIEVAL}),
    "beir": ("queries.jsonl", import_beir, {**INTO, **OMNIEVAL}),
    "beir qrels": ("qrels/test.tsv", import_beir, {**INTO, **OMNIEVAL}),
    "archive": ("documents.jsonl", import_archive, INTO),
    "parquet": ("items.parquet", import_parquet, {**INTO, **OMNIEVAL}),
}
SEVERAL = {import_omnieval_items, import_omnieval, import_crud, import_multihop_rag}


@pytest.mark.parametrize(
    ("case", "is_folder"),
    [(case, False) for case in CASES] + [(case, True) for case in CASES if "/" in CASES[case][0]],
)
def test_a_link_out_of_the_folder_is_refused(
    case: str, is_folder: bool, workspace: Workspace, tmp_path: Path
) -> None:
    name, bring_in, options = CASES[case]
    folder, secret = tmp_path / "import", tmp_path / "secret"
    secret.mkdir()
    place = folder / name
    (secret / place.name).write_text("a secret\n")
    if is_folder:
        place.parent.parent.mkdir(parents=True)
        place.parent.symlink_to(secret)
    else:
        place.parent.mkdir(parents=True)
        place.symlink_to(secret / place.name)
    named = [folder] if bring_in in SEVERAL else folder
    with pytest.raises(InputError, match="link leads out of what is read") as refused:
        bring_in(workspace, named, **options)
    assert "et links be followed" in str(refused.value)
    # followed, it is read, and is not what the layout asks for
    with pytest.raises(RagdeskError) as read:
        bring_in(workspace, named, follow_links=True, **options)
    assert "leads out" not in str(read.value)


def test_a_link_inside_and_a_link_that_was_named_are_followed(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "import/G").mkdir(parents=True)
    line = '{"question": "How much?", "answer": "3", "relevant_node": "n",'
    line += ' "relevant_passage": "It is 3.", "topic_name": "t", "task_name": "k"}\n'
    (tmp_path / "elsewhere.jsonl").write_text(line)
    (tmp_path / "import/G/real.jsonl").write_text(line.replace("How much", "How many"))
    (tmp_path / "import/inside.jsonl").symlink_to("G/real.jsonl")
    (tmp_path / "named.jsonl").symlink_to("elsewhere.jsonl")
    paths = [tmp_path / "import", tmp_path / "named.jsonl"]
    report = import_omnieval_items(workspace, paths, **INTO, **OMNIEVAL)
    assert (report.items.added, report.duplicates) == (2, 1)
