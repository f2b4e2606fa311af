"""Labelling answers: a key a value, nothing lost, nothing seen that would lead the rater."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import desk, in_sight, screen_text, seen, until
from label_workspaces import label_workspace
from labelling_workspaces import everything_derived
from textual import events
from textual.pilot import Pilot

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.forms import load_form
from engine.labelling.session import LabelSession
from engine.labelling.subject_state import SubjectState
from store.labels import forms
from store.labels.forms import Value
from store.labels.log import log, reading
from store.labels.log.events import Subject
from store.labels.samples import queue, quotas, samples
from store.records import ItemState
from store.sharing.modes import members_of, share
from store.verify import verify
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.correction.screen import CorrectionScreen
from tui.label import timing
from tui.label.adjudication import AdjudicationScreen
from tui.label.form.recent import judgement_text
from tui.label.label_screen import LabelScreen
from tui.label.queue.sample_picker import SamplePicker
from tui.label.subjects.answer_view import AnswerView
from tui.label.subjects.pair_view import PairView

SIZES = ((80, 24), (100, 30), (120, 40), (140, 40))


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keys are pressed faster here than by people, and what is remembered is nobody's."""
    monkeypatch.setattr(timing, "SETTLE_SECONDS", -60.0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Eight answers in two cells, wanting one rater each."""
    label_workspace(tmp_path / "ws").close()
    return tmp_path / "ws"


async def open_label(app: Ragdesk, pilot: Pilot[int]) -> LabelScreen:
    await pilot.press("f7")
    await until(pilot, lambda: isinstance(app.screen, LabelScreen), "Label")
    screen = app.screen
    assert isinstance(screen, LabelScreen)
    await until(pilot, lambda: screen.opened is not None and screen.focused, "the first answer")
    await in_sight(pilot)
    return screen


def subject_of(screen: LabelScreen) -> Subject:
    assert screen.opened is not None
    return screen.opened.subject


def values_of(screen: LabelScreen) -> dict[str, Value]:
    assert screen.opened is not None
    return screen.opened.values


async def after(pilot: Pilot[int], screen: LabelScreen, before: Subject, *keys: str) -> None:
    """Press keys that lead to another subject."""
    await pilot.press(*keys)
    await until(pilot, lambda: screen.opened and subject_of(screen) != before, "the next one")


def said(folder: Path, form: str = "judge_labels") -> list[tuple[str, object]]:
    with open_workspace(folder) as workspace:
        assert verify(workspace.db).ok
        found = reading.events(workspace.db, form, rater="tester")
        return [(one.field, one.value) for one in found]


async def to_chinese(pilot: Pilot[int], screen: LabelScreen) -> None:
    """Go on to the wrong Chinese answer, whatever the order of the draw."""
    for _ in range(8):
        if "c000" in screen.context():
            return
        await after(pilot, screen, subject_of(screen), "right_square_bracket")
    raise AssertionError("there is no c000")


@pytest.mark.parametrize("size", SIZES)
async def test_an_answer_is_read_without_being_judged_and_the_form(
    folder: Path, size: tuple[int, int]
) -> None:
    async with desk(folder, size) as (app, pilot):
        screen = await open_label(app, pilot)
        await to_chinese(pilot, screen)
        text = await seen(pilot, "预计明年翻番")
        for wanted in ("question", "同比变动多少", "golden", "下降1.0%", "预计明年翻番"):
            assert wanted in text, wanted
        for sign in ("✗", "  ?  ", "✓"):
            assert sign not in text, "nothing says whether the answer is right"
        assert screen.readings.lacking([subject_of(screen)]), "nothing compares it either"
        for wanted in ("accuracy", "2 right", "- n/a", "retrieved 1/2", "system ***"):
            assert wanted in text, wanted
        assert "retriever-x" not in text, "the system is hidden"
        assert "7.25" not in text, "scores would tell the retriever"
        view = screen.view
        (cell,) = (part for part in screen.context() if " x " in part)
        assert cell in ("Extractive x Profit", "Extractive x Loans"), (
            "as the dataset's taxonomy has it"
        )
        body = view.passage.body  # type: ignore[attr-defined]
        assert "净利润" in body.text
        if size[1] >= 30:
            assert "retrieved 2/2" in text
            assert "evidence 1/1" in text


async def test_the_key_is_the_value_and_the_focus_moves_down(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        await to_chinese(pilot, screen)
        here = subject_of(screen)
        await pilot.press("2", "minus", "0", "1")
        assert subject_of(screen) == here
        await pilot.press("1")
        assert said(folder) == [
            ("accuracy", 2),
            ("completeness", "na"),
            ("hallucination", 0),
            ("utilization", 1),
            ("numerical_accuracy", 1),
        ]
        assert subject_of(screen) == here, "Enter goes on, so that nothing unseen is labelled"
        await after(pilot, screen, here, "enter")
        await seen(pilot, "yours 1/8")


async def test_parts_of_the_queue_are_named_as_the_dataset_names_them(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        await open_label(app, pilot)
        await pilot.press("F")
        text = await seen(pilot, "Part of the queue")
        assert "Profit" in text or "利润" in text
        assert "profit" not in text
        assert "0/8 labels" in text


async def test_the_count_is_of_the_rater_as_at_home_and_in_the_list(tmp_path: Path) -> None:
    with label_workspace(tmp_path / "ws", raters_wanted=2) as workspace:
        subjects = [
            one.subject for one in LabelSession(workspace, "judge_labels", "li").upcoming(3)
        ]
        for rater in ("li", "wang"):
            LabelSession(workspace, "judge_labels", rater).exclude(subjects[0], "broken")
        mine = LabelSession(workspace, "judge_labels", "tester")
        for subject in subjects[1:]:
            mine.exclude(subject, "broken")
        found = queue.by_sample(workspace.db, "judge_labels", "tester")
    assert [(one.waiting, one.done) for one in found] == [(5, 2)], "one is with enough others"
    async with desk(tmp_path / "ws") as (app, pilot):
        await open_label(app, pilot)
        text = await seen(pilot, "yours 2/7")
        assert "4/16" not in text
        assert [(one.waiting, one.done) for one in app.facts.own] == [(5, 2)]
        await pilot.press("S")
        text = await seen(pilot, "What to label")
        assert "yours 2/7" in text


async def test_with_auto_advance_five_keys_are_a_case_and_it_is_remembered(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        await to_chinese(pilot, screen)
        await pilot.press("A")
        await seen(pilot, "by itself when the form is complete")
        await after(pilot, screen, subject_of(screen), "1", "0", "0", "2", "0")
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        assert screen.advances
        await pilot.press("A")
        assert not screen.advances


async def test_with_auto_advance_a_finished_case_stays_while_it_is_changed(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        first = subject_of(screen)
        await pilot.press("A")
        await after(pilot, screen, first, "2", "2", "0", "2", "1")
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: subject_of(screen) == first, "the case before")
        await pilot.press("1", "1")
        await until(pilot, lambda: values_of(screen)["completeness"] == 1, "both values")
        assert subject_of(screen) == first
        assert values_of(screen)["accuracy"] == 1
        await after(pilot, screen, first, "enter")


async def test_an_illegal_value_flashes_and_does_nothing(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        await open_label(app, pilot)
        await pilot.press("1", "1", "2")
        await seen(pilot, "hallucination: 0 1")
        await pilot.press("minus")
        await seen(pilot, "hallucination: 0 1")
        assert len(said(folder)) == 2
        await pilot.press("enter")
        await seen(pilot, "a field is empty")
        app.post_message(events.Key("fullwidth_digit_one", "１"))
        await until(pilot, lambda: said(folder)[-1] == ("hallucination", 1), "the value")


async def test_a_value_is_corrected_by_going_up(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        await open_label(app, pilot)
        await pilot.press("2", "2", "up", "up", "0")
        assert said(folder) == [("accuracy", 2), ("completeness", 2), ("accuracy", 0)]
        await seen(pilot, "Accuracy says wrong, and yet all aspects are covered.")


async def test_a_field_that_does_not_apply_is_skipped(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        while "c003" not in screen.context():
            await after(pilot, screen, subject_of(screen), "right_square_bracket")
        assert "is not asked here" in screen_text(app)
        await pilot.press("2", "2", "0", "2")
        assert screen.opened is not None
        assert screen.opened.is_complete
        await after(pilot, screen, subject_of(screen), "enter")


async def test_contradicting_values_are_pointed_out_and_kept(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        await to_chinese(pilot, screen)
        here = subject_of(screen)
        await pilot.press("A", "2", "2", "0", "2", "0")
        await seen(pilot, "Accuracy says right, numerical accuracy says wrong.")
        assert subject_of(screen) == here
        await after(pilot, screen, here, "enter")


async def test_notes_on_a_field_and_on_the_whole(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        here = subject_of(screen)
        await pilot.press("1", "up", "colon", "a", "1", "enter")
        await seen(pilot, "; a1")
        await pilot.press("semicolon", "b", "enter")
        await seen(pilot, "note: b")
        assert said(folder) == [("accuracy", 1), ("accuracy", "a1"), ("", "b")]
        await pilot.press("u", "u")
        await until(pilot, lambda: "; a1" not in screen_text(app), "the note to go")
        assert subject_of(screen) == here


async def test_undo_goes_back_over_cases_and_restarts_to_the_start(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        start = everything_derived(workspace.db)
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        await to_chinese(pilot, screen)
        first = subject_of(screen)
        await pilot.press("1", "1", "0", "1", "0")
        await after(pilot, screen, first, "enter")
        await pilot.press("2", "f")
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        for count in range(7):
            await pilot.press("u")
            await seen(pilot, f"label {8 + count} saved")
        assert subject_of(screen) == first
        await pilot.press("u")
        await seen(pilot, "nothing to undo")
        with open_workspace(folder) as workspace:
            assert everything_derived(workspace.db) == start
        await pilot.press("U", "U")
        assert screen.opened is not None
        assert screen.opened.values == {"accuracy": 1, "completeness": 1}


async def test_what_is_hidden_is_shown_after_labelling_only_and_logged(folder: Path) -> None:
    async with desk(folder, (120, 40)) as (app, pilot):
        screen = await open_label(app, pilot)
        await to_chinese(pilot, screen)
        subject = subject_of(screen)
        with open_workspace(folder) as workspace, workspace.write() as db:
            form = forms.register(db, load_form("judge_labels"))
            for field, value in zip(("accuracy", "completeness"), (0, 1), strict=True):
                log.append(db, form, "other", subject, field, value)
            for field in ("hallucination", "utilization", "numerical_accuracy"):
                log.append(db, form, "other", subject, field, 1)
        await pilot.press("V")
        await seen(pilot, "label it first")
        await pilot.press("2", "2", "0", "2", "1")
        assert "✗" not in screen_text(app)
        await pilot.press("V")
        text = await seen(pilot, "✗ +1.0% (gold -1.0%)")
        # of the two sentences the documents say neither
        assert text.count("  ?  ") >= 1, text
        assert "system retriever-x" in text
        assert "accuracy 0 wrong" in text, "what the other rater said"
        await until(pilot, lambda: "label 11 saved" in screen_text(app), "the log")
        await pilot.press("up", "up", "up", "up", "1")
        with open_workspace(folder) as workspace:
            last = list(reading.events(workspace.db, "judge_labels"))[-1]
        assert (last.field, last.value, last.origin) == ("accuracy", 1, "human_after_reveal")


async def test_with_aids_the_comparison_is_there_before_and_each_label_says_so(
    folder: Path,
) -> None:
    with open_workspace(folder) as workspace:
        request = SampleRequest("aided", "judge_labels", 8, runs=("retriever-x-1",), aids=True)
        samples.close(workspace.db, samples.get(workspace.db, "first"))
        draw_sample(workspace, request)
    async with desk(folder, (120, 40)) as (app, pilot):
        screen = await open_label(app, pilot)
        await to_chinese(pilot, screen)
        await seen(pilot, "✗ +1.0% (gold -1.0%)")
        await pilot.press("2")
        with open_workspace(folder) as workspace:
            (event,) = reading.events(workspace.db, "judge_labels")
        assert event.origin == "human_with_aids"


async def test_documents_are_gone_through_and_searched(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        await to_chinese(pilot, screen)
        await pilot.press("full_stop")
        await seen(pilot, "retrieved 2/2")
        await pilot.press("full_stop")
        await seen(pilot, "evidence 1/1")
        await pilot.press("comma", "slash")
        app.post_message(events.Paste("节"))
        await seen(pilot, "found")
        await pilot.press("enter", "n", "2")
        assert said(folder) == [("accuracy", 2)]
        await pilot.press("w")
        assert "同比变动多少" in screen_text(app) or "retrieved" in screen_text(app)


async def test_a_search_goes_on_over_all_documents_of_an_answer(folder: Path) -> None:
    async with desk(folder, SIZES[0]) as (app, pilot):
        screen = await open_label(app, pilot)
        await to_chinese(pilot, screen)
        await pilot.press("slash", *"同比下降", "enter")
        await seen(pilot, "found")
        titles = []
        for _ in range(4):
            titles.append(screen.view.passage.body.title.split("  ")[0])
            await pilot.press("n")
        # the first passage and the evidence are of the document that says so
        assert titles == ["retrieved 1/2", "evidence 1/1"] * 2


async def test_two_answers_are_compared_blind(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    label_workspace(folder, 4, form="preference").close()
    for size in SIZES:
        async with desk(folder, size) as (app, pilot):
            screen = await open_label(app, pilot)
            text = await seen(pilot, "A much better")
            assert "rival" not in text
            assert "retriever-x" not in text
            assert "systems ***" in text
            first, second = screen.view.sheets  # type: ignore[attr-defined]
            is_beside = first.region.y == second.region.y
            assert is_beside == (size[0] >= 110)
            numbers = [one.detail.id for one in screen.view.shown.answers]  # type: ignore[attr-defined]
            assert numbers == list(subject_of(screen).numbers)
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        here = subject_of(screen)
        await pilot.press("1", "3", "5")
        assert said(folder, "preference") == [
            ("correctness", -2),
            ("completeness", 0),
            ("overall", 2),
        ]
        await pilot.press("full_stop")
        await seen(pilot, "A  retrieved 1/2")
        await pilot.press("V")
        await seen(pilot, "B is r")
        await after(pilot, screen, here, "enter")


async def test_items_are_labelled_by_the_other_forms(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        for form in ("six_questions", "reasonable"):
            request = SampleRequest(form, form, 1, "gold", (ItemState.ACCEPTED,))
            draw_sample(workspace, request)
    async with desk(folder, (100, 30)) as (app, pilot):
        await pilot.press("f7")
        await seen(pilot, "What to label")
        await pilot.press("escape", "S")
        await choose(app, pilot, "six_questions")
        screen = app.screen
        assert isinstance(screen, LabelScreen)
        await pilot.press(*"011010")
        assert screen.opened is not None
        assert screen.opened.is_complete
        await pilot.press("S")
        await choose(app, pilot, "reasonable")
        await pilot.press("0")
        await until(pilot, lambda: isinstance(app.screen, CorrectionScreen), "the correction")
        assert said(folder, "reasonable") == [("verdict", "refine")]
    async with desk(folder, (100, 30)) as (app, pilot):
        screen = await open_label(app, pilot)
        assert screen.sample.name == "reasonable", "where the rater was last"


async def choose(app: Ragdesk, pilot: Pilot[int], sample: str) -> None:
    await seen(pilot, "What to label")
    rows = app.screen.rows  # type: ignore[attr-defined]
    await until(pilot, lambda: rows.current is not None, "the rows")
    await pilot.press("home")
    for _ in range(5):
        if rows.current.key == sample:
            break
        await pilot.press("down")
    await pilot.press("enter")
    await until(
        pilot,
        lambda: (
            isinstance(app.screen, LabelScreen)
            and app.screen.sample.name == sample
            and app.screen.opened is not None
            and app.screen.focused is not None
        ),
        sample,
    )


async def test_raters_that_differ_are_ruled_on(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    label_workspace(folder, 2, raters_wanted=2).close()
    with open_workspace(folder) as workspace, workspace.write() as db:
        form = forms.register(db, load_form("judge_labels"))
        sample = samples.get(db, "first")
        (subject, _), *_ = samples.subjects(db, sample)
        for rater, accuracy in (("a", 0), ("b", 2)):
            for field in form.form.fields:
                value = accuracy if field.key == "accuracy" else 1
                log.append(db, form, rater, Subject("prediction", subject), field.key, value)
    async with desk(folder) as (app, pilot):
        await seen(pilot, "1 label conflict, judge_labels")
        await seen(pilot, "1 answer to label, first")
        screen = await open_label(app, pilot)
        await pilot.press("D")
        await until(pilot, lambda: isinstance(app.screen, AdjudicationScreen), "the conflict")
        await seen(pilot, "conflict 1 of 1")
        await in_sight(pilot)
        await pilot.press("2")
        await seen(pilot, "has been ruled on")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "Label")


async def test_home_leads_to_the_labels(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        await seen(pilot, "8 answers to label, first")
        rows = app.screen.steps  # type: ignore[attr-defined]
        while not str(rows.current.key).startswith("label "):
            await pilot.press("down")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LabelScreen), "Label")


async def test_without_a_sample_it_says_how_to_draw_one(tmp_path: Path) -> None:
    with open_workspace(tmp_path / "ws", create=True):
        pass
    async with desk(tmp_path / "ws") as (app, pilot):
        await pilot.press("f7")
        await seen(pilot, "+ draws a sample of answers")
        assert isinstance(app.screen, SamplePicker)
        await pilot.press("2", "enter", "u", "escape")
        assert isinstance(app.screen, SamplePicker)


async def test_who_labels_nothing_sees_the_work_of_others(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    with label_workspace(folder, 2) as workspace, workspace.write() as db:
        samples.assign(db, samples.get(db, "first"), ["li", "wang"])
    async with desk(folder) as (_, pilot):
        await pilot.press("f7")
        await seen(pilot, "Sample first is for li, wang")
        await pilot.press("%")
        await seen(pilot, "Statistics   judge_labels")


async def test_someone_for_whom_nothing_was_drawn_is_told_for_whom(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    with label_workspace(folder, 2) as workspace, workspace.write() as db:
        samples.assign(db, samples.get(db, "first"), ["li", "wang"])
    async with desk(folder) as (_, pilot):
        await pilot.press("f7")
        text = await seen(pilot, "Nothing for you to label")
        assert "Sample first is for li, wang. You are tester" in " ".join(text.split())


async def test_in_a_team_nobody_is_told_to_go_by_another_name(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    with label_workspace(folder, 2) as workspace, workspace.write() as db:
        samples.assign(db, samples.get(db, "first"), ["li", "wang"])
    share(folder, members_of(folder)[1])
    async with desk(folder) as (_, pilot):
        await pilot.press("f7")
        text = " ".join((await seen(pilot, "an operator says who rates")).split())
        assert "change rater" not in text


async def test_a_finished_sample_says_so_and_can_be_gone_back_over(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    label_workspace(folder, 1).close()
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        here = subject_of(screen)
        await pilot.press("2", "2", "0", "2", "1", "enter")
        await seen(pilot, "Nothing of first waits for you")
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: screen.opened is not None, "the answer")
        assert subject_of(screen) == here


async def test_a_full_quota_is_told_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    with label_workspace(folder, 2) as workspace, workspace.write() as db:
        quotas.put(db, samples.get(db, "first"), {"tester": 1})
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        await pilot.press("2", "2", "0", "2", "1", "enter")
        text = await seen(pilot, "Nothing of first waits for you")
        assert "Your quota of 1 in first is full" in " ".join(text.split())
        with open_workspace(folder) as workspace, workspace.write() as db:
            quotas.put(db, samples.get(db, "first"), {"tester": 2})
        await until(pilot, lambda: screen.opened is not None, "the second answer")


async def test_with_nothing_to_label_a_sample_can_be_drawn_at_the_door(tmp_path: Path) -> None:
    async with desk(tmp_path) as (_, pilot):
        await pilot.press("f7")
        text = await seen(pilot, "+ draws a sample of answers")
        assert "There is no workspace" not in text
        await pilot.press("plus")
        await seen(pilot, "New sample")


async def test_nothing_is_said_of_the_documents_before_they_are_read(tmp_path: Path) -> None:
    for view in (AnswerView(), PairView()):
        assert view.passage.body.placeholder == "Reading the documents."
    label_workspace(tmp_path / "ws", 2, retrieves=False).close()
    async with desk(tmp_path / "ws") as (app, pilot):
        screen = await open_label(app, pilot)
        assert isinstance(screen.view, AnswerView)
        if not screen.view.passage.body.text:
            assert screen.view.passage.body.placeholder == "Nothing was retrieved for it."


async def test_values_are_given_by_the_mouse_and_a_name_moves_the_cursor(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await open_label(app, pilot)
        lines = screen.panel.lines_as_text()
        row = next(at for at, line in enumerate(lines) if "completeness" in line)
        await pilot.click(screen.panel, offset=(lines[row].index("completeness") + 1, row))
        assert screen.panel.shown.focus == "completeness"
        await pilot.click(screen.panel, offset=(lines[row].index(" 1 ") + 2, row))
        await until(pilot, lambda: values_of(screen), "the value")
        assert values_of(screen) == {"completeness": 1}
    assert said(folder) == [("completeness", 1)]


async def test_the_footer_shows_only_keys_that_do_something(folder: Path) -> None:
    async with desk(folder, (200, 40)) as (app, pilot):
        screen = await open_label(app, pilot)
        line = screen.footer.lines_as_text()[0]
        assert "; comment" in line
        assert "V reveal" not in line
        assert "U redo" not in line
        await pilot.press("1")
        await until(pilot, lambda: values_of(screen), "the value")
        await pilot.press("u")
        await seen(pilot, "undone")
        assert "U redo" in screen.footer.lines_as_text()[0]


async def test_the_last_judgements_stay_in_sight_and_undo_takes_them_back(folder: Path) -> None:
    async with desk(folder, (100, 30)) as (app, pilot):
        screen = await open_label(app, pilot)
        given = [("2", "2", "0", "2", "1"), ("1", "1", "0", "1", "-")]
        for keys in given:
            first = subject_of(screen)
            await pilot.press(*keys[: len(screen.panel.fields)])
            await after(pilot, screen, first, "enter")
            await in_sight(pilot)
        line = screen.panel.lines_as_text()[-1].strip()
        assert line.startswith("last  1 1 0 1")
        assert "∙ 2 2 0 2" in line
        assert "u undoes" in line
        await pilot.press("u")
        await seen(pilot, "undone")
        assert subject_of(screen) == first
    async with desk(folder, (100, 30)) as (app, pilot):
        screen = await open_label(app, pilot)
        assert "last  2 2 0 2" in screen.panel.lines_as_text()[-1]


def test_an_excluded_answer_and_a_single_score_are_said_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    subject = Subject("revision", "1")
    inspection = load_form("inspection")
    scored = SubjectState(subject, {"score": 4}, frozenset(), True, ())
    assert judgement_text(scored, inspection) == "4 good"
    assert judgement_text(SubjectState(subject, {}, frozenset(), False, ()), inspection) == ""
    monkeypatch.setattr("tui.language.choice._chosen", "zh")
    assert judgement_text(scored, inspection) == "4 良好"
    excluded = SubjectState(subject, {}, frozenset(), False, (), excluded="broken")
    assert judgement_text(excluded, inspection) == "已排除"
