"""Reading PDF files: pages as documents, numbers in columns as tables, refusals with reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from pdf_builder import page_content, pdf, right

from engine.corpus.readers import ReadDocument, Refusal, read_paths
from engine.corpus.readers.pdf import glyphs
from engine.corpus.readers.pdf.glyphs import LARGEST_STREAM
from engine.corpus.readers.pdf.pdf_file import page_text
from engine.corpus.readers.pdf.pieces import Piece, mend_hyphens
from store.records import Source

REPORTS = Path(__file__).parents[2] / "shared" / "data" / "en_sec10q" / "pdf"
DRAWING = b"0 0 100 100 re f"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(name, content):
    Path(name).write_bytes(content)
    return list(read_paths([name]))


def read_page(texts, **options):
    (found,) = read("a.pdf", pdf([page_content(texts)], **options))
    assert isinstance(found, ReadDocument)
    return found.text


def reason(found):
    (refusal,) = found
    assert isinstance(refusal, Refusal)
    assert not refusal.locator
    return refusal.reason


# Pages


def test_each_page_is_a_document_located_by_its_number(folder):
    pages = [page_content([(50, 700, text)]) for text in ("First page.", "Second page.")]
    assert read("年报.pdf", pdf(pages)) == [
        ReadDocument("First page.", Source("年报.pdf", title="年报", locator="page 1")),
        ReadDocument("Second page.", Source("年报.pdf", title="年报", locator="page 2")),
    ]


def test_reading_again_gives_the_same(folder):
    content = pdf([page_content([(50, 700, "One")]), page_content([(50, 700, "Two")])])
    assert read("a.pdf", content) == read("a.pdf", content)


def test_lines_keep_the_order_of_the_file_so_two_columns_are_read_one_after_the_other(folder):
    left = [(50, 700 - 12 * i, f"left {word}") for i, word in enumerate(("one", "two"))]
    right_ = [(320, 700 - 12 * i, f"right {word}") for i, word in enumerate(("one", "two"))]
    assert read_page(left + right_).split("\n") == [
        "left one",
        "left two",
        "right one",
        "right two",
    ]


def test_chinese_is_read(folder):
    assert read_page([(50, 700, "净利润同比增长")]) == "净利润同比增长"


def test_a_blank_page_is_passed_over(folder):
    found = read(
        "a.pdf", pdf([page_content([(50, 700, "One")]), b"", page_content([(50, 700, "3")])])
    )
    assert [each.source.locator for each in found] == ["page 1", "page 3"]


# Tables


STATEMENT = [
    (50, 720, "Income for the periods shown below was as follows in the two years reported here:"),
    (300, 700, "Nine Months Ended"),
    *[right(edge, 688, text) for edge, text in ((340, "2022"), (400, "2021"))],
    (50, 676, "Net sales:"),
    (50, 664, "Products"),
    (300, 664, "$"),
    *[right(edge, 664, text) for edge, text in ((340, "63,355"), (400, "948"))],
    (50, 652, "Other income of the group"),
    (50, 640, "and its parts"),
    *[right(edge, 640, text) for edge, text in ((340, "(10)"), (400, "243"))],
    (50, 620, "See the notes to these statements, which are part of them in every respect."),
]


def test_numbers_in_columns_become_a_table_with_one_heading(folder):
    assert read_page(STATEMENT).split("\n") == [
        "Income for the periods shown below was as follows in the two years reported here:",
        "",
        "|  | Nine Months Ended 2022 | Nine Months Ended 2021 |",
        "| --- | --- | --- |",
        "| Net sales: |  |  |",
        "| Products | $63,355 | 948 |",
        "| Other income of the group and its parts | (10) | 243 |",
        "",
        "See the notes to these statements, which are part of them in every respect.",
    ]


def test_a_chinese_table_is_a_table(folder):
    rows = [("营业收入", "1,200.50", "1,100.00"), ("净利润", "300.00", "250.00")]
    texts = [(50, 700, "单位：万元"), (240, 688, "2024年度"), (340, 688, "2023年度")]
    for place, (label, first, second) in enumerate(rows):
        height = 676 - 12 * place
        texts += [(50, height, label), right(280, height, first), right(380, height, second)]
    assert read_page(texts).split("\n")[-4:] == [
        "|  | 2024年度 | 2023年度 |",
        "| --- | --- | --- |",
        "| 营业收入 | 1,200.50 | 1,100.00 |",
        "| 净利润 | 300.00 | 250.00 |",
    ]


def test_a_page_turned_by_its_rotation_is_read_as_it_is_seen(folder):
    # text that runs upwards on a page turned by 90 degrees is level to who looks at it
    lines = [
        b"BT /F1 10 Tf 0 1 -1 0 %d %d Tm <%s> Tj ET" % (x, y, text.encode().hex().encode())
        for x, row in ((100, ("Sales", "12", "15")), (112, ("Costs", "10", "11")))
        for y, text in zip((50, 200, 300), row, strict=True)
    ]
    (found,) = read("a.pdf", pdf([b"\n".join(lines)], rotation=90))
    assert "| Sales | 12 | 15 |\n| Costs | 10 | 11 |" in found.text


def test_every_piece_is_written_once_whatever_is_recognised():
    words = ["Sales", "12", "7", "text", "99%", "$", "(3", ")", "2024", "note"]
    pieces = [
        Piece(
            word,
            40.0 + 90 * (i % 5),
            700 - 12 * (i // 5),
            70.0 + 90 * (i % 5),
            710 - 12 * (i // 5),
            i,
        )
        for i, word in enumerate(words)
    ]
    written = page_text(pieces).replace("|", " ").replace("---", " ")
    assert sorted("".join(written.split())) == sorted("".join(words))


def test_prose_that_ends_in_a_number_is_no_table(folder):
    texts = [(50, 700 - 12 * i, f"The rate of the year was then {i}") for i in range(5)]
    assert "|" not in read_page(texts)


def test_a_hyphen_at_a_line_end_goes_where_the_page_has_the_word_whole():
    assert mend_hyphens("long\x02term and finan\x02cial, financial") == (
        "long-term and financial, financial"
    )


# What cannot be read


def test_a_broken_page_is_refused_alone(folder):
    content = pdf([page_content([(50, 700, "One")]), None, page_content([(50, 700, "Three")])])
    found = read("a.pdf", content)
    assert [each.text for each in (found[0], found[2])] == ["One", "Three"]
    assert found[1] == Refusal("a.pdf", "page 2", "the page is broken")


def test_a_scanned_pdf_is_refused_with_what_to_do(folder):
    why = reason(read("a.pdf", pdf([DRAWING, DRAWING])))
    assert "no text layer" in why
    assert "OCR" in why


def test_a_scanned_page_among_others_is_refused_alone(folder):
    found = read("a.pdf", pdf([DRAWING, page_content([(50, 700, "Text")])]))
    assert [type(each) for each in found] == [Refusal, ReadDocument]
    assert found[0].locator == "page 1"
    assert "no text layer" in found[0].reason


def test_a_protected_pdf_is_refused(folder):
    key = b"<" + b"41" * 32 + b">"
    encrypt = b"/Encrypt<</Filter/Standard/V 1/R 2/O %s/U %s/P -4>>/ID[<00><00>]" % (key, key)
    content = pdf([page_content([(50, 700, "Secret")])], extra=encrypt)
    assert "protected by a password" in reason(read("a.pdf", content))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "the file is empty"),
        (b"Only text", "not a PDF"),
        (b"%PDF-1.7\n", "broken or cut short"),
        (pdf([page_content([(50, 700, "Text")])])[:200], "broken or cut short"),
        (pdf([b"", b""]), "the PDF is blank"),
    ],
)
def test_a_pdf_without_pages_to_read_is_refused(folder, content, expected):
    assert expected in reason(read("a.pdf", content))


def test_a_page_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(folder):
    content = pdf([b" " * (LARGEST_STREAM + 1)])
    assert len(content) < LARGEST_STREAM / 100
    assert "unpacks to more than" in reason(read("a.pdf", content))


def test_a_page_of_too_many_characters_is_refused_alone(folder, monkeypatch):
    monkeypatch.setattr(glyphs, "LARGEST_PAGE", 10)
    found = read("a.pdf", pdf([page_content([(50, 700, text)]) for text in ("short", "long " * 9)]))
    assert [type(each) for each in found] == [ReadDocument, Refusal]
    assert "more than 10" in found[1].reason


# Real reports


@pytest.mark.skipif(not REPORTS.exists(), reason="the shared data is not here")
def test_a_real_report_keeps_its_statements_as_tables():
    pages = read_paths([REPORTS / "2022 Q3 AAPL.pdf"])
    income = next(page for page in pages if page.source.locator == "page 4")
    rows = income.text.split("\n")
    heading = rows[rows.index("| --- | --- | --- | --- | --- |") - 1]
    assert heading.endswith(
        " | Three Months Ended June 25, 2022 | Three Months Ended June 26, 2021"
        " | Nine Months Ended June 25, 2022 | Nine Months Ended June 26, 2021 |"
    )
    assert "| Net income | $19,442 | $21,744 | $79,082 | $74,129 |" in rows
    assert "| Other income/(expense), net | (10) | 243 | (97) | 796 |" in rows
