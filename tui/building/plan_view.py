"""The plan on the screen: what is built, the jobs of it, and the quota matrix with its cursor."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from store.messages import plural
from tui.building.cell_sheet import CellSheet, Chosen, cell_lay, read_rejections
from tui.building.figures import UNKNOWN, Figures
from tui.building.grid import (
    DOCUMENTS,
    GROUP,
    TreeRow,
    added,
    group_rows,
    quota_matrix,
    task_names,
    tree_rows,
)
from tui.building.plan import Plan
from tui.language import read, tr
from tui.live.facts import Facts, WorkFact
from tui.screens.host import host_of
from tui.widgets.bars import ProgressLines, job_progress
from tui.widgets.heatmap import HeatMap
from tui.widgets.line import Piece, TextLines
from tui.widgets.matrix import Matrix

JOBS_SHOWN = 3

KINDS = ("generate", "classify", "topics", "inspect")


class PlanView(Vertical):
    """Changes nothing of the plan: only how it is named and folded."""

    def __init__(self) -> None:
        super().__init__()
        self.what = TextLines(2, id="build-what")
        self.jobs = ProgressLines(id="build-jobs")
        self.quotas = HeatMap(format_value=lambda count: f"{count:,.0f}", id="quotas")
        self.plan: Plan | None = None
        self.figures = UNKNOWN
        self.rows: list[TreeRow] = []
        self._typed = ""
        self._folded: set[str] = set()
        """Names of the groups whose topics are not shown."""

    def compose(self) -> ComposeResult:
        yield self.what
        yield self.jobs
        yield self.quotas

    # Drawing

    def begin(self) -> None:
        """Forgets how the plan before was folded."""
        self._folded = set()

    def show(self, plan: Plan | None, figures: Figures, typed: str = "") -> None:
        """Draws a plan, and the number that is being typed into it; without a plan, what to do to
        have one."""
        self._typed = typed
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
        self.rows = tree_rows(plan.taxonomy, self._folded)
        self.quotas.show(quota_matrix(plan, self.figures, self.rows, self._folded))
        self.what.show([plan_pieces(plan), self._count_pieces(plan)])
        self._show_open_sheet(plan)

    def _count_pieces(self, plan: Plan) -> list[Piece]:
        pieces = count_pieces(plan, self.figures)
        if self._typed:
            typing = f"   {tr('typing {number}', number=self._typed)}  "
            ends = f" {tr('ends it')}"
            pieces[2:2] = [(typing, "warn"), ("Enter", "key"), (ends, "muted")]
        return pieces

    def _show_open_sheet(self, plan: Plan) -> None:
        """Keeps the sheet of a cell true while it is open."""
        sheet = self.app.screen
        if isinstance(sheet, CellSheet):
            chosen, job = sheet.chosen, self.figures.job
            rejections = host_of(self).read(lambda db: read_rejections(db, job, chosen)) or []
            sheet.show(cell_lay(chosen, plan, self.figures, rejections))

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
        task = tr("all") if len(tasks) != 1 else task_names(plan.taxonomy)[tasks[0]]
        return Chosen(f"{tr('all') if row is None else row.name} / {task}", topics, tasks)

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
            groups = set(filter(None, group_rows(self.plan.taxonomy)))
            self._folded = set() if self._folded >= groups else groups
            self._draw()

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        """Enter: a group folds, a cell is shown in full; while a number is typed, it ends that."""
        if self._typed:
            return
        row, chosen = self.row, self.chosen
        if row is not None and row.is_group and message.column in (None, DOCUMENTS):
            self.fold()
        elif self.plan is not None and chosen is not None:
            self.app.push_screen(CellSheet(chosen))
            self._show_open_sheet(self.plan)


def works(facts: Facts) -> list[WorkFact]:
    """Every job of Build, the newest first."""
    return [fact for fact in facts.work if fact.job is not None and fact.job.kind in KINDS]


def open_works(facts: Facts) -> list[WorkFact]:
    """Those that are under way or can go on."""
    return [fact for fact in works(facts) if fact.is_active or fact.can_resume]


def work_meant(facts: Facts) -> WorkFact | None:
    """The job that the keys for jobs mean: one under way, else the latest that can go on."""
    known = works(facts)
    active = [fact for fact in known if fact.is_active]
    return next(iter([*active, *(fact for fact in known if fact.can_resume), *known]), None)


def signature(facts: Facts) -> object:
    """Differs when documents, items, topics or jobs may have changed."""
    jobs = [
        (work.key, work.status, work.done)
        for work in facts.work
        if work.job is not None and work.job.kind in (*KINDS, "ingest")
    ]
    names = [fact.dataset for fact in facts.datasets]
    return facts.is_open, facts.opened, facts.sources, names, jobs


def plan_pieces(plan: Plan) -> list[Piece]:
    """Corpus, dataset and taxonomy."""
    parts = (
        (tr("corpus"), plan.corpus, ""),
        (tr("dataset"), plan.dataset, f"  {tr('new')}" if plan.is_new else ""),
        (tr("taxonomy"), plan.taxonomy.key, ""),
    )
    pieces: list[Piece] = []
    for label, value, note in parts:
        pieces += [(f"{label} ", "muted"), (value, "strong"), (f"{note}   ", "muted")]
    return pieces


def count_pieces(plan: Plan, figures: Figures) -> list[Piece]:
    """Items and cells of those wanted, what they took, and documents that have no topic yet."""
    wanted = plan.wanted
    if not figures.is_known:
        return [
            (tr("{items:,} items wanted", items=plan.items), ""),
            (tr("   counting what is there"), "muted"),
        ]
    full = sum(figures.filled.get((topic, task), 0) >= n for topic, task, n in wanted)
    filled, target = added(plan, figures, [(topic, task) for topic, task, _ in wanted])
    pieces: list[Piece] = [
        (tr("{filled:,} of {target:,} items", filled=filled, target=target), ""),
        (tr("   {full} of {number} cells full", full=full, number=len(wanted)), ""),
    ]
    if drafted := figures.states.get("drafted"):
        pieces.append((tr("   {drafted:,} drafted", drafted=drafted), ""))
    if figures.tokens:
        money = f", {figures.cost:,.4f} {figures.currency}" if figures.currency else ""
        pieces.append((f"   {read(plural(figures.tokens, 'token'))}{money}", ""))
    if figures.unclassified:
        pieces += [
            (
                tr(
                    "   ! {documents} to classify  ",
                    documents=plural(figures.unclassified, "document"),
                ),
                "warn",
            ),
            ("C", "key"),
        ]
    return pieces


def how_to_fill(facts: Facts) -> str:
    """What to do while there is no plan."""
    if not facts.is_open or not facts.sources:
        return tr(
            "No corpus yet. F2 Corpus reads your files into one; then its cells are filled here."
        )
    return tr("Looking at the workspace.")
