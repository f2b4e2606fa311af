"""Corpus: the documents of a corpus are listed, found from one character up, and read."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, sample_workspace, screen_text, seen, until

from store.records import Chunk
from tui.app import Ragdesk
from tui.screens.corpus import CorpusScreen
from tui.screens.document import DocumentScreen, chunk_marks
from tui.wrap import cell_width


@pytest.fixture
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_workspace(tmp_path_factory.getbasetemp())


def corpus_screen(app: Ragdesk) -> CorpusScreen:
    screen = app.screen
    assert isinstance(screen, CorpusScreen)
    return screen


@pytest.mark.parametrize("size", SIZES)
async def test_corpora_and_their_documents_are_listed(sample: Path, size: tuple[int, int]) -> None:
    async with desk(sample, size) as (app, pilot):
        await pilot.press("g", "2")
        text = await seen(pilot, "Documents of sample   72")
        assert "44,261" in text
        screen = corpus_screen(app)
        await until(pilot, lambda: screen.documents.count == 72, "the documents")
        assert all(cell_width(line) <= size[0] for line in screen_text(app).splitlines())
        if size[0] > 100:
            assert "零售银行" in text or "大数据" in text


@pytest.mark.parametrize("size", SIZES)
async def test_documents_are_found_by_one_chinese_character(
    sample: Path, size: tuple[int, int]
) -> None:
    async with desk(sample, size) as (app, pilot):
        await pilot.press("f2")
        await seen(pilot, "Documents of sample   72")
        await pilot.press("slash", "贷")
        await seen(pilot, "of 72 hold 贷")
        screen = corpus_screen(app)
        assert 0 < screen.documents.count < 72
        await pilot.press("enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, DocumentScreen), "the document")
        text = await seen(pilot, "found")
        assert "贷" in text
        shown = app.screen
        assert isinstance(shown, DocumentScreen)
        first = shown.passage.body.current
        await pilot.press("n")
        assert shown.passage.body.current != first
        await pilot.press("right_square_bracket")
        await pilot.pause()
        assert shown.index == 1
        assert shown.passage.body.current is not None
        assert shown.passage.body.current.kind == "find"
        await pilot.press("escape")
        await pilot.pause()
        if isinstance(app.screen, DocumentScreen):  # the first Esc left the search in the text
            await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, CorpusScreen), "the list")
        assert screen.documents.cursor == 1
        await pilot.press("escape")
        await seen(pilot, "Documents of sample   72")


async def test_a_search_that_finds_nothing_says_so(sample: Path) -> None:
    async with desk(sample) as (_, pilot):
        await pilot.press("f2")
        await seen(pilot, "Documents of sample   72")
        await pilot.press("slash", "龘")
        await seen(pilot, "none: 龘")


@pytest.mark.parametrize("size", SIZES)
async def test_a_document_shows_its_source_topic_and_chunks(
    sample: Path, size: tuple[int, int]
) -> None:
    async with desk(sample, size) as (app, pilot):
        await pilot.press("f2")
        await seen(pilot, "Documents of sample   72")
        await pilot.press("enter", "enter")
        text = await seen(pilot, "chunk 1/1")
        assert "topic   " in text
        assert "1 chunk" in text
        assert "source  " in text
        shown = app.screen
        assert isinstance(shown, DocumentScreen)
        assert (shown.passage.region.x > 0) == (size[0] >= 110)
        await pilot.press("w")
        await pilot.pause()
        assert shown.passage.size.height == size[1] - 2


def test_a_chunk_is_marked_where_it_begins_and_as_far_as_it_is_shared() -> None:
    chunks = [Chunk("d", 0, 0, 50, 20), Chunk("d", 1, 40, 90, 21), Chunk("d", 2, 90, 95, 3)]
    marks = chunk_marks(chunks)
    assert [(mark.start, mark.end) for mark in marks] == [(0, 1), (40, 50), (90, 91)]
    assert marks[1].label == "chunk 2/3, 21 tokens, the first 10 characters also in the one before"
