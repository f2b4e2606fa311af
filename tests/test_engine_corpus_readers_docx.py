"""Reading DOCX files: everything in the order of the document, nothing taken for what it is not."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from engine.corpus.readers import ReadDocument, Refusal, read_paths
from engine.corpus.readers.docx import package
from store.records import Source

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(document, name="a.docx"):
    if isinstance(document, bytes):
        Path(name).write_bytes(document)
    else:
        document.save(name)
    (found,) = read_paths([name])
    return found


def reason(content):
    found = read(content)
    assert isinstance(found, Refusal)
    return found.reason


def packed(parts):
    with zipfile.ZipFile("made.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return Path("made.zip").read_bytes()


def with_table(document, rows):
    table = document.add_table(rows=len(rows), cols=len(rows[0]))
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    return table


def test_paragraphs_lists_and_tables_come_in_the_order_of_the_document(folder):
    document = docx.Document()
    document.add_heading("第一节 概况", 1)
    document.add_paragraph("净利润同比增长 12.5%。")
    for text in ("要点一", "要点二"):
        document.add_paragraph(text, style="List Bullet")
    for text in ("first", "second"):
        document.add_paragraph(text, style="List Number")
    with_table(document, [("项目", "2024年"), ("净利润", "300")])
    document.add_heading("Notes", 2)
    document.add_paragraph("After the table.")
    assert read(document, "年报.docx") == ReadDocument(
        "# 第一节 概况\n\n净利润同比增长 12.5%。\n\n- 要点一\n- 要点二\n1. first\n2. second\n\n"
        "| 项目 | 2024年 |\n| --- | --- |\n| 净利润 | 300 |\n\n## Notes\n\nAfter the table.",
        Source("年报.docx", title="第一节 概况"),
    )


def test_without_a_heading_the_file_name_is_the_title(folder):
    document = docx.Document()
    document.add_paragraph("Text")
    assert read(document).source.title == "a"


def test_cells_merged_sideways_and_downwards_keep_their_columns(folder):
    document = docx.Document()
    rows = [("", "A", ""), ("tall", "1", "2"), ("", "3", "4")]
    table = with_table(document, rows)
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(1, 0).merge(table.cell(2, 0))
    assert read(document).text.split("\n")[2:] == ["| tall | 1 | 2 |", "| tall | 3 | 4 |"]


def test_inserted_text_counts_and_deleted_text_does_not(folder):
    document = docx.Document()
    paragraph = document.add_paragraph("kept ")
    for tag, text_tag, text in (("w:ins", "w:t", "inserted"), ("w:del", "w:delText", "deleted")):
        change, run, content = OxmlElement(tag), OxmlElement("w:r"), OxmlElement(text_tag)
        content.text = text
        run.append(content)
        change.append(run)
        paragraph._p.append(change)
    assert read(document).text == "kept inserted"


def test_text_in_content_controls_and_text_boxes_is_read(folder):
    document = docx.Document()
    inside = document.add_paragraph("in a control")._p
    control, content = OxmlElement("w:sdt"), OxmlElement("w:sdtContent")
    inside.addprevious(control)
    control.append(content)
    content.append(inside)
    holder = document.add_paragraph("around")._p
    box = OxmlElement("w:txbxContent")
    box.append(document.add_paragraph("in a box")._p)
    run = OxmlElement("w:r")
    run.append(box)
    holder.append(run)
    assert read(document).text == "in a control\n\naround\n\nin a box"


def test_a_raised_number_is_not_read_as_digits_of_the_one_before(folder):
    document = docx.Document()
    document.add_paragraph("rate 4.25%").add_run("2").font.superscript = True
    assert read(document).text == "rate 4.25%^2"


def test_the_numbers_of_a_nested_list_are_counted_by_level(folder):
    document = docx.Document()
    for text, level in (("one", "0"), ("inner", "1"), ("two", "0")):
        paragraph = document.add_paragraph(text, style="List Number")
        properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_ilvl().set(qn("w:val"), level)
    lines = read(document).text.split("\n")
    assert lines[0] == "1. one"
    assert lines[1].lstrip("1.- ") == "inner"
    assert lines[2] == "2. two"


# What cannot be read


def test_a_protected_file_and_an_old_one_are_told_apart(folder):
    head = _OLE + bytes(600)
    assert "protected by a password" in reason(head + "EncryptedPackage".encode("utf-16-le"))
    assert "old binary format" in reason(head)


def test_broken_files_are_refused(folder):
    document = docx.Document()
    document.add_paragraph("Text")
    document.save("whole.docx")
    whole = Path("whole.docx").read_bytes()
    assert "broken or cut short" in reason(whole[: len(whole) // 2])
    assert "broken or cut short" in reason(b"only text")
    assert "the file is empty" in reason(b"")
    assert "not a DOCX" in reason(packed({"other.txt": "x"}))
    assert "word/document.xml" in reason(packed({"word/document.xml": "<document><body>"}))
    assert "holds no document" in reason(packed({"word/document.xml": "<document/>"}))


def test_a_document_without_text_is_refused(folder):
    assert reason(docx.Document()) == "the text is empty"


def test_a_part_that_unpacks_to_too_much_is_refused_unread(folder, monkeypatch):
    monkeypatch.setattr(package, "LARGEST_DOCUMENT", 10_000)
    bomb = packed({"word/document.xml": b" " * 1_000_000})
    assert len(bomb) < 10_000
    assert "unpacks to 1,000,000 bytes" in reason(bomb)


def test_entities_that_multiply_are_not_followed(folder):
    entities = '<!ENTITY a0 "aaaaaaaaaa">' + "".join(
        f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 9)
    )
    content = (
        f"<!DOCTYPE d [{entities}]><document><body><p><r><t>&a8;</t></r></p></body></document>"
    )
    assert isinstance(read(packed({"word/document.xml": content})), Refusal)


def with_body(body):
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    whole = f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'
    return packed({"word/document.xml": whole})


def test_more_elements_than_memory_holds_are_refused_unparsed(folder):
    assert "2,000,005 elements in word/document.xml" in reason(with_body("<w:p/>" * 2_000_001))


def test_a_table_that_merged_cells_blow_up_is_refused(folder):
    def cell(merge, text=""):
        merged = f"<w:tcPr><w:vMerge {merge}/></w:tcPr>"
        return f"<w:tr><w:tc>{merged}<w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc></w:tr>"

    table = cell('w:val="restart"', "x" * 100_000) + cell("") * 1_000
    assert "with its merged cells has 100,100,000 characters" in reason(
        with_body(f"<w:tbl>{table}</w:tbl>")
    )
    wide = '<w:tc><w:tcPr><w:gridSpan w:val="100"/></w:tcPr></w:tc>' * 101
    assert "more than 10,000 columns" in reason(with_body(f"<w:tbl><w:tr>{wide}</w:tr></w:tbl>"))


@pytest.mark.parametrize("level", ["100000000", "9" * 5_000, "²", "-1"])
def test_a_level_that_no_list_has_is_the_deepest_or_none(folder, level):
    numbering = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>'
    heading = f'<w:outlineLvl w:val="{level}"/>'
    body = "".join(
        f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>Text</w:t></w:r></w:p>"
        for properties in (numbering, heading)
    )
    found = read(with_body(body))
    assert [line.strip() for line in found.text.splitlines() if line] == ["- Text", "Text"]
