"""Files are written whole or not at all, and replaced only when that is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.report.output import write_whole
from store.errors import InputError


def test_a_text_ends_with_one_line_break(tmp_path: Path) -> None:
    for text in ("甲", "甲\n"):
        write_whole(text, tmp_path / "a.txt")
        assert (tmp_path / "a.txt").read_bytes() == "甲\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_that_is_there_is_kept_unless_it_may_be_replaced(tmp_path: Path) -> None:
    out = tmp_path / "a.txt"
    out.write_text("mine", "utf-8")
    with pytest.raises(InputError, match="exists already"):
        write_whole("new", out, overwrite=False)
    assert out.read_text("utf-8") == "mine"
    write_whole("new", out, overwrite=True)
    assert out.read_text("utf-8") == "new\n"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_whole("new", tmp_path / "missing" / "a.txt", overwrite=False)
    (tmp_path / "b.txt.partial").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        write_whole("new", tmp_path / "b.txt", overwrite=False)
    assert not (tmp_path / "b.txt").exists()
