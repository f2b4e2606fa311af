"""What is said of a file that cannot be read: which file, which line, and what to do."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from store.errors import InputError
from store.formats.faults import broken_json, read_utf8
from store.formats.jsonl import read_jsonl, read_records


def test_the_line_of_the_first_byte_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes("第一行\n第二行\n".encode() + b"x\xffy\n")
    with pytest.raises(InputError, match=r"a\.md, line 3: byte 0xff is not UTF-8\. Save"):
        read_utf8(file)
    file.write_bytes(b"\xef\xbb\xbf" + "第一行\n".encode())
    assert read_utf8(file) == "第一行\n"
    for gone in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="cannot be read"):
            read_utf8(gone)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{\n "a": 1,\n broken\n}', "f, line 3: JSON is malformed"),
        (b'{"a": "\xff"}', "f, line 1: byte 0xff is not UTF-8"),
        (b"[1]", "f: Expected `object`"),
        (b"", "f: Input data was truncated"),
    ],
)
def test_broken_json_is_named_by_its_line(data: bytes, said: str) -> None:
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)) as caught:
        msgspec.json.decode(data, type=dict[str, str | int])
    told = str(broken_json(data, "f", caught.value, "Correct it."))
    assert told.startswith(said)
    assert "(byte" not in told


def test_the_third_line_of_many_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"a":1}\n{"a":2}\n{"\xff":3}\n')
    with pytest.raises(InputError, match=r"line 3: the line is not UTF-8"):
        list(read_jsonl(file, dict[str, int]))
    file = tmp_path / "a.json"
    file.write_bytes(b'[{"a":1},\n{"a":2},\nbroken]')
    with pytest.raises(InputError, match=r"line 3: JSON is malformed"):
        list(read_records(file, dict[str, int]))
