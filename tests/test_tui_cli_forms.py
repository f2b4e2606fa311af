"""The commands on forms of one's own, and a rater at the desk with one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from desks import SIZES, desk, in_sight, seen, until
from label_workspaces import label_workspace
from own_forms import TONE, changed, write_form

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from store.labels import standing
from store.labels.samples import samples
from store.workspace import open_workspace
from tui.cli import main
from tui.label.label_screen import LabelScreen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    label_workspace(tmp_path / "w", 2, characters=200).close()
    return tmp_path / "w"


@pytest.fixture
def call(folder: Path, capsys):
    def run(*words: str):
        code = main([*words, "--workspace", str(folder), "--rater", "王芳"])
        return code, *capsys.readouterr()

    return run


def test_a_new_form_is_written_listed_shown_and_checked(folder: Path, call) -> None:
    code, out, _ = call("forms", "new", "语气", "--like", "preference")
    file = folder / "forms" / "语气.json"
    assert (code, out.splitlines()[0]) == (0, f"wrote {file}")
    assert json.loads(file.read_text("utf-8"))["subject_kind"] == "pair"
    assert "语气" in call("forms", "list")[1]
    assert json.loads(call("forms", "show", "语气")[1])["key"] == "语气"
    assert call("forms", "check")[:2] == (0, "1 form checked, 0 with a problem\n")
    code, _, err = call("forms", "new", "语气")
    assert code == 1
    assert "exists" in err


@pytest.mark.parametrize("key", ["inspection", "a/b", ".x"])
def test_a_key_that_cannot_be_ones_own_is_refused(call, key: str) -> None:
    assert call("forms", "new", key)[0] == 2


def test_a_broken_form_is_named_and_stops_no_other(folder: Path, call) -> None:
    file = write_form(folder, changed(key="other"))
    code, out, err = call("forms", "check")
    assert (code, out) == (1, "1 form checked, 1 with a problem\n")
    assert str(file) in err
    assert "`ragdesk forms check` says why" in call("forms", "list")[1]
    listed = json.loads(call("forms", "list", "--json")[1])
    assert [one["key"] for one in listed if "problem" in one] == ["口吻"]
    draw = ("sample", "draw", "x", "--run", "retriever-x-1", "--per-cell", "1")
    assert call(*draw, "--form", "口吻")[0] == 1
    assert call(*draw, "--form", "judge_labels")[0] == 0


@pytest.mark.usefixtures("chinese")
async def test_a_rater_labels_with_a_chinese_form_at_the_desk(folder: Path) -> None:
    write_form(folder, TONE)
    with open_workspace(folder) as workspace:
        with workspace.write() as db:
            samples.close(db, samples.get(db, "first"))
        draw_sample(workspace, SampleRequest("tone", "口吻", 9, runs=("retriever-x-1",)))
    async with desk(folder, SIZES[0], rater="王芳") as (app, pilot):
        await pilot.press("f7")
        await seen(pilot, "礼貌")
        await in_sight(pilot)
        screen = app.screen
        assert isinstance(screen, LabelScreen)
        await until(pilot, lambda: screen.view.unseen is None, "all that is to be read")
        await pilot.press("2", "1")
        await seen(pilot, "正式✓")
    with open_workspace(folder) as workspace:
        (row,) = standing.rows(workspace.db, "口吻")
        assert (row.status, row.values) == ("complete", {"politeness": 2, "register": "formal"})
