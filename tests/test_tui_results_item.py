"""One answer: its turns, scores and reasons, beside its evidence and what was retrieved."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, evaluated_workspace, seen, until
from msgspec.structs import replace

from store.records import HistoryMode
from store.runs import details, runs
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.language.reasons import read_reason
from tui.results.calls import NOTHING
from tui.results.exhibits import evidence_ranks, exhibits, first_mark, marks_in
from tui.results.item import ItemScreen, load
from tui.results.item_sheet import sheet
from tui.results.items import ItemsScreen
from tui.widgets.marks import overlaps, whole_occurrences


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated_workspace(tmp_path_factory.getbasetemp())


def prediction_of(folder: Path, run: str, item: str, turn: int = 0) -> int:
    with open_workspace(folder) as workspace:
        (found,) = workspace.db.execute(
            "SELECT prediction.id FROM prediction JOIN run ON run.id = run_id"
            " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
            " WHERE run.name = ? AND item_key = ? AND turn = ?",
            (run, item, turn),
        ).fetchone()
    return int(found)


async def open_first_item(app: Ragdesk, pilot) -> ItemScreen:  # type: ignore[no-untyped-def]
    """The first answer of the whole run: worst first."""
    await pilot.press("f6")
    await seen(pilot, "coverage 100 %")
    await pilot.press("end", "pagedown", "pagedown", "enter")
    await seen(pilot, "272 answers")
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, ItemScreen), "the item")
    screen = app.screen
    assert isinstance(screen, ItemScreen)
    return screen


@pytest.mark.parametrize("size", SIZES)
async def test_the_answer_stands_beside_its_evidence(
    evaluated: Path, size: tuple[int, int]
) -> None:
    async with desk(evaluated, size) as (app, pilot):
        screen = await open_first_item(app, pilot)
        assert screen.detail is not None
        turn = screen.detail.content.turns[screen.detail.turn]
        text = await seen(pilot, "evidence 1/")
        assert turn.question[:6] in text
        assert turn.golden_answers[0][:6] in text
        quote = turn.evidence[0].quote or ""
        assert screen.passage.body.current is not None
        start, end, *_ = screen.passage.body.current
        assert screen.passage.body.text[start:end] == quote
        is_beside = screen.passage.region.x > 0
        assert is_beside == (size[0] >= 110)


async def test_passages_are_gone_through_by_keys(evaluated: Path) -> None:
    async with desk(evaluated, (140, 40)) as (app, pilot):
        screen = await open_first_item(app, pilot)
        kinds = [one.kind for one in screen.exhibits]
        evidence = kinds.count("evidence")
        assert kinds.count("retrieved") == 5
        await pilot.press("v")
        await seen(pilot, "retrieved 1/5")
        await pilot.press("full_stop")
        await seen(pilot, "retrieved 2/5")
        await pilot.press("comma", "comma")
        await seen(pilot, f"evidence {evidence}/{evidence}")
        await pilot.press("v", "v")
        await seen(pilot, f"evidence 1/{evidence}")


async def test_the_next_item_comes_from_the_list_and_the_list_follows(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        screen = await open_first_item(app, pilot)
        first = screen.detail
        await pilot.press("right_square_bracket", "right_square_bracket")
        assert screen.detail is not None
        assert screen.index == 2
        assert screen.detail.id == screen.ids[2]
        await pilot.press("left_square_bracket", "left_square_bracket", "left_square_bracket")
        assert screen.detail == first
        await pilot.press("right_square_bracket", "escape")
        await until(pilot, lambda: isinstance(app.screen, ItemsScreen), "the list")
        assert isinstance(app.screen, ItemsScreen)
        assert app.screen.list.cursor == 1


async def test_one_pane_has_the_whole_screen_and_tab_changes_it(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        screen = await open_first_item(app, pilot)
        await pilot.press("w")
        await pilot.pause()
        assert screen.sheet.size.height == 22
        assert screen.passage.region.height == 0
        await pilot.press("w", "tab", "w")
        await pilot.pause()
        assert screen.passage.size.height == 22
        await pilot.press("tab")
        await pilot.pause()
        assert (screen.sheet.size.height, screen.passage.region.height) == (22, 0)
        await pilot.press("full_stop")
        await pilot.pause()
        assert screen.passage.size.height == 22, "a key of the passage brings it up"
        await pilot.press("w")
        await pilot.pause()
        assert 0 < screen.passage.size.height < 22


async def test_a_word_is_found_in_the_passage(evaluated: Path) -> None:
    async with desk(evaluated, (140, 40)) as (app, pilot):
        screen = await open_first_item(app, pilot)
        word = screen.passage.body.text[10:12]
        await pilot.press("slash")
        app.screen.focused.value = word  # type: ignore[union-attr]
        await pilot.press("enter")
        await seen(pilot, "found")
        await pilot.press("n", "N")
        assert screen.passage.body.current is not None
        assert screen.passage.body.current.kind == "find"
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, ItemScreen), "the first Esc leaves the search"


async def test_every_score_is_shown_with_its_state_and_reason(evaluated: Path) -> None:
    async with desk(evaluated, (140, 40)) as (app, pilot):
        screen = await open_first_item(app, pilot)
        assert screen.detail is not None
        text = screen.sheet.text
        for one in screen.detail.scores:
            assert one.score.metric in text
            if one.judge:
                assert read_reason(one.score.reason)[:10] in text
        assert "n/a" in text
        assert "as crud computes them" in text


async def test_what_judges_asked_takes_the_place_of_the_scores_until_asked_again(
    evaluated: Path,
) -> None:
    async with desk(evaluated) as (app, pilot):
        screen = await open_first_item(app, pilot)
        scores = screen.sheet.text
        await pilot.press("quotation_mark")
        await seen(pilot, NOTHING)
        await pilot.press("right_square_bracket")
        await seen(pilot, NOTHING)
        await pilot.press("left_square_bracket", "quotation_mark")
        await pilot.pause()
        assert screen.sheet.text == scores


@pytest.mark.usefixtures("chinese")
def test_a_later_turn_shows_what_the_system_saw_of_the_earlier_ones(evaluated: Path) -> None:
    number = prediction_of(evaluated, "bm25-sample@1", "anti_money_laundering-conversational-1", 2)
    with open_workspace(evaluated) as workspace:
        detail, history, *_ = load(workspace.db, number)
    assert history is HistoryMode.GOLD

    def text(mode: HistoryMode) -> str:
        return "\n".join("".join(part for part, _ in line) for line in sheet(detail, mode)(120))

    first, second = detail.content.turns[0], detail.content.turns[1]
    assert "第 1 轮" in text(HistoryMode.GOLD)
    for shown in (first.question, first.golden_answers[0], second.question):
        assert shown in text(HistoryMode.GOLD)
    assert detail.earlier_answers[1] in text(HistoryMode.PREDICTED)
    assert second.golden_answers[0] not in text(HistoryMode.QUESTIONS)


def test_evidence_has_the_rank_at_which_it_was_retrieved(evaluated: Path) -> None:
    number = prediction_of(evaluated, "bm25-sample@1", "anti_money_laundering-contrast-1")
    with open_workspace(evaluated) as workspace:
        detail, history, documents, *_ = load(workspace.db, number)
    assert evidence_ranks(detail) == (2, 1)
    shown = exhibits(detail, documents)
    assert [one.title.split("  ")[0] for one in shown[:4]] == [
        "evidence 1/2",
        "evidence 2/2",
        "retrieved 1/5",
        "retrieved 2/5",
    ]
    assert "evidence 2" in shown[2].title
    marks = marks_in(shown[0], detail)
    assert first_mark(shown[0], marks) in marks
    kinds = {mark.kind for mark in marks}
    assert kinds == {"evidence", "answer", "match"}
    lines = ["".join(part for part, _ in line) for line in sheet(detail, history)(100)]
    assert any("1 at rank 2, 2 at rank 1" in line for line in lines)


@pytest.mark.usefixtures("chinese")
def test_evidence_that_the_system_could_not_see_is_not_called_missed(evaluated: Path) -> None:
    number = prediction_of(evaluated, "bm25-sample@1", "anti_money_laundering-contrast-1")
    with open_workspace(evaluated) as workspace:
        detail, history, *_ = load(workspace.db, number)
    hidden = tuple(unit.document_id for unit in detail.evidence)
    unseen = replace(detail, hits=(), content=replace(detail.content, hidden=hidden))
    lines = ["".join(part for part, _ in line) for line in sheet(unseen, history)(100)]
    assert any("第 1 条对系统隐藏, 第 2 条对系统隐藏" in line for line in lines)
    assert not any("不在前" in line for line in lines)


@pytest.mark.usefixtures("chinese")
def test_without_retrieval_the_sheet_says_so(evaluated: Path) -> None:
    number = prediction_of(evaluated, "closed-book-sample@1", "retail_banking-multi_hop-1")
    with open_workspace(evaluated) as workspace:
        detail, history, documents, blamed, _ = load(workspace.db, number)
    assert [one.kind for one in exhibits(detail, documents)] == ["evidence", "evidence"]
    lines = ["".join(part for part, _ in line) for line in sheet(detail, history, blamed)(100)]
    assert any("没有检索（闭卷）" in line for line in lines)
    assert any("检索: 系统没有检索。" in line for line in lines)
    assert any("系统拒绝回答" in line for line in lines)


def test_a_document_that_is_gone_leaves_its_quote(evaluated: Path) -> None:
    number = prediction_of(evaluated, "bm25-sample@1", "anti_money_laundering-contrast-1")
    with open_workspace(evaluated) as workspace:
        detail = details.prediction(workspace.db, number)
        assert runs.get(workspace.db, detail.run_id).name == "bm25-sample@1"
    shown = exhibits(detail, {})
    assert shown[0].text == detail.evidence[0].quote
    assert "gone" in shown[0].title


@pytest.mark.parametrize(
    ("text", "answer", "found"),
    [
        (
            "该行2023年净利润为12.5亿元，同比增长。",
            "净利润为12.5亿元，下降",
            ["净利润为12.5亿元，"],
        ),
        ("The rate rose to 3.5 percent in March.", "the RATE rose to 3.5 percent", None),
        ("Profit was 112.5 million", "Profit was 112.57 million", []),
        ("短", "短", []),
        ("", "anything at all", []),
    ],
)
def test_an_answer_is_found_again_in_a_passage(
    text: str, answer: str, found: list[str] | None
) -> None:
    spans = [text[start:end] for start, end in overlaps(text, answer)]
    assert spans == (["The rate rose to 3.5 percent"] if found is None else found)


@pytest.mark.parametrize(
    ("text", "wanted", "count"),
    [
        ("12.5亿元", "2.5亿元", 0),
        ("在2.5亿元", "2.5亿元", 1),
        ("a category", "cat", 0),
        ("3.9", "3", 0),
    ],
)
def test_a_golden_answer_is_not_found_inside_a_word_or_a_number(
    text: str, wanted: str, count: int
) -> None:
    assert len(whole_occurrences(text, wanted)) == count
