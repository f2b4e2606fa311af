"""The palette: what a person would call a thing finds it, from every place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from desks import desk, seen
from textual.fuzzy import Matcher

from store.runs.runs import Run
from store.workspace import Workspace
from tui.keymap import REGISTRY
from tui.widgets.palette import ranked

PHRASES = {
    "release": "everywhere.release",
    "freeze": "everywhere.release",
    "back up": "everywhere.backup",
    "backup": "everywhere.backup",
    "copy of the workspace": "everywhere.backup",
    "verify": "everywhere.verify",
    "check workspace": "everywhere.verify",
    "delete": "everywhere.delete",
    "archive": "everywhere.delete",
    "purge": "everywhere.delete",
    "remove run": "everywhere.delete",
    "restore": "everywhere.restore",
    "guideline": "everywhere.guideline",
    "raters agreed": "everywhere.guideline",
    "train": "everywhere.train",
    "teach a judge": "everywhere.train",
    "split": "everywhere.split",
    "train or test": "everywhere.split",
    "show splits": "everywhere.splits",
    "authoring round": "everywhere.round",
    "begin a round": "everywhere.round",
    "rounds": "everywhere.rounds",
    "import": "everywhere.import",
    "bring in": "everywhere.import",
    "beir": "everywhere.import",
    "predictions": "everywhere.import",
    "add documents": "everywhere.documents",
    "ingest": "everywhere.documents",
    "demo": "everywhere.sample_corpus",
    "report": "everywhere.report",
    "html": "everywhere.report",
    "change rater": "everywhere.rater",
    "graph": "everywhere.graph",
    "evolve": "everywhere.evolve",
    "judge answers": "everywhere.judge",
    "provider": "everywhere.settings",
    "new system": "everywhere.new_system",
    "new judge": "everywhere.new_judge",
    "new provider": "everywhere.new_provider",
    "judge a run": "everywhere.judge",
    "new experiment": "everywhere.new_experiment",
    "experiments": "everywhere.experiments",
    "recipe": "everywhere.new_experiment",
    "export": "go.export",
}
"""What is typed, and the action that shall be the first that is found."""


@pytest.mark.parametrize("place", [place.key for place in REGISTRY.numbered])
@pytest.mark.parametrize(("phrase", "wanted"), PHRASES.items())
def test_plain_words_find_it_from_every_place(phrase: str, wanted: str, place: str) -> None:
    here = [action for _, action in ranked(Matcher(phrase), REGISTRY.commands(place))]
    assert wanted in [action.id for action in here[:3]]


def test_what_is_done_elsewhere_is_found_here() -> None:
    found = {action.id: place.key for place, action in REGISTRY.elsewhere("home")}
    assert found["build.generate"] == "build"
    assert "home.new" not in found


@pytest.mark.parametrize("phrase", ["新建", "评测", "new run"])
def test_words_of_either_language_find_it(phrase: str) -> None:
    action = replace(
        REGISTRY.actions[0], label="新建运行", help="选择系统，开始评测。", english="new run"
    )
    assert ranked(Matcher(phrase), [action])


def test_an_english_name_goes_before_a_chinese_sentence_that_means_it() -> None:
    said = replace(
        REGISTRY.actions[0],
        label="新运行",
        help="选择发布版。",
        english="new run\nChoose a release.",
    )
    named = replace(said, label="发布", help="固定一个版本。", english="release\nFreeze a version.")
    assert ranked(Matcher("release"), [said, named])[0][1] is named


async def test_an_action_of_another_place_leads_there(workspace: Workspace, run: Run) -> None:
    async with desk(workspace.folder) as (app, pilot):
        await pilot.press("ctrl+p")
        await pilot.press(*"drafted inspected")
        await seen(pilot, "on Build")
        await pilot.press("enter")
        await seen(pilot, "I: inspect.")
        assert app.place == "build"
