"""What the Build screen shows: the plan with its figures, kept true while jobs go on."""

from __future__ import annotations

from collections.abc import Iterator

from textual.widget import Widget

from tui.building.cell_sheet import CellSheet, Chosen, cell_lay, read_rejections
from tui.building.edits import PlanEdits
from tui.building.figures import NOTHING
from tui.building.grid import DOCUMENTS, quota_matrix
from tui.building.plan import Plan
from tui.building.plan_messages import count_pieces, how_to_fill, plan_pieces
from tui.building.reading import Read, read
from tui.building.tree import TreeRow, group_rows, task_names, tree_rows
from tui.building.work import open_works, signature
from tui.live.facts import Facts
from tui.screens.place import PlaceScreen
from tui.widgets.bars import ProgressLines, job_progress
from tui.widgets.heatmap import HeatMap
from tui.widgets.matrix import Matrix
from tui.widgets.text_lines import TextLines

JOBS_SHOWN = 3


class PlanScreen(PlaceScreen):
    """Everything but what keys do to the plan, which `tui.building.screen.BuildScreen` adds."""

    PLACE = "build"

    def __init__(self) -> None:
        super().__init__()
        self.what = TextLines(2, id="build-what")
        self.jobs = ProgressLines(id="build-jobs")
        self.quotas = HeatMap(format_value=lambda count: f"{count:,.0f}", id="quotas")
        self.edits = PlanEdits()
        self.figures = NOTHING
        self.taxonomies: dict[str, str] = {}
        """Where each comes from, by name."""
        self.awaited = ""
        """The taxonomy that the plan shall have once it is there."""
        self.folded: set[str] = set()
        self.rows: list[TreeRow] = []
        self.is_chinese = False
        self._chose_language = False
        self.is_reading = self._is_stale = False
        self._reads: Plan | None = None

    def compose_body(self) -> Iterator[Widget]:
        yield self.what
        yield self.jobs
        yield self.quotas

    def on_mount(self) -> None:
        super().on_mount()
        self.quotas.focus()

    @property
    def plan(self) -> Plan | None:
        return self.edits.plan

    def context(self) -> tuple[str, ...]:
        if self.plan is None:
            return (self.host.facts.folder.name,)
        return (self.plan.dataset, self.host.facts.folder.name)

    # What the workspace holds

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        self._show_jobs(facts)
        if facts.is_open and (before is None or signature(before) != signature(facts)):
            self.read_again()
        elif not facts.is_open:
            self._show_read((None, NOTHING, {}))

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.host.facts.is_open:
            self.read_again()

    def read_again(self) -> None:
        """Read in a thread what is shown, once more if it is being read already."""
        if self.is_reading:
            self._is_stale = True
            return
        self.is_reading, self._is_stale = True, False
        plan, awaited = self.plan, self.awaited
        self._reads = plan
        self.host.in_thread(
            "counting",
            lambda workspace: read(workspace, plan, awaited),
            self._show_answer,
            group="build",
        )

    def _show_answer(self, answer: Read | Exception) -> None:
        self.is_reading = False
        if isinstance(answer, Exception):
            self.host.show_problem(str(answer))
        elif self.plan is not None and _names(self._reads) != _names(self.plan):
            self._is_stale = True  # another dataset was chosen meanwhile
        else:
            self._show_read(answer)
        if self._is_stale:
            self.read_again()

    def _show_read(self, answer: Read) -> None:
        found, self.figures, self.taxonomies = answer
        if self.awaited in self.taxonomies and found is not None:
            self.awaited = ""
        # targets that were typed while it was read stay
        if found is None or self.plan is None or _subject(found) != _subject(self.plan):
            self.edits.plan = found
        if not self._chose_language:
            self.is_chinese = self.figures.is_chinese
        self.show_plan()

    def begin(self, plan: Plan) -> None:
        """Show another plan, as nobody has changed it yet."""
        self.edits.begin(plan)
        self.folded = set()
        self._chose_language = False
        self.figures = NOTHING
        self.show_plan()
        self.read_again()

    # Drawing

    def show_plan(self) -> None:
        """Draw the plan with what is there."""
        self.show_where()
        plan = self.plan
        if plan is None:
            self.what.show([])
            self.quotas.show(Matrix(), empty=how_to_fill(self.host.facts))
            return
        self.rows = tree_rows(plan.taxonomy, self.folded, self.is_chinese)
        self.quotas.show(quota_matrix(plan, self.figures, self.rows, self.folded, self.is_chinese))
        self.what.show([plan_pieces(plan), count_pieces(plan, self.figures)])
        self.show_open_sheet()

    def _show_jobs(self, facts: Facts) -> None:
        shown = open_works(facts)
        self.jobs.display = bool(shown)
        self.jobs.show([job_progress(fact) for fact in shown[:JOBS_SHOWN]])

    def show_open_sheet(self) -> None:
        """Keep the sheet of a cell true while it is open."""
        sheet = self.app.screen
        if isinstance(sheet, CellSheet) and self.plan is not None:
            chosen, job = sheet.chosen, self.figures.job
            said = self.host.read(lambda db: read_rejections(db, job, chosen)) or []
            sheet.show(cell_lay(chosen, self.plan, self.figures, said, self.is_chinese))

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

    def action_fold(self) -> None:
        row = self.row
        if self.plan is None or row is None or not row.group:
            return
        self.folded ^= {row.group}
        self.show_plan()
        keys = [one.key for one in self.rows]
        group = next(one.key for one in self.rows if one.is_group and one.group == row.group)
        if row.key not in keys:
            self.quotas.move_to(keys.index(group), self._column_index())

    def _column_index(self) -> int:
        keys = [heading.key for heading in self.quotas.matrix.columns]
        column = self.quotas.cursor[1]
        return len(keys) if column is None else keys.index(column)

    def action_fold_all(self) -> None:
        if self.plan is not None:
            groups = set(filter(None, group_rows(self.plan.taxonomy, self.is_chinese)))
            self.folded = set() if self.folded >= groups else groups
            self.show_plan()

    def action_language(self) -> None:
        self._chose_language = True
        self.is_chinese = not self.is_chinese
        # groups go by their names
        self.folded = set()
        self.show_plan()

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        """Enter: a group folds, a cell is shown in full."""
        row = self.row
        if row is not None and row.is_group and message.column in (None, DOCUMENTS):
            self.action_fold()
            return
        chosen = self.chosen
        if chosen is not None:
            self.app.push_screen(CellSheet(chosen))
            self.show_open_sheet()


def _names(plan: Plan | None) -> tuple[str, str, str]:
    return (plan.corpus, plan.dataset, plan.taxonomy.key) if plan is not None else ("", "", "")


def _subject(plan: Plan) -> object:
    return plan.corpus, plan.dataset, plan.taxonomy, plan.is_new
