"""The tables of the Judges screen: judges, tests between two judges, means of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from engine.calibration.audit.audit_records import Audit
from engine.calibration.calibration_records import (
    Calibration,
    JudgeCalibration,
    MetricCalibration,
    PairedTest,
    RunMean,
)
from engine.report.agreement import field_text, figure_text, short
from engine.report.calibration import ends_text
from engine.statistics.agreement.statistic import Statistic
from engine.statistics.inference import Difference, Powered
from store.records import ScoreState
from store.runs.audits import StoredAudit
from store.runs.judge_coverage import JudgeCoverage
from tui.language import read, tr
from tui.live.facts import WorkFact
from tui.widgets.row_source import Cell, Column, Row, widest

POOLED = tr("all pooled")
_ENDS = 11
NAME_CELLS = 26
"""What the name of a judge, its standing or a metric takes at most."""
_STANDING = {"current": "good", "stale": "warn"}
VERDICT_ROLES = {"trusted": "good", "not trusted": "bad", "stale": "warn"}
_NO_AUDITS: Mapping[str, StoredAudit] = MappingProxyType({})


class Audited(NamedTuple):
    """A judge by name, with its newest audit."""

    name: str
    audit: StoredAudit | None
    is_stale: bool
    """Whether the audit is of another configuration than the judge has now."""
    work: WorkFact | None
    """The job that audits it, unless it is done."""


def report_of(audit: StoredAudit) -> Audit:
    """What the audit found."""
    return msgspec.json.decode(audit.report, type=Audit)


class TableLine(NamedTuple):
    """The subject of a line: a judge on a metric, a test of two judges, the mean of a run, what of
    a run is scored, or a judge's audit."""

    judge: JudgeCalibration | None = None
    audit: StoredAudit | None = None
    """The newest one of the judge, of whatever configuration."""
    metric: MetricCalibration | None = None
    test: PairedTest | None = None
    difference: Difference | None = None
    mean: RunMean | None = None
    coverage: JudgeCoverage | None = None
    audited: Audited | None = None

    @property
    def judge_name(self) -> str:
        """Without its hash; empty for a test of two judges."""
        if self.judge is not None:
            return self.judge.name
        if self.coverage is not None:
            return self.coverage.judge.rpartition("@")[0]
        return self.audited.name if self.audited is not None else ""

    @property
    def newest_audit(self) -> StoredAudit | None:
        return self.audited.audit if self.audited is not None else self.audit


class Table(NamedTuple):
    columns: tuple[Column, ...]
    rows: list[Row]
    shown: dict[str, TableLine]
    """By key of the row."""

    def add(self, key: str, line: TableLine, *cells: str | Cell) -> None:
        """Adds a row about the subject of a line."""
        self.rows.append(Row(key, cells))
        self.shown[key] = line

    def fitted(self) -> Table:
        """The table with columns as wide as its names take."""
        return self._replace(columns=fitted(self.columns, self.rows))


def _judge_columns(drop: int) -> tuple[Column, ...]:
    """The figures that judges have pooled and by metric; `drop` is that of the interval of kappa,
    after which the others come."""
    return (
        Column("n", 5, "right"),
        Column("usable", 6, "right", drop=drop + 2),
        Column("acc.", 5, "right"),
        Column("95 %", _ENDS, drop=drop + 1),
        Column("kappa", 5, "right"),
        Column("95 %", _ENDS, drop=drop),
    )


POOLED_JUDGES = (
    Column("judge", minimum=8),
    Column("standing", minimum=8, drop=1),
    Column("audit", minimum=8),
    *_judge_columns(2),
    Column("steady", 6, "right", drop=5),
)
JUDGES = (
    Column("metric", minimum=8),
    Column("judge", minimum=8),
    Column("standing", minimum=8, drop=1),
    *_judge_columns(2),
    Column("quad.", 5, "right", drop=5),
    Column(tr("Spear."), 6, "right", drop=6),
)
TESTS = (
    Column("judges", minimum=30),
    Column("metric", minimum=8),
    Column("n", 5, "right", drop=1),
    Column("difference", 10, "right"),
    Column("95 %", _ENDS + 1),
    Column("p", 6, "right", drop=2),
    Column(tr("Holm"), 6, "right"),
    Column("McNemar", 7, "right", drop=4),
    Column("verdict", 16, drop=3),
)
MEANS = (
    Column("run", minimum=10),
    Column("metric", minimum=8),
    Column("judge", minimum=10),
    Column("judge's", 7, "right"),
    Column("people's", 8, "right"),
    Column(tr("95 % this run"), 13, drop=4),
    Column("n", 5, "right", drop=1),
    Column("joined", 6, "right"),
    Column(tr("95 % this run"), 13),
    Column(tr("like these"), _ENDS, drop=3),
    Column("worth", 5, "right", drop=2),
)

LOST = {
    ScoreState.NA: "n/a",
    ScoreState.UNPARSED: "unparsed",
    ScoreState.OUT_OF_RANGE: tr("off scale"),
    ScoreState.ERROR: "error",
}
"""The states of scores without a value, as the headings have them."""
COVERAGE = (
    Column("run", minimum=8),
    Column("judge", minimum=8),
    Column("coverage", 8, "right"),
    Column("scores", 7, "right", drop=4),
    *(
        Column(label, max(len(label), 6), "right", drop=drop)
        for drop, label in zip((3, 1, 2, 0), LOST.values(), strict=True)
    ),
)


def judge_table(
    calibration: Calibration, metric: str | None, audits: Mapping[str, StoredAudit] = _NO_AUDITS
) -> Table:
    """Returns a line for each judge: pooled if `metric` is None, for all metrics if it is "", else
    for that metric. `audits` are the newest ones by the judge's name."""
    table = Table(POOLED_JUDGES if metric is None else JUDGES, [], {})
    places: dict[str | int, int] = {}
    for judge in calibration.judges:
        for at, one in enumerate(judge.metrics):
            if (metric is None) != (one.metric == "") or metric not in (None, "", one.metric):
                continue
            key = f"{judge.judge}\t{one.metric}"
            audit = audits.get(judge.name) if metric is None else None
            pooled = metric is None
            cells = _pooled_cells(judge, one, audit) if pooled else _metric_cells(judge, one)
            table.add(key, TableLine(judge=judge, audit=audit, metric=one), *cells)
            places[key] = at
    table.rows.sort(key=lambda row: places[row.key])
    return table.fitted()


def fitted(columns: tuple[Column, ...], rows: list[Row], *, first: int = 0) -> tuple[Column, ...]:
    """Names take what they need, so that figures stand beside them however wide the screen is. The
    columns are those of the rows' cells from `first` on."""
    out = []
    for at, column in enumerate(columns, first):
        if not column.width:
            texts = [cell.text if isinstance(cell, Cell) else cell for cell in _column(rows, at)]
            width = min(max(widest([column.label, *texts]), column.minimum), NAME_CELLS)
            column = column._replace(width=width)
        out.append(column)
    return tuple(out)


def _column(rows: list[Row], at: int) -> list[str | Cell]:
    return [row.cells[at] for row in rows]


def verdict_of(judge: JudgeCalibration, audit: StoredAudit | None) -> str:
    """The verdict of a judge's newest audit; `stale` where that was of another configuration."""
    if audit is None:
        return "none"
    return audit.verdict if audit.judge_hash == judge.hash else "stale"


def _pooled_cells(
    judge: JudgeCalibration, one: MetricCalibration, audit: StoredAudit | None
) -> tuple[str | Cell, ...]:
    verdict = verdict_of(judge, audit)
    return (
        Cell(judge.judge, "strong"),
        Cell(tr(judge.standing), _STANDING.get(judge.standing, "muted")),
        Cell(tr(verdict), VERDICT_ROLES.get(verdict, "muted")),
        *_figure_cells(one),
        percent(judge.steady),
    )


def _metric_cells(judge: JudgeCalibration, one: MetricCalibration) -> tuple[str | Cell, ...]:
    return (
        Cell(field_text(one.metric), "strong"),
        judge.judge,
        Cell(tr(judge.standing), _STANDING.get(judge.standing, "muted")),
        *_figure_cells(one),
        figure(one.kappa_quadratic),
        figure(one.spearman),
    )


def _figure_cells(one: MetricCalibration) -> tuple[str | Cell, ...]:
    return (
        f"{one.n:,}",
        percent(one.coverage),
        figure(one.accuracy),
        Cell(_ends(one.accuracy), "muted"),
        figure(one.kappa),
        Cell(_ends(one.kappa), "muted"),
    )


def difference_table(calibration: Calibration) -> Table:
    """Returns a line for each two judges and metric: the test of whether they agree with people
    equally often. Judges go without their hashes where no two have one name."""
    first, *others = TESTS
    table = Table(TESTS, [], {})
    several = Counter(judge.name for judge in calibration.judges)
    names = {one.judge: one.name for one in calibration.judges if several[one.name] == 1}
    for test in calibration.tests:
        judges = " - ".join(names.get(one, one) for one in (test.first, test.second))
        for metric, one in ((POOLED, test.pooled), *test.metrics.items()):
            key = f"{test.first}\t{test.second}\t{metric}"
            table.add(
                key,
                TableLine(test=test, difference=one),
                Cell(judges, "strong"),
                field_text(metric),
                f"{one.items:,}",
                "-" if one.difference is None else short(f"{one.difference:+.3f}"),
                Cell(_between(one.low, one.high), "muted"),
                _p(one.p),
                _p(one.p_holm),
                _p(one.mcnemar),
                _VERDICTS.get(str(one.verdict), str(one.verdict)),
            )
    return table._replace(columns=(first, *fitted(tuple(others), table.rows, first=1)))


def mean_table(calibration: Calibration) -> Table:
    """Returns a line for each run, metric and judge: the means by the judge, by people, and
    joined."""
    table = Table(MEANS, [], {})
    for judge in calibration.judges:
        for one in judge.means:
            given: Powered = one.powered
            key = f"{one.run}\t{one.metric}\t{judge.judge}"
            table.add(
                key,
                TableLine(judge=judge, mean=one),
                Cell(one.run, "strong"),
                field_text(one.metric),
                Cell(judge.judge, "muted"),
                _mean(given.judge_mean),
                _mean(given.human_mean),
                Cell(read(ends_text(given.human_run)), "muted"),
                f"{given.n_labelled:,}",
                Cell(_mean(given.mean), "strong"),
                Cell(read(ends_text(given.run)), "muted"),
                Cell(read(ends_text(given.new)), "muted"),
                "-" if given.worth is None else f"{given.worth:.1f}",
            )
    table.rows.sort(key=lambda row: str(row.key))
    return table


def coverage_table(covered: Sequence[JudgeCoverage]) -> Table:
    """Returns a line for each run and judge: the share of answers with a score, and of the scores
    how many have no value."""
    table = Table(COVERAGE, [], {})
    for one in covered:
        key = f"{one.run}\t{one.judge}"
        table.add(
            key,
            TableLine(coverage=one),
            Cell(one.run, "strong"),
            one.judge,
            Cell(percent_down(one.share), "" if one.share == 1 else "warn"),
            f"{sum(one.states.values()):,}",
            *lost_cells(one.states),
        )
    return table.fitted()


def lost_cells(states: Mapping[ScoreState, int]) -> list[Cell]:
    """The share of the scores that each state without a value has; failures stand out."""
    scores = sum(states.values())
    return [
        Cell(rate(states.get(state, 0), scores), "warn" if _is_failure(state, states) else "")
        for state in LOST
    ]


def _is_failure(state: ScoreState, states: Mapping[ScoreState, int]) -> bool:
    return state is not ScoreState.NA and states.get(state, 0) > 0


def rate(count: int, of: int) -> str:
    """`12.5 %`; `0` for none at all, so that few among many are not taken for none."""
    if not count:
        return "0"
    share = 100 * count / of
    return "<0.1 %" if share < 0.1 else f"{share:.1f} %"


def percent_down(share: float) -> str:
    """A share in whole percent, cut off: only what is whole is 100 %."""
    return f"{int(100 * share + 1e-9)} %"


_VERDICTS = {"a better": tr("first better"), "b better": tr("second better")}


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def figure(one: Statistic) -> str:
    """`.812`; `-` where it is undefined."""
    return short(figure_text(one))


def _ends(one: Statistic) -> str:
    return _between(one.low, one.high)


def _between(low: float | None, high: float | None) -> str:
    return (
        "-"
        if low is None or high is None
        else short(tr("{low:.2f} to {high:.2f}", low=low, high=high))
    )


def _mean(value: float | None) -> str:
    return "-" if value is None else short(f"{value:.3f}")


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return "<.001" if value < 0.001 else short(f"{value:.3f}")
