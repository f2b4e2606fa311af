"""Reading what a person names: every format, every way a file can be wrong, nothing fatal."""

from __future__ import annotations

import json
import os
import subprocess
import tracemalloc
from pathlib import Path

import pytest

from engine.corpus.paths import path_of
from engine.corpus.readers import ReadDocument, ReadOptions, Refusal, read_paths
from engine.corpus.readers.reading import READERS
from store.errors import InputError
from store.records import Source


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name, content):
    data = content if isinstance(content, bytes) else content.encode()
    with open(name, "wb") as file:  # noqa: PTH123 (names may be relative to the folder)
        file.write(data)
    return name


def read(*paths, **options):
    return list(read_paths(paths, ReadOptions(**options)))


def read_one(name, content, **options):
    (found,) = read(write(name, content), **options)
    return found


def reason(found):
    assert isinstance(found, Refusal)
    return found.reason


# Plain text and Markdown


def test_a_text_file_is_one_document_titled_by_its_name(folder):
    found = read_one("年报.txt", "净利润\r\n12.5亿元\r\n")
    assert found == ReadDocument("净利润\n12.5亿元", Source("年报.txt", title="年报"))


def test_a_markdown_file_is_titled_by_its_first_top_heading(folder):
    text = "```\n# a comment\n```\n\n## Sub\n\n# Annual *report* #\n\nText"
    assert read_one("a.md", text).source.title == "Annual *report*"
    assert read_one("b.md", "no heading").source.title == "b"


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# a" + " " * 300_000 + "b", "a b"),
        ("# a" + " #" * 100_000, "a" + " #" * 99_999),
        ("# C# ##  ", "C#"),
        ("# C#", "C#"),
        ("#   ", "a"),
    ],
)
def test_a_heading_of_any_length_is_read_in_the_time_of_its_length(folder, line, title):
    assert read_one("a.md", f"{line}\nText").source.title == title


def test_gb18030_is_read_and_broken_bytes_are_told(folder):
    assert read_one("a.txt", "净利润同比增长".encode("gb18030")).text == "净利润同比增长"
    found = read_one("b.txt", "净利润同比增长，资产质量稳定，拨备充足。".encode() + b"\xff")
    assert found.text.startswith("净利润同比增长")
    assert found.warnings


# JSON


def test_a_json_object_gives_text_title_id_and_the_rest(folder):
    found = read_one(
        "a.json", json.dumps({"_id": 7, "title": " 标题 ", "contents": "正文", "year": 2024})
    )
    assert found == ReadDocument(
        "正文", Source("a.json", title="标题", external_id="7"), {"year": 2024}
    )


def test_a_json_list_is_one_document_a_member(folder):
    found = read(write("a.json", '[{"body": "one"}, {"text": ["two", "three"]}, 5, "four"]'))
    assert [document.text for document in (found[0], found[1], found[3])] == [
        "one",
        "two\n\nthree",
        "four",
    ]
    assert found[0].source.locator == "item 1"
    assert found[2] == Refusal("a.json", "item 3", "5 is not a JSON object")


def test_an_object_without_a_text_field_is_written_out_readable(folder):
    value = {"代码": "600000", "rows": [{"year": 2024, "ok": True}, None], "note": {"a": 1.5}}
    found = read_one("a.json", json.dumps(value))
    assert found.text.splitlines() == [
        "代码: 600000",
        "rows:",
        "  -",
        "    year: 2024",
        "    ok: true",
        "  -",
        "note:",
        "  a: 1.5",
    ]


def test_the_text_field_can_be_named(folder):
    name = write("a.json", '[{"text": "not this", "abstract": "this"}, {"text": "only"}]')
    found = read(name, text_field="abstract")
    assert found[0].text == "this"
    assert reason(found[1]) == "no field 'abstract'; its fields: text"


def test_broken_json_is_refused_with_its_place(folder):
    assert "line 2, column 9" in reason(read_one("a.json", '{\n"text": }'))
    assert "nested too deeply" in reason(read_one("b.json", "[" * 100_000))


def test_json_that_only_the_lenient_parser_takes_is_read(folder):
    assert read_one("a.json", '{"text": "a\\ud800b", "v": NaN}').text == "a\ufffdb"


@pytest.mark.parametrize("deep", ['{"a": ' * 450 + "1" + "}" * 450, "[" * 900 + "]" * 900])
def test_json_nested_deeper_than_people_write_is_refused_alone(folder, deep):
    assert "nested" in reason(read_one("a.json", deep))
    member = f'{{"text": "held", "meta": {deep}}}'
    found = read(write("a.jsonl", f'{deep}\n{member}\n{{"text": "read"}}'))
    assert "nested" in reason(found[0])
    assert "nested" in reason(found[1])
    assert found[2].text == "read"
    assert read_one("b.json", '{"a": ' * 50 + "1" + "}" * 50).text.startswith("a:")


# JSONL


def test_a_broken_line_is_refused_alone(folder):
    found = read(write("a.jsonl", '{"text": "one"}\n{"text": \n\n7\n{"id": "x", "text": "two"}'))
    assert [type(each) for each in found] == [ReadDocument, Refusal, Refusal, ReadDocument]
    assert found[0].source == Source("a.jsonl", locator="line 1")
    assert found[1].locator == "line 2"
    assert "not valid JSON" in found[1].reason
    assert found[2].reason == "7 is not a JSON object"
    assert found[3].source == Source("a.jsonl", locator="line 5", external_id="x")


def test_lines_in_another_encoding_or_with_broken_bytes_are_read(folder):
    lines = [
        '{"text": "净利润同比增长"}'.encode("gb18030"),
        '{"text": "资产质量保持稳定，净息差收窄，拨备覆盖率上升到百分之二百'.encode() + b'\xff"}',
    ]
    found = read(write("a.jsonl", b"\n".join(lines)))
    assert found[0].text == "净利润同比增长"
    assert found[1].text.startswith("资产质量保持稳定")
    assert found[1].warnings


def test_a_document_without_text_is_refused(folder):
    assert reason(read_one("a.jsonl", '{"title": "t", "text": "  "}')) == "the text is empty"


def test_a_line_too_large_to_hold_is_refused_alone(folder, monkeypatch):
    monkeypatch.setattr("engine.corpus.readers.json_file.LARGEST_DOCUMENT", 40)
    found = read(write("a.jsonl", '{"text": "' + "x" * 500 + '"}\n{"text": "short"}\n'))
    assert "longer than 40 bytes" in reason(found[0])
    assert found[1].source.locator == "line 2"


def test_a_large_jsonl_file_is_read_in_constant_memory(folder):
    line = json.dumps({"text": "本行净利润同比增长。" * 200}) + "\n"
    name = write("a.jsonl", line * 2000)
    size = (folder / name).stat().st_size
    tracemalloc.start()
    count = sum(1 for _ in read_paths([name]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 2000
    assert peak < size / 10


# CSV


def test_a_text_column_becomes_the_text(folder):
    found = read(write("a.csv", 'id,title,text,year\n1,A,"line 1\nline 2",2024\n2,B,,2025\n'))
    assert found[0] == ReadDocument(
        "line 1\nline 2",
        Source("a.csv", title="A", locator="row 2", external_id="1"),
        {"year": "2024"},
    )
    assert found[1] == Refusal("a.csv", "row 3", "the text is empty")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_rows_without_a_text_column_are_written_out(folder, delimiter):
    rows = [["年份", "营收, 亿元", ""], ["2023", "12.5", "x"], ["", "", ""], ["2024", "", "y", "z"]]
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in rows]
    found = read(write("a.csv", "\n".join(lines)))
    assert [document.text for document in found] == [
        "年份: 2023\n营收, 亿元: 12.5\ncolumn 3: x",
        "年份: 2024\ncolumn 3: y\ncolumn 4: z",
    ]
    assert [document.source.locator for document in found] == ["row 2", "row 4"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16"])
def test_a_spreadsheet_export_is_read_in_its_encoding(folder, encoding):
    found = read_one("a.csv", "标题,content\n季报,净利润同比增长\n".encode(encoding))
    assert found.text == "净利润同比增长"
    assert found.meta == {"标题": "季报"}
    assert found.warnings == ()


def test_a_header_of_very_many_columns_is_read_in_the_time_of_its_length(folder):
    names = [f"c{number}" for number in range(150_000)]
    found = read_one("a.csv", ",".join(names) + "\n" + "1," * 149_999 + "2\n")
    assert found.text.splitlines()[-1] == "c149999: 2"


def test_columns_of_one_name_are_told_apart(folder):
    assert read_one("a.csv", "v,v\n1,2\n").text == "v: 1\nv (2): 2"


# Folders and what is wrong with files


def test_folders_are_read_recursively_in_sorted_order_without_hidden_files(folder):
    for name in ("b/2.txt", "b/1.md", "a/x.jsonl", ".git/c.txt", "b/.hidden.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        write(name, '{"text": "x"}')
    (folder / "c.bin").write_bytes(b"\0\1")
    found = read(".")
    assert [each.source.path for each in found[:3]] == ["a/x.jsonl", "b/1.md", "b/2.txt"]
    assert "'.bin' is not one of" in reason(found[3])


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", b"", "the file is empty"),
        ("a.csv", b"", "the file is empty"),
        ("a.jsonl", b"\0\1\2", "the file is binary, not text"),
        ("a.txt", b"\x89PNG\r\n\x1a\n\0\0", "the file is binary, not text"),
        ("a.csv", b"a,b\0", "the file is binary, not text"),
        ("a.txt", b" \xe3\x80\x80\n", "the text is empty"),
        ("a.exe", b"x", "the suffix '.exe' is not one of"),
        ("README", b"x", "the suffix '' is not one of"),
    ],
)
def test_a_file_without_readable_text_is_refused_with_its_reason(folder, name, content, expected):
    assert reason(read_one(name, content)).startswith(expected)


@pytest.mark.parametrize(
    ("name", "content"), [("a.jsonl", "\n"), ("a.json", "[]"), ("a.csv", "a,b\n")]
)
def test_a_file_of_no_documents_is_refused(folder, name, content):
    assert reason(read_one(name, content)) == "the file holds no document"


def test_links_that_loop_or_lead_nowhere_are_refused(folder):
    (folder / "docs").mkdir()
    write("docs/a.txt", "text")
    (folder / "docs/again").symlink_to(folder / "docs")
    (folder / "docs/gone.txt").symlink_to(folder / "missing")
    (folder / "docs/self.txt").symlink_to("self.txt")
    found = read("docs")
    assert [each.path for each in found[1:]] == ["docs/again", "docs/gone.txt", "docs/self.txt"]
    assert "folder above it" in reason(found[1])
    assert "leads nowhere" in reason(found[2])
    assert "leads nowhere" in reason(found[3])


def test_the_database_of_a_workspace_is_no_document(folder):
    (folder / "docs").mkdir()
    write("docs/a.txt", "text")
    for name in ("ragdesk.sqlite", "ragdesk.sqlite-wal"):
        write(f"docs/{name}", "rows")
    (folder / "docs/link.db").symlink_to("ragdesk.sqlite")
    found = read("docs")
    assert [each.path for each in found[1:]] == [
        *("docs/link.db", "docs/ragdesk.sqlite", "docs/ragdesk.sqlite-wal")
    ]
    assert {reason(each) for each in found[1:]} == {"it is the database of a workspace"}


def test_links_that_lead_out_of_a_named_folder_are_refused_unless_followed(folder):
    for name in ("secrets", "docs", "more"):
        (folder / name).mkdir()
    write("secrets/id_rsa", "key")
    write("secrets/a.txt", "secret")
    write("docs/a.txt", "text")
    write("more/b.txt", "more")
    (folder / "docs/notes.txt").symlink_to(folder / "secrets/id_rsa")
    (folder / "docs/etc.d").symlink_to(folder / "secrets")
    (folder / "docs/copy.txt").symlink_to("a.txt")
    (folder / "docs/more").symlink_to(folder / "more")
    found = read("docs")
    refused = [each for each in found if isinstance(each, Refusal)]
    assert [each.path for each in refused] == ["docs/etc.d", "docs/more", "docs/notes.txt"]
    assert all(
        "leads out of what is read; let links be followed" in each.reason for each in refused
    )
    assert [each.text for each in found if isinstance(each, ReadDocument)] == ["text", "text"]
    both = [each.path for each in read("docs", "more") if isinstance(each, Refusal)]
    assert both == ["docs/etc.d", "docs/notes.txt"], "what is named is read by whatever way"
    followed = [each for each in read("docs", follow_links=True) if isinstance(each, ReadDocument)]
    assert {each.text for each in followed} == {"text", "key", "secret", "more"}
    assert read("docs/notes.txt") == read("docs/notes.txt", follow_links=True), "it was named"


def test_folders_may_be_nested_as_deeply_as_paths_can_name(folder, monkeypatch):
    depth = 600
    for _ in range(depth):
        os.mkdir("d")  # noqa: PTH102 (the path from here is short, the whole one too long)
        os.chdir("d")
    write("a.txt", "deep")
    os.chdir(folder)
    (found,) = read("d")
    # pytest, which removes old folders by recursion, cannot go down so far
    subprocess.run(["rm", "-r", "d"], check=True)
    assert found.text == "deep"
    assert found.source.path == "d/" * depth + "a.txt"


def test_a_pipe_is_refused_and_not_waited_for(folder):
    os.mkfifo(folder / "a.txt")
    assert reason(read("a.txt")[0]) == "neither a file nor a folder"


def test_an_unreadable_file_is_refused_and_the_others_are_read(folder, monkeypatch):
    write("a.txt", "text")
    write("b.txt", "more")
    read_bytes = Path.read_bytes

    def denied(path):
        if path.name == "a.txt":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", denied)
    found = read(".")
    assert reason(found[0]) == "cannot be read: Permission denied"
    assert found[1].text == "more"


def test_names_that_are_not_utf8_are_told_apart_and_titled_as_their_author_wrote_them(folder):
    names = ["招商银行.txt", "工商银行.txt"]
    for name in names:
        write(os.fsdecode(name.encode("gbk")), name)
    write("招商银行.txt", "named in UTF-8")
    write("\\xd5.txt", "named like an escape")
    found = {each.source.path: each for each in read(".")}
    assert sorted(found) == [
        "\\x5cxd5.txt",
        "\\xb9\\xa4\\xc9\\xcc\\xd2\\xf8\\xd0\\xd0.txt",
        "\\xd5\\xd0\\xc9\\xcc\\xd2\\xf8\\xd0\\xd0.txt",
        "招商银行.txt",
    ]
    assert {each.source.title for each in found.values()} == {"招商银行", "工商银行", "\\xd5"}
    for path, each in found.items():
        assert path_of(path).read_text("utf-8") == each.text


def test_a_missing_path_is_an_error_before_anything_is_read(folder):
    with pytest.raises(InputError, match=r"nowhere\.txt does not exist"):
        read_paths([write("a.txt", "x"), "nowhere.txt"])


def test_every_reader_is_found_whatever_the_case_of_the_suffix(folder):
    assert all(suffix == suffix.lower() for suffix in READERS)
    assert read_one("A.TXT", "text").text == "text"
