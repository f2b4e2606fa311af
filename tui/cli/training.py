"""The command train-judge."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.errors import InputError
from store.workspace import open_workspace
from tui.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from engine.agreement.records import Statistic
    from engine.judge_data.training import PartReport, TrainingReport


def train_judge(arguments: argparse.Namespace) -> int:
    from engine.judge.rules import METRICS
    from engine.judge_data.sides import SPLIT_NAME
    from engine.judge_data.training import train_light

    unknown = [metric for metric in arguments.metrics or () if metric not in METRICS]
    if unknown:
        raise InputError(
            f"There is no judged metric {unknown[0]!r}.", f"The metrics are {', '.join(METRICS)}."
        )
    with open_workspace(arguments.workspace) as workspace:
        say("training; this takes a few seconds")
        report = train_light(
            workspace,
            arguments.name,
            metrics=arguments.metrics or METRICS,
            split=arguments.split or SPLIT_NAME,
            replace=arguments.force,
        )
    if arguments.json:
        print_json(report)
    else:
        _print(report)
    return 0


def _print(report: TrainingReport) -> None:
    counts = ", ".join(f"{count} {side}" for side, count in report.cases.items())
    print(f"judge {report.name}, from {counts} answers")
    for metric, why in report.skipped.items():
        say(f"{metric} has no model: {why}")
    for part in report.parts:
        _print_part(part)
    print(f"card: {report.folder}/README.md")
    print(f"next: ragdesk judge RUN --judge {report.name}")


def _print_part(part: PartReport) -> None:
    if not part.judge:
        say(f"the {part.part} side has no answers")
        return
    rules = {one.metric: one for one in part.rules}
    print(f"\non the {part.part} side, against people")
    print_table(
        ("metric", "n", "accuracy", "kappa", "rules: accuracy", "kappa"),
        [
            (
                one.metric or "all, pooled",
                str(one.n),
                _figure(one.accuracy),
                _figure(one.kappa),
                _figure(rules[one.metric].accuracy) if one.metric in rules else "-",
                _figure(rules[one.metric].kappa) if one.metric in rules else "-",
            )
            for one in part.judge
        ],
    )
    gain = part.test.pooled if part.test is not None else None
    if gain is not None and gain.low is not None:
        print(
            f"accuracy, this judge minus the rules: {gain.difference:+.3f}"
            f" (95 % {gain.low:+.3f} to {gain.high:+.3f})"
        )


def _figure(one: Statistic) -> str:
    return "-" if one.value is None else f"{one.value:.3f}"
