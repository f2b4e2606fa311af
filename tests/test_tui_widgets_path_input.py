"""Completing a path: as far as all candidates agree, folders with their slash."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.widgets.path_input import complete


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "年报").mkdir()
    for name in ("年报2023.pdf", "年报2024.pdf", "Notes.md", ".hidden"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "text", "candidates"),
    [
        ("年", "年报", ("年报/", "年报2023.pdf", "年报2024.pdf")),
        ("年报2", "年报202", ("年报2023.pdf", "年报2024.pdf")),
        ("年报/", "年报/", ()),
        ("notes", "Notes.md", ("Notes.md",)),
        (".", ".hidden", (".hidden",)),
        ("zz", "zz", ()),
        ("missing/a", "missing/a", ()),
    ],
)
def test_a_path_is_completed(
    folder: Path, typed: str, text: str, candidates: tuple[str, ...]
) -> None:
    found = complete(f"{folder}/{typed}")
    assert found.text == f"{folder}/{text}"
    assert sorted(found.candidates) == sorted(candidates)


def test_hidden_entries_are_left_out_and_home_is_known(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert complete("~").text == "~/"
    assert complete("~/No").text == "~/Notes.md"
    assert ".hidden" not in complete(f"{folder}/").candidates


def test_a_path_that_is_relative_begins_where_the_program_was_started(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert complete("No").text == "Notes.md"
