"""The versions of a judge, and what the test side said of one, as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engine.calibration.calibration_records import MetricCalibration, PairedTest
from engine.report.calibration import figure_of
from engine.report.text_table import said, sentence_lines, table_lines
from engine.statistics.inference import Difference
from engine.training.versions.versions import TestReading, Version, Versions
from store.messages import plural


def versions_text(found: Versions, *, width: int | None = None) -> str:
    """The table of versions on the validation side, and the tests of each two."""
    lines = sentence_lines(
        f"{found.name} on the validation side of {found.split!r}:"
        f" {plural(found.labels, 'label')} on {plural(found.questions, 'question')}",
        None,
    )
    rows = [row for version in found.versions for row in _rows(version)]
    head = ("version", "model", "examples", "metric", "n", "accuracy", "kappa", "95 %", "tested")
    lines += table_lines(head, rows, width=width, keys=1)
    if found.tests:
        lines += ["", said("Difference of accuracy, first minus second, on what both judged")]
        lines += table_lines(*_tests(found.tests), width=width, keys=1)
    for text in _notes(found):
        lines += sentence_lines(text, width)
    return "\n".join(lines) + "\n"


def reading_text(reading: TestReading, read_at: str, *, width: int | None = None) -> str:
    """What the test side said, once and for all."""
    lines = sentence_lines(
        f"{reading.judge} on the test side of {reading.split!r}, asked at {read_at}:"
        f" {plural(reading.labels, 'label')}; {plural(reading.before, 'version')} tested before.",
        width,
    )
    rows = [(one.metric or said("all pooled"), *_figures(one)) for one in reading.metrics]
    lines += table_lines(("metric", "n", "accuracy", "kappa", "95 %"), rows, width=width)
    if reading.over is not None:
        lines += ["", said("Against the version tested before it")]
        lines += table_lines(*_tests((reading.over,)), width=width, keys=1)
        level = 0.05 / (reading.before + 1)
        lines += sentence_lines(
            f"Better only where p is below {level:.4f}, .05 divided by the versions tested; else"
            " keep the earlier one.",
            width,
        )
    return "\n".join(lines) + "\n"


def _rows(version: Version) -> Iterator[tuple[str, ...]]:
    name = f"{version.judge} {said('(now)')}" if version.is_current else version.judge
    begin = (name, version.model, str(version.examples))
    tested = version.tested_at[:10] or "-"
    if version.leaks:
        yield (*begin, said("leaks"), "-", "-", "-", "-", tested)
    elif not version.metrics:
        yield (*begin, said("not judged"), "-", "-", "-", "-", tested)
    for one in version.metrics:
        yield (*begin, one.metric or said("all pooled"), *_figures(one), tested)


def _figures(one: MetricCalibration) -> tuple[str, ...]:
    low, high = one.kappa.low, one.kappa.high
    ends = "-" if low is None or high is None else f"{low:.2f} to {high:.2f}"
    return f"{one.n:,}", figure_of(one.accuracy), figure_of(one.kappa), ends


def _tests(
    tests: tuple[PairedTest, ...],
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    head = ("versions", "n", "difference", "95 %", "p", "Holm")
    return head, [(f"{one.first} - {one.second}", *_test(one.pooled)) for one in tests]


def _test(one: Difference) -> tuple[str, ...]:
    ends = "-" if one.low is None or one.high is None else f"{one.low:.2f} to {one.high:.2f}"
    p, holm = ("-" if value is None else f"{value:.3f}" for value in (one.p, one.p_holm))
    difference = "-" if one.difference is None else f"{one.difference:+.3f}"
    return f"{one.items:,}", difference, ends, p, holm


def _notes(found: Versions) -> Iterator[str]:
    for version in found.versions:
        if version.leaks:
            yield (
                f"{version.judge} has no figures here: it has seen something of this side"
                f" ({', '.join(version.leaks)})."
            )
        elif version.unjudged:
            yield (
                f"{version.judge} has no score beside {plural(version.unjudged, 'label')}; let"
                " it judge their runs."
            )
