"""A calibration as tables for the terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.calibration.records import (
    Calibration,
    Confusion,
    JudgeCalibration,
    MetricCalibration,
    Powered,
)
from engine.report.text_table import sentence_lines, table_lines
from engine.results.comparison_records import Difference
from engine.statistics.agreement.records import Statistic
from store.messages import plural

POOLED = "all pooled"
_NONE = "-"


def calibration_as_json(found: Calibration) -> dict[str, Any]:
    """The whole calibration with the figures that follow from it."""
    out: dict[str, Any] = msgspec.to_builtins(found)
    for judge, given in zip(out["judges"], found.judges, strict=True):
        for metric, one in zip(judge["metrics"], given.metrics, strict=True):
            metric["metric"] = one.metric or "pooled"
            metric["coverage"] = one.coverage
        for mean, one_mean in zip(judge["means"], given.means, strict=True):
            mean["powered"]["worth"] = one_mean.powered.worth
    return out


def calibration_text(found: Calibration, *, details: bool = False, width: int | None = None) -> str:
    """The tables, in `width` cells: judges pooled, by metric, tests in pairs, means of runs; with
    `details` also confusions and cells."""
    reasons = _Reasons()
    parts = [_people(found)]
    if not found.judges:
        parts.append(["No judge has scored any of these answers."])
    else:
        parts += [_pooled(found, reasons, width), _by_metric(found, reasons, width)]
    if found.tests:
        parts.append(_tests(found, width))
    if any(judge.means for judge in found.judges):
        parts.append(_means(found, width))
    if details:
        for judge in found.judges:
            parts += _details(judge, reasons, width)
    below = [*reasons.lines(), *_notes(found)]
    parts.append([line for text in below for line in sentence_lines(text, width)])
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


class _Reasons:
    """Numbers the reasons why a figure is not defined, so that a table has room for them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def figure(self, one: Statistic) -> str:
        if one.value is not None:
            return _number(one.value)
        return f"({self._numbers.setdefault(one.reason, len(self._numbers) + 1)})"

    def lines(self) -> Iterator[str]:
        for reason, number in self._numbers.items():
            yield f"({number}) undefined: {reason}"


def _people(found: Calibration) -> list[str]:
    sources = ", ".join(f"{count:,} {source}" for source, count in sorted(found.sources.items()))
    lines = [
        f"People: {plural(found.labels, 'label')} on"
        f" {plural(found.answers, 'answer')} in {plural(found.groups, 'group')};"
        f" {sources}."
    ]
    if found.conflicts:
        lines.append(f"{plural(found.conflicts, 'label')} in conflict left out; adjudicate them.")
    return lines


def _pooled(found: Calibration, reasons: _Reasons, width: int | None) -> list[str]:
    rows = []
    for judge in found.judges:
        for one in judge.metrics[:1]:
            rows.append(
                (
                    judge.judge,
                    judge.kind,
                    judge.standing,
                    f"{one.n:,}",
                    _percent(one.coverage),
                    reasons.figure(one.accuracy),
                    _ends(one.accuracy.low, one.accuracy.high),
                    reasons.figure(one.kappa),
                    _ends(one.kappa.low, one.kappa.high),
                    _percent(judge.steady),
                )
            )
    head = ("judge", "kind", "standing", "n", "usable", "accuracy", "95 %", "kappa", "95 %")
    return [
        "All metrics pooled, n/a a label, kappa unweighted",
        *table_lines((*head, "steady"), rows, width=width),
    ]


def _by_metric(found: Calibration, reasons: _Reasons, width: int | None) -> list[str]:
    rows = [
        (
            one.metric,
            judge.judge,
            f"{one.n:,}",
            reasons.figure(one.accuracy),
            reasons.figure(one.kappa),
            _ends(one.kappa.low, one.kappa.high),
            reasons.figure(one.kappa_quadratic),
            reasons.figure(one.spearman),
        )
        for judge in found.judges
        for one in judge.metrics[1:]
    ]
    order = list(dict.fromkeys(row[0] for row in rows))
    rows.sort(key=lambda row: order.index(row[0]))
    head = ("metric", "judge", "n", "accuracy", "kappa", "95 %", "quadratic", "Spearman")
    return ["By metric", *table_lines(head, rows, width=width, keys=2)]


def _tests(found: Calibration, width: int | None) -> list[str]:
    rows = []
    for test in found.tests:
        for metric, one in ((POOLED, test.pooled), *test.metrics.items()):
            rows.append((f"{test.first} - {test.second}", metric, *_difference(one)))
    head = ("judges", "metric", "n", "difference", "95 %", "p", "Holm", "McNemar", "verdict")
    title = "Difference of accuracy, on what both judged"
    return [title, *table_lines(head, rows, width=width, keys=2, grouped=True)]


def _difference(one: Difference) -> tuple[str, ...]:
    verdicts = {"a better": "first better", "b better": "second better"}
    return (
        f"{one.items:,}",
        _NONE if one.difference is None else _signed(one.difference),
        _ends(one.low, one.high),
        _p(one.p),
        _p(one.p_holm),
        _p(one.mcnemar),
        verdicts.get(one.verdict, str(one.verdict)),
    )


def _means(found: Calibration, width: int | None) -> list[str]:
    rows = []
    for judge in found.judges:
        for one in judge.means:
            given: Powered = one.powered
            rows.append(
                (
                    one.run,
                    one.metric,
                    judge.judge,
                    _optional(given.judge_mean),
                    f"{given.n_judged:,}",
                    _optional(given.human_mean),
                    _ends(given.human_low, given.human_high),
                    f"{given.n_labelled:,}",
                    _optional(given.mean),
                    _ends(given.low, given.high),
                    _NONE if given.worth is None else f"{given.worth:.1f}",
                )
            )
    rows.sort(key=lambda row: row[0])
    head = ("run", "metric", "judge", "judge's", "n", "people's", "95 %", "n", "joined", "95 %")
    title = "Means of runs on 0 to 1: the judge's, people's, and both joined (PPI++)"
    return [title, *table_lines((*head, "worth"), rows, width=width, keys=3, grouped=True)]


def _details(judge: JudgeCalibration, reasons: _Reasons, width: int | None) -> Iterator[list[str]]:
    for one in judge.metrics[1:]:
        if one.confusion is not None:
            title = f"{judge.judge}, {one.metric}: people's rows, judge's columns"
            yield [title, *_confusion(one.confusion, width)]
    for one in judge.metrics:
        yield _cells(judge.judge, one, reasons, width)


def _confusion(found: Confusion, width: int | None) -> list[str]:
    unusable = any(found.unusable)
    head = ["", *map(str, found.values), *(["unusable"] if unusable else [])]
    rows = [
        [str(value), *map(str, counts), *([str(lost)] if unusable else [])]
        for value, counts, lost in zip(found.values, found.counts, found.unusable, strict=True)
    ]
    return table_lines(head, rows, width=width)


def _cells(judge: str, one: MetricCalibration, reasons: _Reasons, width: int | None) -> list[str]:
    rows = [
        (cell.topic, cell.task, str(cell.n), reasons.figure(cell.accuracy), _kappa(cell.kappa))
        for cell in one.cells
    ]
    head = ("topic", "task", "n", "accuracy", "kappa")
    title = f"{judge}, {one.metric or POOLED}, by cell"
    return [title, *table_lines(head, rows, width=width, keys=2)] if rows else []


def _kappa(one: Statistic) -> str:
    return _optional(one.value)


def _notes(found: Calibration) -> Iterator[str]:
    for judge in found.judges:
        if judge.standing == "stale":
            yield (
                f"{judge.judge} is stale: its settings or prompts have changed since it gave these"
                f" scores. Judge again: ragdesk judge RUN --judge {judge.name}"
            )
        if judge.shown:
            yield (
                f"{judge.judge}: {plural(judge.shown, 'label')} left out, of answers"
                " that it was shown."
            )
    means = [mean for judge in found.judges for mean in judge.means]
    if means:
        yield "worth: so many times as many labels would say as much without the judge."
    if samples := sorted({mean.weighted_by for mean in means if mean.weighted_by}):
        yield f"Labels are weighted by the quotas of sample {', '.join(samples)}."
    if any(not mean.weighted_by for mean in means):
        yield "Labels outside a sample count alike, as if drawn at random from their run."
    unbounded: dict[tuple[str, str], list[str]] = {}
    for mean in means:
        if mean.powered.reason:
            names = unbounded.setdefault((mean.powered.reason, mean.run), [])
            names += [mean.metric] if mean.metric not in names else []
    for (reason, run), metrics in unbounded.items():
        yield f"No interval of the mean of {run}, {', '.join(metrics)}: {reason}."


def _number(value: float) -> str:
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _signed(value: float) -> str:
    return _number(value) if value < 0 else f"+{_number(value)}"


def _optional(value: float | None) -> str:
    return _NONE if value is None else _number(value)


def _ends(low: float | None, high: float | None) -> str:
    return _NONE if low is None or high is None else f"{_number(low)} to {_number(high)}"


def _percent(share: float | None) -> str:
    return _NONE if share is None else f"{100 * share:.0f} %"


def _p(value: float | None) -> str:
    if value is None:
        return _NONE
    return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
