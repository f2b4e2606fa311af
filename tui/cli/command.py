"""The description of a command: its name, help, arguments, function and example."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn


class Command(NamedTuple):
    """One command. `run` does the work and returns the exit code; it imports what it needs when it
    is called, so that start-up stays fast."""

    name: str
    help: str
    run: Callable[[argparse.Namespace], int]
    add_arguments: Callable[[argparse.ArgumentParser], None] | None = None
    example: str = ""
    """A whole line to type; empty where the bare command is one."""


class Group(NamedTuple):
    """Commands that share their first word, such as `jobs list` and `jobs show`."""

    name: str
    help: str
    metavar: str
    commands: tuple[Command, ...]


class Parser(argparse.ArgumentParser):
    """Shows defaults only where a help text names them, never guesses abbreviated options, and ends
    help with an example."""

    example = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("allow_abbrev", False)
        super().__init__(*args, **kwargs)

    def format_help(self) -> str:
        text = super().format_help()
        return f"{text}\nexample:\n  {self.example}\n" if self.example else text

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        known = list(action.choices or ())
        if known and value not in known:
            from store.messages import nearest

            if near := nearest(value, known):
                raise argparse.ArgumentError(
                    action, f"invalid choice: {value!r}. Did you mean {near!r}?"
                )
        super()._check_value(action, value)


def refuse(parser: argparse.ArgumentParser, unknown: Sequence[str]) -> NoReturn:
    """Ends the program as argparse does, but speaks for the command that was called."""
    from store.messages import nearest

    options = [text for action in parser._actions for text in action.option_strings]
    near = nearest(unknown[0].partition("=")[0], options) if unknown[0].startswith("-") else ""
    hint = f". Did you mean {near}?" if near else ""
    parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
