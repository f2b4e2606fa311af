"""What people call a document."""

from __future__ import annotations

import pytest

from engine.corpus.naming import MOST_CHARACTERS, first_words, heading, known_as
from store.corpora.corpora import LiveDocument


def document(text: str, title: str = "", path: str = "a/report.md", id: str = "") -> LiveDocument:
    return LiveDocument(1, "hash", text, "en", title, path, id)


def test_a_title_is_its_name() -> None:
    one = document("Text.", "Annual\nreport", id="d-1")
    assert (heading(one), known_as(one)) == ("Annual report", "d-1")


@pytest.mark.parametrize("title", ["", "d-1"])
def test_without_a_title_it_is_called_by_its_first_words(title: str) -> None:
    assert heading(document("\n## 流动性管理办法\n第一条", title, id="d-1")) == "流动性管理办法"


def test_without_words_it_is_called_by_its_file() -> None:
    assert heading(document("\n---\n")) == known_as(document("")) == "report.md"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("|  | Year ended | 2019 |\n| --- |", "Year ended 2019"),
        ("净利润" * 40, ("净利润" * 40)[:MOST_CHARACTERS]),
        ("profit " * 40, ("profit " * 8).strip()),
    ],
)
def test_first_words_are_one_line_without_markup(text: str, said: str) -> None:
    assert first_words(text) == said
