"""Judges against people as lines, and one of them to be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.agreement.records import Statistic
from engine.calibration.records import (
    Calibration,
    Confusion,
    JudgeCalibration,
    MetricCalibration,
    PairedTest,
    Powered,
    RunMean,
)
from engine.comparison.records import Difference
from tui.agreement_words import field_text, figure_text, interval_text, reason_text
from tui.screens.agreement_rows import short
from tui.widgets.line import Piece
from tui.widgets.row_source import Cell, Column, Row
from tui.widgets.sheet import Lay
from tui.wrap import pad, wrap

POOLED = "all pooled"
_ENDS = 11
_STANDING = {"current": "good", "stale": "warn"}


class Shown(NamedTuple):
    """What a line stands for: a judge on a metric, a test of two judges, or a run's mean."""

    judge: JudgeCalibration | None = None
    metric: MetricCalibration | None = None
    test: PairedTest | None = None
    difference: Difference | None = None
    mean: RunMean | None = None


class Table(NamedTuple):
    columns: tuple[Column, ...]
    rows: list[Row]
    shown: dict[str, Shown]
    """By key of the row."""


POOLED_JUDGES = (
    Column("judge", minimum=16),
    Column("standing", minimum=8),
    Column("n", 5, "right"),
    Column("usable", 6, "right", drop=3),
    Column("acc.", 5, "right"),
    Column("95 %", _ENDS, drop=2),
    Column("kappa", 5, "right"),
    Column("95 %", _ENDS, drop=1),
    Column("steady", 6, "right", drop=4),
)
JUDGES = (
    Column("metric", minimum=13),
    Column("judge", minimum=14),
    Column("standing", minimum=8, drop=2),
    Column("n", 5, "right"),
    Column("usable", 6, "right", drop=4),
    Column("acc.", 5, "right"),
    Column("95 %", _ENDS, drop=3),
    Column("kappa", 5, "right"),
    Column("95 %", _ENDS, drop=1),
    Column("quad.", 5, "right", drop=5),
    Column("Spear.", 6, "right", drop=6),
)
TESTS = (
    Column("judges", minimum=24),
    Column("metric", minimum=10),
    Column("n", 5, "right"),
    Column("difference", 10, "right"),
    Column("95 %", _ENDS),
    Column("p", 6, "right", drop=1),
    Column("Holm", 6, "right"),
    Column("McNemar", 7, "right", drop=3),
    Column("verdict", 16, drop=2),
)
MEANS = (
    Column("run", minimum=14),
    Column("metric", minimum=10),
    Column("judge", minimum=10, drop=3),
    Column("judge's", 7, "right"),
    Column("people's", 8, "right"),
    Column("95 %", _ENDS, drop=2),
    Column("n", 5, "right"),
    Column("joined", 6, "right"),
    Column("95 %", _ENDS),
    Column("worth", 5, "right", drop=1),
)


def judge_table(found: Calibration, metric: str | None) -> Table:
    """A line a judge: pooled where `metric` is None, else of that metric, or of all for ""."""
    lines: list[tuple[int, Row]] = []
    shown: dict[str, Shown] = {}
    for judge in found.judges:
        for at, one in enumerate(judge.metrics):
            if (metric is None) != (one.metric == "") or metric not in (None, "", one.metric):
                continue
            key = f"{judge.judge}\t{one.metric}"
            shown[key] = Shown(judge=judge, metric=one)
            cells = _pooled_cells(judge, one) if metric is None else _metric_cells(judge, one)
            lines.append((at, Row(key, cells)))
    lines.sort(key=lambda line: line[0])
    rows = [row for _, row in lines]
    return Table(POOLED_JUDGES if metric is None else JUDGES, rows, shown)


def _pooled_cells(judge: JudgeCalibration, one: MetricCalibration) -> tuple[str | Cell, ...]:
    return (
        Cell(judge.judge, "strong"),
        Cell(judge.standing, _STANDING.get(judge.standing, "muted")),
        *_figure_cells(one),
        percent(judge.steady),
    )


def _metric_cells(judge: JudgeCalibration, one: MetricCalibration) -> tuple[str | Cell, ...]:
    return (
        Cell(field_text(one.metric), "strong"),
        judge.judge,
        Cell(judge.standing, _STANDING.get(judge.standing, "muted")),
        *_figure_cells(one),
        _figure(one.kappa_quadratic),
        _figure(one.spearman),
    )


def _figure_cells(one: MetricCalibration) -> tuple[str | Cell, ...]:
    return (
        f"{one.n:,}",
        percent(one.coverage),
        _figure(one.accuracy),
        Cell(_ends(one.accuracy), "muted"),
        _figure(one.kappa),
        Cell(_ends(one.kappa), "muted"),
    )


def difference_table(found: Calibration) -> Table:
    """A line for each two judges and metric: do they differ in how often they agree with people?"""
    rows: list[Row] = []
    shown: dict[str, Shown] = {}
    for test in found.tests:
        for metric, one in ((POOLED, test.pooled), *test.metrics.items()):
            key = f"{test.first}\t{test.second}\t{metric}"
            shown[key] = Shown(test=test, difference=one)
            rows.append(
                Row(
                    key,
                    (
                        Cell(f"{test.first} - {test.second}", "strong"),
                        field_text(metric),
                        f"{one.items:,}",
                        "-" if one.difference is None else short(f"{one.difference:+.3f}"),
                        Cell(_between(one.low, one.high), "muted"),
                        _p(one.p),
                        _p(one.p_holm),
                        _p(one.mcnemar),
                        _VERDICTS.get(str(one.verdict), str(one.verdict)),
                    ),
                )
            )
    return Table(TESTS, rows, shown)


def mean_table(found: Calibration) -> Table:
    """A line for each run, metric and judge: its mean by the judge, by people, and joined."""
    rows: list[Row] = []
    shown: dict[str, Shown] = {}
    for judge in found.judges:
        for one in judge.means:
            given: Powered = one.powered
            key = f"{one.run}\t{one.metric}\t{judge.judge}"
            shown[key] = Shown(judge=judge, mean=one)
            rows.append(
                Row(
                    key,
                    (
                        Cell(one.run, "strong"),
                        field_text(one.metric),
                        Cell(judge.judge, "muted"),
                        _mean(given.judge_mean),
                        _mean(given.human_mean),
                        Cell(_between(given.human_low, given.human_high), "muted"),
                        f"{given.n_labelled:,}",
                        Cell(_mean(given.mean), "strong"),
                        Cell(_between(given.low, given.high), "muted"),
                        "-" if given.worth is None else f"{given.worth:.1f}",
                    ),
                )
            )
    rows.sort(key=lambda row: str(row.key))
    return Table(MEANS, rows, shown)


_VERDICTS = {"a better": "first better", "b better": "second better"}


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def _figure(one: Statistic) -> str:
    return short(figure_text(one))


def _ends(one: Statistic) -> str:
    return short(interval_text(one))


def _between(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else short(f"{low:.2f} to {high:.2f}")


def _mean(value: float | None) -> str:
    return "-" if value is None else short(f"{value:.3f}")


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return "<.001" if value < 0.001 else short(f"{value:.3f}")


# One of them, to be read


def details(shown: Shown) -> Lay:
    """What stands behind a line."""

    def lay(width: int) -> list[list[Piece]]:
        if shown.metric is not None and shown.judge is not None:
            return [*_judge_words(shown.judge, shown.metric, width), *_behind(shown.metric)]
        if shown.mean is not None:
            return list(_wrapped(_mean_words(shown.mean), width))
        if shown.difference is not None:
            return list(_wrapped(_TEST_WORDS, width))
        return []

    return lay


def _judge_words(
    judge: JudgeCalibration, one: MetricCalibration, width: int
) -> Iterator[list[Piece]]:
    said = f"{judge.kind} judge, {judge.standing}"
    if judge.standing == "stale":
        said += (
            ": its settings or prompts have changed since it gave these scores."
            f" Judge again: ragdesk judge RUN --judge {judge.name}"
        )
    yield from _wrapped(said, width, "warn" if judge.standing == "stale" else "")
    lost = [f"{count:,} {state}" for state, count in one.left_out.items() if count]
    if lost:
        yield from _wrapped(f"Labels without a usable score: {', '.join(lost)}.", width, "warn")
    if judge.shown:
        yield from _wrapped(
            f"{judge.shown:,} labels left out, of answers that it was shown.", width
        )
    for name, figure in (
        ("accuracy", one.accuracy),
        ("kappa", one.kappa),
        ("quadratic", one.kappa_quadratic),
        ("Spearman", one.spearman),
    ):
        if reason_text(figure):
            yield from _wrapped(f"{name}: {reason_text(figure)}", width, "warn")


def _behind(one: MetricCalibration) -> Iterator[list[Piece]]:
    if one.confusion is not None:
        yield []
        yield [("People's values (rows) against the judge's (columns)", "header")]
        yield from _confusion(one.confusion)
    if one.cells:
        yield []
        yield [("By cell", "header")]
        width = max(len(f"{cell.topic} x {cell.task}") for cell in one.cells)
        yield [(pad("", width) + "      n  accuracy   kappa", "muted")]
        for cell in one.cells:
            figures = f"{cell.n:>7,}  {_figure(cell.accuracy):>8}  {_figure(cell.kappa):>6}"
            yield [(pad(f"{cell.topic} x {cell.task}", width), ""), (figures, "strong")]


def _confusion(found: Confusion) -> Iterator[list[Piece]]:
    is_lost = any(found.unusable)
    heads = [*map(str, found.values), *(["unusable"] if is_lost else [])]
    size = max(4, *map(len, heads))
    yield [("    " + "".join(f"  {head:>{size}}" for head in heads), "muted")]
    for at, (value, counts) in enumerate(zip(found.values, found.counts, strict=True)):
        pieces: list[Piece] = [(f"{value!s:<4}", "muted")]
        shown: Sequence[int] = (*counts, found.unusable[at]) if is_lost else counts
        for place, count in enumerate(shown):
            text = f"{count:,}" if count else "."
            pieces.append((f"  {text:>{size}}", "strong" if place == at else ""))
        yield pieces


def _mean_words(one: RunMean) -> str:
    given = one.powered
    by = (
        f"Labels are weighted by the quotas of sample {one.weighted_by}."
        if one.weighted_by
        else "Labels outside a sample count alike, as if drawn at random from their run."
    )
    reason = f" No interval: {given.reason}." if given.reason else ""
    return (
        f"{given.n_judged:,} answers judged, {given.n_labelled:,} labelled by people in"
        f" {given.groups_labelled:,} groups. {by} The joined mean (PPI++) corrects the judge by"
        " what people found: right however wrong the judge is, and the narrower the better the"
        f" judge. worth: so many times as many labels would say as much without it.{reason}"
    )


_TEST_WORDS = (
    "Difference of accuracy, first minus second, on what both judged; tested by sign flips over"
    " groups, adjusted by Holm. McNemar is exact where each group holds one label."
)


def _wrapped(text: str, width: int, role: str = "") -> Iterator[list[Piece]]:
    for start, end in wrap(text, max(width, 1)):
        yield [(text[start:end], role)]
