"""Ingesting: every file is a source of its own, and only what was read again is retired."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.corpus.ingest import IngestReport, ingest, open_corpus, put_documents
from engine.corpus.paths import former_text
from engine.corpus.readers import ReadDocument, read_paths
from store.corpora import corpora
from store.records import Source
from store.workspace import Workspace, open_workspace

BANKS = ("招商", "工商", "建设", "中国", "农业", "交通", "民生", "华夏", "平安", "兴业", "光大")
GBK = [f"{name}银行" for name in BANKS]


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(tmp_path / "workspace", create=True) as workspace:
        yield workspace


def write_named(folder: Path, name: str, text: str) -> Path:
    """A file whose name is in GBK, as an archive from Windows unpacks on Linux."""
    folder.mkdir(exist_ok=True)
    file = folder / os.fsdecode(f"{name}.txt".encode("gbk"))
    file.write_text(text, "utf-8")
    return file


def read_in(workspace: Workspace, *paths: Path) -> IngestReport:
    return ingest(workspace, "c", read_paths(paths))


def texts(workspace: Workspace) -> list[str]:
    corpus = corpora.get(workspace.db, "c")
    return sorted(document.text for document in corpora.documents(workspace.db, corpus))


def outcome(report: IngestReport) -> tuple[int, int, int, int]:
    return report.added, report.edited, report.unchanged, report.superseded


def test_files_whose_names_are_not_utf8_are_documents_each(empty: Workspace, tmp_path: Path):
    folder = tmp_path / "files"
    for name in GBK:
        write_named(folder, name, f"{name}的年报")
    assert outcome(read_in(empty, folder)) == (11, 0, 0, 0)
    assert texts(empty) == sorted(f"{name}的年报" for name in GBK)
    assert outcome(read_in(empty, folder)) == (0, 0, 11, 0)


def ingest_as_before(workspace: Workspace, files: list[Path]) -> None:
    """Stores files as they were before names other than UTF-8 were told apart."""
    put_documents(
        workspace,
        open_corpus(workspace, "c"),
        [
            ReadDocument(file.read_text("utf-8"), Source(former_text(file), "before"))
            for file in files
        ],
    )


def test_a_corpus_ingested_before_keeps_its_documents(empty: Workspace, tmp_path: Path):
    folder = tmp_path / "files"
    files = [write_named(folder, name, f"{name}的年报") for name in GBK[:2]]
    ingest_as_before(empty, files)
    assert texts(empty) == [f"{GBK[1]}的年报"], "one had the other's place"
    read_in(empty, folder)
    assert texts(empty) == sorted(f"{name}的年报" for name in GBK[:2])
    assert corpora.counts(empty.db, corpora.get(empty.db, "c")).sources == 2
    assert outcome(read_in(empty, folder)) == (0, 0, 2, 0)


def test_what_was_stored_under_a_shared_name_stays_until_all_of_its_files_are_read(
    empty: Workspace, tmp_path: Path
):
    folder = tmp_path / "files"
    first, second = (write_named(folder, name, f"{name}的年报") for name in GBK[:2])
    ingest_as_before(empty, [first])
    first.write_text("改后的年报", "utf-8")
    read_in(empty, second)
    assert texts(empty) == sorted([f"{GBK[0]}的年报", f"{GBK[1]}的年报"])
    assert read_in(empty, folder).superseded == 1
    assert texts(empty) == sorted(["改后的年报", f"{GBK[1]}的年报"])


def test_a_line_that_is_gone_is_retired_though_the_clock_was_set_back(
    empty: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "rows.jsonl"
    lines = [json.dumps({"text": f"row {number}"}) for number in (1, 2)]
    file.write_text("\n".join(lines), "utf-8")
    read_in(empty, file)
    file.write_text(lines[0], "utf-8")
    monkeypatch.setattr("store.corpora.corpora.now_text", lambda: "2001-01-01T00:00:00.000Z")
    assert outcome(read_in(empty, file)) == (0, 0, 1, 1)
    assert texts(empty) == ["row 1"]
