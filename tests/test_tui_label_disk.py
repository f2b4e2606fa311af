"""A disk that is really full, at a real terminal: nothing is passed over, and nothing is lost."""

from __future__ import annotations

import re

import pytest
from inspection_workspaces import inspection_workspace
from scripted_rater import at_work, saved, wait_to_label, wait_until
from small_disk import SmallDisk

from engine.labelling.session import LabelSession
from store.labels.log import reading
from store.verify import verify
from store.workspace import open_workspace


def item_of(text: str) -> str:
    """The key of the item on the screen."""
    found = re.search(r"∙ (z\d+) ", text)
    assert found is not None
    return found[1]


def test_a_full_disk_keeps_the_item_and_the_value_until_there_is_room(disk: SmallDisk) -> None:
    folder = disk.folder / "ws"
    inspection_workspace(folder, 8, documents=2, characters=800).close()
    with at_work(folder, (120, 24)) as rater:
        terminal = rater.terminal
        disk.fill()
        # what the file still has room for is saved; then the flag cannot be
        for _ in range(500):
            terminal.press("f")
            terminal.settle(0.1)
            if "Not saved" in terminal.text:
                break
        assert "full" in terminal.text
        before = saved(terminal.text)
        item = item_of(terminal.text)
        terminal.press("escape")
        terminal.settle()
        wait_to_label()
        terminal.press("4")
        text = terminal.wait_for(lambda text: "4 good!" in text and "Not saved." in text)
        assert item_of(text) == item, "it went on without having saved"
        assert saved(text) == before
        disk.free()
        terminal.press("escape")
        terminal.settle()
        terminal.press("enter")
        terminal.wait_for(lambda text: saved(text) == before + 1)
        terminal.wait_for(lambda text: item_of(text) != item)
    with open_workspace(folder) as workspace:
        said = [(one.field, one.value) for one in reading.events(workspace.db, rater="r1")]
        assert said[-1] == ("score", 4)
        assert len(said) == before + 1
        assert verify(workspace.db).ok


def test_a_draft_that_cannot_be_written_is_said_and_written_later(disk: SmallDisk) -> None:
    folder = disk.folder / "ws"
    inspection_workspace(folder, 2, documents=2, characters=800).close()

    def draft() -> str:
        with open_workspace(folder) as workspace:
            labelling = LabelSession(workspace, "inspection", "r1")
            subject = labelling.latest_draft()
            return "".join(labelling.drafts(subject).values()) if subject is not None else ""

    with at_work(folder, (80, 24)) as rater:
        terminal = rater.terminal
        terminal.press("e")
        terminal.wait_for("Esc review")
        disk.fill()
        for _ in range(500):
            terminal.press("长")
            terminal.settle(0.35)
            if "is not saved" in terminal.text:
                break
        else:
            pytest.fail("every draft found room")
        terminal.press("末")
        terminal.settle()
        assert "末" in terminal.text
        disk.free()
        wait_until(lambda: "末" in draft(), "the draft")
        terminal.wait_for(lambda text: "is not saved" not in text)
