"""Index artefacts: built once, verified before use, built again when damaged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.retrieve.index import artefacts
from engine.retrieve.index.artefacts import index_folder, open_or_build
from engine.retrieve.index.base import IndexColumns
from engine.retrieve.names import RETRIEVERS
from store.errors import UsageError, WorkspaceError

REPOSITORY = Path(__file__).parents[1]
ALL = pytest.mark.parametrize("kind", RETRIEVERS)
COLUMNS = IndexColumns(
    ["r2", "r1", "r1"],
    [0, 9, 0],
    [11, 30, 9],
    ["央行下调利率", "revenue rose in 2023", "基金的净值下跌"],
)
PRINT, OTHER_PRINT = "1" * 32, "2" * 32


def not_needed() -> IndexColumns:
    raise AssertionError("a whole index must not ask for the chunks")


def open_columns(root, kind="bm25", notify=lambda message: None):
    return open_or_build(root, kind, PRINT, lambda: COLUMNS, notify=notify)


def artefact(root):
    (folder,) = index_folder(root).iterdir()
    return folder


def run_python(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


SUBPROCESS = """
import sys, time
from pathlib import Path
from engine.retrieve.index import artefacts
from engine.retrieve.index.artefacts import open_or_build
from engine.retrieve.index.base import IndexColumns
root = Path(sys.argv[1])
texts = [f"第{n}季度 营业收入 同比增长 revenue q{n}" for n in range(400)]
columns = IndexColumns([f"d{n:03}" for n in range(400)], [0] * 400, [9] * 400, texts)
"""


@ALL
def test_the_second_opening_reads_what_the_first_built(tmp_path, kind):
    built = open_columns(tmp_path, kind)
    opened = open_or_build(tmp_path, kind, PRINT, not_needed)
    queries = ["利率", "revenue", "净值"]
    hits = opened.search(queries, 3)
    assert hits == built.search(queries, 3)
    assert [(hit[0].document_id, hit[0].start, hit[0].end) for hit in hits] == [
        ("r2", 0, 11),
        ("r1", 9, 30),
        ("r1", 0, 9),
    ]
    assert opened.name == kind


def test_the_manifest_says_what_was_built_from_what(tmp_path):
    open_columns(tmp_path)
    manifest = json.loads((artefact(tmp_path) / "manifest.json").read_text())
    assert manifest["recipe"]["kind"] == "bm25"
    assert manifest["recipe"]["inputs"] == PRINT
    assert manifest["recipe"]["parameters"] == {"b": 0.75, "k1": 1.2, "variant": "lucene"}
    assert set(manifest["recipe"]["libraries"]) == {"bm25s", "rjieba"}
    assert manifest["chunks"] == 3
    files = {path.name for path in artefact(tmp_path).iterdir()}
    assert set(manifest["files"]) == files - {"manifest.json"}


def test_the_order_in_which_chunks_come_changes_nothing(tmp_path):
    for name, step in (("one", 1), ("two", -1)):
        columns = IndexColumns(
            *(column[::step] for column in (COLUMNS.document_ids, COLUMNS.starts, COLUMNS.ends)),
            COLUMNS.texts[::step],
        )
        open_or_build(tmp_path / name, "bm25", PRINT, lambda columns=columns: columns)
    one, two = (artefact(tmp_path / name) for name in ("one", "two"))
    assert one.name == two.name
    assert (one / "manifest.json").read_bytes() == (two / "manifest.json").read_bytes()


def test_other_inputs_and_other_kinds_are_other_artefacts(tmp_path):
    open_columns(tmp_path)
    open_columns(tmp_path, "bm25-okapi")
    open_or_build(tmp_path, "bm25", OTHER_PRINT, lambda: COLUMNS)
    assert len(list(index_folder(tmp_path).iterdir())) == 3


def damaged_in_every_way(whole: bytes):
    yield b""
    yield whole[:-2]
    yield whole[: len(whole) // 2] + b"?" + whole[len(whole) // 2 + 1 :]
    yield None


@ALL
def test_any_changed_or_missing_file_is_noticed_and_mended(tmp_path, kind):
    expected = open_columns(tmp_path, kind).search(["利率"], 3)
    for name in sorted(path.name for path in artefact(tmp_path).iterdir()):
        path = artefact(tmp_path) / name
        whole = path.read_bytes()
        for damage in damaged_in_every_way(whole):
            if damage is None:
                path.unlink()
            else:
                path.write_bytes(damage)
            messages: list[str] = []
            assert open_columns(tmp_path, kind, messages.append).search(["利率"], 3) == expected
            (message,) = messages
            assert "is damaged" in message
            assert name in message or "manifest" in message
            assert path.read_bytes() == whole


def test_an_artefact_copied_under_another_name_is_not_used(tmp_path):
    open_columns(tmp_path)
    other = tmp_path / "other"
    open_or_build(other, "bm25", OTHER_PRINT, lambda: COLUMNS)
    folder = artefact(other)
    manifest = (artefact(tmp_path) / "manifest.json").read_bytes()
    (folder / "manifest.json").write_bytes(manifest)
    messages: list[str] = []
    open_or_build(other, "bm25", OTHER_PRINT, lambda: COLUMNS, notify=messages.append)
    assert "belongs to another index" in messages[0]


def test_two_processes_that_build_at_once_both_succeed(tmp_path):
    code = (
        SUBPROCESS
        + """
def chunks():
    (root / f"ready-{sys.argv[2]}").touch()
    while len(list(root.glob("ready-*"))) < 2:
        time.sleep(0.005)
    return columns
hits = open_or_build(root, "bm25", "print", chunks).search(["q7"], 1)[0]
print(hits[0].document_id)
"""
    )
    builders = [run_python(code, tmp_path, number) for number in range(2)]
    answers = [builder.communicate(timeout=300) for builder in builders]
    assert answers == [("d007\n", ""), ("d007\n", "")]
    assert not artefact(tmp_path).name.startswith(".")


def test_a_killed_build_leaves_nothing_that_is_taken_for_an_index(tmp_path):
    code = (
        SUBPROCESS
        + """
import os, signal
def die(stage, done, total):
    if (stage, done) == ("index", 1):
        os.kill(os.getpid(), signal.SIGKILL)
open_or_build(root, "bm25", "print", lambda: columns, progress=die)
"""
    )
    builder = run_python(code, tmp_path)
    builder.communicate(timeout=300)
    assert builder.returncode == -signal.SIGKILL
    left = artefact(tmp_path)
    assert list(left.iterdir())
    messages: list[str] = []
    open_or_build(tmp_path, "bm25", "print", lambda: COLUMNS, notify=messages.append)
    assert messages == []
    assert left.exists()  # it might be a build that is still going on
    os.utime(left, (0, 0))
    open_columns(tmp_path, "bm25-okapi")
    assert not left.exists()


def test_a_disk_that_takes_no_more_is_one_clear_error(tmp_path):
    code = (
        SUBPROCESS
        + """
import resource
from store.errors import WorkspaceError
import bm25s, faiss, sklearn.utils.extmath
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for kind in ("bm25", "bm25-okapi", "lsa"):
    try:
        open_or_build(root, kind, "print", lambda: columns)
    except WorkspaceError as error:
        print(error)
"""
    )
    output, errors = run_python(code, tmp_path).communicate(timeout=300)
    assert errors == ""
    assert [line.split(" cannot be written")[0] for line in output.splitlines()] == [
        "The bm25 index",
        "The bm25-okapi index",
        "The lsa index",
    ]
    assert list(index_folder(tmp_path).iterdir()) == []


def test_a_root_that_is_a_file_is_one_clear_error(tmp_path):
    (tmp_path / "artefacts").write_text("")
    with pytest.raises(WorkspaceError, match="The bm25 index cannot be written"):
        open_columns(tmp_path)


def test_an_unknown_kind_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(UsageError, match="no retriever 'tfidf'"):
        open_columns(tmp_path, "tfidf")
    assert list(tmp_path.iterdir()) == []


def test_an_index_is_read_for_its_hash_only_after_one_of_its_files_was_written(
    tmp_path, monkeypatch
):
    def columns():
        return IndexColumns(["d"], [0], [4], ["rate"])

    def opened():
        read = []
        real = artefacts._file_record

        def noted(path):
            read.append(path)
            return real(path)

        monkeypatch.setattr(artefacts, "_file_record", noted)
        notices = []
        retriever = open_or_build(tmp_path, "bm25", "print", columns, notify=notices.append)
        hits = retriever.search(["rate"], 1)
        monkeypatch.setattr(artefacts, "_file_record", real)
        assert len(hits[0]) == 1
        return len(read), notices

    open_or_build(tmp_path, "bm25", "print", columns)
    assert opened()[0] > 0
    assert opened()[0] > 0, "written a moment ago: another write may bear the same time"
    monkeypatch.setattr(artefacts, "_SETTLED", -1)
    assert opened()[0] > 0
    assert opened() == (0, [])
    (folder,) = index_folder(tmp_path).iterdir()
    file = folder / "chunk_starts.npy"
    data, state = file.read_bytes(), file.stat()
    file.write_bytes(data[:-1] + b"x")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    read, notices = opened()
    assert (read > 0, len(notices)) == (True, 1)
