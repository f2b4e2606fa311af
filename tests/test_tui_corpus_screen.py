"""Corpus: the documents of a corpus are listed, found from one character up, and read."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import NARROW_THEN_WIDE, SIZES, desk, sample_workspace, screen_text, seen, until
from table_texts import wide_text
from tiny_workspaces import put_text

from engine.text.wrapping import cell_width
from store.corpora import corpora
from store.records import Chunk, ChunkingSettings
from store.verify import verify
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.corpus.add_paths import AddPaths
from tui.corpus.document import DocumentScreen, chunk_marks
from tui.corpus.screen import CorpusScreen
from tui.shell.waits import WORKING_AFTER


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
            assert "Retail Banking" in text or "Big Data" in text


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
    assert marks[1].label == "chunk 2/3, 21 tokens, 10 characters shared"


def mixed_folder(base: Path) -> Path:
    folder = base / "资料 mixed"
    folder.mkdir()
    for number in range(6):
        text = f"第{number}份：央行下调利率，净息差收窄。" * (number + 1)
        (folder / f"第{number}份.txt").write_text(text, encoding="utf-8")
    (folder / "旧.txt").write_bytes("国标编码的旧文件，讲存款利率。".encode("gb18030"))
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "broken.pdf").write_bytes(b"not a pdf at all")
    return folder


@pytest.mark.parametrize("size", NARROW_THEN_WIDE)
async def test_a_folder_is_added_by_keys_and_what_was_refused_stays_until_read(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = mixed_folder(tmp_path)
    async with desk(tmp_path / "workspace", size) as (app, pilot):
        await pilot.press("f2")
        await seen(pilot, "+ reads your files")
        await pilot.press("plus")
        await until(pilot, lambda: isinstance(app.screen, AddPaths), "the dialog")
        dialog = app.screen
        assert isinstance(dialog, AddPaths)
        dialog.path.value = f"{tmp_path}/资"
        await pilot.press("tab")
        assert dialog.path.value == f"{folder}/"
        assert "broken.pdf" in await seen(pilot, "旧.txt")
        await pilot.press("enter")
        assert dialog.corpus.value == "资料 mixed"
        await pilot.press("enter", *["backspace"] * 4, "4", "0", "enter")
        await pilot.press(*["backspace"] * 3, "8", "enter", "enter")
        await pilot.press("enter")
        await seen(pilot, "files or parts were refused")
        screen = corpus_screen(app)
        await until(pilot, lambda: screen.documents.count == 7, "the documents")
        await pilot.press("R")
        text = await seen(pilot, "Could not be read")
        assert "picture.png" in text
        assert "broken.pdf" in text
        await pilot.press("escape")
        await until(pilot, lambda: not screen.refused, "the note that it was read")
        assert "refused   e" not in screen_text(app)
        await pilot.press("slash", "旧")
        await seen(pilot, "1 of 7 hold 旧")
    with open_workspace(tmp_path / "workspace") as workspace:
        corpus = corpora.get(workspace.db, "资料 mixed")
        assert corpus.chunking == ChunkingSettings(40, 8)
        assert verify(workspace.db).ok


async def test_the_dialog_says_what_is_wrong_and_keeps_a_corpus_chunks(
    tmp_path: Path, sample: Path
) -> None:
    async with desk(sample) as (app, pilot):
        await pilot.press("f2")
        await seen(pilot, "Documents of sample   72")
        await pilot.press("plus")
        await until(pilot, lambda: isinstance(app.screen, AddPaths), "the dialog")
        dialog = app.screen
        assert isinstance(dialog, AddPaths)
        assert dialog.chunk_size.disabled
        await seen(pilot, "sample keeps the chunks")
        dialog.start.focus()
        await pilot.press("enter")
        await seen(pilot, "Name a file or a folder.")
        dialog.path.value = str(tmp_path / "missing")
        await pilot.press("enter")
        await seen(pilot, "There is no file or folder")
        dialog.path.value = str(tmp_path)
        dialog.corpus.value = "other"
        await pilot.pause()
        assert not dialog.chunk_size.disabled
        dialog.overlap.value = "4096"
        dialog.start.focus()
        await pilot.press("enter")
        await seen(pilot, "The overlap must be smaller")
        await pilot.press("escape")
        assert isinstance(app.screen, CorpusScreen)


async def test_typing_fast_leaves_nothing_to_wait_for(sample: Path) -> None:
    async with desk(sample) as (app, pilot):
        await pilot.press("f2")
        await seen(pilot, "Documents of sample   72")
        await pilot.press("slash")
        screen = corpus_screen(app)
        screen.wanted.value = "利"
        screen.wanted.value = "利率"
        await seen(pilot, "of 72 hold 利率")
        await pilot.pause(WORKING_AFTER + 0.1)
        assert app.status_text() == ""


async def test_a_table_that_is_wider_than_its_place_names_its_keys(tmp_path: Path) -> None:
    with open_workspace(tmp_path / "ws", create=True) as workspace, workspace.write() as db:
        put_text(db, corpora.create(db, "reports"), "sales.md", wide_text("zh"))
    async with desk(tmp_path / "ws") as (app, pilot):
        await pilot.press("f2")
        await seen(pilot, "Documents of reports   1")
        await pilot.press("tab", "enter")
        text = await seen(pilot, "Left Right columns")
        assert "columns 2-6/11" in text
        await pilot.press("right")
        assert "columns 3-7/11" in await seen(pilot, "columns 3")
        await pilot.resize_terminal(300, 40)
        await pilot.pause()
        assert "Left Right columns" not in screen_text(app)
