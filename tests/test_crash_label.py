"""A scripted rater of answers at a real terminal: what each key costs on the line, and no kill
loses what was saved."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from label_workspaces import CHOICES, label_workspace, seeded_labels
from labelling_workspaces import everything_derived
from terminal import Terminal, changed_bytes, open_app

from store import labels
from store.verify import verify
from store.workspace import open_workspace
from tui.judging.screen import SETTLE_SECONDS

CASES = 20
VALUE_BYTES = 150


def next_bytes(changed: int) -> float:
    """The most that another case may take, by the bytes of the cells that differ."""
    return 1.3 * changed + 600


def saved(text: str) -> int:
    found = re.search(r"saved #(\d+)", text)
    return int(found[1]) if found else -1


def open_label(folder: Path, size: tuple[int, int]) -> Terminal:
    state = str(folder.parent / "state")
    terminal = open_app(
        folder,
        "--rater",
        "r1",
        columns=size[0],
        lines=size[1],
        environ={"XDG_STATE_HOME": state},
    )
    terminal.wait_for(lambda text: "What next" in text or "accuracy" in text)
    terminal.press("\x1b[18~")
    terminal.wait_for("1 partly")
    # the signs of the first answer wait for the dictionary
    terminal.wait_for(is_read)
    terminal.settle(0.4)
    return terminal


def wait_saved(terminal: Terminal, seq: int) -> None:
    terminal.wait_for(lambda text: saved(text) == seq)


def is_read(text: str) -> bool:
    """Whether the answer has its signs."""
    return re.search(r"(answer|回答) +[✓?] ", text) is not None


def label(terminal: Terminal, keys: dict[str, str]) -> list[int]:
    """Give the values of a case, as a person does; the bytes of each key."""
    spent = []
    text = terminal.wait_for(is_read)
    terminal.settle(0.1)
    for field in CHOICES:
        if "is not asked" in next(line for line in text.split("\n") if _name(field) in line):
            continue
        before = saved(terminal.text)
        cells = terminal.cells
        answer = terminal.measure(keys[field], 0.1)
        assert saved(terminal.text) == before + 1, terminal.text
        # a warning that comes or goes is a line of text of its own, and is read
        line = changed_bytes(cells[-2:-1], terminal.cells[-2:-1])
        spent.append(len(answer.data) - (line + 40 if line else 0))
        assert spent[-1] <= VALUE_BYTES, answer.data
    return spent


def _name(field: str) -> str:
    return field.replace("_", " ")


def events_of(folder: Path) -> list[tuple[str, object]]:
    with open_workspace(folder) as workspace:
        assert verify(workspace.db).ok
        return [(one.field, one.value) for one in labels.events(workspace.db, rater="r1")]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_twenty_cases_within_the_budgets(tmp_path: Path, size: tuple[int, int]) -> None:
    folder = tmp_path / "ws"
    label_workspace(folder, CASES, characters=4000).close()
    wanted = seeded_labels(CASES)
    count, spare = 0, [0]
    with open_label(folder, size) as terminal:
        for case in range(CASES):
            time.sleep(SETTLE_SECONDS)
            spent = label(terminal, wanted[case])
            count += len(spent)
            before = terminal.cells
            answer = terminal.measure("enter", 0.3)
            if size == (120, 40):
                changed = changed_bytes(before, terminal.cells)
                spare.append(round(next_bytes(changed)) - len(answer.data))
        terminal.wait_for("Nothing of first waits for you")
    assert len(events_of(folder)) == count
    assert min(spare) >= 0, spare


def test_a_kill_right_after_saved_loses_nothing_and_undo_leads_to_the_start(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "ws"
    with label_workspace(folder, 4) as workspace:
        start = everything_derived(workspace.db)
    for kill, key in enumerate("1201", 1):
        with open_label(folder, (80, 24)) as terminal:
            terminal.press(key)
            wait_saved(terminal, kill)
            terminal.kill()
        assert len(events_of(folder)) == kill
    with open_label(folder, (80, 24)) as terminal:
        for count in range(4):
            terminal.press("u")
            wait_saved(terminal, 5 + count)
        terminal.press("u")
        terminal.wait_for("nothing to undo")
    with open_workspace(folder) as workspace:
        assert everything_derived(workspace.db) == start
