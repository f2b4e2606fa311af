"""A settings file is read table by table, and what is wrong with it is named with its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from engine.settings.reader import SETTINGS_FILE, check_ranges, convert_table, read_settings
from store.errors import InputError


class _Judges(Struct):
    judges: dict[str, dict[str, Any]] = {}


class _Judge(Struct, forbid_unknown_fields=True):
    repeats: int = 1


def write(folder: Path, text: str) -> Path:
    file = folder / SETTINGS_FILE
    file.write_text(text, "utf-8")
    return file


def test_a_room_reads_its_own_tables_and_passes_over_the_others(tmp_path: Path):
    file = write(tmp_path, "providers = 3\n[judges.strict]\nrepeats = 2\n")
    assert read_settings(file, _Judges).judges == {"strict": {"repeats": 2}}


@pytest.mark.parametrize("place", [".", "missing", "a-file/inside"])
def test_a_file_that_is_not_there_holds_no_tables(tmp_path: Path, place: str):
    (tmp_path / "a-file").write_text("")
    assert read_settings(tmp_path / place / SETTINGS_FILE, _Judges) == _Judges()


@pytest.mark.parametrize("data", [b"judges = [", b"judges = 1", b"# \xff"])
def test_a_broken_file_is_named(tmp_path: Path, data: bytes):
    file = tmp_path / SETTINGS_FILE
    file.write_bytes(data)
    with pytest.raises(InputError, match=str(file)) as caught:
        read_settings(file, _Judges)
    assert caught.value.remedy == "Mend the file, or remove it."


def test_what_cannot_be_read_is_named(tmp_path: Path):
    (tmp_path / SETTINGS_FILE).mkdir()
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_settings(tmp_path / SETTINGS_FILE, _Judges)


def test_a_wrong_field_is_named_with_its_table():
    with pytest.raises(InputError, match=r"f: judges\.a: Object contains unknown field `x`"):
        convert_table({"x": 1}, _Judge, "f: judges.a")
    with pytest.raises(InputError, match=r"f: judges\.a: Expected `int`.*repeats"):
        convert_table({"repeats": "two"}, _Judge, "f: judges.a")


def test_a_value_out_of_its_range_is_named_and_one_that_is_not_given_is_right():
    check_ranges("p", [("a", None, 1, 2), ("b", 2, 1, 2)])
    with pytest.raises(InputError, match=r"p\.b is 0") as caught:
        check_ranges("p", [("a", 1, 1, 2), ("b", 0, 1, 10_000)])
    assert caught.value.remedy == "Use 1 to 10,000."


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 50_000, "[" * 50_000, "a" + ".a" * 50_000 + " = 1"]
)
def test_a_file_nested_without_end_is_one_sentence(tmp_path: Path, text: str):
    with pytest.raises(InputError, match=SETTINGS_FILE):
        read_settings(write(tmp_path, text), _Judges)
