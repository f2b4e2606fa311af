"""Decoding of text files in the encodings that people have, broken ones included."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.decoding import decode, guess_stream_encoding, looks_binary

CHINESE = "本行净利润12.5亿元，同比增长3.4%。“稳健”经营。"
ENGLISH = "Net income was £12.5 million — “steady” growth at the café. " * 3


@pytest.mark.parametrize(
    ("text", "written_as"),
    [
        (CHINESE, "utf-8"),
        (CHINESE, "utf-8-sig"),
        (CHINESE, "utf-16"),
        (CHINESE, "gb18030"),
        ("中文", "gb18030"),
        ("Revenue of 中国银行 rose", "gb18030"),
        (ENGLISH, "utf-8"),
        ("plain", "ascii"),
        ("", "utf-8"),
    ],
)
def test_reads_whole_texts_without_a_warning(text, written_as):
    found = decode(text.encode(written_as))
    assert found.text == text
    assert found.warning == ""


def test_reads_big_endian_utf16_by_its_mark():
    assert decode(b"\xfe\xff" + CHINESE.encode("utf-16-be")).text == CHINESE


def test_reads_western_text_as_windows_1252_and_says_that_it_guessed():
    found = decode(ENGLISH.encode("cp1252"))
    assert found.text == ENGLISH
    assert "guess" in found.warning


def test_a_broken_byte_in_utf8_is_replaced_and_told():
    data = CHINESE.encode() * 3
    found = decode(data[:10] + b"\xff" + data[10:])
    assert found.encoding == "utf-8"
    assert "\ufffd" in found.text
    assert "同比增长" in found.text
    assert "replaced" in found.warning


def test_a_broken_byte_in_gb18030_does_not_turn_the_text_to_noise():
    data = (CHINESE * 5).encode("gb18030")
    found = decode(data + b"\xff\n")
    assert found.encoding == "gb18030"
    assert found.text.startswith(CHINESE)
    assert "1 broken" in found.warning


def test_a_replacement_character_that_the_file_holds_is_no_damage():
    assert decode("已有\ufffd字符".encode()).warning == ""


@given(st.binary(max_size=200))
def test_any_bytes_give_some_text(data):
    assert isinstance(decode(data).text, str)


def test_a_stream_is_judged_by_the_first_block_that_is_not_ascii():
    blocks = [b"ascii only\n" * 100, CHINESE.encode("gb18030") * 20]
    assert guess_stream_encoding(blocks) == "gb18030"
    assert guess_stream_encoding([b"ascii"]) == "utf-8"


def test_a_character_across_two_blocks_of_a_stream_is_whole():
    data = CHINESE.encode()
    assert guess_stream_encoding([data[:4], data[4:]]) == "utf-8"


@pytest.mark.parametrize(
    ("head", "binary"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", True),
        (b"PK\x03\x04\x14\0\0\0", True),
        (b"SQLite format 3\0", True),
        (CHINESE.encode("gb18030"), False),
        (CHINESE.encode("utf-16"), False),
        (b"tab\tand\r\nlines\x0c", False),
        (b"", False),
    ],
)
def test_tells_binary_from_text(head, binary):
    assert looks_binary(head) is binary
