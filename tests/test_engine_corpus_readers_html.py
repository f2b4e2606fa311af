"""Reading web pages: the main text alone, in Markdown's form, whatever the page's encoding."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus.readers import ReadDocument, Refusal, read_paths
from engine.corpus.readers.html import html_file


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(content, name="a.html"):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (found,) = read_paths([name])
    return found


def text(content):
    found = read(content)
    assert isinstance(found, ReadDocument), found
    return found.text


NEWS = """<!DOCTYPE html><html><head><meta charset="{charset}">
<title>央行下调存款准备金率_财经频道</title><script>var a = "脚本";</script>
<meta property="article:published_time" content="2024-02-05"></head><body>
<div class="top-nav"><a href="/">首页</a><a href="/f">财经</a><a href="/s">股票</a></div>
<div id="wrap"><div class="crumbs"><a href="/">首页</a> &gt; 正文</div>
<div class="article"><h1>央行下调存款准备金率</h1>
<p>　　中国人民银行决定，自2024年2月5日起，下调金融机构
存款准备金率0.5个百分点，<a href="/x">建设银行</a>（601939）等受益。</p>
<h2>影响</h2><ul><li>释放长期资金约1万亿元</li><li>平均准备金率约为7.0%</li></ul></div>
<div><h3>相关新闻</h3><ul><li><a href="1">股市大涨</a></li><li><a href="2">债市走强</a></li>
<li><a href="3">汇率稳定</a></li></ul></div></div>
<div class="footer">版权所有 京ICP备12345号</div></body></html>"""

RATES = """<html><head><title>Savings rates | A Bank</title></head><body>
<header><a href="/">Logo</a><nav><a href="/a">Personal</a><a href="/b">Business</a></nav></header>
<main><h1>Savings rates</h1>
<p>Rates are <b>annual</b> yields<sup>1</sup>,<br>effective May 1.</p>
<table><caption>Current rates</caption>
<thead><tr><th rowspan="2">Term</th><th colspan="2">Yield</th></tr>
<tr><th>Standard</th><th>Premium</th></tr></thead>
<tbody><tr><td>6 months</td><td>4.25%</td><td>4.50%</td></tr>
<tr><td>12 months</td><td>4.00%</td><td>4.30%</td></tr></tbody></table>
<ol><li>First<ul><li>inner</li></ul></li><li>Second</li></ol></main>
<aside>Call us</aside><footer>© 2024 A Bank</footer></body></html>"""


# The main text


def test_a_news_page_gives_its_article_alone(folder):
    found = read(NEWS.format(charset="utf-8"))
    assert found.source.title == "央行下调存款准备金率"
    assert found.meta == {"published": "2024-02-05"}
    assert found.text.split("\n") == [
        "# 央行下调存款准备金率",
        "",
        "中国人民银行决定，自2024年2月5日起，下调金融机构存款准备金率0.5个百分点，建设银行（601939）等受益。",
        "",
        "## 影响",
        "",
        "- 释放长期资金约1万亿元",
        "- 平均准备金率约为7.0%",
    ]


def test_headings_lists_and_tables_come_in_markdown_form(folder):
    assert text(RATES).split("\n") == [
        "# Savings rates",
        "",
        "Rates are annual yields^1,",
        "effective May 1.",
        "",
        "Current rates",
        "",
        "| Term | Yield Standard | Yield Premium |",
        "| --- | --- | --- |",
        "| 6 months | 4.25% | 4.50% |",
        "| 12 months | 4.00% | 4.30% |",
        "",
        "1. First",
        "  - inner",
        "2. Second",
    ]


def test_without_a_heading_the_page_is_titled_by_its_head_then_by_its_file(folder):
    assert read("<title>Of the head</title><p>Text").source.title == "Of the head"
    assert read("<p>Text").source.title == "a"


def test_a_paragraph_with_links_is_kept(folder):
    page = '<p>See <a href="1">this</a>, <a href="2">that</a> and <a href="3">more</a> of the many.'
    assert text(page) == "See this, that and more of the many."


def test_an_element_named_like_navigation_is_kept_when_it_holds_the_page(folder):
    page = '<body><div class="content share"><p>The whole text is here.</p></div>x</body>'
    assert "The whole text is here." in text(page)


def test_hidden_parts_are_left_out(folder):
    assert text('<p>Seen<p style="display: none">Not<p hidden>Nor this') == "Seen"


def test_a_page_laid_out_in_a_table_gives_its_text(folder):
    page = """<table><tr><td><a href="1">Home</a><a href="2">News</a><a href="3">More</a></td>
    <td><table><tr><td><p>The text of an old page.</p></td></tr></table></td></tr></table>"""
    assert text(page) == "The text of an old page."


def test_a_filing_table_with_its_signs_in_cells_of_their_own_is_put_together(folder):
    page = """<table><tr><td></td><td colspan="3">2023</td><td colspan="3">2022</td></tr>
    <tr><td>Sales</td><td>$</td><td>1,000</td><td></td><td>$</td><td>900</td><td></td></tr>
    <tr><td>Loss</td><td></td><td>(10</td><td>)</td><td></td><td>(9</td><td>)</td></tr></table>"""
    assert text(page).split("\n") == [
        "|  | 2023 | 2022 |",
        "| --- | --- | --- |",
        "| Sales | $1,000 | $900 |",
        "| Loss | (10) | (9) |",
    ]


def test_a_cell_of_several_lines_stays_one_cell(folder):
    page = "<table><tr><th>a<th>b<tr><td>one<br>two<p>three<td>4<tr><td>c<td>5</table>"
    assert "| one two three | 4 |" in text(page)


# Broken pages and encodings


def test_a_broken_page_is_read_as_far_as_it_can_be(folder):
    found = text("<div><h1>Title<p>One <b>two<p>three<table><tr><td>a<td>1<tr><td>b<td>2</div>end")
    assert "One two" in found
    assert "| a | 1 |\n| b | 2" in found


def test_control_characters_in_a_page_are_no_trouble(folder):
    assert text("<p>one&#1;<script>x</script>&#2;two\x03</p>") == "one two"


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("gb2312", "gb18030"), ("gbk", "gb18030"), ("utf-8", "utf-8"), ("big5", "utf-8")],
)
def test_chinese_is_read_in_its_encoding_or_what_the_bytes_are(folder, declared, encoding):
    found = read(NEWS.format(charset=declared).encode(encoding))
    assert found.source.title == "央行下调存款准备金率"
    assert not found.warnings


def test_the_declared_encoding_decides_where_the_bytes_do_not(folder):
    page = '<meta charset="big5"><p>淨利潤</p>'.encode("big5")
    assert text(page) == "淨利潤"


def test_an_unknown_encoding_is_guessed_and_broken_bytes_are_told(folder):
    found = read('<meta charset="klingon"><p>净利润同比增长，资产质量稳定。'.encode() + b"\xff</p>")
    assert found.text.startswith("净利润同比增长")
    assert found.warnings


# What holds no text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "the file is empty"),
        (b"<!-- nothing -->", "the page is empty"),
        (b"<script>x()</script>", "no text of its own"),
        (b"\0\1\2binary\0", "binary"),
        (
            b'<nav><a href="1">One</a></nav><ul><li><a href="1">Alpha</a><li><a href="2">Beta</a>'
            b'<li><a href="3">Gamma</a></ul>',
            "only navigation",
        ),
    ],
)
def test_a_page_without_text_of_its_own_is_refused(folder, content, expected):
    found = read(content)
    assert isinstance(found, Refusal)
    assert expected in found.reason


def test_a_page_too_large_to_hold_is_refused(folder, monkeypatch):
    monkeypatch.setattr(html_file, "LARGEST_FILE", 100)
    assert "more than 100" in read("<p>" + "text " * 50).reason


def test_a_page_nested_without_end_is_no_trouble(folder):
    found = read("<div>" * 1500 + "deep" + "</div>" * 1500)
    assert found.text == "deep"
    assert isinstance(read("<div>" * 100_000 + "deeper"), Refusal)


def test_a_cell_that_claims_a_million_columns_gets_few(folder):
    page = '<table><tr><th colspan="1000000">a<tr><td>b<td>1<tr><td>c<td>2</table>'
    assert len(text(page)) < 10_000


@pytest.mark.parametrize("name", ["punycode", "idna", "utf-7", "unicode_escape", "rot13"])
def test_what_is_no_encoding_of_pages_is_not_decoded_by(name):
    decoded = html_file.decode_page(
        f'<meta charset="{name}"><p>caf'.encode() + b"\xe9 and more words of the page"
    )
    assert decoded.encoding == "cp1252"
    assert "café" in decoded.text


def test_a_page_of_many_scripts_is_read_in_the_time_of_its_length(folder):
    page = "<p>The page begins.</p><div>" + "<script>x()</script>one two " * 60_000 + "</div>"
    assert text(page).split() == ["The", "page", "begins.", *["one", "two"] * 60_000]


def test_a_table_wider_than_any_is_refused(folder):
    row = "<tr>" + "<td colspan=100>a</td>" * 101 + "</tr>"
    (found,) = [read(f"<table>{row * 2}</table>")]
    assert isinstance(found, Refusal)
    assert found.reason == "a table has more than 10,000 columns"
    span = "9" * 5_000
    assert text(
        f"<table><tr><td colspan={span}>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"
    ).startswith("| a |")
