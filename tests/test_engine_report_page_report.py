"""The page of a report: nothing in it runs or is fetched but what we wrote; all texts come back."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest
import report_samples as samples
from html_pages import Page
from msgspec.structs import replace

from engine.report.page.passages import packed, passages_block
from engine.report.page.records import Place
from engine.report.page.report import MOST_BYTES, render


@pytest.fixture(scope="module")
def hostile() -> str:
    """A page every text of which tries to break out of its place."""
    text = samples.HOSTILE
    return render(samples.report(names=(f"a {text}", f"b {text}"), text=text, label=text))


def test_every_element_is_one_of_ours_whatever_the_texts_say(hostile: str) -> None:
    page = Page(hostile)
    assert page.open == []
    assert "img" not in page.tags
    assert page.tags.count("script") == 4
    assert not {name for name, _ in page.attributes if name.startswith("on") or name == "style"}
    assert "\u202e" not in hostile
    assert "\u2028" not in "".join(page.raw.values())


def test_hostile_texts_come_back_as_they_were(hostile: str) -> None:
    page, text = Page(hostile), samples.HOSTILE
    facts, items = page.json("facts"), page.packed("items")
    without_bidi = text.replace("\u202e", "")
    assert [run["name"] for run in facts["runs"]] == [f"a {without_bidi}", f"b {without_bidi}"]
    assert facts["rows"]["labels"][0] == without_bidi
    assert items["items"][0][0] == f"item 0 {text}"
    assert items["items"][0][7] == text
    assert items["runs"][1]["answers"][2][1] == text
    assert items["runs"][0]["reasons"] == [{"0": text, "1": text, "2": text}]
    assert page.packed("passages")["names"][0] == f"name of {text}"


def test_the_policy_lets_in_the_style_and_the_script_by_their_hashes_alone(hostile: str) -> None:
    page = Page(hostile)

    def source(block: str) -> str:
        return f"'sha256-{b64encode(sha256(page.raw[block].encode()).digest()).decode()}'"

    assert page.policy.split("; ") == [
        "default-src 'none'",
        f"style-src {source('style')}",
        f"script-src {source('script')}",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_nothing_in_the_page_refers_to_anything_outside_of_it() -> None:
    html = render(samples.report())
    page = Page(html)
    code = page.raw["style"] + page.raw["script"]
    assert not re.search(r"https?:|[\"'(]//|url\(|@import|import\(|fetch\(|XMLHttp", code)
    assert not [value for name, value in page.attributes if name in ("src", "href", "action")]


def test_the_tables_are_there_without_the_script() -> None:
    html = render(samples.report(lang="zh"))
    assert '<html lang="zh">' in html
    assert html.count('data-view="map"') == 2
    for word in ("各运行之间均有差异", "A first · B second", "全部指标", "需要 JavaScript"):
        assert word in html


def test_a_page_is_the_same_each_time() -> None:
    assert render(samples.report()) == render(samples.report())


def test_overlapping_passages_share_the_text_of_their_document() -> None:
    places = [Place("d", 0, 10), Place("d", 6, 16), Place("d", 40, 44), Place("e", 0, 3)]
    texts = {"d": "0123456789" * 5, "e": "abc"}
    made = packed(places, {"d": "D", "e": "E"}, texts)
    assert made["texts"] == ["0123456789012345", "0123", "abc"]
    assert made["places"] == [
        [0, 0, 0, 10, False],
        [0, 0, 6, 16, False],
        [0, 1, 0, 4, False],
        [1, 2, 0, 3, False],
    ]


def test_passages_are_found_by_the_units_that_javascript_counts() -> None:
    text = "基金😀涨了😀多少"
    made = packed([Place("d", 0, 9), Place("d", 3, 6)], {"d": "D"}, {"d": text})
    ((_, number, start, end, _),) = made["places"][1:]
    units = made["texts"][number].encode("utf-16-le")
    assert units[2 * start : 2 * end].decode("utf-16-le") == text[3:6] == "涨了😀"


def test_a_document_that_is_gone_has_a_name_and_no_text() -> None:
    made = packed([Place("gone", 0, 9)], {"gone": "its document is gone"}, {})
    assert made == {
        "names": ["its document is gone"],
        "texts": [],
        "places": [[0, None, 0, 0, False]],
    }


def test_without_passages_the_page_names_the_documents_alone() -> None:
    page = Page(render(replace(samples.report(text="SECRET"), texts=None)))
    assert page.json("facts")["has_passages"] is False
    assert page.packed("passages")["texts"] == []
    assert page.packed("passages")["names"] == ["name of Fund"] * 3


def test_passages_are_cut_to_one_length_where_there_is_too_little_room() -> None:
    documents = {"short": "a few words", **{f"d{n}": samples.prose(4000, n) for n in range(5)}}
    report = samples.report(items=6, documents=documents)
    whole, limit = passages_block(report, 1_000_000)
    assert limit is None
    room = len(whole) // 2
    block, limit = passages_block(report, room)
    assert len(block) <= room
    assert limit is not None
    assert 1000 < limit < 2500
    made = Page(block).packed("passages")
    assert {len(text) for text in made["texts"]} == {limit, len("a few words")}
    assert [place[4] for place in made["places"]] == [False, *[True] * 5]


def test_a_page_of_2000_items_with_5_passages_each_has_at_most_15_megabytes() -> None:
    prose = samples.prose(400_000, 1)
    documents = {f"d{n}": f"{n} {prose[n * 37 : n * 37 + 1500]}" for n in range(10_000)}
    html = render(samples.report(items=2000, passages=5, documents=documents))
    assert len(html.encode()) <= MOST_BYTES == 15_000_000
    made = Page(html).packed("passages")
    assert len(made["places"]) == 10_000
    assert not any(place[4] for place in made["places"])
