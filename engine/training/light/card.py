"""The card of a trained judge: what it learned from, how good it is, where it fails."""

from __future__ import annotations

from collections.abc import Sequence

from engine.calibration.calibration_records import MetricCalibration
from engine.judge.light.features import NAMES
from engine.statistics.agreement.statistic import Statistic
from engine.training.light.fitting import Fitted
from engine.training.light.report import PartReport, TrainingReport, gain_sentences

_STRONGEST = 5


def write_card(report: TrainingReport) -> str:
    """The card as Markdown; equal reports give equal cards."""
    sections = [
        f"# Judge {report.name}",
        "A light judge, trained on labels of people: for each metric a multinomial logistic"
        " regression on features of the answer, with a temperature fitted on cases held out."
        " It computes offline and gives equal answers equal scores.",
        "## Training data",
        _cases(report),
        _labels(report),
        "## Agreement with people",
        "Accuracy is the share of equal labels, kappa is Cohen's, unweighted; n/a counts as a"
        " label. Intervals are 95 %, by resampling whole questions.",
        _agreement("Held out in training (grouped cross-validation)", report.held_out, ()),
        *(_part(part) for part in report.parts),
        "## What it goes by",
        _models(report.fitted),
        "## Limits",
        _limits(report),
    ]
    return "\n\n".join(sections) + "\n"


def _cases(report: TrainingReport) -> str:
    rows = [f"| {side} | {count} |" for side, count in report.cases.items()]
    return "\n".join(["| side | answers |", "|---|---|", *rows])


def _labels(report: TrainingReport) -> str:
    rows = []
    for metric, counts in report.labels.items():
        values = ", ".join(f"{value}: {count}" for value, count in counts.items()) or "none"
        rows.append(f"| {metric} | {values} |")
    lines = ["| metric | training labels by value |", "|---|---|", *rows]
    if report.with_aids:
        lines += [
            "",
            f"{report.with_aids:,} training answers were labelled with aids: the rater could see,"
            " by the rules of the judge `rules`, how the answer compares with the golden one.",
        ]
    return "\n".join(lines)


def _part(part: PartReport) -> str:
    if not part.judge:
        return f"### On the {part.part} side\n\nThere are no answers on this side."
    table = _agreement(f"On the {part.part} side, not seen in training", part.judge, part.rules)
    if part.test is None or part.test.pooled.difference is None:
        return table
    gains = "\n".join(f"- {line}" for line in gain_sentences(part.test))
    return f"{table}\n\nAccuracy, this judge minus the rules:\n\n{gains}"


def _agreement(
    title: str, calibrations: Sequence[MetricCalibration], rules: Sequence[MetricCalibration]
) -> str:
    head = "| metric | n | accuracy | kappa |" + (
        " rules: accuracy | rules: kappa |" if rules else ""
    )
    lines = [f"### {title}", "", head, _rule(head)]
    beside = {row.metric: row for row in rules}
    for row in calibrations:
        cells = [
            row.metric or "all, pooled",
            str(row.n),
            _figure(row.accuracy),
            _figure(row.kappa),
        ]
        other = beside.get(row.metric)
        if rules:
            cells += [_figure(other.accuracy), _figure(other.kappa)] if other else ["-", "-"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _rule(head: str) -> str:
    return "|" + "---|" * (head.count("|") - 1)


def _figure(statistic: Statistic) -> str:
    if statistic.value is None:
        return f"undefined ({statistic.reason})"
    if statistic.low is None or statistic.high is None:
        return f"{statistic.value:.3f}"
    return f"{statistic.value:.3f} ({statistic.low:.3f} to {statistic.high:.3f})"


def _models(fitted: Sequence[Fitted]) -> str:
    rows = []
    for fit in fitted:
        model = fit.model
        if len(model.classes) == 1:
            rows.append(f"| {model.metric} | always {model.classes[0]} | - | - |")
            continue
        pull = [max(column) - min(column) for column in zip(*model.weights, strict=True)]
        strongest = sorted(range(len(NAMES)), key=lambda number: -pull[number])[:_STRONGEST]
        names = ", ".join(NAMES[number] for number in strongest)
        rows.append(f"| {model.metric} | {names} | {fit.strength:g} | {model.temperature:.2f} |")
    head = "| metric | strongest features | strength (C) | temperature |"
    return "\n".join([head, _rule(head), *rows])


def _limits(report: TrainingReport) -> str:
    lines = [
        "It reads no meaning: it weighs overlaps, numbers, support and the verdicts of the rules."
        " On other kinds of questions, systems or languages than it was trained on, calibrate it"
        " before you trust it.",
        *(f"{metric}: no model, {why}." for metric, why in report.skipped.items()),
        *(
            f"{fit.model.metric}: all training labels are {fit.model.classes[0]}, so that is what"
            " it always says."
            for fit in report.fitted
            if len(fit.model.classes) == 1
        ),
    ]
    return "\n".join(f"- {line}" for line in lines)
