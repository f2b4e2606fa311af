"""The command that trains a judge on people's labels: train-judge."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import choices, plural
from tui.cli.command import command, option, titled
from tui.cli.options import filled, workspace_of
from tui.cli.output import print_json, print_line, print_table, say, tell
from tui.language import tr

if TYPE_CHECKING:
    from engine.statistics.agreement.statistic import Statistic
    from engine.training.light.report import PartReport, TrainingReport


@command(
    "train-judge",
    "train a judge on people's labels",
    option("NAME", "name of the new judge"),
    option("--metrics M...", "metrics to train on (default: all five)", None),
    option("--split SPLIT", "split to take the sides from (default: the one that exports share)"),
    option("--force", "replace a trained judge of that name"),
    *titled(
        "fine-tuning a language model",
        "needs the extra `train`; goes on where it was stopped",
        option("--lora BASE", "base model, a folder or a name; it needs a chat template"),
        option(
            "--data DIR",
            "folder of `export judge` to train on (default: the labels as they are now)",
        ),
        option("--rank N", "rank of the adapter (default 16)", 16),
        option("--epochs N", "passes over the rows (default 3)", 3.0),
        option("--learning-rate X", "learning rate (default 1e-4)", 1e-4),
        option("--batch-size N", "rows at once (default 4)", 4),
        option("--accumulate N", "batches per step (default 4)", 4),
        option("--max-length N", "tokens of a row at most (default 4096)", 4096),
        option("--seed N", "seed of the order of rows (default 0)", 0),
    ),
    example="light-1 --metrics accuracy completeness",
)
def train_judge(arguments: argparse.Namespace) -> int:
    from engine.judge.base import LABELLED
    from engine.training.data.sides import SPLIT_NAME
    from engine.training.light.training import train_light

    unknown = [metric for metric in arguments.metrics or () if metric not in LABELLED]
    if unknown:
        raise UsageError(
            f"There is no judged metric {unknown[0]!r}.",
            choices(unknown[0], LABELLED, "Metrics"),
        )
    if arguments.data is not None and not arguments.lora:
        raise UsageError("--data is for fine-tuning.", "Name the model: --lora BASE.")
    if arguments.lora:
        return _fine_tune(arguments)
    with workspace_of(arguments) as workspace:
        report = train_light(
            workspace,
            arguments.name,
            metrics=arguments.metrics or LABELLED,
            split=arguments.split or SPLIT_NAME,
            replace=arguments.force,
            notify=say,
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

    settings = filled(LoraSettings, arguments, base=arguments.lora, alpha=2 * arguments.rank)
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
    print_line(
        "judge {name}: {rows}, {steps}, loss {loss:.3f}, {tokens_per_second:,.0f} "
        "tokens a second on {device}",
        name=report.name,
        rows=plural(report.trained, "row"),
        steps=plural(report.steps, "step"),
        loss=report.loss,
        tokens_per_second=report.tokens_per_second,
        device=report.device,
    )
    for side, count in report.too_long.items():
        tell(
            "{side} side: {rows} longer than {tokens}",
            side=side,
            rows=plural(count, "row"),
            tokens=plural(settings.max_length, "token"),
        )
    for side, rows in report.evaluated.items():
        print(f"\n{tr('on the {side} side, against people', side=side)}")
        print_table(
            ("metric", "n", "unusable", "accuracy", "kappa"),
            [
                (
                    row.metric or tr("all, pooled"),
                    str(row.n),
                    str(sum(row.left_out.values())),
                    _figure(row.accuracy),
                    _figure(row.kappa),
                )
                for row in rows
            ],
        )
    print_line("how to serve it: {folder}/README.md", folder=report.folder)
    return 0


def _export(arguments: argparse.Namespace, out: Path) -> None:
    """Writes the labels as they are now, unless a training that was stopped has its own."""
    from engine.judge.base import LABELLED
    from engine.training.data.bundle import Wanted
    from engine.training.data.sides import SPLIT_NAME
    from engine.training.judge_export import JudgeExport, export_judge

    if out.exists() and not arguments.force:
        tell("training on the labels in {out}", out=out)
        return
    metrics = tuple(metric for metric in LABELLED if metric in (arguments.metrics or LABELLED))
    request = Wanted(metrics=metrics, split=arguments.split or SPLIT_NAME)
    with workspace_of(arguments) as workspace:
        export_judge(workspace, JudgeExport(request, shapes=("trl",)), out, force=arguments.force)


def _print(report: TrainingReport) -> None:
    counts = {side: report.cases.get(side, 0) for side in ("train", "validation", "test")}
    print_line(
        "judge {name}: trained on {train:,} answers, with {validation:,} for "
        "validation and {test:,} for the test",
        name=report.name,
        train=counts["train"],
        validation=counts["validation"],
        test=counts["test"],
    )
    for metric, why in report.skipped.items():
        tell("{metric} has no model: {why}", metric=metric, why=why)
    for part in report.parts:
        _print_part(part)
    print_line("card: {folder}/README.md", folder=report.folder)
    print_line("next: ragdesk judge RUN --judge {judge}", judge=quote(report.name))


def _print_part(part: PartReport) -> None:
    if not part.judge:
        tell("the {side} side has no answers", side=part.part)
        return
    rules = {row.metric: row for row in part.rules}
    print(f"\n{tr('on the {side} side, against people', side=part.part)}")
    print_table(
        ("metric", "n", "accuracy", "kappa", "rules: accuracy", "kappa"),
        [
            (
                row.metric or tr("all, pooled"),
                str(row.n),
                _figure(row.accuracy),
                _figure(row.kappa),
                _figure(rules[row.metric].accuracy) if row.metric in rules else "-",
                _figure(rules[row.metric].kappa) if row.metric in rules else "-",
            )
            for row in part.judge
        ],
    )
    if part.test is not None and part.test.pooled.difference is not None:
        from engine.training.light.report import gain_sentences

        print_line("accuracy, this judge minus the rules")
        for line in gain_sentences(part.test):
            print(f"  {line}")


def _figure(statistic: Statistic) -> str:
    return "-" if statistic.value is None else f"{statistic.value:.3f}"


COMMANDS = (train_judge,)
