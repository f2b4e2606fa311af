"""An exported folder appears whole or not at all, and replaces nothing but an export."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import InputError
from store.formats import manifest
from store.formats.folder import whole_folder, write_manifest


def make(out: Path, *, force: bool = False, text: str = "基金") -> None:
    with whole_folder(out, force=force) as folder:
        folder.json_lines("a/b.jsonl", [{"z": text, "a": [1]}])
        folder.tab_separated("c.tsv", ("x", "y"), [("1", "2"), ("3", "4")])
        folder.json("d.json", {"z": 1, "a": 2})
        folder.text("README.md", "一份导出\n")
        write_manifest(folder, "test", 1, {"dataset": "d"}, {"rows": 1}, by_status={"b": 1, "a": 2})


def test_the_same_data_gives_the_same_bytes(tmp_path: Path):
    make(tmp_path / "one")
    make(tmp_path / "two")
    said = manifest.read(tmp_path / "one")
    assert {name: entry.rows for name, entry in said.files.items()} == {
        "README.md": None,
        "a/b.jsonl": 1,
        "c.tsv": 2,
        "d.json": None,
    }
    for name in (*said.files, manifest.NAME):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert (tmp_path / "one/a/b.jsonl").read_text("utf-8") == '{"z":"基金","a":[1]}\n'
    assert (tmp_path / "one/c.tsv").read_text() == "x\ty\n1\t2\n3\t4\n"
    assert manifest.damage(tmp_path / "one", said) == []


def test_every_kind_of_damage_is_named(tmp_path: Path):
    out = tmp_path / "out"
    make(out)
    (out / "d.json").unlink()
    (out / "c.tsv").write_text("x\ty\n1\t2\n3\t5\n")
    (out / "README.md").write_text("more\n")
    (out / "extra").write_text("")
    found = manifest.damage(out, manifest.read(out))
    assert [one.partition(" ")[0] for one in found] == ["README.md", "c.tsv", "d.json", "extra"]
    assert "has been changed" in found[1]


def test_an_error_in_the_middle_leaves_no_folder(tmp_path: Path):
    rows = (1 / number for number in (1, 0))
    with pytest.raises(ZeroDivisionError), whole_folder(tmp_path / "out") as folder:
        folder.json_lines("a", rows)
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_the_earlier_export(tmp_path: Path):
    make(tmp_path / "out")
    before = manifest.read(tmp_path / "out")
    with pytest.raises(RuntimeError), whole_folder(tmp_path / "out", force=True):
        raise RuntimeError
    assert manifest.read(tmp_path / "out") == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_only_an_export_is_replaced_and_only_by_force(tmp_path: Path):
    out = tmp_path / "out"
    out.mkdir()
    make(out)
    with pytest.raises(InputError, match="is not empty"):
        make(out)
    make(out, force=True, text="债券")
    assert "债券" in (out / "a/b.jsonl").read_text("utf-8")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="did not export"):
        make(theirs, force=True)
    with pytest.raises(InputError, match="is a file"):
        make(theirs / "thesis.txt")
    assert (theirs / "thesis.txt").read_text() == "mine"


def test_a_cell_that_would_break_a_row_is_refused(tmp_path: Path):
    with (
        pytest.raises(InputError, match="tab or a line break"),
        whole_folder(tmp_path / "out") as folder,
    ):
        folder.tab_separated("c.tsv", ("x",), [("a\tb",)])
    assert not (tmp_path / "out").exists()


def test_a_manifest_of_another_shape_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"manifest\.json cannot be read"):
        manifest.read(tmp_path)
    (tmp_path / manifest.NAME).write_text('{"format": 3}')
    with pytest.raises(InputError, match="Expected `str`"):
        manifest.read(tmp_path)
