"""The command that writes a report: its file, its options, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from html_pages import Page

from store.workspace import Workspace
from tui.cli import main


def report(scored: Workspace, out: Path, *options: str) -> int:
    return main(["report", "first", "--out", str(out), "--workspace", str(scored.folder), *options])


def test_it_writes_a_page_and_says_how_large_it_is(
    scored: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    assert report(scored, out) == 0
    assert f"Wrote {out}, 0." in capsys.readouterr().err
    assert Page(out.read_text("utf-8")).json("facts")["runs"] == [{"name": "first"}]
    assert report(scored, tmp_path / "other.html", "--json", "--lang", "zh") == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"out": str(tmp_path / "other.html"), "bytes": said["bytes"]}
    assert '<html lang="zh">' in (tmp_path / "other.html").read_text("utf-8")


def test_a_file_that_is_there_is_replaced_by_force_alone(
    scored: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    out.write_text("mine")
    assert report(scored, out) == 1
    assert "--force" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert report(scored, out, "--force", "--no-passages") == 0
    assert Page(out.read_text("utf-8")).json("facts")["has_passages"] is False


def test_an_unknown_variant_is_refused_with_those_that_there_are(
    scored: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(scored, tmp_path / "page.html", "--variants", "crude") == 2
    assert "crud" in capsys.readouterr().err
    assert list(tmp_path.glob("*.html*")) == []
