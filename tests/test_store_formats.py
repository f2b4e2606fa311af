"""The formats: what is read as it was meant, and errors that name file, line and field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store.errors import InputError
from store.formats import beir
from store.formats.items import read_items
from store.formats.jsonl import read_jsonl

BOM = b"\xef\xbb\xbf"


def write(file: Path, content: str | bytes) -> Path:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def refusal(read: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as caught:
        read()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# JSON Lines


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", BOM])
@pytest.mark.parametrize("last", [True, False])
def test_lines_are_read_whatever_ends_them(
    tmp_path: Path, end: str, bom: bytes, last: bool
) -> None:
    text = end.join(['{"_id": "一", "text": "甲\\u2028乙"}', "", ' {"_id":"2","text":""} '])
    content = bom + (text + (end if last else "")).encode()
    file = write(tmp_path / "corpus.jsonl", content)
    found = list(read_jsonl(file, beir.BeirDocument))
    assert [(number, document.id) for number, document in found] == [(1, "一"), (3, "2")]
    assert found[0][1].text == "甲\u2028乙"


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    assert list(read_jsonl(write(tmp_path / "a", ""), beir.BeirQuery)) == []
    assert list(read_jsonl(write(tmp_path / "b", BOM), beir.BeirQuery)) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"_id": "1"}', ["`text`"]),
        (b'{"_id": 1, "text": "x"}', ["$._id", "`str`"]),
        (b'{"_id": "1", "text": null}', ["$.text", "`str`"]),
        (b'{"_id": "1", "text": "x", "meta": []}', ["$.meta"]),
        (b'["1"]', ["`object`", "`array`"]),
        (b'{"_id": "1", "text": "x"} more', ["malformed"]),
        (b'{"_id": "1", "text": "x', ["truncated"]),
        (b'{"_id": "1", "text": "\xb2\xe2"}', ["utf-8"]),
        (b'{"_id": "1", "text": "x", "meta": ' + b"[" * 100_000, []),
    ],
)
def test_a_bad_line_is_named_with_its_field(tmp_path: Path, line: bytes, words: list[str]) -> None:
    file = write(tmp_path / "corpus.jsonl", b'{"_id": "0", "text": "x"}\r\n\r\n' + line)
    said = refusal(lambda: list(read_jsonl(file, beir.BeirDocument)))
    assert said.startswith(f"{file}, line 3: ")
    for word in words:
        assert word.lower() in said.lower()


def test_what_came_before_a_bad_line_was_given(tmp_path: Path) -> None:
    file = write(tmp_path / "corpus.jsonl", '{"_id": "0", "text": "x"}\nno')
    lines = read_jsonl(file, beir.BeirDocument)
    assert next(lines)[1].id == "0"
    assert "line 2" in refusal(lambda: next(lines))


@pytest.mark.parametrize(
    ("name", "reason"), [("missing.jsonl", "No such file"), ("", "Is a directory")]
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, name: str, reason: str) -> None:
    file = tmp_path / name
    said = refusal(lambda: list(read_jsonl(file, beir.BeirQuery)))
    assert str(file) in said
    assert reason in said


# BEIR


def test_documents_and_queries_of_a_folder(tmp_path: Path) -> None:
    write(
        tmp_path / "corpus.jsonl",
        '{"_id": "d1", "title": "题", "text": "文", "meta": {"year": 2024}}\n'
        '{"_id": "d2", "text": "t", "metadata": {"unknown": "fields pass"}}\n',
    )
    write(
        tmp_path / "queries.jsonl",
        '{"_id": "q1", "text": "问", "answers": ["甲", " ", "乙"], "lang": "zh", "type": "qa"}\n'
        '{"_id": "q2", "text": "q", "answers": "one"}\n'
        '{"_id": "q3", "text": "q"}\n',
    )
    first, second = beir.read_documents(tmp_path)
    assert (first.title, first.meta) == ("题", {"year": 2024})
    assert (second.title, second.meta) == (None, None)
    answers = [query.golden_answers for query in beir.read_queries(tmp_path)]
    assert answers == [("甲", "乙"), ("one",), ()]


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("corpus.jsonl", lambda folder: list(beir.read_documents(folder))),
        ("queries.jsonl", beir.read_queries),
    ],
)
def test_an_id_that_occurs_twice_is_named(
    tmp_path: Path, name: str, read: Callable[[Path], Any]
) -> None:
    write(tmp_path / name, '{"_id": "一", "text": "a"}\n{"_id": "一", "text": "b"}\n')
    said = refusal(lambda: read(tmp_path))
    assert f"{name}, line 2: field `_id`: '一' occurs twice." in said


def test_answers_of_a_file_of_their_own(tmp_path: Path) -> None:
    file = write(
        tmp_path / "answers.jsonl",
        '{"_id": "1", "answer": "a"}\n{"_id": "2", "answers": ["b", ""]}\n{"_id": "3"}\n',
    )
    assert beir.read_answers(file) == {"1": ("a",), "2": ("b",), "3": ()}


QRELS = {"q1": {"d1": 2, "d2": 0}, "q 2": {"文 3": 1}}


@pytest.mark.parametrize("header", ["", "query-id\tcorpus-id\tscore"])
@pytest.mark.parametrize("bom", [b"", BOM])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("middle", ["\t", "\t0\t"])
def test_judgements_in_their_dialects(
    tmp_path: Path, header: str, bom: bytes, end: str, middle: str
) -> None:
    rows = [f"q1{middle}d1\t2", f"q1{middle}d2\t0", "", f"q 2{middle}文 3\t1", ""]
    text = end.join([header, *rows] if header else rows)
    assert beir.read_qrels(write(tmp_path / "qrels.tsv", bom + text.encode())) == QRELS


def test_judgements_separated_by_spaces_and_below_zero(tmp_path: Path) -> None:
    file = write(tmp_path / "qrels.txt", "q1 0 d1 -1\nq1  0  d2 3\n")
    assert beir.read_qrels(file) == {"q1": {"d1": -1, "d2": 3}}


def test_an_id_may_hold_characters_that_end_lines_elsewhere(tmp_path: Path) -> None:
    file = write(tmp_path / "qrels.tsv", "q\u2028x\td\x0b\x85\t1\n")
    assert beir.read_qrels(file) == {"q\u2028x": {"d\x0b\x85": 1}}


@pytest.mark.parametrize(
    "line", ["q1\td1", "q1\td1\thigh", "q1\td1\t1.0", "q1\td1\t²", "q1\td1\t", "a\tb\tc\td\t1"]
)
def test_a_bad_judgement_is_named(tmp_path: Path, line: str) -> None:
    file = write(tmp_path / "qrels.tsv", f"query-id\tcorpus-id\tscore\r\nq1\td1\t1\r\n{line}\r\n")
    said = refusal(lambda: beir.read_qrels(file))
    assert said.startswith(f"{file}, line 3: expected query id, document id and a whole grade")
    assert repr(line) in said


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "No such file"), (b"q\td\xb2\xe2\t1\n", "not UTF-8")]
)
def test_unreadable_judgements_say_why(tmp_path: Path, content: bytes | None, reason: str) -> None:
    file = tmp_path / "qrels.tsv"
    if content is not None:
        write(file, content)
    said = refusal(lambda: beir.read_qrels(file))
    assert str(file) in said
    assert reason in said


# Gold items


def test_items_with_all_their_fields(tmp_path: Path) -> None:
    file = write(
        tmp_path / "items.jsonl",
        '{"id": "a", "turns": [{"question": "问？", "golden_answers": ["甲", "乙"], "evidence":'
        ' [{"source": "zh/a.md", "quote": "甲"}, {"source": "b"}]}], "topic": "rates", "task":'
        ' "extractive", "lang": "zh", "facets": {"hops": 2, "table": true, "kind": "x", "w": 0.5}}'
        '\n{"id": "b", "turns": []}\n',
    )
    (number, item), (_, plain) = read_items(file)
    assert (number, item.id, item.lang, item.topic) == (1, "a", "zh", "rates")
    assert item.facets == {"hops": 2, "table": True, "kind": "x", "w": 0.5}
    assert [evidence.quote for evidence in item.turns[0].evidence] == ["甲", None]
    assert (plain.topic, plain.task, plain.lang) == ("unassigned", "unassigned", "en")


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('{"turns": []}', "`id`"),
        ('{"id": "a"}', "`turns`"),
        ('{"id": "a", "turns": [{"golden_answers": []}]}', "`question` - at `$.turns[0]`"),
        ('{"id": "a", "turns": [], "topics": "x"}', "`topics`"),
        ('{"id": "a", "turns": [{"question": "q", "answer": "x"}]}', "`answer`"),
        ('{"id": "a", "turns": [], "lang": "fr"}', "$.lang"),
        ('{"id": "a", "turns": [], "facets": {"f": [1]}}', "$.facets"),
        (
            '{"id": "a", "turns": [{"question": "q", "golden_answers": "x"}]}',
            "$.turns[0].golden_answers",
        ),
    ],
)
def test_a_bad_item_is_named_with_its_field(tmp_path: Path, line: str, field: str) -> None:
    file = write(tmp_path / "items.jsonl", line)
    said = refusal(lambda: list(read_items(file)))
    assert said.startswith(f"{file}, line 1: ")
    assert field in said
