"""What is judged is read before the document, and no value is taken for what was never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, in_sight, screen_text, seen, until
from label_workspaces import SYSTEM, TAXONOMY
from labelling_workspaces import new_workspace
from textual.pilot import Pilot
from tiny_workspaces import f1, put_text

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from store.corpora import corpora, taxonomies
from store.datasets import datasets
from store.records import Evidence, Hit, ItemContent, ItemState, PredictionState, Turn
from store.runs import runs, stages
from store.runs.runs import RunSettings
from store.runs.stages import AnswerValue, RetrieveValue, ScoreValue
from tui.app import Ragdesk
from tui.label import timing
from tui.label.desk import LabelDesk

TEXT = "".join(f"第{at}条 银行应当报送报告。\n" for at in range(60))


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keys are pressed faster here than by people, and what is remembered is nobody's."""
    monkeypatch.setattr(timing, "SETTLE_SECONDS", -60.0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def dialogue(turns: int, document: str) -> ItemContent:
    evidence = Evidence(document, 0, 9, TEXT[:9])
    asked = [
        Turn(f"第{at}个问题是什么？" * 3, (f"第{at}个答案。",), (evidence,) if at == 1 else ())
        for at in range(1, turns + 1)
    ]
    return ItemContent(tuple(asked), topic="profit", task="extractive", lang="zh")


def workspace_of(folder: Path, form: str, *, turns: int, answer: str = "是。") -> Path:
    """One conversation, drawn to be inspected, or its last turn answered and drawn."""
    with new_workspace(folder) as workspace:
        with workspace.write() as db:
            corpus = corpora.create(db, "reports")
            dataset = datasets.create(db, "gold", corpus.id, taxonomies.put(db, TAXONOMY))
            put_text(db, corpus, "report.md", TEXT, title="报告")
            ((document,),) = db.execute("SELECT document_id FROM document").fetchall()
            content = dialogue(turns, document)
            accepted = ItemState.ACCEPTED
            datasets.add_item(
                db, dataset, "talk", "g1", content, author="test", reason="made", state=accepted
            )
            release = datasets.release(db, dataset)
            order = [(item.revision_id, turns) for item in datasets.released_items(db, release.id)]
            run = runs.create(db, "run-1", release.id, SYSTEM, RunSettings(), order)
            rows = db.execute("SELECT id FROM prediction ORDER BY turn").fetchall()
            for (number,) in rows:
                hits = RetrieveValue("q", (Hit(document, 0, len(TEXT), 1.0),))
                stages.put(db, number, "retrieve", hits, elapsed_ms=1.0)
                stages.finish_prediction(db, number, PredictionState.OK, answer=answer)
                stages.put(db, number, "answer", AnswerValue("rule"), elapsed_ms=1.0)
                stages.put_scores(db, number, [f1(0.5)])
                stages.put(db, number, "score", ScoreValue(1), elapsed_ms=1.0)
        of_runs = {"runs": (run.name,)} if form == "judge_labels" else {"dataset": "gold"}
        states = () if of_runs.get("runs") else (accepted,)
        draw_sample(workspace, SampleRequest("first", form, per_cell=9, states=states, **of_runs))
    return folder


async def open_desk(app: Ragdesk, pilot: Pilot[int], key: str) -> LabelDesk:
    await pilot.press(key)
    await until(pilot, lambda: isinstance(app.screen, LabelDesk), "the desk")
    screen = app.screen
    assert isinstance(screen, LabelDesk)
    await until(pilot, lambda: screen.opened is not None and screen.focused, "the first one")
    await in_sight(pilot)
    return screen


async def last_turn(pilot: Pilot[int], screen: LabelDesk, turns: int) -> None:
    """Go on to the answer to the last turn, whatever the order of the draw."""
    for _ in range(turns):
        if f"turn {turns} of {turns}" in screen.context():
            await in_sight(pilot)
            return
        before = screen.opened
        await pilot.press("right_square_bracket")
        await until(pilot, lambda old=before: screen.opened != old, "the next one")
    raise AssertionError("there is no last turn")


@pytest.mark.parametrize("size", SIZES)
async def test_all_turns_of_an_item_stand_before_its_evidence(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = workspace_of(tmp_path / "ws", "inspection", turns=5)
    async with desk(folder, size) as (app, pilot):
        await open_desk(app, pilot, "f4")
        lines = (await seen(pilot, "第5个答案")).splitlines()
        place = {
            text: next(at for at, line in enumerate(lines) if text in line)
            for text in ("第1个问题", "第1个答案", "第5个问题", "第5个答案", "第0条")
        }
        assert sorted(place, key=place.__getitem__)[:4] == list(place)[:4] or size[0] > 80
        if size[0] == 80:
            assert place["第5个答案"] < place["第0条"], "the document comes after"
        assert "below:" not in "".join(lines)


async def test_an_item_that_fits_is_scored_by_one_key(tmp_path: Path) -> None:
    folder = workspace_of(tmp_path / "ws", "inspection", turns=5)
    async with desk(folder, SIZES[0]) as (app, pilot):
        screen = await open_desk(app, pilot, "f4")
        await pilot.press("4")
        await until(pilot, lambda: screen.opened is None, "the end of the queue")


async def test_a_score_waits_until_the_last_turn_was_on_the_screen(tmp_path: Path) -> None:
    folder = workspace_of(tmp_path / "ws", "inspection", turns=11)
    async with desk(folder, SIZES[0]) as (app, pilot):
        screen = await open_desk(app, pilot, "f4")
        assert "below: turn 8 - turn 11" in screen_text(app)
        await pilot.press("4")
        assert "not on the screen yet: turn 8 - turn 11; PgDn shows it" in screen_text(app)
        assert screen.opened is not None
        assert screen.opened.values == {}
        await pilot.press("pagedown")
        text = await seen(pilot, "第11个答案")
        assert "below:" not in text
        assert "第1条" in text, "the document stays where it is"
        await pilot.press("pagedown")
        assert "第1条" not in await seen(pilot, "第11个答案"), "now it is the document's turn"
        await pilot.press("4")
        await until(pilot, lambda: screen.opened is None, "the end of the queue")


@pytest.mark.parametrize("size", SIZES)
async def test_the_earlier_turns_of_an_answer_are_on_the_screen(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = workspace_of(tmp_path / "ws", "judge_labels", turns=4)
    async with desk(folder, size) as (app, pilot):
        screen = await open_desk(app, pilot, "f7")
        await last_turn(pilot, screen, 4)
        text = screen_text(app)
        for at in (1, 2, 3):
            assert f"第{at}个问题" in text
            assert f"第{at}个答案" in text
        assert "第4个问题" in text
        assert "第4个答案" in text
        await pilot.press("2")
        assert screen.opened is not None
        assert screen.opened.values == {"accuracy": 2}


async def test_a_long_answer_is_read_to_its_end_before_its_first_value(tmp_path: Path) -> None:
    answer = "".join(f"第{at}点，收入增长。" for at in range(80))
    folder = workspace_of(tmp_path / "ws", "judge_labels", turns=1, answer=answer)
    async with desk(folder, SIZES[0]) as (app, pilot):
        screen = await open_desk(app, pilot, "f7")
        assert "below: answer, golden" in screen_text(app)
        await pilot.press("2")
        assert screen.opened is not None
        assert screen.opened.values == {}
        presses = 0
        while screen.view.unseen is not None:
            await pilot.press("pagedown")
            await pilot.pause()
            presses += 1
        assert 1 < presses < 12
        await pilot.press("2", "1")
        assert screen.opened.values == {"accuracy": 2, "completeness": 1}


async def test_a_pane_that_is_away_is_said_with_the_key_that_brings_it(tmp_path: Path) -> None:
    folder = workspace_of(tmp_path / "ws", "judge_labels", turns=3)
    async with desk(folder, SIZES[0]) as (app, pilot):
        screen = await open_desk(app, pilot, "f7")
        await pilot.press("tab", "w")
        await pilot.press("right_square_bracket")
        await pilot.pause()
        await pilot.press("2")
        assert "not on the screen yet: answer; w shows it" in screen_text(app)
        assert screen.opened is not None
        assert screen.opened.values == {}
        await pilot.press("w")
        await in_sight(pilot)
        await pilot.press("2")
        assert screen.opened.values == {"accuracy": 2}
