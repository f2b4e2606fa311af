"""The command train-judge."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import choices, plural
from store.workspace import open_workspace
from tui.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from engine.statistics.agreement.records import Statistic
    from engine.training.light.training import PartReport, TrainingReport


def train_judge(arguments: argparse.Namespace) -> int:
    from engine.judge.rules.judge import METRICS
    from engine.training.data.sides import SPLIT_NAME
    from engine.training.light.training import train_light

    unknown = [metric for metric in arguments.metrics or () if metric not in METRICS]
    if unknown:
        raise UsageError(
            f"There is no judged metric {unknown[0]!r}.", choices(unknown[0], METRICS, "Metrics")
        )
    if arguments.data is not None and not arguments.lora:
        raise UsageError("--data is for fine-tuning.", "Name the model: --lora BASE.")
    if arguments.lora:
        return _fine_tune(arguments)
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


def _fine_tune(arguments: argparse.Namespace) -> int:
    from engine.judge.light.folder import check_name, trained_folder
    from engine.judge.registry import check_free
    from engine.training.lora.fine_tuning import train_lora
    from engine.training.lora.settings import LoraSettings, check_libraries

    settings = LoraSettings(
        base=arguments.lora,
        rank=arguments.rank,
        alpha=2 * arguments.rank,
        epochs=arguments.epochs,
        learning_rate=arguments.learning_rate,
        batch_size=arguments.batch_size,
        accumulate=arguments.accumulate,
        max_length=arguments.max_length,
        seed=arguments.seed,
    )
    settings.check()
    check_libraries()
    check_name(arguments.name)
    check_free(arguments.workspace, arguments.name)
    folder = trained_folder(arguments.workspace) / arguments.name
    data = arguments.data or folder.with_name(f"{arguments.name}.data")
    if arguments.data is None:
        _export(arguments, data)
    report = train_lora(arguments.name, data, folder, settings, say)
    if arguments.json:
        print_json(report)
        return 0
    print(
        f"judge {report.name}: {plural(report.trained, 'row')},"
        f" {plural(report.steps, 'step')}, loss"
        f" {report.loss:.3f}, {report.tokens_per_second:,.0f} tokens a second on {report.device}"
    )
    for side, count in report.too_long.items():
        say(
            f"{side} side: {plural(count, 'row')} longer than"
            f" {plural(settings.max_length, 'token')}"
        )
    for side, found in report.evaluated.items():
        print(f"\non the {side} side, against people")
        print_table(
            ("metric", "n", "unusable", "accuracy", "kappa"),
            [
                (
                    one.metric or "all, pooled",
                    str(one.n),
                    str(sum(one.left_out.values())),
                    _figure(one.accuracy),
                    _figure(one.kappa),
                )
                for one in found
            ],
        )
    print(f"how to serve it: {report.folder}/README.md")
    return 0


def _export(arguments: argparse.Namespace, out: Path) -> None:
    """The labels as they are now, unless a training that was stopped has its own."""
    from engine.judge.rules.judge import METRICS
    from engine.training.data.bundle import Wanted
    from engine.training.data.sides import SPLIT_NAME
    from engine.training.judge_export import JudgeExport, export_judge

    if out.exists() and not arguments.force:
        say(f"training on the labels in {out}")
        return
    metrics = tuple(one for one in METRICS if one in (arguments.metrics or METRICS))
    wanted = Wanted(metrics=metrics, split=arguments.split or SPLIT_NAME)
    with open_workspace(arguments.workspace) as workspace:
        export_judge(workspace, JudgeExport(wanted, shapes=("trl",)), out, force=arguments.force)


def _print(report: TrainingReport) -> None:
    counts = {side: report.cases.get(side, 0) for side in ("train", "validation", "test")}
    print(
        f"judge {report.name}: trained on {counts['train']:,} answers,"
        f" with {counts['validation']:,} for validation and {counts['test']:,} for the test"
    )
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
