"""The details of a line of the Judges screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.calibration.calibration_records import (
    Confusion,
    JudgeCalibration,
    MetricCalibration,
    RunMean,
)
from engine.report.agreement import reason_text, short
from engine.report.calibration import TARGETS_TEXT, ends_text, mean_warnings
from engine.text.wrapping import cell_width, pad
from store.messages import plural
from store.records import ScoreState
from store.runs.judge_coverage import JudgeCoverage
from tui.calibration.audits import audit_lines, card
from tui.calibration.tables import LOST, TableLine, figure, lost_cells
from tui.language import read, tr
from tui.screens.labels import cell_text
from tui.widgets.line import Piece
from tui.widgets.row_source import widest
from tui.widgets.sheet import Lay, wrapped


def details(shown: TableLine, names: Mapping[str, str]) -> Lay:
    """Lays out the details of a line; `names` are those of topics and tasks, by key."""

    def lay(width: int) -> list[list[Piece]]:
        if shown.metric is not None and shown.judge is not None:
            lines = [*_judge_words(shown.judge, shown.metric, width)]
            if not shown.metric.metric:
                is_stale = shown.audit is not None and shown.audit.judge_hash != shown.judge.hash
                lines += [[], [(tr("Last audit"), "header")]]
                lines += card(shown.audit, is_stale, width)
            return [*lines, *_behind(shown.metric, names)]
        if shown.mean is not None:
            words = wrapped(_mean_words(shown.mean), width)
            return [*words, *_mean_cells(shown.mean, names)]
        if shown.coverage is not None:
            return list(_coverage(shown.coverage, width))
        if shown.audited is not None:
            return list(audit_lines(shown.audited, width))
        if shown.difference is not None:
            return list(wrapped(_TEST_WORDS, width))
        return []

    return lay


def _judge_words(
    judge: JudgeCalibration, one: MetricCalibration, width: int
) -> Iterator[list[Piece]]:
    standing = tr("{kind} judge, {standing}", kind=judge.kind, standing=tr(judge.standing))
    if judge.standing == "stale":
        standing += tr(
            ": its settings or prompts have changed since it gave these scores. ' lets "
            "it judge again."
        )
    yield from wrapped(standing, width, "warn" if judge.standing == "stale" else "")
    lost = [f"{count:,} {state}" for state, count in one.left_out.items() if count]
    if lost:
        yield from wrapped(
            tr("Labels without a usable score: {lost}.", lost=", ".join(lost)), width, "warn"
        )
    if judge.shown:
        yield from wrapped(
            tr(
                "{labels} left out, of groups that the judge has learned from.",
                labels=plural(judge.shown, "label"),
            ),
            width,
        )
    for name, statistic in (
        (tr("accuracy"), one.accuracy),
        (tr("kappa"), one.kappa),
        (tr("quadratic"), one.kappa_quadratic),
        (tr("Spearman"), one.spearman),
    ):
        if reason_text(statistic):
            yield from wrapped(f"{name}: {read(reason_text(statistic))}", width, "warn")


def _behind(one: MetricCalibration, names: Mapping[str, str]) -> Iterator[list[Piece]]:
    if one.confusion is not None:
        yield []
        yield [(tr("People's values (rows) against the judge's (columns)"), "header")]
        yield from _confusion(one.confusion)
    if one.cells:
        yield []
        yield [(tr("By cell"), "header")]
        cells = [cell_text(names, cell.topic, cell.task) for cell in one.cells]
        width = widest(cells)
        yield [(pad("", width) + tr("      n  accuracy   kappa"), "muted")]
        for name, cell in zip(cells, one.cells, strict=True):
            figures = f"{cell.n:>7,}  {figure(cell.accuracy):>8}  {figure(cell.kappa):>6}"
            yield [(pad(name, width), ""), (figures, "strong")]


def _confusion(confusion: Confusion) -> Iterator[list[Piece]]:
    is_lost = any(confusion.unusable)
    heads = [*map(str, confusion.values), *([tr("unusable")] if is_lost else [])]
    size = max(4, *map(cell_width, heads))
    yield [("    " + "".join(f"  {pad(head, size, 'right')}" for head in heads), "muted")]
    for at, (value, counts) in enumerate(zip(confusion.values, confusion.counts, strict=True)):
        pieces: list[Piece] = [(f"{value!s:<4}", "muted")]
        shown: Sequence[int] = (*counts, confusion.unusable[at]) if is_lost else counts
        for place, count in enumerate(shown):
            text = f"{count:,}" if count else "."
            pieces.append((f"  {text:>{size}}", "strong" if place == at else ""))
        yield pieces


def _mean_words(one: RunMean) -> str:
    given = one.powered
    by = (
        tr("Labels are weighted by the draw of sample {sample}.", sample=one.sample)
        if one.sample
        else tr("Labels outside a sample count alike, as if drawn at random from their run.")
    )
    reasons = dict.fromkeys(filter(None, (given.run.reason, given.new.reason)))
    reason = tr(" No interval: {reasons}.", reasons="; ".join(reasons)) if reasons else ""
    warnings = "".join(f" {text}" for text in mean_warnings(one))
    return tr(
        "{answers} judged, {n_labelled:,} labelled by people in {groups}, worth "
        "{effective:.0f} of equal weight. {by} The joined mean (PPI++) corrects the "
        "judge by people's labels: it is right even where the judge is wrong, and "
        "its interval is narrower the better the judge is. {targets_text} worth: "
        "without the judge, so many times as many labels would be needed for the "
        "same precision.{reason}{warnings}",
        answers=plural(given.n_judged, "answer"),
        n_labelled=given.n_labelled,
        groups=plural(given.groups_labelled, "group"),
        effective=given.effective,
        by=by,
        targets_text=TARGETS_TEXT,
        reason=reason,
        warnings=warnings,
    )


def _mean_cells(one: RunMean, names: Mapping[str, str]) -> Iterator[list[Piece]]:
    if not one.cells:
        return
    yield []
    yield [(tr("By cell with enough labels"), "header")]
    cells = [cell_text(names, cell.topic, cell.task) for cell in one.cells]
    width = widest(cells)
    yield [(pad("", width) + tr("  labels  judge's  joined  95 % this run"), "muted")]
    for name, cell in zip(cells, one.cells, strict=True):
        given = cell.powered
        figures = (
            f"{given.n_labelled:>8,}  {_mean(given.judge_mean):>7}  {_mean(given.mean):>6}"
            f"  {read(ends_text(given.run))}"
        )
        yield [(pad(name, width), ""), (figures, "strong")]


def _mean(value: float | None) -> str:
    return "-" if value is None else short(f"{value:.2f}")


_TEST_WORDS = tr(
    "Difference of accuracy, first minus second, on what both judged; tested by "
    "sign flips over groups, adjusted by Holm. McNemar is exact where each group "
    "holds one label."
)


def _coverage(one: JudgeCoverage, width: int) -> Iterator[list[Piece]]:
    if one.share < 1:
        words = tr("Some answers have no score yet: ' lets the judge score what is missing.")
        yield from wrapped(words, width, "warn")
    if one.states[ScoreState.ERROR]:
        words = tr("Scores in error are asked for again by z on F5 Runs, on the judge's job.")
        yield from wrapped(words, width, "warn")
    names = widest(["metric", *(metric.metric for metric in one.metrics)])
    yield [
        (f"{pad('metric', names)}      scored{''.join(f'{x:>11}' for x in LOST.values())}", "muted")
    ]
    for metric in one.metrics:
        scored = f"{metric.scored:,}/{one.answers:,}"
        pieces: list[Piece] = [(pad(metric.metric, names), ""), (f"{scored:>12}", "strong")]
        cells = lost_cells(metric.states)
        yield [*pieces, *((f"{cell.text:>11}", cell.role) for cell in cells)]
