"""The report page in a real browser: Chromium without a screen, over its DevTools protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import browser
import pytest
import report_samples as samples
from msgspec.structs import replace

from engine.report.page.matrix import render as render_matrix
from engine.report.page.report import render
from engine.report.run_matrix import caption_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(browser.program() is None, reason="there is no Chromium here"),
]

WIDTHS = (400, 1400)
TEXT = "The rate of 基金 is 3.5 percent, 😀 مرحبا."
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture
async def page() -> AsyncIterator[browser.Page]:
    """A tab; whatever a test does in it, nothing may have gone wrong and nothing been fetched."""
    async with browser.chromium() as opened:
        yield opened
        assert opened.troubles == []


def address(place: Path, html: str) -> str:
    file = place / "report.html"
    file.write_text(html, "utf-8")
    return file.as_uri()


async def text_of(page: browser.Page, selector: str) -> str:
    return str(await page.value(f"document.querySelector({selector!r}).innerText"))


async def test_a_cell_leads_to_its_items_and_one_of_these_to_its_passages(
    page: browser.Page, tmp_path: Path
) -> None:
    await page.open(address(tmp_path, render(samples.report(text=TEXT))))
    board = await text_of(page, "section.shown")
    assert "Leaderboard on f1" in board
    assert board.index("second") < board.index("first")

    await page.click(".board th[data-run=second] a")
    await page.until("document.querySelector('section.shown').dataset.view === 'map'")
    assert "Run second" in await text_of(page, "section.shown")

    await page.click("section.shown .heat tbody td:nth-of-type(1) a")
    await page.until("document.querySelector('section.shown .items')")
    items = await text_of(page, "section.shown .items")
    assert items.count(TEXT) == 4, "questions and answers of both items of the row"
    assert "row=r0&col=c0" in await page.value("location.hash")

    await page.click("section.shown .items a")
    await page.until("document.querySelector('section.shown .passage')")
    assert await text_of(page, ".asked") == TEXT
    assert TEXT in await text_of(page, ".passage")
    assert await text_of(page, ".passage mark") == TEXT
    assert TEXT in await text_of(page, ".reasons")
    assert "1 of 2" in await text_of(page, ".steps")


async def test_a_comparison_leads_to_the_items_of_both_runs(
    page: browser.Page, tmp_path: Path
) -> None:
    url = address(tmp_path, render(samples.report(text=TEXT)))
    await page.open(f"{url}#view=compare&run=second&with=first")
    headline = await text_of(page, "section.shown .headline")
    assert "second (B) is better than first (A)" in headline
    await page.click("section.shown .heat tbody td a")
    await page.until("document.querySelector('section.shown .items')")
    heads = await text_of(page, "section.shown .items thead")
    assert [one for one in ("A value", "B value", "A answer", "B answer") if one not in heads] == []


async def test_items_are_filtered_and_searched(page: browser.Page, tmp_path: Path) -> None:
    documents = {"d0": "apples", "d1": "pears", "d2": "plums"}
    report = samples.report(items=3, documents=documents, text="Say ＡＢＣ.")
    url = address(tmp_path, render(report))
    count = "document.querySelectorAll('section.shown .items tbody tr').length"
    for asked, expected in (
        ("", 3),
        ("&row=r1", 1),
        ("&from=0.1&to=0.2", 2),
        ("&state=refused", 0),
        ("&state=ok", 3),
        ("&q=abc", 3),
        ("&q=pears", 0),
        ("&q=PEARS&passages=1", 1),
    ):
        await page.open(f"{url}#view=items{asked}")
        assert await page.value(count) == expected, asked
    await page.open(f"{url}#view=items")
    steps = await page.value("history.length")
    await page.value("document.getElementById('q').focus()")
    await page.command("Input.insertText", text="item 2")
    await page.until(f"{count} === 1")
    assert await page.value("document.activeElement.id") == "q"
    assert await page.value("history.length") == steps, "typing leaves no steps to go back through"


async def test_hostile_texts_are_shown_as_texts(page: browser.Page, tmp_path: Path) -> None:
    text = samples.HOSTILE
    report = samples.report(names=(f"a {text}", f"b {text}"), text=text, label=text)
    url = address(tmp_path, render(report))
    for view in ("board", "map", "compare", "items", "item&item=1"):
        await page.open(f"{url}#view={view}")
        assert await page.value("document.images.length") == 0
        assert "onerror=alert(1)" in await text_of(page, "main")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_view_fits_both_widths_in_light_and_dark(
    page: browser.Page, tmp_path: Path, width: int, scheme: str
) -> None:
    url = address(tmp_path, render(samples.report(text=TEXT * 20, lang="zh")))
    await page.prefer(scheme)
    for view in ("board", "map", "compare", "items", "item&item=1"):
        await page.open(f"{url}#view={view}", width=width)
        assert await page.value(OVERFLOW) <= 0, view
        ground = await page.value("getComputedStyle(document.body).backgroundColor")
        assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[scheme]
    await page.click(".theme")
    await page.until("document.documentElement.dataset.theme === 'light'")
    ground = await page.value("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"


async def test_the_keyboard_reaches_cells_and_goes_between_them(
    page: browser.Page, tmp_path: Path
) -> None:
    url = address(tmp_path, render(samples.report()))
    await page.open(f"{url}#view=map")
    focused = "document.activeElement.getAttribute('aria-label')"
    for _ in range(20):
        await page.press("Tab")
        if await page.value(f"document.activeElement.matches('.heat a') && {focused}"):
            break
    assert str(await page.value(focused)).startswith("Fund, Fund, .71 n 22, 95 % interval")
    await page.press("ArrowRight")
    assert "another" in await page.value(focused)
    await page.press("ArrowDown")
    assert "another" in await page.value(focused)
    await page.press("Enter")
    await page.until("document.querySelector('section.shown').dataset.view === 'items'")


async def test_a_page_without_passages_names_what_was_retrieved(
    page: browser.Page, tmp_path: Path
) -> None:
    report = replace(samples.report(text=TEXT), texts=None)
    await page.open(f"{address(tmp_path, render(report))}#view=item&item=0")
    passages = await text_of(page, ".passages")
    assert "name of Fund" in passages
    assert await page.value("document.querySelector('.passage')") is None


async def test_a_matrix_alone_is_a_page_without_a_script(
    page: browser.Page, tmp_path: Path
) -> None:
    (view, *_) = samples.report().maps.values()
    html = render_matrix(view.matrix, caption_of(view))
    await page.open(address(tmp_path, html), ready="document.readyState === 'complete'")
    assert "~.25" in await text_of(page, ".heat")
    shade = "getComputedStyle(document.querySelector('.heat td.p6')).backgroundColor"
    assert await page.value(shade) not in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
