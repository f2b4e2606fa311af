"""Build: topics, what each cell shall hold, and the jobs that fill the cells."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.widget import Widget

from store.errors import RagdeskError
from store.records import UNASSIGNED, Lang
from store.workspace import FILE_NAME, Workspace, explain
from tui.building import questions
from tui.building.cell_sheet import CellSheet, Chosen, cell_lay, read_rejections
from tui.building.figures import (
    NOTHING,
    Figures,
    first_plan,
    free_name,
    make_plan,
    read_figures,
    read_taxonomy,
    taxonomy_names,
)
from tui.building.grid import DOCUMENTS, added, quota_matrix
from tui.building.model_form import OFFLINE
from tui.building.plan import MOST, Plan
from tui.building.requests import Built
from tui.building.tree import TreeRow, group_rows, task_names, tree_rows
from tui.calculator import Calculator
from tui.keymap import REGISTRY
from tui.live.facts import Facts, WorkFact
from tui.live.words import progress_of
from tui.screens.place import PlaceScreen
from tui.screens.work_requests import cancel, pause_or_resume
from tui.widgets.bars import ProgressLines
from tui.widgets.heatmap import HeatMap
from tui.widgets.line import Piece
from tui.widgets.matrix import Matrix
from tui.widgets.text_lines import TextLines

KINDS = ("generate", "classify", "topics", "inspect")
JOBS_SHOWN = 3
DIGITS = "0123456789"

Read = tuple[Plan | None, Figures, dict[str, str]]


class BuildScreen(PlaceScreen):
    PLACE = "build"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(one for one in REGISTRY.bindings("build") if one.action != "target"),
        # bound, as moving is, so that what is typed ahead is done in its order
        *(Binding(digit, f"type_digit('{digit}')", show=False) for digit in DIGITS),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.what = TextLines(2, id="build-what")
        self.jobs = ProgressLines(id="build-jobs")
        self.quotas = HeatMap(format_value=lambda count: f"{count:,.0f}", id="quotas")
        self.plan: Plan | None = None
        self.figures = NOTHING
        self.taxonomies: dict[str, str] = {}
        self.folded: set[str] = set()
        self.is_chinese = False
        self.estimator = Calculator(self.desk.folder)
        self._rows: list[TreeRow] = []
        self._undone: list[Plan] = []
        self._before: list[Plan] = []
        self._typed = ""
        self._typed_at: tuple[str | None, str | None] = (None, None)
        self._chose_language = False
        self._awaited = ""
        self._model = OFFLINE
        self._reading = self._is_stale = False
        self._reads: Plan | None = None

    def compose_body(self) -> Iterator[Widget]:
        yield self.what
        yield self.jobs
        yield self.quotas

    def on_mount(self) -> None:
        super().on_mount()
        self.quotas.focus()

    def on_unmount(self) -> None:
        self.estimator.close()

    def context(self) -> tuple[str, ...]:
        if self.plan is None:
            return (self.desk.facts.folder.name,)
        return (self.plan.dataset, self.desk.facts.folder.name)

    # What the workspace holds

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        self._show_jobs(facts)
        if facts.is_open and (before is None or _signature(before) != _signature(facts)):
            self.read_again()
        elif not facts.is_open:
            self._show_read((None, NOTHING, {}))

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.desk.facts.is_open:
            self.read_again()

    def read_again(self) -> None:
        """Read in a thread what is shown, once more if it is being read already."""
        if self._reading:
            self._is_stale = True
            return
        self._reading, self._is_stale = True, False
        plan, awaited = self.plan, self._awaited
        self._reads = plan
        self.desk.in_thread(
            "counting",
            lambda workspace: _read(workspace, plan, awaited),
            self._show_answer,
            group="build",
        )

    def _show_answer(self, answer: Read | Exception) -> None:
        self._reading = False
        if isinstance(answer, Exception):
            self.desk.show_problem(str(answer))
        elif self.plan is not None and _names(self._reads) != _names(self.plan):
            self._is_stale = True  # another dataset was chosen meanwhile
        else:
            self._show_read(answer)
        if self._is_stale:
            self.read_again()

    def _show_read(self, read: Read) -> None:
        found, self.figures, self.taxonomies = read
        if self._awaited in self.taxonomies and found is not None:
            self._awaited = ""
        # targets that were typed while it was read stay
        if found is None or self.plan is None or _subject(found) != _subject(self.plan):
            self.plan = found
        if not self._chose_language:
            self.is_chinese = self.figures.is_chinese
        self.show_plan()

    def _show_jobs(self, facts: Facts) -> None:
        shown = [fact for fact in self._works(facts) if fact.is_active or fact.can_resume]
        self.jobs.display = bool(shown)
        self.jobs.show([progress_of(fact) for fact in shown[:JOBS_SHOWN]])

    @staticmethod
    def _works(facts: Facts) -> list[WorkFact]:
        return [fact for fact in facts.work if fact.job is not None and fact.job.kind in KINDS]

    # Drawing

    def show_plan(self) -> None:
        """Draw the plan with what is there."""
        self.show_where()
        plan = self.plan
        if plan is None:
            self.what.show([])
            self.quotas.show(Matrix(), empty=_how_to_fill(self.desk.facts))
            return
        self._rows = tree_rows(plan.taxonomy, self.folded, self.is_chinese)
        self.quotas.show(quota_matrix(plan, self.figures, self._rows, self.folded, self.is_chinese))
        self.what.show([self._plan_pieces(plan), self._count_pieces(plan)])
        self._show_open_sheet()

    def _plan_pieces(self, plan: Plan) -> list[Piece]:
        parts = (
            ("corpus", plan.corpus, ""),
            ("dataset", plan.dataset, "  new" if plan.is_new else ""),
            ("taxonomy", plan.taxonomy.key, ""),
        )
        pieces: list[Piece] = []
        for label, value, note in parts:
            pieces += [(f"{label} ", "muted"), (value, "strong"), (f"{note}   ", "muted")]
        return pieces

    def _count_pieces(self, plan: Plan) -> list[Piece]:
        figures, wanted = self.figures, plan.wanted
        full = sum(figures.filled.get((topic, task), 0) >= n for topic, task, n in wanted)
        filled, target = added(plan, figures, [(topic, task) for topic, task, _ in wanted])
        pieces: list[Piece] = [
            (f"{filled:,} of {target:,} items", ""),
            (f"   {full} of {len(wanted)} cells full", ""),
        ]
        if drafted := figures.states.get("drafted"):
            pieces.append((f"   {drafted:,} drafted", ""))
        if figures.tokens:
            money = f", {figures.cost:,.4f} {figures.currency}" if figures.currency else ""
            pieces.append((f"   {figures.tokens:,} tokens{money}", ""))
        if figures.unclassified:
            pieces += [
                (f"   ! {figures.unclassified:,} documents to classify  ", "warn"),
                ("C", "key"),
            ]
        return pieces

    # Targets

    def action_type_digit(self, digit: str) -> None:
        """One more digit of the target under the cursor."""
        if self.quotas.cursor != self._typed_at:
            self._typed, self._typed_at = "", self.quotas.cursor
        if int(self._typed + digit) <= MOST:
            self._set_target(self._typed + digit)

    def action_shorten(self) -> None:
        """The number loses its last digit; one that stood there before is cleared."""
        if self.quotas.cursor != self._typed_at:
            self._typed, self._typed_at = "", self.quotas.cursor
        self._set_target(self._typed[:-1])

    def _set_target(self, typed: str) -> None:
        plan, chosen = self.plan, self._chosen()
        if plan is None or chosen is None:
            return
        if self.quotas.cursor[1] == DOCUMENTS:
            self.desk.show_problem(
                "Documents are counted, not wanted: go to a task, or to all.", is_trouble=False
            )
            return
        topics = chosen.topics
        if self.quotas.cursor[0] is None:
            topics = tuple(topic for topic in topics if topic != UNASSIGNED)
        changed = plan.with_target(topics, chosen.tasks, int(typed or 0))
        self._change(changed, is_new=not self._typed)
        self._typed = typed

    def _change(self, plan: Plan, *, is_new: bool = True) -> None:
        """Another plan; with `is_new` undo comes back to the one before."""
        if self.plan is None:
            return
        if is_new:
            self._before.append(self.plan)
        self._undone.clear()
        self.plan = plan
        self._typed = ""
        self.show_plan()

    def action_undo(self) -> None:
        self._exchange(self._before, self._undone)

    def action_redo(self) -> None:
        self._exchange(self._undone, self._before)

    def _exchange(self, source: list[Plan], other: list[Plan]) -> None:
        if self.plan is None or not source:
            self.desk.show_problem("There is nothing more to take back.", is_trouble=False)
            return
        other.append(self.plan)
        self.plan = source.pop()
        self._typed = ""
        self.show_plan()

    # Rows and columns

    def _row(self) -> TreeRow | None:
        key = self.quotas.cursor[0]
        return next((row for row in self._rows if row.key == key), None)

    def _chosen(self) -> Chosen | None:
        """What the cursor is on; a column of documents stands for all tasks."""
        plan = self.plan
        if plan is None:
            return None
        row, (_, column) = self._row(), self.quotas.cursor
        topics = plan.topics if row is None else row.topics
        tasks = plan.tasks if column in (None, DOCUMENTS) else (str(column),)
        task = "all" if len(tasks) != 1 else task_names(plan.taxonomy, self.is_chinese)[tasks[0]]
        return Chosen(f"{'all' if row is None else row.name} / {task}", topics, tasks)

    def action_leave_out(self) -> None:
        row = self._row()
        if self.plan is not None and row is not None:
            self._change(self.plan.turn_topics(row.topics))

    def action_turn_task(self) -> None:
        column = self.quotas.cursor[1]
        if self.plan is not None and column not in (None, DOCUMENTS):
            self._change(self.plan.turn_tasks((str(column),)))

    def action_fold(self) -> None:
        row = self._row()
        if self.plan is None or row is None or not row.group:
            return
        self.folded ^= {row.group}
        self.show_plan()
        keys = [one.key for one in self._rows]
        group = next(one.key for one in self._rows if one.is_group and one.group == row.group)
        if row.key not in keys:
            self.quotas.move_to(keys.index(group), self._column_index())

    def action_fold_all(self) -> None:
        if self.plan is not None:
            groups = set(filter(None, group_rows(self.plan.taxonomy, self.is_chinese)))
            self.folded = set() if self.folded >= groups else groups
            self.show_plan()

    def _column_index(self) -> int:
        keys = [heading.key for heading in self.quotas.matrix.columns]
        column = self.quotas.cursor[1]
        return len(keys) if column is None else keys.index(column)

    def action_language(self) -> None:
        self._chose_language = True
        self.is_chinese = not self.is_chinese
        # groups go by their names
        self.folded = set()
        self.show_plan()

    # A cell in full

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        row = self._row()
        if row is not None and row.is_group and message.column in (None, DOCUMENTS):
            self.action_fold()
            return
        chosen = self._chosen()
        if chosen is not None:
            self.app.push_screen(CellSheet(chosen))
            self._show_open_sheet()

    def _show_open_sheet(self) -> None:
        sheet = self.app.screen
        if isinstance(sheet, CellSheet) and self.plan is not None:
            chosen, job = sheet.chosen, self.figures.job
            said = self.desk.read(lambda db: read_rejections(db, job, chosen)) or []
            sheet.show(cell_lay(chosen, self.plan, self.figures, said, self.is_chinese))

    # Jobs

    @property
    def asker(self) -> questions.Asker:
        return questions.Asker(self.desk, self.estimator)

    def action_generate(self) -> None:
        if self.plan is None:
            self.desk.show_problem(_how_to_fill(self.desk.facts), is_trouble=False)
        elif not self.plan.wanted:
            self.desk.show_problem(
                "No cell has a target: type a number on a cell, a row or all.", is_trouble=False
            )
        else:
            questions.ask_generate(self.asker, self.plan, self._model, self._generating)

    def _generating(self, built: Built, model: str) -> None:
        self._model = model
        if self.plan is not None:
            self._keep_plan(self.plan)
        self._begun(built)

    def _keep_plan(self, plan: Plan) -> None:
        """The dataset is there from now on."""
        self.plan = replace(plan, is_new=False)

    def _begun(self, built: Built) -> None:
        self.read_again()

    def action_classify(self) -> None:
        if self.plan is not None:
            questions.ask_classify(self.asker, self.plan, self._begun)

    def action_inspect_drafts(self) -> None:
        if self.plan is not None:
            questions.ask_inspect(self.asker, self.plan, self._begun)

    def _work(self) -> WorkFact | None:
        """The job that the keys for jobs mean: one under way, else the latest that can go on."""
        works = self._works(self.desk.facts)
        active = [fact for fact in works if fact.is_active]
        return next(iter([*active, *(fact for fact in works if fact.can_resume), *works]), None)

    def action_pause(self) -> None:
        if (fact := self._work()) is not None:
            pause_or_resume(self.desk, fact)

    def action_cancel(self) -> None:
        if (fact := self._work()) is not None:
            cancel(self.desk, fact)

    # Topics

    @property
    def _own(self) -> set[str]:
        """Names of the workspace's own taxonomies."""
        return {name for name, said in self.taxonomies.items() if said != "comes with ragdesk"}

    def action_rename(self) -> None:
        plan, row = self.plan, self._row()
        topic = None
        if plan is not None and row is not None:
            topic = next((one for one in plan.taxonomy.topics if one.key == row.key), None)
        if plan is None or topic is None:
            self.desk.show_problem("Go to a topic to rename it.", is_trouble=False)
            return
        lang: Lang = "zh" if self.is_chinese else "en"
        questions.ask_rename(self.asker, plan, topic, lang, self._own, self._changed_topics)

    def action_prune(self) -> None:
        plan = self.plan
        if plan is None:
            return
        gone = plan.left_out - {UNASSIGNED}
        if not gone or len(gone) == len(plan.taxonomy.topics):
            self.desk.show_problem(
                "Leave out with x what the taxonomy shall lose, and keep at least one topic.",
                is_trouble=False,
            )
            return
        documents = sum(self.figures.documents.get(topic, 0) for topic in gone)
        questions.ask_prune(self.asker, plan, documents, self._own, self._changed_topics)

    def action_propose(self) -> None:
        if self.plan is not None:
            questions.ask_propose(self.asker, self.plan, self.taxonomies, self._proposed)

    def _proposed(self, built: Built, name: str) -> None:
        self._awaited = name
        self.read_again()

    def _changed_topics(self, built: Built) -> None:
        """A taxonomy was pruned or renamed: the plan has it now, or says why not."""
        plan = self.plan
        if plan is None:
            return
        if built.taxonomy != plan.taxonomy.key and not plan.is_new:
            self.desk.show_problem(
                f"Taxonomy {built.taxonomy} is there; {plan.dataset} keeps {plan.taxonomy.key}."
                " i chooses a new dataset for it.",
                is_trouble=False,
            )
        self._awaited = built.taxonomy
        self.read_again()

    def action_choose_plan(self) -> None:
        facts = self.desk.facts
        if not facts.sources:
            self.desk.show_problem(_how_to_fill(facts), is_trouble=False)
            return
        questions.ask_plan(
            self.desk,
            self.plan,
            {name: f"{count:,} documents" for name, count in facts.sources},
            {fact.dataset.name: fact.corpus for fact in facts.datasets},
            self.taxonomies,
            self.choose,
        )

    def choose(self, corpus: str, dataset: str, taxonomy: str) -> None:
        """Build this from now on; without a dataset, into a new one."""
        plan = self.plan
        if plan is not None and dataset == plan.dataset:
            is_asked = (corpus, taxonomy) == (plan.corpus, plan.taxonomy.key)
            if is_asked or not plan.is_new:
                return

        def found(plan: Plan) -> None:
            self._before.clear()
            self._undone.clear()
            self.plan = plan
            self.folded = set()
            self._chose_language = False
            self.figures = NOTHING
            self.show_plan()
            self.read_again()

        self.desk.in_thread(
            "looking",
            lambda workspace: make_plan(
                workspace.db, corpus, dataset or free_name(workspace.db, corpus), taxonomy
            ),
            found,
            group="build-choice",
        )


def _read(workspace: Workspace, plan: Plan | None, awaited: str) -> Read | Exception:
    """In a thread; what went wrong is returned, so that the next look is not waited for in vain."""
    try:
        return _read_plan(workspace.db, plan, awaited)
    except sqlite3.Error as error:
        return explain(error, workspace.folder / FILE_NAME)
    except RagdeskError as error:
        return error


def _read_plan(db: sqlite3.Connection, plan: Plan | None, awaited: str) -> Read:
    names = taxonomy_names(db)
    plan = first_plan(db) if plan is None else plan
    if plan is None:
        return None, NOTHING, names
    held = make_plan(db, plan.corpus, plan.dataset, plan.taxonomy.key)
    if plan.is_new != held.is_new:
        # made meanwhile, or gone
        plan = held
    wanted = awaited if awaited in names and plan.is_new else held.taxonomy.key
    taxonomy = read_taxonomy(db, wanted) if plan.is_new else held.taxonomy
    if taxonomy != plan.taxonomy:
        plan = plan.with_taxonomy(taxonomy)
    return plan, read_figures(db, plan), names


def _names(plan: Plan | None) -> tuple[str, str, str]:
    return (plan.corpus, plan.dataset, plan.taxonomy.key) if plan is not None else ("", "", "")


def _subject(plan: Plan) -> object:
    return plan.corpus, plan.dataset, plan.taxonomy, plan.is_new


def _signature(facts: Facts) -> object:
    """Differs when documents, items, topics or jobs may have changed."""
    works = [
        (work.key, work.status, work.done)
        for work in facts.work
        if work.job is not None and work.job.kind in (*KINDS, "ingest")
    ]
    names = [fact.dataset for fact in facts.datasets]
    return facts.is_open, facts.opened, facts.sources, names, works


def _how_to_fill(facts: Facts) -> str:
    if not facts.is_open or not facts.sources:
        return "No corpus yet. F2 Corpus reads your files into one; then its cells are filled here."
    return "Looking at the workspace."
