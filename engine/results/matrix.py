"""A run as a matrix: the mean of a metric in every cell, along the edges and over all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Sequence

from msgspec import Struct, structs

from engine.corpus.evidence_facets import VALUES
from engine.difficulty.levels import LEVELS, LEVELS_IN
from engine.judge.trust import JudgeTrust
from engine.metrics.spec import MetricSpec, normalised
from engine.prompts.languages import by_lang, name_in
from engine.results.blame import AXIS, LABELS, Blame
from engine.statistics.aggregation import LOW_COVERAGE, SMALL_CELL, Summary, macro_mean, summarise
from engine.taxonomy.definitions import group_label
from store.records import UNASSIGNED, Lang, ScoreRow, ScoreState, Taxonomy
from store.runs.results import TASK_GROUP, MetricKey
from store.runs.runs import Run


class Axis(Struct, frozen=True):
    name: str
    """`topic`, `task`, `task_group`, `lang` or a facet."""
    keys: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def by_key(self) -> dict[str, str]:
        """The labels by their keys."""
        return dict(zip(self.keys, self.labels, strict=True))


class MatrixCell(Struct, frozen=True):
    """`summary` is of values normalised to [0, 1] where the metric has an upper end."""

    summary: Summary
    pending: int = 0
    """Predictions that have no answer yet."""

    @property
    def n(self) -> int:
        return self.summary.n_ok

    @property
    def is_small(self) -> bool:
        """Too few groups to read a difference from; shown paler."""
        return self.summary.groups < SMALL_CELL


class Matrix(Struct, frozen=True):
    metric: str
    higher_is_better: bool | None
    rows: Axis
    cols: Axis
    cells: tuple[tuple[MatrixCell | None, ...], ...]
    """One tuple a row; None where the run has no prediction."""
    row_totals: tuple[MatrixCell, ...]
    col_totals: tuple[MatrixCell, ...]
    total: MatrixCell
    macro: float | None
    """Mean of the cells' means."""

    @property
    def coverage_is_low(self) -> bool:
        coverage = self.total.summary.coverage
        return coverage is not None and coverage < LOW_COVERAGE


class RunMatrix(Struct, frozen=True):
    """The scores of a run on one metric, as a matrix."""

    run: Run
    release: str
    """`NAME@V`."""
    metric: MetricKey
    matrix: Matrix
    lang: Lang
    """Of the labels."""
    trust: JudgeTrust | None = None
    """Of the metric's judge; null without one, and where nobody has labelled what it judged."""
    same_family: tuple[str, ...] = ()
    """The families of models that both judge and answer here."""


def build_matrix(
    scores: Sequence[ScoreRow], spec: MetricSpec, label: str, rows: Axis, cols: Axis
) -> Matrix:
    """The matrix of `scores` over the axes' keys, in their order.

    Every key of a score must be on its axis, see `axis`.
    """
    groups = _grouped(scores, lambda score: (score.row, score.col))
    by_row = _grouped(scores, lambda score: score.row)
    by_col = _grouped(scores, lambda score: score.col)
    cells = tuple(
        tuple(_cell(groups[row, col], spec) if (row, col) in groups else None for col in cols.keys)
        for row in rows.keys
    )
    return Matrix(
        label,
        spec.higher_is_better,
        rows,
        cols,
        cells,
        tuple(_cell(by_row.get(row, ()), spec) for row in rows.keys),
        tuple(_cell(by_col.get(col, ()), spec) for col in cols.keys),
        _cell(scores, spec),
        macro_mean(cell.summary for row in cells for cell in row if cell is not None),
    )


def axis(name: str, keys: Iterable[str], taxonomy: Taxonomy, lang: Lang) -> Axis:
    """The axis of these keys: a taxonomy's in its order, even where the run has none of them, then
    whatever else is there; `unassigned` last, and only if present."""
    present = set(keys)
    known: dict[str, str] = {}
    if name == "topic":
        known = {topic.key: name_in(lang, topic) for topic in taxonomy.topics}
    elif name == "task":
        known = {task.key: name_in(lang, task) for task in taxonomy.tasks}
    elif name == TASK_GROUP:
        known = {task.group: group_label(task.group, lang) for task in taxonomy.tasks if task.group}
    elif name == AXIS and present <= set(Blame):
        known = {one.value: LABELS[lang][one] for one in Blame if one in present}
    elif name in VALUES:
        names = VALUES[name]
        known = {key: by_lang(lang, *names[key]) for key in names if key in present}
    elif present <= {*LEVELS, UNASSIGNED}:
        known = {level: text for level, text in LEVELS_IN[lang].items() if level in present}
    ordered = [*known, *sorted(present - known.keys() - {UNASSIGNED}, key=_number_first)]
    if UNASSIGNED in present:
        ordered.append(UNASSIGNED)
    none = {"zh": "未分配", "en": UNASSIGNED}[lang]
    labels = [none if key == UNASSIGNED else known.get(key, key) for key in ordered]
    return Axis(name, tuple(ordered), tuple(labels))


def _number_first(key: str) -> tuple[int, str]:
    """Sorts whole numbers by size, before all else."""
    return (int(key), "") if key.isdecimal() else (sys.maxsize, key)


def without_empty(matrix: Matrix) -> Matrix:
    """The matrix without the rows and columns in which the run has no prediction."""
    rows = [at for at, row in enumerate(matrix.cells) if any(cell is not None for cell in row)]
    cols = [at for at in range(len(matrix.cols.keys)) if any(row[at] for row in matrix.cells)]
    return structs.replace(
        matrix,
        rows=_part(matrix.rows, rows),
        cols=_part(matrix.cols, cols),
        cells=tuple(tuple(matrix.cells[row][col] for col in cols) for row in rows),
        row_totals=tuple(matrix.row_totals[row] for row in rows),
        col_totals=tuple(matrix.col_totals[col] for col in cols),
    )


def _part(whole: Axis, places: Sequence[int]) -> Axis:
    keys, labels = ([of[at] for at in places] for of in (whole.keys, whole.labels))
    return Axis(whole.name, tuple(keys), tuple(labels))


def _grouped(
    scores: Sequence[ScoreRow], key: Callable[[ScoreRow], Hashable]
) -> dict[Hashable, list[ScoreRow]]:
    groups: dict[Hashable, list[ScoreRow]] = {}
    for score in scores:
        groups.setdefault(key(score), []).append(score)
    return groups


def _cell(scores: Sequence[ScoreRow], spec: MetricSpec) -> MatrixCell:
    states: list[ScoreState] = []
    values: list[float | None] = []
    groups: list[str] = []
    for score in scores:
        if score.state is None:
            continue
        states.append(score.state)
        values.append(on_unit_scale(spec, score.value))
        groups.append(score.group_key)
    return MatrixCell(summarise(values, states, groups), len(scores) - len(states))


def on_unit_scale(spec: MetricSpec, value: float | None) -> float | None:
    """`value` on [0, 1]; as it is for a metric without an upper end, and for a cosine, whose 0 says
    that nothing is shared."""
    if value is None or spec.maximum is None or spec.minimum < 0:
        return value
    return normalised(spec, value)
