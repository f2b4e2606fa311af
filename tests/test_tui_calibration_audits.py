"""Audits from the app, by the real worker: estimated, followed, read and written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from asked_judges import AskedJudges
from desks import SIZES, desk, screen_text, seen, until
from endpoint_workspaces import KEY, VARIABLE, questions
from scripted_server import Reply, Request, answer, insufficient_quota

from engine.jobs.operation import stored_operation
from engine.text.wrapping import cell_width
from store.jobs import jobs
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.calibration.audit_form import AuditForm, audit_words
from tui.calibration.queries import AuditFigures
from tui.calibration.screen import CalibrationScreen
from tui.screens.confirm import Confirm

TABLES = [
    '[judges.gpt]\nmodel = "p"\nmetrics = ["accuracy"]\nmax_tokens = 64\n',
    '[judges.both]\nmethod = "jury"\nmembers = ["gpt", "rules"]\n',
]


def reply(request: Request) -> Reply:
    """A value, except to the judge of an account that has nothing left."""
    if request.body["max_tokens"] == 65:
        return insufficient_quota()
    return answer(json.dumps({"reason": "so", "value": 1}))


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AskedJudges]:
    monkeypatch.setenv(VARIABLE, KEY)
    answers = {"one": lambda number: f"answer {number}"}
    poor = '[judges.poor]\nmodel = "p"\nmetrics = ["accuracy"]\nmax_tokens = 65\n'
    with AskedJudges(tmp_path / "w", questions(2), answers, reply, [*TABLES, poor]) as made:
        yield made


async def opened(app: Ragdesk, pilot, judge: str) -> AuditForm:
    """The question, with this judge under the cursor and the run chosen."""
    await pilot.press("f8", "J")
    await seen(pilot, "1 judge on 1 run")
    await pilot.press("b", "end", "enter")
    await seen(pilot, "0 of 4 judges audited")
    screen = app.screen
    assert isinstance(screen, CalibrationScreen)
    screen.list.move_to(list(screen._lines).index(judge))
    await pilot.press("plus")
    await until(pilot, lambda: isinstance(app.screen, AuditForm), "the question")
    form = app.screen
    assert isinstance(form, AuditForm)
    await until(pilot, lambda: form.values["judge"] == judge, "the judge")
    await seen(pilot, "No answer is labelled yet. Choose runs")
    form.lists["runs"].move_to(1)
    return form


@pytest.mark.parametrize("size", SIZES)
async def test_an_audit_is_started_after_an_estimate_and_its_card_is_read(
    asked: AskedJudges, size: tuple[int, int]
) -> None:
    async with desk(asked.folder, size) as (app, pilot):
        form = await opened(app, pilot, "gpt")
        form.lines["answers"].value = "1"
        await seen(pilot, "It changes 1 answer")
        text = await seen(pilot, "Cost about")
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        form.lines["max_cost"].value = "2.5"
        form.lines["max_cost"].focus()
        await pilot.press("enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, Confirm), "what it costs")
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, CalibrationScreen), "Judges")
        await seen(pilot, "too few labels")
        screen = app.screen
        assert isinstance(screen, CalibrationScreen)
        assert screen.current is not None
        assert screen.current.judge_name == "gpt"
        await until(pilot, lambda: "Self-consistency" in screen.details.text, "the card")
        assert "1 of 4 judges audited" in screen_text(app)
        await pilot.press("E", "enter", "enter", "enter")
        await seen(pilot, "Wrote")
    with open_workspace(asked.folder) as workspace:
        made = stored_operation(jobs.get(workspace.db, 2))
    assert (made.judge, made.runs, made.answers) == ("gpt", ("one",), 1)
    assert made.budget.max_cost == 2.5
    (card,) = (asked.folder / "exports").glob("audit-gpt@*.md")
    assert card.read_text("utf-8").startswith("# gpt@")


async def test_an_audit_that_stops_says_why_beside_its_judge(asked: AskedJudges) -> None:
    async with desk(asked.folder) as (app, pilot):
        form = await opened(app, pilot, "poor")
        form.press()
        await until(pilot, lambda: isinstance(app.screen, Confirm), "what it costs")
        await pilot.press("y")
        await seen(pilot, "! paused: quota")
        screen = app.screen
        assert isinstance(screen, CalibrationScreen)
        await until(pilot, lambda: "the quota is used up" in screen.details.text, "the reason")
        await pilot.press("f5")
        await seen(pilot, "audit of poor")
        app.screen.list.move_to(1)
        await pilot.press("enter")
        await seen(pilot, "0 of 4 judges audited")


async def test_what_will_not_do_is_said_before_it_is_begun(asked: AskedJudges) -> None:
    async with desk(asked.folder) as (app, pilot):
        form = await opened(app, pilot, "gpt")
        for line, text, said in (
            ("answers", "many", "Answers to change are a whole number"),
            ("answers", "0", "The number of answers is 0; it is from 1 to 5,000."),
            ("metrics", "f1", "gpt gives accuracy; not f1."),
            ("against", "nobody", "No judge 'nobody' has scored these answers."),
            ("prompts", "nowhere", "nowhere"),
        ):
            before = form.lines[line].value
            form.lines[line].value = text
            await seen(pilot, said)
            form.lines[line].value = before
        await pilot.press("E", "escape")


async def test_the_models_of_a_jurys_members_are_named_before_they_are_asked(
    asked: AskedJudges,
) -> None:
    async with desk(asked.folder) as (app, pilot):
        form = await opened(app, pilot, "both")
        await seen(pilot, "It changes 2 answers")
        assert "Cost about" in screen_text(app)
        form.press()
        await until(pilot, lambda: isinstance(app.screen, Confirm), "what it costs")
        assert "Ask p?" in screen_text(app)


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (AuditFigures(answers=0, values=0, at_least=False, embeds_at=""), "labels alone"),
        (AuditFigures(answers=5, values=0, at_least=False, embeds_at=""), "Nothing is left to ask"),
        (
            AuditFigures(answers=5, values=9, at_least=True, embeds_at="e"),
            "Further calls depend on replies, and are not counted. Vectors by e are not counted.",
        ),
    ],
)
def test_what_is_not_asked_or_not_counted_is_said(figures: AuditFigures, said: str) -> None:
    assert said in audit_words(figures, "e")[0]
