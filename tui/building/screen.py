"""Build: topics, what each cell shall hold, and the jobs that fill the cells."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.widget import Widget

from store.datasets.lineages import has_lineages
from store.jobs.jobs import Job
from store.messages import plural
from store.records import UNASSIGNED
from tui.building.ask_jobs import ask_classify, ask_generate, ask_inspect
from tui.building.ask_plan import ask_plan, ask_propose, ask_prune, ask_rename
from tui.building.figures import (
    NOTHING,
    SHIPPED,
    UNKNOWN,
    PlanRead,
    dataset_names,
    free_name,
    make_plan,
    read_plan,
)
from tui.building.grid import DOCUMENTS
from tui.building.keys import ACTIONS
from tui.building.plan import MOST, Plan, PlanEdits, generate_options
from tui.building.plan_view import PlanView, how_to_fill, signature, work_meant
from tui.language import tr
from tui.live.facts import Facts
from tui.screens.destinations import AtDataset, AtTopics, Destination
from tui.screens.job_requests import cancel, idle_keys, pause_or_resume
from tui.screens.model_form import OFFLINE
from tui.screens.place import PlaceScreen
from tui.shell.actions import bindings

DIGITS = "0123456789"


class BuildScreen(PlaceScreen):
    """The plan with its figures, kept true while jobs go on, and what keys do to it."""

    PLACE = "build"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(binding for binding in bindings("build", ACTIONS) if binding.action != "target"),
        # bound, as moving is, so that what is typed ahead is done in its order
        *(Binding(digit, f"type_digit('{digit}')", show=False) for digit in DIGITS),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.view = PlanView()
        self.edits = PlanEdits()
        self.figures = UNKNOWN
        self.taxonomies: dict[str, str] = {}
        """Where each comes from, by name."""
        self.awaited = ""
        """The taxonomy that the plan shall have once it is there."""
        self.is_reading = self._is_stale = False
        self._reads: Plan | None = None
        self._reads_for = ""
        """The plan that is being read, and the taxonomy that was awaited when that began."""
        self._proposes = False
        """Whether topics are asked about as soon as the plan that was chosen is there."""
        self._model = OFFLINE
        """The model that was chosen last."""

    def compose_body(self) -> Iterator[Widget]:
        yield self.view

    def on_mount(self) -> None:
        super().on_mount()
        self.view.quotas.focus()

    @property
    def plan(self) -> Plan | None:
        return self.edits.plan

    @property
    def dataset(self) -> str:
        return self.plan.dataset if self.plan is not None else ""

    def context(self) -> tuple[str, ...]:
        if self.plan is None:
            return (self.host.facts.folder.name,)
        return (self.plan.dataset, self.host.facts.folder.name)

    def idle_keys(self) -> Collection[str]:
        work = work_meant(self.host.facts)
        if self.plan is None:
            actions = self.host.registry.scoped(self.PLACE)
            return {one.id for one in actions} - {"build.choose_plan", "build.generate"}
        return {
            *idle_keys("build", work),
            *(() if self.edits.has_before else ("build.undo",)),
            *(() if self.edits.has_undone else ("build.redo",)),
            *(() if self.edits.typed else ("build.shorten",)),
        }

    def command(self) -> Sequence[str]:
        return () if self.plan is None else ("generate", *generate_options(self.plan))

    # What the workspace holds

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        self.view.show_jobs(facts)
        if facts.is_open and (before is None or signature(before) != signature(facts)):
            self.read_again()
        elif not facts.is_open:
            self._show_read((None, NOTHING, {}))

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.host.facts.is_open:
            self.read_again()

    def on_screen_suspend(self) -> None:
        self._end_number()

    def on_heat_map_highlighted(self) -> None:
        self._end_left_number()

    def on_heat_map_chosen(self) -> None:
        self._end_left_number()

    def _end_left_number(self) -> None:
        """Ends the number of a cell that was left, not one that was begun since."""
        if self.edits.typed and not self.edits.typed_at(self._place):
            self._end_number()

    def step_back(self) -> bool:
        return self._end_number()

    def _end_number(self) -> bool:
        """Ends the number that is being typed; whether one was."""
        is_typing = bool(self.edits.typed)
        self.edits.end()
        if is_typing:
            self.show_plan()
        return is_typing

    def read_again(self) -> None:
        """Reads in a thread what is shown, once more if it is being read already."""
        if self.is_reading:
            self._is_stale = True
            return
        self.is_reading, self._is_stale = True, False
        plan, awaited = self.plan, self.awaited
        self._reads, self._reads_for = plan, awaited
        self.host.in_thread(
            "counting", lambda workspace: read_plan(workspace, plan, awaited), self._show_answer
        )

    def _show_answer(self, answer: PlanRead | Exception) -> None:
        self.is_reading = False
        if isinstance(answer, Exception):
            self.host.show_problem(str(answer))
        elif self.plan is not None and _names(self._reads) != _names(self.plan):
            self._is_stale = True  # another dataset was chosen meanwhile
        else:
            self._show_read(answer)
        if self._is_stale:
            self.read_again()

    def _show_read(self, answer: PlanRead) -> None:
        plan, self.figures, self.taxonomies = answer
        # what was read before it was awaited may know of it and yet not have it
        if self.awaited == self._reads_for and self.awaited in self.taxonomies and plan is not None:
            self.awaited = ""
        # targets that were typed while it was read stay
        if plan is None:
            self.edits.plan = None
        elif self.plan is None or _subject(plan) != _subject(self.plan):
            self.edits.begin(plan)
        self.show_plan()

    def begin(self, plan: Plan) -> None:
        """Shows another plan, as nobody has changed it yet."""
        self.edits.begin(plan)
        self.figures = UNKNOWN
        self.view.begin()
        self.show_plan()
        self.read_again()
        if self._proposes:
            self._proposes = False
            self.action_propose()

    def show_plan(self) -> None:
        """Draws the plan with what is there."""
        self.show_where()
        self.view.show(self.plan, self.figures, self.edits.typed)

    # Targets

    def action_type_digit(self, digit: str) -> None:
        """One more digit of the target under the cursor."""
        typed = self.edits.typed_at(self._place) + digit
        if int(typed) <= MOST:
            self._set_target(typed)

    def action_shorten(self) -> None:
        """The number loses its last digit; one that stood there before is cleared."""
        self._set_target(self.edits.typed_at(self._place)[:-1])

    @property
    def _place(self) -> object:
        """The cell under the cursor for as long as the cursor stays there."""
        return (*self.view.quotas.cursor, self.view.quotas.visit)

    def _set_target(self, typed: str) -> None:
        plan, chosen = self.plan, self.view.chosen
        if plan is None or chosen is None:
            return
        if self.view.quotas.cursor[1] == DOCUMENTS:
            self.host.advise("Documents are counted, not wanted: go to a task, or to all.")
            return
        topics = chosen.topics
        if self.view.quotas.cursor[0] is None:
            topics = tuple(topic for topic in topics if topic != UNASSIGNED)
        plan = plan.with_target(topics, chosen.tasks, int(typed or 0))
        self.edits.type(self._place, plan, typed)
        self.show_plan()

    def action_leave_out(self) -> None:
        row = self.view.row
        if self.plan is not None and row is not None:
            self._change(self.plan.turn_topics(row.topics))

    def action_turn_task(self) -> None:
        column = self.view.quotas.cursor[1]
        if self.plan is not None and column not in (None, DOCUMENTS):
            self._change(self.plan.turn_tasks((str(column),)))

    def _change(self, plan: Plan) -> None:
        self.edits.change(plan)
        self.show_plan()

    def action_undo(self) -> None:
        self._show_changed(self.edits.undo())

    def action_redo(self) -> None:
        self._show_changed(self.edits.redo())

    def _show_changed(self, has_changed: bool) -> None:
        if has_changed:
            self.show_plan()
        else:
            self.host.advise("There is nothing more to take back.")

    # How it is shown

    def action_fold(self) -> None:
        self.view.fold()

    def action_fold_all(self) -> None:
        self.view.fold_all()

    # Jobs

    def action_generate(self) -> None:
        if self.plan is None:
            self.host.advise(how_to_fill(self.host.facts))
        elif not self.plan.wanted:
            self.host.advise("No cell has a target: type a number on a cell, a row or all.")
        else:
            before = self.edits.first or self.plan
            ask_generate(self.host, self.plan, before, self._model, self._generating)

    def _generating(self, model: str) -> None:
        self._model = model
        if self.plan is not None:
            self.edits.replace(lambda plan: replace(plan, is_new=False))
        self.read_again()

    def _begun(self, job: Job) -> None:
        self.read_again()

    def action_classify(self) -> None:
        if self.plan is not None:
            ask_classify(self.host, self.plan, self._begun)

    def action_inspect_drafts(self) -> None:
        if self.plan is not None:
            ask_inspect(self.host, self.plan, self._begun)

    def action_lineage(self) -> None:
        name = self.dataset
        if self.host.read(lambda db: has_lineages(db, name)):
            from tui.building.lineage import LineageScreen

            self.app.push_screen(LineageScreen(name))
            return
        self.host.advise(
            tr("No item of {name} was evolved: ctrl+p, then evolve.", name=name)
            if name
            else tr("No item was evolved: ctrl+p, then evolve.")
        )

    def action_pause(self) -> None:
        if (fact := work_meant(self.host.facts)) is not None:
            pause_or_resume(self.host, fact)

    def action_cancel(self) -> None:
        if (fact := work_meant(self.host.facts)) is not None:
            cancel(self.host, fact)

    # Topics

    @property
    def _own(self) -> set[str]:
        """Names of the workspace's own taxonomies."""
        return {name for name, origin in self.taxonomies.items() if origin != SHIPPED}

    def action_rename(self) -> None:
        plan, row = self.plan, self.view.row
        topic = None
        if plan is not None and row is not None:
            topic = next((known for known in plan.taxonomy.topics if known.key == row.key), None)
        if plan is None or topic is None:
            self.host.advise("Go to a topic to rename it.")
            return
        ask_rename(self.host, plan, topic, self._own, self._changed_topics)

    def action_prune(self) -> None:
        plan = self.plan
        if plan is None:
            return
        gone = plan.left_out - {UNASSIGNED}
        if not gone or len(gone) == len(plan.taxonomy.topics):
            self.host.advise(
                "Leave out with x what the taxonomy shall lose, and keep at least one topic."
            )
            return
        documents = sum(self.figures.documents.get(topic, 0) for topic in gone)
        ask_prune(self.host, plan, documents, self._own, self._changed_topics)

    def action_propose(self) -> None:
        if self.plan is not None:
            ask_propose(self.host, self.plan, self.taxonomies, self._proposed)

    def _proposed(self, name: str) -> None:
        self.awaited = name
        self.read_again()

    def _changed_topics(self, taxonomy: str) -> None:
        """A taxonomy was pruned or renamed: the plan has it now, or says why not."""
        plan = self.plan
        if plan is None:
            return
        if taxonomy != plan.taxonomy.key and not plan.is_new:
            self.host.advise(
                "Taxonomy {taxonomy} is there; {dataset} keeps {key}. i chooses a new "
                "dataset for it.",
                taxonomy=taxonomy,
                dataset=plan.dataset,
                key=plan.taxonomy.key,
            )
        self._proposed(taxonomy)

    # What to build

    def action_choose_plan(self) -> None:
        facts = self.host.facts
        if not facts.sources:
            self.host.advise(how_to_fill(facts))
            return
        ask_plan(
            self.host,
            self.plan,
            {name: plural(count, "document") for name, count in facts.sources},
            {fact.dataset.name: fact.corpus for fact in facts.datasets},
            self.taxonomies,
            self.choose,
        )

    def arrive(self, destination: Destination) -> bool:
        if isinstance(destination, AtDataset):
            self.choose(destination.corpus, destination.dataset, "omnieval")
        elif isinstance(destination, AtTopics):
            if self.plan is not None and self.plan.corpus == destination.corpus:
                self.action_propose()
            else:
                self._proposes = True
                self.choose(destination.corpus, "", "omnieval")
        return True

    def choose(self, corpus: str, dataset: str, taxonomy: str) -> None:
        """Build this from now on; without a dataset, into a new one."""
        plan = self.plan
        if plan is not None and dataset == plan.dataset:
            is_asked = (corpus, taxonomy) == (plan.corpus, plan.taxonomy.key)
            if is_asked or not plan.is_new:
                return
        self.host.in_thread(
            "looking",
            lambda workspace: make_plan(
                workspace.db,
                corpus,
                dataset or free_name(dataset_names(workspace.db), corpus),
                taxonomy,
            ),
            self.begin,
        )


def _names(plan: Plan | None) -> tuple[str, str, str]:
    return (plan.corpus, plan.dataset, plan.taxonomy.key) if plan is not None else ("", "", "")


def _subject(plan: Plan) -> object:
    return plan.corpus, plan.dataset, plan.taxonomy, plan.is_new
