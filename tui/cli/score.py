"""The command that computes metrics over a predictions file, without a workspace: score."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from store.errors import InputError
from store.messages import plural
from tui.cli.command import Command
from tui.cli.output import say


def _score_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, metavar="FILE.jsonl", help="file of predictions, one a line"
    )
    parser.add_argument(
        "--variant",
        default="standard",
        metavar="V",
        help="variant of the metrics (default standard)",
    )
    parser.add_argument(
        "--metrics", nargs="+", metavar="NAME", help="metrics to compute (default: all that apply)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE.jsonl", help="file to write (default: standard output)"
    )


def score(arguments: argparse.Namespace) -> int:
    from engine.metrics.score_file import encode, score_lines

    out = arguments.out
    partial = out.with_name(out.name + ".partial") if out else None
    try:
        with arguments.file.open("rb") as lines:
            scored = score_lines(
                lines, str(arguments.file), variant=arguments.variant, metrics=arguments.metrics
            )
            if partial is None:
                for line in scored:
                    sys.stdout.buffer.write(encode(line))
                sys.stdout.flush()
                return 0
            count = 0
            with partial.open("wb") as file:
                for line in scored:
                    file.write(encode(line))
                    count += 1
        partial.replace(out)
    except OSError as error:
        place = error.filename or arguments.file
        raise InputError(f"{place}: {error.strerror}.", "Check the path and its rights.") from error
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)
    say(f"Scored {plural(count, 'line')} into {out}.")
    return 0


COMMANDS = (
    Command(
        "score",
        "compute metrics over a predictions file, without a workspace",
        score,
        _score_arguments,
        "ragdesk score predictions.jsonl --metrics em f1 --out scores.jsonl",
    ),
)
