"""How commands read their arguments: no guessing, a word about what was meant, an example."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """Shows defaults only where a help text says so, and never guesses abbreviated options; help
    ends with an example."""

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


@contextmanager
def typed() -> Iterator[None]:
    """What is wrong with a value is wrong use where it was typed; in a file it is not."""
    from store.errors import InputError, UsageError

    try:
        yield
    except InputError as error:
        raise UsageError(error.message, error.remedy) from error


def refuse(parser: argparse.ArgumentParser, unknown: Sequence[str]) -> NoReturn:
    """Ends the program as argparse does, but speaks for the command that was called."""
    from store.messages import nearest

    options = [text for action in parser._actions for text in action.option_strings]
    near = nearest(unknown[0].partition("=")[0], options) if unknown[0].startswith("-") else ""
    hint = f". Did you mean {near}?" if near else ""
    parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
