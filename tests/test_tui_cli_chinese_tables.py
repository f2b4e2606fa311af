"""What each command prints of a workspace with work of every kind: Chinese where that is spoken."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from test_docs import commands_of
from test_docs_pictures_in_chinese import draw
from test_tui_cli_chinese import CALLS, END, python
from words_left import Held, english

from store.workspace import open_workspace
from tui.cli.parser import build

RUN, OTHER = "bm25-sample@1", "closed-book-sample@1"
JUDGED = "--form judge_labels"
PRINTS = {
    "adjudicate list": JUDGED,
    "adjudicate show": f"SUBJECT {JUDGED}",
    "agree": JUDGED,
    "author show": "",
    "calibrate": "",
    "compare": f"{RUN} {OTHER} --metric accuracy",
    "corpora": "",
    "datasets": "",
    "difficulty correlate": "sample",
    "difficulty show": "sample",
    "experiment list": "",
    "experiment show": "retrievers",
    "graph show": "sample",
    "guideline show": JUDGED,
    "items acts": "",
    "items list": "--dataset sample",
    "jobs list": "",
    "jobs show": "1",
    "judge-versions": "rules",
    "judges": "",
    "known list": JUDGED,
    "labels progress": JUDGED,
    "labels quality": "",
    "labels reliability": JUDGED,
    "labels show": f"SUBJECT {JUDGED}",
    "labels statistics": JUDGED,
    "leaderboard": f"{RUN} {OTHER} --metric accuracy",
    "lineage": "evolved",
    "matrix": f"{RUN} --metric accuracy",
    "providers list": "",
    "question-sets": "",
    "runs": "",
    "sample list": "",
    "sample show": "answers",
    "search": "--corpus sample 洗钱",
    "systems": "",
    "table": RUN,
    "team list": "",
    "team log": "",
}
"""What follows each command that prints what a workspace holds; SUBJECT is a labelled answer."""
WRITES = {
    *("adjudicate set", "assign", "audit", "author begin", "backup", "classify", "delete", "demo"),
    *("difficulty measure", "evolve", "experiment new", "experiment run", "experiment weights"),
    *("forms new", "generate", "graph build", "guideline set", "ingest", "inspect", "items act"),
    *("items undo", "jobs cancel", "jobs pause", "jobs resume", "judge", "judge-examples"),
    *("known choose", "known mix", "labels import", "labels next", "labels note", "labels redo"),
    *("labels set", "labels undo", "providers test", "release", "report", "restore", "run"),
    *("sample adjudicators", "sample close", "sample draw", "sample plan", "sample reopen"),
    *("score", "share", "split", "team message", "team set", "topics build", "topics import"),
    *("topics prune", "train-judge", "unshare"),
}
"""Commands that change something, or compute for long."""
DATA = {
    *("doctor", "forms check", "forms list", "forms show", "items similar", "labels events"),
    *("labels export", "show", "topics export", "topics list", "verify"),
}
"""Commands that print data, in both languages or of other programs."""


def test_every_command_is_one_of_those() -> None:
    exports = {name for name in commands_of(build()) if name.split()[0] in ("export", "import")}
    recipes = {name for name in commands_of(build()) if "-table" in name}
    assert set(commands_of(build())) == {*PRINTS, *WRITES, *DATA, *exports, *recipes}


@pytest.mark.slow
def test_what_commands_print_is_chinese(tmp_path: Path) -> None:
    draw(tmp_path, "zh", "home", "--size", "80x24")
    workspace = tmp_path / "ragdesk-demo"
    with open_workspace(workspace) as opened:
        (subject,) = opened.db.execute("SELECT subject FROM label_event ORDER BY seq").fetchone()
    place = ["--workspace", str(workspace), "--rater", "ann"]
    calls = [
        [*place, *command.split(), *shlex.split(words.replace("SUBJECT", str(subject)))]
        for command, words in PRINTS.items()
    ]
    printed = python("zh", CALLS, json.dumps(calls)).split(END)[:-1]
    held = Held(workspace)
    found = [
        f"{command}: {one}"
        for command, text in zip(PRINTS, printed, strict=True)
        for one in english(text.splitlines(), held)
    ]
    assert not found, "\n".join(found)
