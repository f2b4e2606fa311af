"""The texts of the app: whatever they tell a person to do can be done in the app."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tui.cli.parser import COMMANDS

ROOT = Path(__file__).parents[1] / "tui"
COMMANDS_NAMED = "|".join(entry.name for entry in COMMANDS)
SHELL = re.compile(rf"\bragdesk (?:{COMMANDS_NAMED})\b|\B--[a-z]{{2,}}|\b(?:in )?a shell\b", re.I)
FLAG = re.compile(r"--[a-z-]+")
"""A word of the command that `y` copies; no text."""


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


def test_no_text_sends_a_person_to_a_shell() -> None:
    found = {
        str(file.relative_to(ROOT)): text
        for file in sorted(ROOT.rglob("*.py"))
        if "cli" not in file.relative_to(ROOT).parts
        for text in texts(file)
        if SHELL.search(text) and not FLAG.fullmatch(text) and "{" not in text
    }
    assert found == {}
