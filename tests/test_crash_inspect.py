"""A scripted rater at a real terminal: one key an item, and no kill loses what was saved.

The long proof is `pytest -m slow tests/test_crash_inspect.py`.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from inspection_workspaces import inspection_workspace
from labelling_workspaces import everything_derived
from scripted_rater import saved
from terminal import RAGDESK, Terminal

from engine.labelling.items.corrections import DRAFT
from engine.labelling.session import LabelSession
from store.labels.log import reading
from store.verify import verify
from store.workspace import open_workspace
from tui.label.timing import SETTLE_SECONDS

ITEMS = 30


def at_work(folder: Path) -> Terminal:
    command = [*RAGDESK, "--workspace", str(folder), "--rater", "r1"]
    return Terminal(command)


def score(terminal: Terminal, key: str) -> int:
    """Press a value as soon as the item may be judged; the number that is then said to be saved."""
    before = saved(terminal.text)
    time.sleep(SETTLE_SECONDS + 0.05)
    terminal.press(key)
    return saved(terminal.wait_for(lambda text: saved(text) > before))


def is_saved(seq: int) -> Callable[[str], bool]:
    return lambda text: saved(text) == seq


def events_of(folder: Path) -> list[tuple[int, object]]:
    with open_workspace(folder) as workspace:
        assert verify(workspace.db).ok
        return [(one.seq, one.value) for one in reading.events(workspace.db, rater="r1")]


def test_a_kill_right_after_saved_loses_nothing_and_the_place_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    with inspection_workspace(folder, ITEMS, documents=5) as workspace:
        start = everything_derived(workspace.db)
    for kill, key in enumerate("45124", 1):
        with at_work(folder) as terminal:
            if kill == 1:
                terminal.wait_for("What next")
                terminal.press("\x1bOS")
            # from then on the desk is what the app begins with
            terminal.wait_for("5 excellent")
            assert score(terminal, key) == kill
            terminal.kill()
        assert events_of(folder)[-1] == (kill, int(key))
    with at_work(folder) as terminal:
        terminal.wait_for("5 excellent")
        for _ in range(5):
            before = saved(terminal.text)
            terminal.press("u")
            terminal.wait_for(is_saved(before + 1))
        terminal.press("u")
        terminal.wait_for("nothing to undo")
    with open_workspace(folder) as workspace:
        assert everything_derived(workspace.db) == start


# Ended at any moment

DESK, CORRECTION, REVIEW = " 5 excellent", "Esc review", "Enter propose"
CARRY_OVER = "y make them there"
"""For who corrects a text that has been replaced, as one does who goes back."""
TYPED = "鑫"
"""Stands nowhere but in corrections."""


def wait_for_answer(terminal: Terminal, seconds: float) -> None:
    before, deadline = terminal.bytes_out, time.monotonic() + seconds
    while terminal.bytes_out == before and time.monotonic() < deadline:
        time.sleep(0.005)


class Ended:
    """Raters who are ended at random moments, one after the other, and what they had been shown."""

    def __init__(self, folder: Path, how: signal.Signals) -> None:
        self.folder = folder
        self.how = how
        self.draw = random.Random(how)
        self.shown: set[int] = set()
        self.events: list[tuple[int, object]] = []
        self.corrections = 0
        self.drafts = 0

    def sit_down(self, *, drafts: bool) -> None:
        """Open the app, work on for a moment, be ended; then nothing that was shown is missing.

        With `drafts` a correction is being written at the end.
        """
        kept = 0
        with at_work(self.folder) as terminal:
            terminal.wait_for(lambda text: DESK in text or CORRECTION in text)
            for _ in range(self.draw.randint(1, 10)):
                text = terminal.text
                self.note(text)
                self.press(terminal, text)
                wait_for_answer(terminal, self.draw.choice([0.05, 0.5, 0.5]))
                time.sleep(self.draw.uniform(0, 0.05))
            if drafts:
                kept = self.type_into_a_draft(terminal)
            self.note(terminal.text)
            if self.how is signal.SIGHUP:
                # all that was painted is to be there, a moment before or not
                kept = max(kept, terminal.text.count(TYPED)) if kept else 0
                terminal.hang_up()
                terminal.wait()
            else:
                terminal.kill()
        self.check(kept)

    def note(self, text: str) -> None:
        if saved(text) > 0:
            self.shown.add(saved(text))

    def press(self, terminal: Terminal, text: str) -> None:
        if CORRECTION in text:
            terminal.press(self.draw.choice([TYPED, TYPED, TYPED, "escape"]))
        elif REVIEW in text:
            self.corrections += 1
            terminal.press("enter")
        elif CARRY_OVER in text:
            terminal.press("y")
        elif DESK in text:
            time.sleep(self.draw.choice([0.0, SETTLE_SECONDS]))
            terminal.press(self.draw.choice([*"12344551qafuU", "enter", "]", "["]))
        else:
            terminal.press("escape")

    def type_into_a_draft(self, terminal: Terminal) -> int:
        """Open the next item's correction, or the one that is open; how much is on the disk."""
        deadline = time.monotonic() + 300
        # a proposal that is on its way takes the draft with it
        terminal.settle(0.5)
        while not (kept := self.kept()):
            text = terminal.text
            assert time.monotonic() < deadline, text
            if CORRECTION not in text:
                terminal.press("e" if DESK in text else "y" if CARRY_OVER in text else "escape")
            else:
                # what was corrected before has the sign too, and is no draft
                terminal.press(TYPED)
            terminal.settle(0.5)
        self.drafts += 1
        terminal.press(TYPED * self.draw.randint(0, 4))
        time.sleep(self.draw.uniform(0, 0.5))
        return kept

    def kept(self) -> int:
        """How often `TYPED` stands in the rater's latest draft."""
        with open_workspace(self.folder) as workspace:
            labelling = LabelSession(workspace, "inspection", "r1")
            subject = labelling.latest_draft()
            found = labelling.drafts(subject) if subject is not None else {}
        return found.get(f"correction/{DRAFT}", "").count(TYPED)

    def check(self, kept: int) -> None:
        with open_workspace(self.folder) as workspace:
            events = [(one.seq, one.value) for one in reading.events(workspace.db, rater="r1")]
        assert self.events == events[: len(self.events)], "what had been said is another"
        missing = self.shown - {seq for seq, _ in events}
        assert not missing, f"shown as saved, and lost: {missing}"
        assert self.kept() >= kept, "a draft was lost"
        self.events = events


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGHUP])
@pytest.mark.parametrize("times", [pytest.param(2), pytest.param(200, marks=pytest.mark.slow)])
def test_no_label_that_was_shown_as_saved_is_lost(
    tmp_path: Path, how: signal.Signals, times: int
) -> None:
    folder = tmp_path / "ws"
    inspection_workspace(folder, 40 * times, documents=20, characters=1500).close()
    with at_work(folder) as terminal:
        terminal.wait_for("What next")
        terminal.press("\x1bOS")
        terminal.wait_for(DESK)
    ended = Ended(folder, how)
    for count in range(times):
        ended.sit_down(drafts=count % 3 == 1)
    print(
        f"\n{how.name} x {times}: {len(ended.events)} events, {len(ended.shown)} seen as saved,"
        f" {ended.drafts} drafts, {ended.corrections} corrections"
    )
    assert len(ended.shown) >= times // 2
    assert ended.drafts
    with open_workspace(folder) as workspace:
        report = verify(workspace.db)
        assert report.ok, report
