"""Entities that a text names, by rule."""

from __future__ import annotations

from engine.corpus.document import SourceDocument
from engine.graph.naming import named_in
from engine.graph.replies import read_names
from engine.models.replies import ReplyState


def test_english_names_are_capitalised_runs_titles_and_rows_of_tables() -> None:
    text = (
        "The Heron Bank of Norway grew in March 2019. Our Chief Executive Officer wrote"
        ' "Rates Explained".\n| Net income: | 4 |\n| 2019 | 5 |\n'
    )
    names = ("Rates Explained", "Heron Bank of Norway", "Chief Executive Officer", "Net income")
    assert named_in(text, "en") == names


def test_chinese_names_are_proper_names_and_titles_of_two_characters_or_more() -> None:
    names = named_in("美国财政部公布了《国债报告》，上海证券交易所的王强表示欢迎。", "zh")
    assert {"国债报告", "美国财政部", "王强"} <= set(names)
    assert all(len(name) > 1 for name in names)


def test_a_reply_keeps_what_stands_in_the_text_and_says_what_it_left_out() -> None:
    chunk = SourceDocument("d", "Heron Bank", "Its board met in Oslo City.", "en")
    read = read_names('["heron bank", "Oslo City", "Mars Base", 7]', chunk)
    assert read.names == ("heron bank", "Oslo City")
    assert read.problem.startswith("2 ")
    assert read_names('{"entities": []}', chunk).state is ReplyState.EMPTY
    assert read_names('{"names": 4}', chunk).state is ReplyState.UNPARSED
    assert read_names("I found some banks.", chunk).state is ReplyState.UNPARSED
