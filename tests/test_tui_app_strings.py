"""The texts that the app shows: whatever they tell a person to do can be done in the app."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tui.cli.parser import COMMANDS

ROOT = Path(__file__).parents[1]
COMMANDS_NAMED = "|".join(entry.name for entry in COMMANDS)
SHELL = re.compile(rf"\bragdesk (?:{COMMANDS_NAMED})\b|\B--[a-z]{{2,}}|\b(?:in )?a shell\b", re.I)
FLAG = re.compile(r"--[a-z-]+")
"""A word of the command that `y` copies; no text."""
COMMAND_LINE = {
    "tui/cli": "the command line itself",
    "engine/doctor": "what `doctor` prints",
    "engine/notebook.py": "read beside a shell",
    "engine/exporters/layouts.py": "the help of `export`",
    "engine/exporters/runs.py": "a manifest's note of the command that imports a run again",
    "engine/training/lora/card.py": "how a server is started",
    "engine/own/service.py": "an example of the program of one's own system",
}
"""The only places whose texts may name commands, and why."""


def texts(file: Path) -> Iterator[str]:
    """The strings of a module but its docstrings."""
    tree = ast.parse(file.read_text("utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for number, statement in enumerate(body):
                is_text = isinstance(statement, ast.Expr) and isinstance(
                    statement.value, ast.Constant
                )
                after_name = number and isinstance(body[number - 1], ast.Assign | ast.AnnAssign)
                if is_text and (after_name or isinstance(node, documented)):
                    docs.add(id(statement.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value
        # what an error hands to the command line alone is its third argument
        if isinstance(node, ast.Call):
            for argument in (
                *node.args[2:3],
                *(k.value for k in node.keywords if k.arg == "command"),
            ):
                docs.update(id(inner) for inner in ast.walk(argument))


def test_no_text_sends_a_person_to_a_shell() -> None:
    found = {
        f"{place}: {text}"
        for layer in ("tui", "engine", "store")
        for file in sorted((ROOT / layer).rglob("*.py"))
        if not (place := str(file.relative_to(ROOT))).startswith(tuple(COMMAND_LINE))
        if SHELL.search(file.read_text("utf-8"))
        for text in texts(file)
        if SHELL.search(text) and not FLAG.fullmatch(text) and "{" not in text
    }
    assert found == set()


def test_no_note_of_a_recipe_names_a_flag() -> None:
    notes = [
        file.read_text("utf-8") for file in ROOT.glob("engine/experiments/recipe_files/*.toml")
    ]
    assert notes
    assert not [note for note in notes if SHELL.search(note)]
