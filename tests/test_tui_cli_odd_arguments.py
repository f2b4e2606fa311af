"""Whatever its arguments hold, a command ends with a documented code, and harms nothing."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tiny_workspaces import Released, make_run

from store.sharing.modes import FILE_NAME
from store.verify import verify
from store.workspace import Workspace, open_workspace
from tui.cli import main
from tui.cli.command import Argument, Command, Group
from tui.cli.parser import COMMANDS

CODES = {0, 1, 2, 3, 4, 5}
STARTS_WORK = {
    *("demo", "jobs resume", "score", "train-judge", "graph build", "difficulty measure"),
    *("ingest", "providers test", "doctor", "author start", "share", "unshare"),
}
"""Not called here: what goes on in the background, outside of the workspace, or for minutes."""
TEXTS = (
    *("", "x" * 300, os.fsdecode(b"\xff\xfe"), "\x1b]52;c;YQ==\x07", "\u202eabc", "\n", "9" * 30),
    *("nan", "-1", "1e999", "²", "../../x", "@", "gold@x", "=", "a=b=c", ",", "%s", "[", "--"),
)
FILES = {
    "empty.jsonl": b"",
    "bytes.csv": bytes(range(256)) * 4,
    "null.jsonl": b"null\n",
    "deep.json": b"[" * 100_000,
    "numbers.jsonl": b'{"item": 1e999, "id": 1' + b"0" * 5000 + b"}\n",
    "escapes.jsonl": b'{"\x1b]52;c;YQ==\x07": 1}\n{"item": "\\ud800", "question": "\\u0000"}\n',
    "escapes.csv": b"item,\x1b[2J,rater\n\x1b]0;x\x07,1,2\n",
}
OWN = (FILE_NAME, "ragdesk.toml", "worker.log", "forms", "artefacts/x", "prompts/zh/x.txt")
USUAL = {
    "corpus": "tiny",
    "dataset": "gold",
    "run": "first",
    "system": "bm25",
    "base": "bm25",
    "judge": "rules",
    "form": "judge_labels",
    "metric": "f1",
    "metrics": "f1",
    "factor": "top_k=2,4",
    "act": "flag",
    "verdict": "score=4",
    "sides": "a=1",
    "name": "new",
}
"""What the other arguments hold, so that the odd one is come to."""


def commands(
    entries: Sequence[Command | Group], before: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Command]]:
    for one in entries:
        if isinstance(one, Group):
            yield from commands(one.commands, (*before, one.name))
        elif " ".join((*before, one.name)) not in STARTS_WORK:
            yield (*before, one.name), one


def usual(argument: Argument) -> list[str]:
    """An argument that has to be given, as it is given usually; nothing for others."""
    is_option = argument.name.startswith("--")
    settings = argument.settings
    if not settings.get("required") and (is_option or settings.get("nargs") in ("?", "*")):
        return []
    choices = list(settings.get("choices") or ())
    value = str(choices[0]) if choices else USUAL.get(argument.name.lstrip("-"), "1")
    return [argument.name, value] if is_option else [value]


def calls(command: Command, paths: Sequence[str], draw: random.Random) -> Iterator[list[str]]:
    """Calls of a command with one odd argument each."""
    dry = ["--dry-run"] if any(one.name == "--dry-run" for one in command.arguments) else []
    for argument in command.arguments:
        if argument.settings.get("action") == "store_true":
            continue
        before = f"{argument.name}=" if argument.name.startswith("--") else ""
        is_path = argument.settings.get("type") is Path
        for odd in draw.sample(paths if is_path else TEXTS, 4):
            words = [[before + odd] if one is argument else usual(one) for one in command.arguments]
            yield [*dry, *(word for part in words for word in part)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_no_argument_ends_a_command_with_a_traceback(
    workspace: Workspace,
    released: Released,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    seed: int,
) -> None:
    with workspace.write() as db:
        make_run(db, released, "first")
    workspace.close()
    folder = workspace.folder
    (folder / "forms").mkdir()
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "dangling").symlink_to("nowhere")
    paths = [str(tmp_path / name) for name in (*FILES, "dangling", "none/x", "x" * 300)]
    paths += ["", "/dev/null", *(str(folder / name) for name in OWN)]
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    draw = random.Random(seed)
    failed, called = [], 0
    for words, command in commands(COMMANDS):
        for arguments in calls(command, paths, draw):
            argv = ["--workspace", str(folder), *words, *arguments]
            called += 1
            try:
                code = main(argv)
            except Exception as error:  # noqa: BLE001  each is a failure of the command
                failed.append((argv, repr(error)))
                continue
            said = capfd.readouterr()
            if code not in CODES or (code and not said.err + said.out):
                failed.append((argv, code))
    assert not failed, "\n".join(map(str, failed))
    assert not [*tmp_path.rglob("*.partial")]
    with open_workspace(folder) as after:
        assert verify(after.db).ok
    with capfd.disabled():
        print(f"\n{called} calls with an odd argument: none ended in a traceback")
