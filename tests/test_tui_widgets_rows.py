"""The virtual list: what is fetched, what is drawn, what is repainted, what it reports."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region

from tui.widgets.row_source import Cell, Column, ListSource, Row, fit_columns
from tui.widgets.rows import BLOCK, Rows

COLUMNS = (
    Column("no", 7, "right"),
    Column("question"),
    Column("task", 10, drop=1),
    Column("score", 5, "right"),
)


class Counting:
    """Any number of rows, made when asked for; it counts what was asked."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.fetched = 0

    def count(self) -> int:
        return self._count

    def rows(self, start: int, stop: int) -> Sequence[Row]:
        self.fetched += stop - start
        return [
            Row(
                index,
                (str(index), f"商业银行流动性覆盖率是多少？{index}", "抽取", Cell(".71", "bad")),
            )
            for index in range(start, stop)
        ]


class Recording(Rows):
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.repainted: list[Region] = []

    def refresh(self, *regions: Region, **kwargs: bool) -> Recording:
        self.repainted += regions or (Region(0, 0, 0, 99),)
        super().refresh(*regions, **kwargs)
        return self


class Listing(App[None]):
    def __init__(self, source: object, empty: str = "") -> None:
        super().__init__()
        self.rows = Recording(source, COLUMNS, empty=empty)
        self.said: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.rows

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        self.said.append(("highlighted", message.index, message.count))

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self.said.append(("chosen", message.row.key))


async def test_wide_characters_align_and_the_cursor_has_a_sign() -> None:
    app = Listing(Counting(3))
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.press("j")
        assert app.rows.lines_as_text()[:4] == [
            "       no  question                        task        score",
            "        0  商业银行流动性覆盖率是多少？0   抽取          .71",
            "❯       1  商业银行流动性覆盖率是多少？1   抽取          .71",
            "        2  商业银行流动性覆盖率是多少？2   抽取          .71",
        ]


@pytest.mark.parametrize("count", [100, 1_000_000])
async def test_a_key_fetches_as_little_in_a_million_rows_as_in_a_hundred(count: int) -> None:
    source = Counting(count)
    app = Listing(source)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("end", "up", "up", "home")
        assert source.fetched <= 4 * BLOCK


async def test_moving_in_view_repaints_two_lines() -> None:
    app = Listing(Counting(50))
    async with app.run_test(size=(80, 24)) as pilot:
        app.rows.repainted.clear()
        await pilot.press("down")
        assert sorted(region.y for region in app.rows.repainted) == [1, 2]
        assert {region.height for region in app.rows.repainted} == {1}


async def test_keys_move_by_row_page_and_end() -> None:
    app = Listing(Counting(1000))
    async with app.run_test(size=(80, 21)) as pilot:
        for key, row in [
            ("j", 1),
            ("down", 2),
            ("k", 1),
            ("pagedown", 20),
            ("pageup", 1),
            ("end", 999),
            ("down", 999),
            ("home", 0),
            ("up", 0),
        ]:
            await pilot.press(key)
            assert app.rows.cursor == row
            assert app.rows.top <= row < app.rows.top + 20


async def test_it_reports_the_row_under_the_cursor_and_the_choice() -> None:
    app = Listing(Counting(9))
    async with app.run_test() as pilot:
        await pilot.press("j", "enter")
        assert app.said == [("highlighted", 0, 9), ("highlighted", 1, 9), ("chosen", 1)]


async def test_an_empty_list_says_how_to_fill_it() -> None:
    app = Listing(ListSource(), empty="No run yet. 还没有运行：按 + 开始。")
    async with app.run_test(size=(30, 8)) as pilot:
        assert app.rows.lines_as_text()[1].strip() == "Loading."
        app.rows.set_source(ListSource())
        await pilot.press("j", "enter")
        assert [line.strip() for line in app.rows.lines_as_text()[1:3]] == [
            "No run yet. 还没有运行：按",
            "+ 开始。",
        ]
        assert app.said == [("highlighted", 0, 0)]


async def test_the_cursor_follows_its_row_through_a_reload() -> None:
    rows = [Row(key, (key, key)) for key in "abcdef"]
    source = ListSource(rows)
    app = Listing(source)
    async with app.run_test() as pilot:
        await pilot.press("j", "j")
        rows.insert(0, Row("new", ("new", "new")))
        app.rows.replace_source(ListSource(rows))
        await pilot.pause()
        assert (app.rows.cursor, app.rows.current) == (3, Row("c", ("c", "c")))
        del rows[1:]
        app.rows.replace_source(ListSource(rows))
        assert app.rows.current == Row("new", ("new", "new"))


async def test_a_reload_repaints_only_the_lines_that_differ() -> None:
    rows = [Row(key, (key, key)) for key in "abcdef"]
    app = Listing(ListSource(rows))
    async with app.run_test() as pilot:
        await pilot.pause()
        app.rows.replace_source(ListSource(rows))
        await pilot.pause()
        app.rows.repainted.clear()
        rows[3] = Row("d", ("d", "changed"))
        app.rows.replace_source(ListSource(rows))
        assert [region.y for region in app.rows.repainted] == [4]


def test_columns_are_dropped_before_the_shared_one_is_too_narrow() -> None:
    assert fit_columns(COLUMNS, 60) == [(0, 7), (1, 32), (2, 10), (3, 5)]
    assert fit_columns(COLUMNS, 34) == [(0, 7), (1, 18), (3, 5)]


async def test_the_header_says_which_rows_are_in_view_where_not_all_are() -> None:
    app = Titled(ListSource([Row(n, (str(n), "question", "task")) for n in range(12)]))
    async with app.run_test(size=(40, 6)) as pilot:
        assert app.rows.lines_as_text()[0].endswith("1-5/12")
        await pilot.press("end")
        assert app.rows.lines_as_text()[0].endswith("8-12/12")
        app.rows.replace_source(ListSource([Row(1, ("1", "question", "task"))]))
        assert app.rows.lines_as_text()[0].endswith("task")


class Titled(App[None]):
    def __init__(self, source: ListSource) -> None:
        super().__init__()
        self.rows = Rows(source, (Column("no", 4), Column("question"), Column("task", 14)))

    def compose(self) -> ComposeResult:
        yield self.rows
