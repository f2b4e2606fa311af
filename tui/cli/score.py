"""The command that computes metrics over a predictions file, without a workspace: score."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from store.errors import InputError
from store.messages import plural
from tui.cli.command import command, option
from tui.cli.options import FORCE
from tui.cli.output import tell


@command(
    "score",
    "compute metrics over a predictions file, without a workspace",
    option("FILE.jsonl", "file of predictions, one a line", dest="file"),
    option("--variant V", "variant of the metrics (default standard)", "standard"),
    option("--metrics NAME...", "metrics to compute (default: all that apply)", None),
    option("--out FILE.jsonl", "file to write (default: standard output)"),
    FORCE,
    example="predictions.jsonl --metrics em f1 --out scores.jsonl",
)
def score(arguments: argparse.Namespace) -> int:
    from engine.metrics.score_file import encode, score_lines
    from store.files import whole_file

    def scored() -> Iterator[bytes]:
        try:
            with arguments.file.open("rb") as lines:
                for line in score_lines(
                    lines, str(arguments.file), variant=arguments.variant, metrics=arguments.metrics
                ):
                    yield encode(line)
        except OSError as error:
            raise InputError(
                f"{arguments.file}: {error.strerror}.", "Check the path and its rights."
            ) from error

    if arguments.out is None:
        for line in scored():
            sys.stdout.write(line.decode())
        return 0
    count = 0
    with whole_file(arguments.out, force=arguments.force) as file:
        for line in scored():
            file.write(line)
            count += 1
    tell("Scored {lines} into {out}.", lines=plural(count, "line"), out=arguments.out)
    return 0


COMMANDS = (score,)
