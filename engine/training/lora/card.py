"""The card of a fine-tuned judge: what it learned from, how good it is, how to serve it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.training.data.shapes import ReplyStyle

if TYPE_CHECKING:
    from engine.calibration.calibration_records import MetricCalibration
    from engine.statistics.agreement.statistic import Statistic
    from engine.training.lora.report import LoraReport


def write_lora_card(report: LoraReport, reply: ReplyStyle) -> str:
    """The card as Markdown."""
    settings = report.settings
    source = report.source
    lines = [
        f"# Judge {report.name}",
        f"A LoRA adapter on `{settings.base}`, trained on {report.trained:,} labels of people with"
        " the loss on replies alone.",
        "## Training",
        f"Rank {settings.rank}, alpha {settings.alpha}, dropout {settings.dropout:g},"
        f" {settings.epochs:g} epochs, learning rate {settings.learning_rate:g}, batch"
        f" {settings.batch_size} x {settings.accumulate}, seed {settings.seed}: {report.steps:,}"
        f" steps in {report.seconds:,.0f} s on {report.device}, {report.tokens_per_second:,.0f}"
        f" tokens a second; loss at the end {report.loss:.3f}.",
        f"Metrics {source['metrics']}; sample {source['sample']}; runs {source['runs']}; split"
        f" {source['split']}; state of the labels {source['state']}.",
        *(
            f"Of the {side} side, {count:,} rows are longer than {settings.max_length:,} tokens"
            + (" and were not trained on." if side == "train" else ".")
            for side, count in report.too_long.items()
        ),
        "## Agreement with people",
        *(
            _table(f"On the {side} side, not seen in training", calibrations)
            for side, calibrations in report.evaluated.items()
        ),
        "## Serve it",
        "Any server of the OpenAI protocol that takes adapters will do; with vLLM:",
        f"```\nvllm serve {settings.base} --enable-lora --max-lora-rank {max(16, settings.rank)}"
        f" --lora-modules {report.name}={Path(report.folder).resolve()}/adapter\n```",
        "Then, in `ragdesk.toml`:",
        f'```toml\n[providers.{report.name}]\nbase_url = "http://127.0.0.1:8000/v1"\nmodel ='
        f' "{report.name}"\n\n[judges.{report.name}]\nmodel = "{report.name}"\nmetrics ='
        f" [{', '.join(repr(metric) for metric in source['metrics'].split(','))}]\ntemperature ="
        " 0\nmax_tokens = 64\n```".replace("'", '"'),
        "Ask it in the words that it was trained on: the templates lie in the export's `prompts/`.",
    ]
    if reply == "omnieval":
        lines.append(
            "Its replies have the key `prediction`, -1 for n/a, which the judge reads as well."
        )
    return "\n\n".join(lines) + "\n"


def _table(title: str, calibrations: Sequence[MetricCalibration]) -> str:
    lines = [
        f"### {title}",
        "",
        "| metric | n | unusable | accuracy | kappa |",
        "|---|---|---|---|---|",
    ]
    for row in calibrations:
        unusable = sum(row.left_out.values())
        lines.append(
            f"| {row.metric or 'all, pooled'} | {row.n} | {unusable} | {_figure(row.accuracy)} |"
            f" {_figure(row.kappa)} |"
        )
    return "\n".join(lines)


def _figure(statistic: Statistic) -> str:
    if statistic.value is None:
        return "undefined"
    if statistic.low is None or statistic.high is None:
        return f"{statistic.value:.3f}"
    return f"{statistic.value:.3f} ({statistic.low:.3f} to {statistic.high:.3f})"
