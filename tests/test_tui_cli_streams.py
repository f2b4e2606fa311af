"""What a command writes moves no terminal, and what cannot be written is one sentence."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from engine.report.output import json_text
from tui.cli.output import ProgressLine
from tui.cli.streams import Guarded, Unwritable, clean

COMMAND = [sys.executable, "-c", "from tui.cli import entry; entry()"]
HOSTILE = "a\x1b]52;c;eA==\x07b\x1b[2Jc\x9b31md\u202ee\x7ff\rg\u200fh"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_that_is_written_to_a_terminal_controls_it() -> None:
    terminal = Terminal()
    guarded = Guarded(terminal, is_result=True)
    print(HOSTILE, "中文\n第二行", file=guarded)
    shown = terminal.getvalue()
    assert shown.replace("\n", "").isprintable()
    assert shown.endswith("中文\n第二行\n")
    assert "a␛]52;c;eA==␇b␛[2Jc" in shown


def test_a_pipe_gets_everything_as_it_is() -> None:
    pipe = io.StringIO()
    Guarded(pipe, is_result=True).write(HOSTILE)
    assert pipe.getvalue() == HOSTILE


def test_our_own_shades_pass_and_nothing_that_hides() -> None:
    ours = "\x1b[1mall\x1b[0m \x1b[48;5;61m\x1b[38;5;231m.71\x1b[0m\n"
    assert clean(ours) == ours
    for hiding in ("\x1b[8m", "\x1b[38;5;1m", "\x1b[48;5;16m\x1b[38;5;16m", "\x1b[2K"):
        assert clean(f"a{hiding}b").isprintable()


def test_only_a_progress_line_empties_the_line_that_it_stands_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", Guarded(terminal, is_result=False))
    line = ProgressLine()
    line.show("1/2  bad\r\x1b[2Kall is well")
    line.end()
    assert terminal.getvalue() == "\r\x1b[2K1/2  bad␍␛[2Kall is well\r\x1b[2K"


def test_json_escapes_what_a_terminal_would_obey() -> None:
    text = json_text({"name": HOSTILE})
    assert text.isascii()
    assert "\\u009b" in text
    assert "\\u007f" in text
    assert "\\u202e" in text
    assert json.loads(text) == {"name": HOSTILE}


def test_a_stream_that_cannot_be_written_is_named_for_results_only() -> None:
    closed = io.StringIO()
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        closed.isatty()
    with Path(os.devnull).open() as unwritable:
        Guarded(unwritable, is_result=False).write("a message")
        with pytest.raises(Unwritable, match="cannot be written: it is closed"):
            Guarded(unwritable, is_result=True).write("a result")


def shell(line: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = " ".join(f"'{word}'" for word in COMMAND)
    return subprocess.run(
        ["bash", "-c", line.replace("ragdesk", command)],
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
        check=False,
    )


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("ragdesk systems >&-", 1, "Standard output cannot be written"),
        ("ragdesk --help >&-", 1, "Standard output cannot be written"),
        ("ragdesk systems > /dev/full", 1, "No space left on device"),
        ("ragdesk systems --json > /dev/full", 1, "No space left on device"),
        ("ragdesk systems 2>&-", 0, ""),
        ("ragdesk xyzzy 2> /dev/full", 2, ""),
        ("ragdesk --workspace $(mktemp -d) ingest /dev/null --corpus $'\\x80'", 2, "in UTF-8"),
        ("ragdesk systems | head -1; exit ${PIPESTATUS[0]}", 0, ""),
    ],
)
def test_where_nothing_can_be_written_there_is_one_sentence(
    line: str, code: int, told: str
) -> None:
    done = shell(line)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == bool(told)


def test_a_locale_without_chinese_gets_escapes_and_json_that_reads(tmp_path: Path) -> None:
    for line in (
        "ragdesk topics list",
        "ragdesk topics list --json",
        "ragdesk score missing中.jsonl",
    ):
        done = shell(line, PYTHONIOENCODING="ascii", RAGDESK_WORKSPACE=str(tmp_path))
        assert "Traceback" not in done.stderr
        assert done.stdout.isascii()
        assert done.stderr.isascii()
    told = json.loads(shell("ragdesk topics list --json", PYTHONIOENCODING="ascii").stdout)
    assert told["taxonomy"]["topics"][0]["zh"] == "零售银行"


def test_a_hostile_file_name_reaches_a_real_terminal_as_a_picture(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "bad\x1b]0;title\x07.pdf").write_bytes(b"no pdf")
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [*COMMAND, "--workspace", str(tmp_path / "w"), "ingest", str(tmp_path), "--corpus", "c"],
        stdout=theirs,
        stderr=theirs,
        check=False,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    text = shown.decode()
    assert done.returncode in (0, 1)
    assert "bad␛]0;title␇.pdf" in text
    assert "\x1b]" not in text
    assert "\x07" not in text
