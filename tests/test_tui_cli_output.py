"""What a command prints: within a terminal's width, and in full through a pipe."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from terminal import RAGDESK, ROOT, Terminal

from engine.labelling.forms import shipped_forms
from engine.text.wrapping import cell_width
from tui.cli.output import terminal_width

COMMANDS = ("forms list", "topics list", "systems")
"""Each wider than 80 columns in full, and none needs a workspace."""


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_no_line_of_a_table_is_wider_than_the_terminal(columns: int, tmp_path: Path) -> None:
    script = " && ".join(
        f"{RAGDESK[0]} -c '{RAGDESK[2]}' --workspace {tmp_path} {words}" for words in COMMANDS
    )
    # a width that a shell exports is not the terminal's
    environ = {"PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    argv = ["sh", "-c", f"sleep 0.2 && {script}"]
    with Terminal(argv, columns=columns, lines=40, environ=environ) as terminal:
        assert terminal.wait(60) == 0
        said = b"".join(data for _, data in terminal.written).decode()
    lines = said.replace("\r", "").split("\n")
    assert max(map(cell_width, lines)) in range(columns - 20, columns + 1)
    assert "零售银行" in said


def test_a_pipe_gets_everything_in_one_line_a_row(tmp_path: Path) -> None:
    done = subprocess.run(
        [*RAGDESK, "--workspace", str(tmp_path), "forms", "list"],
        env={"PYTHONPATH": str(ROOT), "PATH": "", "COLUMNS": "40"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("six_questions")]
    assert line.endswith("keypoint_relevancy, keypoint_correctness")
    assert len(done.stdout.splitlines()) == 1 + len(shipped_forms())


def test_what_is_no_terminal_has_no_width(capsys: pytest.CaptureFixture[str]) -> None:
    assert terminal_width() is None
