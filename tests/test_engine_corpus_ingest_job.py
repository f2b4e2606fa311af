"""Ingesting in the background: counted, resumable, and never retiring what it did not read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.corpus.ingest_job import Ingest
from engine.jobs.operation import queue
from store.corpora import corpora
from store.errors import InputError
from store.jobs import jobs
from store.records import JobState
from store.workspace import Workspace, open_workspace


def work_off(workspace: Workspace) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engine.jobs.worker", str(workspace.folder)], timeout=120
    )
    assert done.returncode == 0


def write_lines(file: Path, texts: list[str]) -> None:
    lines = [json.dumps({"text": text}, ensure_ascii=False) for text in texts]
    file.write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture
def empty(tmp_path: Path):
    with open_workspace(tmp_path / "workspace", create=True) as workspace:
        yield workspace


def test_a_background_ingest_stores_counts_and_reports(empty: Workspace, tmp_path: Path):
    folder = tmp_path / "files"
    folder.mkdir()
    write_lines(folder / "news.jsonl", [f"第{n}条新闻，净利润{n}亿元。" for n in range(450)])
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n")
    job = queue(empty, Ingest("news", (str(folder),)))
    work_off(empty)
    job = jobs.get(empty.db, job.id)
    assert job.state is JobState.DONE
    assert (job.done, job.total) == (451, 451)
    kinds = [event.kind for event in jobs.events(empty.db, job.id)]
    assert kinds == ["refused", "ingested"]
    assert corpora.counts(empty.db, corpora.get(empty.db, "news")).documents == 450


def test_a_wrong_path_is_refused_before_anything_is_queued(empty: Workspace, tmp_path: Path):
    with pytest.raises(InputError, match="nowhere"):
        queue(empty, Ingest("news", (str(tmp_path / "nowhere"),)))
    assert jobs.listing(empty.db) == []


def test_a_folder_without_anything_to_read_makes_no_corpus(empty: Workspace, tmp_path: Path):
    folder = tmp_path / "files"
    folder.mkdir()
    with pytest.raises(InputError, match="nothing to read in"):
        queue(empty, Ingest("news", (str(folder),)))
    write_lines(folder / "news.jsonl", ["甲。"])
    job = queue(empty, Ingest("news", (str(folder),)))
    (folder / "news.jsonl").unlink()
    work_off(empty)
    job = jobs.get(empty.db, job.id)
    assert job.state is JobState.FAILED
    assert f"There is nothing to read in {folder}." in str(job.error)
    assert corpora.listing(empty.db) == []


def test_ingesting_again_in_the_background_changes_nothing(empty: Workspace, tmp_path: Path):
    write_lines(tmp_path / "a.jsonl", ["甲。", "乙。"])
    for _ in range(2):
        queue(empty, Ingest("c", (str(tmp_path / "a.jsonl"),)))
        work_off(empty)
    corpus = corpora.get(empty.db, "c")
    assert corpora.counts(empty.db, corpus).sources == 2
    last = jobs.listing(empty.db)[0]
    assert "2 unchanged" in jobs.events(empty.db, last.id)[-1].text
