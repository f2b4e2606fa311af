"""The plan on the screen: what is built, the jobs of it, and the quota matrix with its cursor."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from tui.building.cell_sheet import CellSheet, Chosen, cell_lay, read_rejections
from tui.building.figures import NOTHING, Figures
from tui.building.grid import DOCUMENTS, quota_matrix
from tui.building.plan import Plan
from tui.building.plan_messages import count_pieces, how_to_fill, plan_pieces
from tui.building.tree import GROUP, TreeRow, group_rows, task_names, tree_rows
from tui.building.work import open_works
from tui.live.facts import Facts
from tui.screens.host import host_of
from tui.widgets.bars import ProgressLines, job_progress
from tui.widgets.heatmap import HeatMap
from tui.widgets.matrix import Matrix
from tui.widgets.text_lines import TextLines

JOBS_SHOWN = 3


class PlanView(Vertical):
    """Changes nothing of the plan: only how it is named and folded."""

    def __init__(self) -> None:
        super().__init__()
        self.what = TextLines(2, id="build-what")
        self.jobs = ProgressLines(id="build-jobs")
        self.quotas = HeatMap(format_value=lambda count: f"{count:,.0f}", id="quotas")
        self.plan: Plan | None = None
        self.figures = NOTHING
        self.rows: list[TreeRow] = []
        self.is_chinese = False
        """Whether topics and tasks have their Chinese names; as most documents, until chosen."""
        self._chose_language = False
        self._folded: set[str] = set()
        """Names of the groups whose topics are not shown."""

    def compose(self) -> ComposeResult:
        yield self.what
        yield self.jobs
        yield self.quotas

    # Drawing

    def begin(self) -> None:
        """Forgets how the plan before was folded and named."""
        self._folded = set()
        self._chose_language = False

    def show(self, plan: Plan | None, figures: Figures) -> None:
        """Draws a plan; without one, what to do to have one."""
        is_read_anew = figures is not self.figures and figures is not NOTHING
        if is_read_anew and not self._chose_language:
            self.is_chinese = figures.is_chinese
        self.plan, self.figures = plan, figures
        self._draw()

    def show_jobs(self, facts: Facts) -> None:
        shown = open_works(facts)
        self.jobs.display = bool(shown)
        self.jobs.show([job_progress(fact) for fact in shown[:JOBS_SHOWN]])

    def _draw(self) -> None:
        plan = self.plan
        if plan is None:
            self.what.show([])
            self.quotas.show(Matrix(), empty=how_to_fill(host_of(self).facts))
            return
        self.rows = tree_rows(plan.taxonomy, self._folded, self.is_chinese)
        self.quotas.show(quota_matrix(plan, self.figures, self.rows, self._folded, self.is_chinese))
        self.what.show([plan_pieces(plan), count_pieces(plan, self.figures)])
        self._show_open_sheet(plan)

    def _show_open_sheet(self, plan: Plan) -> None:
        """Keeps the sheet of a cell true while it is open."""
        sheet = self.app.screen
        if isinstance(sheet, CellSheet):
            chosen, job = sheet.chosen, self.figures.job
            rejections = host_of(self).read(lambda db: read_rejections(db, job, chosen)) or []
            sheet.show(cell_lay(chosen, plan, self.figures, rejections, self.is_chinese))

    # What the cursor is on

    @property
    def row(self) -> TreeRow | None:
        """None in the margin."""
        key = self.quotas.cursor[0]
        return next((row for row in self.rows if row.key == key), None)

    @property
    def chosen(self) -> Chosen | None:
        """The cells under the cursor; a column of documents stands for all tasks."""
        plan = self.plan
        if plan is None:
            return None
        row, (_, column) = self.row, self.quotas.cursor
        topics = plan.topics if row is None else row.topics
        tasks = plan.tasks if column in (None, DOCUMENTS) else (str(column),)
        task = "all" if len(tasks) != 1 else task_names(plan.taxonomy, self.is_chinese)[tasks[0]]
        return Chosen(f"{'all' if row is None else row.name} / {task}", topics, tasks)

    # How it is shown

    def fold(self) -> None:
        """Folds the group under the cursor away, or unfolds it."""
        row = self.row
        if self.plan is None or row is None or not row.group:
            return
        self._folded ^= {row.group}
        self._draw()
        keys = [shown.key for shown in self.rows]
        if row.key not in keys:
            self.quotas.move_to(keys.index(GROUP + row.group), self._column_index())

    def _column_index(self) -> int:
        keys = [heading.key for heading in self.quotas.matrix.columns]
        column = self.quotas.cursor[1]
        return len(keys) if column is None else keys.index(column)

    def fold_all(self) -> None:
        """Folds every group away, or unfolds them all."""
        if self.plan is not None:
            groups = set(filter(None, group_rows(self.plan.taxonomy, self.is_chinese)))
            self._folded = set() if self._folded >= groups else groups
            self._draw()

    def turn_language(self) -> None:
        """Names topics and tasks in the other language."""
        self._chose_language = True
        self.is_chinese = not self.is_chinese
        # groups go by their names
        self._folded = set()
        self._draw()

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        """Enter: a group folds, a cell is shown in full."""
        row, chosen = self.row, self.chosen
        if row is not None and row.is_group and message.column in (None, DOCUMENTS):
            self.fold()
        elif self.plan is not None and chosen is not None:
            self.app.push_screen(CellSheet(chosen))
            self._show_open_sheet(self.plan)
