"""The description of a command, above its function: name, help, arguments and example."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from tui.language import language, later, read, tr


def _whole(text: str) -> int:
    value = int(text)
    if abs(value) > LARGEST:
        raise argparse.ArgumentTypeError(f"{text} is out of range")
    return value


def _decimal(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is no number")
    return value


# as argparse names them where a text is neither
_whole.__name__, _decimal.__name__ = "int", "float"

LARGEST = 10**18
"""Of whole numbers: what the workspace's file can hold."""

_TYPES: dict[str, Callable[[str], Any]] = {
    "N": _whole,
    "K": _whole,
    "JOB": _whole,
    "X": _decimal,
    "FILE": Path,
    "FILE.jsonl": Path,
    "DIR": Path,
    "PATH": Path,
}
"""The types of values by the word that stands for them in the usage; others are strings."""

_WORDS = ("KEY", "M", "NAME", "SHAPE", "STATE", "TASK")
"""What stands for words that hold no comma: of these a list may be written with commas too."""

_UNSET = object()


class _Words(argparse.Action):
    """Takes a list of words with spaces or commas between them: `em f1`, `em,f1`."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        words = [word.strip() for value in values for word in value.split(",")]
        setattr(namespace, self.dest, [word for word in words if word])


class Argument(NamedTuple):
    """An argument of a command, as `argparse.ArgumentParser.add_argument` takes it."""

    name: str
    settings: Mapping[str, Any]
    group: tuple[str, str] | None = None
    """Title and description of the part of the help that it stands in."""


def option(
    usage: str,
    help: str,
    default: Any = _UNSET,
    *,
    dest: str | None = None,
    **settings: Any,
) -> Argument:
    """Describes an argument by the way it is typed.

    `--seed N` takes a value, `--metrics NAME...` one or more, `--again` none; `RUN` without an
    option is a positional argument; in brackets it may be left out. The word for the value says
    its type (`_TYPES`), unless the default is a number or `settings` names one. Several values
    are a list, empty by default. `dest` is the attribute where it is not the option's own name.
    """
    name, _, value = usage.partition(" ") if usage.startswith("--") else ("", "", usage)
    if not value and "choices" not in settings:
        return Argument(usage, {"help": help, "action": "store_true"})
    if value.endswith("...]"):
        value, settings["nargs"] = value[1:-4], "*"
    elif value.endswith("..."):
        value, settings["nargs"] = value[:-3], "+"
    elif re.fullmatch(r"\[[A-Z]+\]", value):
        value, settings["nargs"] = value[1:-1], "?"
    if name and settings.get("nargs") == "+" and value in _WORDS:
        settings.setdefault("action", _Words)
    if default is not _UNSET:
        settings["default"] = default
    elif settings.get("nargs") == ("+" if name else "*") or (name and "action" in settings):
        settings["default"] = []  # also what argparse knows a positional argument as optional by
    if value:
        settings["metavar"] = value
    kind = settings.get("type", type(default))
    bounded = {int: _whole, float: _decimal}.get(kind)
    settings["type"] = bounded or settings.get("type") or _TYPES.get(value, str)
    if name and dest:
        settings["dest"] = dest
    return Argument(name or dest or value.lower(), {"help": help, **settings})


def titled(title: str, description: str, *arguments: Argument) -> tuple[Argument, ...]:
    """Returns the arguments as a part of the help with a title of its own."""
    return tuple(argument._replace(group=(title, description)) for argument in arguments)


class Command(NamedTuple):
    """One command. `run` does the work and returns the exit code; it imports what it needs when it
    is called, so that start-up stays fast."""

    name: str
    help: str
    run: Callable[[argparse.Namespace], int]
    arguments: Sequence[Argument] = ()
    example: str = ""
    """Arguments to type after the name; empty where the bare command is an example."""
    defaults: Mapping[str, Any] = {}
    """Attributes that the arguments do not set."""


def command(
    name: str,
    help: str,
    *arguments: Argument,
    example: str = "",
    defaults: Mapping[str, Any] | None = None,
) -> Callable[[Callable[[argparse.Namespace], int]], Command]:
    """Makes the function below it the work of a `Command`, which takes its place."""
    return lambda run: Command(name, help, run, arguments, example, defaults or {})


class Group(NamedTuple):
    """Commands that share their first word, such as `jobs list` and `jobs show`."""

    name: str
    help: str
    metavar: str
    commands: tuple[Command, ...]


ARGPARSE = (
    later("argument {name}: {problem}"),
    later("expected one argument"),
    later("expected at least one argument"),
    later("expected at most one argument"),
    later("ignored explicit argument {given}"),
    later("invalid choice: {value} (choose from {choices})"),
    later("invalid {type} value: {value}"),
    later("not allowed with argument {name}"),
    later("the following arguments are required: {names}"),
)
"""What argparse says of wrong use, which is recognised when it is read."""


class _Formatter(argparse.HelpFormatter):
    """Breaks lines of Chinese by their cells, where argparse counts characters."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, tr("usage: ") if prefix is None else prefix)

    def _split_lines(self, text: str, width: int) -> list[str]:
        if language() == "en":
            return super()._split_lines(text, width)
        from engine.report.text_table import paragraph_lines

        return paragraph_lines(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{line}" for line in self._split_lines(text, width - len(indent)))


class Parser(argparse.ArgumentParser):
    """Shows defaults only where a help text names them, never guesses abbreviated options, and ends
    help with an example."""

    example = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("allow_abbrev", False)
        kwargs.setdefault("formatter_class", _Formatter)
        super().__init__(*args, **kwargs)
        self._positionals.title = tr("positional arguments")
        self._optionals.title = tr("options")
        if self.add_help:
            self._actions[0].help = tr("show this help message and exit")

    def format_help(self) -> str:
        text = super().format_help()
        return f"{text}\n{tr('example:')}\n  {self.example}\n" if self.example else text

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: {tr('error: {problem}', problem=read(message))}\n")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and arg_strings == ["--"]:
            # argparse takes the value away and goes on with an empty list
            raise argparse.ArgumentError(action, "expected one argument")
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        known = list(action.choices or ())
        if known and value not in known:
            from store.messages import nearest

            if near := nearest(value, known):
                near = tr(
                    "invalid choice: {value!r}. Did you mean {near!r}?", value=value, near=near
                )
                raise argparse.ArgumentError(action, near)
        super()._check_value(action, value)


def refuse(parser: argparse.ArgumentParser, unknown: Sequence[str]) -> NoReturn:
    """Ends the program as argparse does, but speaks for the command that was called."""
    from store.messages import nearest

    options = [text for action in parser._actions for text in action.option_strings]
    near = nearest(unknown[0].partition("=")[0], options) if unknown[0].startswith("-") else ""
    given = " ".join(unknown)
    if near:
        parser.error(
            tr("unrecognized arguments: {given}. Did you mean {near}?", given=given, near=near)
        )
    parser.error(tr("unrecognized arguments: {given}", given=given))
