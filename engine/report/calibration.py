"""A calibration of judges against people's labels as tables for the terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.calibration.calibration_records import (
    Calibration,
    Confusion,
    JudgeCalibration,
    LabelGoal,
    MetricCalibration,
    RunMean,
)
from engine.report.text_table import said, sentence_lines, table_lines
from engine.statistics.agreement.statistic import Statistic
from engine.statistics.inference import Difference, Interval, Powered
from store.messages import plural

POOLED = "all pooled"
_NONE = "-"


def calibration_as_json(calibration: Calibration) -> dict[str, Any]:
    """The whole calibration with the figures that follow from it."""
    out: dict[str, Any] = msgspec.to_builtins(calibration)
    for judge_out, judge in zip(out["judges"], calibration.judges, strict=True):
        for metric_out, metric in zip(judge_out["metrics"], judge.metrics, strict=True):
            metric_out["metric"] = metric.metric or "pooled"
            metric_out["coverage"] = metric.coverage
        for mean_out, mean in zip(judge_out["means"], judge.means, strict=True):
            mean_out["powered"]["worth"] = mean.powered.worth
    return out


def calibration_text(
    calibration: Calibration, *, details: bool = False, width: int | None = None
) -> str:
    """The tables, in `width` cells: judges pooled, by metric, tests in pairs, means of runs; with
    `details` also confusions and cells."""
    reasons = _Reasons()
    parts = [list(map(said, _people(calibration)))]
    if not calibration.judges:
        parts.append([said("No judge has scored any of these answers.")])
    else:
        parts += [_pooled(calibration, reasons, width), _by_metric(calibration, reasons, width)]
    if calibration.tests:
        parts.append(_tests(calibration, width))
    if any(judge.means for judge in calibration.judges):
        parts.append(_means(calibration, width))
    if details:
        for judge in calibration.judges:
            parts += _details(judge, reasons, width)
    below = [*reasons.lines(), *_notes(calibration)]
    parts.append([line for text in below for line in sentence_lines(text, width)])
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


class _Reasons:
    """Numbers the reasons why a figure is not defined, so that a table has room for them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def figure(self, statistic: Statistic) -> str:
        if statistic.value is not None:
            return _number(statistic.value)
        return f"({self._numbers.setdefault(statistic.reason, len(self._numbers) + 1)})"

    def lines(self) -> Iterator[str]:
        for reason, number in self._numbers.items():
            yield f"({number}) undefined: {reason}"


def _people(calibration: Calibration) -> list[str]:
    sources = ", ".join(
        f"{count:,} {said(source)}" for source, count in sorted(calibration.sources.items())
    )
    lines = [
        f"People: {plural(calibration.labels, 'label')} on"
        f" {plural(calibration.answers, 'answer')} in {plural(calibration.groups, 'group')};"
        f" {sources}."
    ]
    if calibration.conflicts:
        lines.append(
            f"{plural(calibration.conflicts, 'label')} in conflict left out; adjudicate them."
        )
    if calibration.with_aids:
        lines.append(aids_text(calibration))
    return lines


def aids_text(calibration: Calibration) -> str:
    """Warns of labels that were given with the comparison of the rules in sight."""
    return (
        f"{plural(calibration.with_aids, 'label')} given with aids: they flatter the judge rules."
    )


def _pooled(calibration: Calibration, reasons: _Reasons, width: int | None) -> list[str]:
    rows = []
    for judge in calibration.judges:
        for pooled in judge.metrics[:1]:
            rows.append(
                (
                    judge.judge,
                    judge.kind,
                    judge.standing,
                    f"{pooled.n:,}",
                    percent_text(pooled.coverage),
                    reasons.figure(pooled.accuracy),
                    _ends(pooled.accuracy.low, pooled.accuracy.high),
                    reasons.figure(pooled.kappa),
                    _ends(pooled.kappa.low, pooled.kappa.high),
                    percent_text(judge.steady),
                )
            )
    head = ("judge", "kind", "standing", "n", "usable", "accuracy", "95 %", "kappa", "95 %")
    return [
        said("All metrics pooled, n/a a label, kappa unweighted"),
        *table_lines((*head, "steady"), rows, width=width, worded={"standing"}),
    ]


def _by_metric(calibration: Calibration, reasons: _Reasons, width: int | None) -> list[str]:
    rows = [
        (
            metric.metric,
            judge.judge,
            f"{metric.n:,}",
            reasons.figure(metric.accuracy),
            reasons.figure(metric.kappa),
            _ends(metric.kappa.low, metric.kappa.high),
            reasons.figure(metric.kappa_quadratic),
            reasons.figure(metric.spearman),
        )
        for judge in calibration.judges
        for metric in judge.metrics[1:]
    ]
    order = list(dict.fromkeys(row[0] for row in rows))
    rows.sort(key=lambda row: order.index(row[0]))
    head = ("metric", "judge", "n", "accuracy", "kappa", "95 %", "quadratic", "Spearman")
    return [said("By metric"), *table_lines(head, rows, width=width, keys=2)]


def _tests(calibration: Calibration, width: int | None) -> list[str]:
    rows = []
    for test in calibration.tests:
        for metric, difference in ((POOLED, test.pooled), *test.metrics.items()):
            rows.append((f"{test.first} - {test.second}", metric, *_difference(difference)))
    head = ("judges", "metric", "n", "difference", "95 %", "p", "Holm", "McNemar", "verdict")
    title = "Difference of accuracy, on what both judged"
    return [said(title), *table_lines(head, rows, width=width, keys=2, grouped=True)]


def _difference(difference: Difference) -> tuple[str, ...]:
    verdicts = {"a better": "first better", "b better": "second better"}
    return (
        f"{difference.items:,}",
        _NONE if difference.difference is None else _signed(difference.difference),
        _ends(difference.low, difference.high),
        _p(difference.p),
        _p(difference.p_holm),
        _p(difference.mcnemar),
        verdicts.get(difference.verdict, str(difference.verdict)),
    )


def _means(calibration: Calibration, width: int | None) -> list[str]:
    rows = [
        (mean.run, mean.metric, judge.judge, *_mean_figures(mean.powered))
        for judge in calibration.judges
        for mean in judge.means
    ]
    rows.sort(key=lambda row: row[0])
    head = ("run", "metric", "judge", *_MEAN_HEAD)
    title = "Means of runs on 0 to 1: the judge's, people's, and both joined (PPI++)"
    return [said(title), *table_lines(head, rows, width=width, keys=3, grouped=True)]


_MEAN_HEAD = (
    "judge's",
    "n",
    "people's",
    "95 % this run",
    "n",
    "joined",
    "95 % this run",
    "95 % like these",
    "worth",
)


def _mean_figures(powered: Powered) -> tuple[str, ...]:
    return (
        _optional(powered.judge_mean),
        f"{powered.n_judged:,}",
        _optional(powered.human_mean),
        ends_text(powered.human_run),
        _labels(powered),
        _optional(powered.mean),
        ends_text(powered.run),
        ends_text(powered.new),
        _NONE if powered.worth is None else f"{powered.worth:.1f}",
    )


def ends_text(interval: Interval) -> str:
    """`.61 to .72`; `all labelled` where nothing is uncertain, `-` where there is none."""
    return "all labelled" if interval.state == "census" else _ends(interval.low, interval.high)


def _details(judge: JudgeCalibration, reasons: _Reasons, width: int | None) -> Iterator[list[str]]:
    for metric in judge.metrics[1:]:
        if metric.confusion is not None:
            title = f"{judge.judge}, {metric.metric}: people's rows, judge's columns"
            yield [said(title), *_confusion(metric.confusion, width)]
    for metric in judge.metrics:
        yield _cells(judge.judge, metric, reasons, width)
    for mean in judge.means:
        yield _mean_cells(judge.judge, mean, width)


def _confusion(confusion: Confusion, width: int | None) -> list[str]:
    unusable = any(confusion.unusable)
    head = ["", *map(str, confusion.values), *(["unusable"] if unusable else [])]
    rows = [
        [str(value), *map(str, counts), *([str(lost)] if unusable else [])]
        for value, counts, lost in zip(
            confusion.values, confusion.counts, confusion.unusable, strict=True
        )
    ]
    return table_lines(head, rows, width=width)


def _cells(
    judge: str, metric: MetricCalibration, reasons: _Reasons, width: int | None
) -> list[str]:
    rows = [
        (cell.topic, cell.task, str(cell.n), reasons.figure(cell.accuracy), _kappa(cell.kappa))
        for cell in metric.cells
    ]
    head = ("topic", "task", "n", "accuracy", "kappa")
    title = f"{judge}, {metric.metric or POOLED}, by cell"
    return [said(title), *table_lines(head, rows, width=width, keys=2)] if rows else []


def _mean_cells(judge: str, mean: RunMean, width: int | None) -> list[str]:
    rows = [(cell.topic, cell.task, *_mean_figures(cell.powered)) for cell in mean.cells]
    title = f"Means of {mean.run}, {mean.metric}, {judge}, by cell with enough labels"
    head = ("topic", "task", *_MEAN_HEAD)
    return [said(title), *table_lines(head, rows, width=width, keys=2)] if rows else []


def _kappa(kappa: Statistic) -> str:
    return _optional(kappa.value)


def _notes(calibration: Calibration) -> Iterator[str]:
    for judge in calibration.judges:
        if judge.standing == "stale":
            yield (
                f"{judge.judge} is stale: its settings or prompts have changed since it gave these"
                " scores. Let it judge again."
            )
        if judge.shown:
            yield (
                f"{judge.judge}: {plural(judge.shown, 'label')} left out, of groups"
                " that it was shown or taught answers of."
            )
    means = [mean for judge in calibration.judges for mean in judge.means]
    for judge in calibration.judges:
        yield from _mean_warnings(judge)
    if means:
        yield TARGETS_TEXT
    if any(_labels(mean.powered) != f"{mean.powered.n_labelled:,}" for mean in means):
        yield (
            "n (equal): labels, and how many of equal weight would say as much; intervals go by"
            " these."
        )
    if means:
        yield "worth: so many times as many labels would say as much without the judge."
    if samples := sorted({mean.sample for mean in means if mean.sample}):
        yield f"Labels are weighted by the draw of sample {', '.join(samples)}."
    if any(not mean.sample for mean in means):
        yield "Labels outside a sample count alike, as if drawn at random from their run."
    joined = {mean.run: mean.powered.merged for mean in means if mean.powered.merged}
    for run, count in joined.items():
        yield (
            f"{run}: {plural(count, 'stratum', 'strata')} with few labels joined to others of the"
            " same task for the variance."
        )
    unbounded: dict[tuple[str, str], list[str]] = {}
    for mean in means:
        for interval in (mean.powered.run, mean.powered.new):
            if interval.reason:
                names = unbounded.setdefault((interval.reason, mean.run), [])
                names += [mean.metric] if mean.metric not in names else []
    for (reason, run), metrics in unbounded.items():
        yield f"No interval of the mean of {run}, {', '.join(metrics)}: {reason}."


TARGETS_TEXT = (
    "this run: what people would say of exactly these answers; like these: of the system's answers"
    " to questions like these."
)


def _mean_warnings(judge: JudgeCalibration) -> Iterator[str]:
    for mean in judge.means:
        for text in mean_warnings(mean):
            yield f"! {mean.run}, {mean.metric}, {judge.judge}: {text}"


def mean_warnings(mean: RunMean) -> Iterator[str]:
    """Warns of labels in conflict, seldom like the others, with what they could change; and of an
    interval that is too narrow."""
    if mean.conflicts:
        yield _conflict_text(mean)
    rare = mean.powered.rare_groups
    if rare is not None:
        groups = plural(rare, "labelled group")
        narrow = "the interval of questions like these is narrower than it should be."
        yield (
            f"Only {groups} holds the rarer value: {narrow}"
            if rare == 1
            else f"Only {groups} hold the rarer value: {narrow}"
        )


def _conflict_text(mean: RunMean) -> str:
    reach = ""
    if mean.bounds is not None:
        reach = f" By them the joined mean of this run may be anything from {_ends(*mean.bounds)}."
    return f"{plural(mean.conflicts, 'label')} in conflict left out of the mean.{reach}"


def goal_text(goal: LabelGoal) -> str:
    """`mean .71 ±.06, goal ±.05`, by the ordinary interval; of a comparison `A - B +.06 ±.08,
    while looking ±.11`, the latter by the sequence that holds at every look. Once it is answered,
    that."""
    if goal.estimate is None or goal.interval.half is None:
        return f"{goal.labels:,} of {goal.drawn:,} labelled"
    what = {"precision": "mean", "agreement": "kappa", "comparison": "A - B"}[goal.choose]
    number = _signed if goal.choose == "comparison" else _number
    text = f"{what} {number(goal.estimate)} ±{_number(goal.interval.half)}"
    if goal.sequence is not None:
        if goal.is_answered:
            return f"{text}: decided, {'A' if goal.estimate > 0 else 'B'} is higher"
        wider = goal.sequence.half
        return text if wider is None else f"{text}, while looking ±{_number(wider)}"
    if goal.is_answered:
        return f"{text}: precise enough"
    return text if goal.within is None else f"{text}, goal ±{_number(goal.within)}"


def _labels(powered: Powered) -> str:
    """The number of labels, and how many of equal weight they are worth where fewer."""
    if round(powered.effective) in (0, powered.n_labelled):
        return f"{powered.n_labelled:,}"
    return f"{powered.n_labelled:,} ({powered.effective:.0f})"


def _number(value: float) -> str:
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _signed(value: float) -> str:
    return _number(value) if value < 0 else f"+{_number(value)}"


def _optional(value: float | None) -> str:
    return _NONE if value is None else _number(value)


def _ends(low: float | None, high: float | None) -> str:
    return _NONE if low is None or high is None else f"{_number(low)} to {_number(high)}"


def percent_text(share: float | None) -> str:
    """`64 %`; `-` where there is none."""
    return _NONE if share is None else f"{100 * share:.0f} %"


def figure_of(one: Statistic) -> str:
    """`.64`; `-` where it is not defined."""
    return _optional(one.value)


def _p(value: float | None) -> str:
    if value is None:
        return _NONE
    return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
