"""A matrix as a page: well-formed, escaped, self-contained."""

from __future__ import annotations

import re

import matrix_samples as samples
from html_pages import Page
from msgspec.structs import replace

from engine.report.page.matrix import render


def test_html_nests_and_needs_nothing_from_outside():
    html = render(samples.large(), samples.CAPTION)
    page = Page(html)
    assert page.open == []
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert not re.search(r"https?:|//[a-z]|url\(|@import", html)
    assert not [value for name, value in page.attributes if name in ("src", "href", "srcset")]
    assert "default-src 'none'" in html


def test_html_escapes_every_label():
    label = "<script>alert('x')</script>&\"\u202e"
    caption = replace(samples.CAPTION, run=label, notes=(label,))
    html = render(samples.sample(rows=(label, "x"), cols=(label, "y")), caption)
    assert "<script" not in html
    assert "\u202e" not in html
    assert Page(html).open == []


def test_html_shows_cells_and_all_numbers():
    html = render(samples.sample(), samples.CAPTION)
    assert re.search(r'<td class="h18" title="[^"]*">\.71<span>22</span></td>', html)
    assert re.search(r'<td class="p6" title="[^"]*">~\.25<span>12</span></td>', html)
    assert '<td class="blank">–</td>' in html
    assert '<td class="blank" title="na 5">n/a</td>' in html
    assert (
        '<th scope="row">零售银行</th><th>抽取类问答</th><td>.714</td><td>.614–.814</td><td>22</td>'
        in html
    )


def test_html_counts_every_state_and_warns():
    html = render(samples.doubtful(), samples.CAPTION)
    assert "ok 40, na 1, unparsed 2, out_of_range 3, error 4, missing 5, pending 7" in html
    assert html.count('class="warning"') == 2
    figures = "".join(f"<td>{count}</td>" for count in (40, 1, 2, 3, 4, 5, 7))
    assert f"{figures}<td>74.1 %</td>" in html


def test_html_is_marked_with_its_language():
    html = render(samples.sample(), replace(samples.CAPTION, lang="zh"))
    assert '<html lang="zh">' in html
    assert "总体均值 .550" in html
