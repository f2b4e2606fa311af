"""The command that computes metrics over a predictions file, without a workspace: score."""

from __future__ import annotations

import argparse
import sys

from store.errors import InputError
from store.messages import plural
from tui.cli.command import Command, option
from tui.cli.output import say

_SCORE = (
    option("FILE.jsonl", "file of predictions, one a line", dest="file"),
    option("--variant V", "variant of the metrics (default standard)", "standard"),
    option("--metrics NAME...", "metrics to compute (default: all that apply)", None),
    option("--out FILE.jsonl", "file to write (default: standard output)"),
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
        _SCORE,
        "predictions.jsonl --metrics em f1 --out scores.jsonl",
    ),
)
