"""The list of a dataset's items, the item under the cursor or those like it, and acts on all or on
those that are ticked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.labelling.forms import load_form
from engine.labelling.items.acts import (
    ActDone,
    ActPlan,
    ActQuery,
    ActRequest,
    ActUndone,
    Verb,
    left_out_text,
    perform_act,
    undo_act,
)
from engine.labelling.items.item_lists import (
    ItemList,
    ItemQuery,
    ItemRequest,
    SimilarItems,
    SimilarQuery,
)
from store.datasets import datasets, item_lists
from store.datasets.item_lists import ItemFilter, ItemLine
from store.labels.samples import samples
from store.messages import plural
from store.records import UNASSIGNED, ItemContent, ItemState
from store.runs import runs
from tui.correction.revision_diff import diff_lay
from tui.correction.text_diff import DiffLine, text_diff
from tui.items.filtering import FilterForm, chosen, command_words, request_of
from tui.items.keys import ACTIONS
from tui.language import local_name, read, tr
from tui.screens.choose import Choose
from tui.screens.confirm import confirm
from tui.screens.form import Form, Line, Values
from tui.screens.host import Host
from tui.screens.labels import cell_names, cell_text
from tui.screens.list_and_details import ListAndDetails
from tui.screens.place import PlaceScreen
from tui.shell.theme import SIGNS
from tui.widgets.line import Piece
from tui.widgets.row_source import Cell, Column, Row
from tui.widgets.sheet import Block, lay_blocks

FORM = "inspection"
_OF_ITEMS = tuple(
    f"item_list.{name}"
    for name in ("tick", "similar", "exclude", "postpone", "flag", "sample", "whole")
)
"""The actions that need an item."""
_COLUMNS = (
    Column("", 1),
    Column("group", 5, "right"),
    Column("score", 6, "right"),
    Column("state", 16),
    Column("auto", 4, "right", drop=2),
    Column("question", minimum=30),
    Column("cell", 28, drop=3),
    Column("author", 12, drop=4),
    Column("item", 16, drop=5),
)


def ask_items(screen: PlaceScreen) -> None:
    """Opens the list of the dataset that a screen is about, of the only one, or asks of which."""
    host = screen.host
    names = [fact.dataset.name for fact in host.facts.datasets]

    def show(name: str | None) -> None:
        if name is not None:
            host.push_screen(ItemsScreen(name))

    if screen.dataset in names or len(names) == 1:
        show(screen.dataset if screen.dataset in names else names[0])
    elif names:
        rows = [Row(name, (Cell(name, "strong"),)) for name in names]
        host.push_screen(Choose("Items of which dataset?", (Column(),), rows), show)
    else:
        host.advise("There is no dataset yet.")


class ItemSource:
    """The items of a list; the lines are read a block at a time."""

    def __init__(
        self, host: Host, found: ItemList, ticked: Collection[int], is_grouped: bool
    ) -> None:
        self._host = host
        self._found = found
        self._ticked = ticked
        self._is_grouped = is_grouped
        self._names = cell_names(host.facts)

    def count(self) -> int:
        return len(self._found.items)

    def lines(self, start: int, stop: int) -> Sequence[ItemLine]:
        wanted = self._found.items[start:stop]
        return self._host.read(lambda db: item_lists.lines(db, wanted, self._found.filter)) or ()

    def rows(self, start: int, stop: int) -> Sequence[Row]:
        return [self._row(line) for line in self.lines(start, stop)]

    def index_of(self, key: str | int) -> int | None:
        return self._found.items.index(int(key)) if int(key) in self._found.items else None

    def _row(self, line: ItemLine) -> Row:
        cells = (
            Cell(SIGNS.good if line.item in self._ticked else "", "good"),
            Cell(str(self._found.groups.get(line.item, "")), "strong"),
            Cell("" if line.score is None else f"{line.score:g}", "strong"),
            Cell(_state_text(line.state)),
            Cell("" if line.verdict is None else str(line.verdict), "muted"),
            line.question.replace("\n", " "),
            Cell(cell_text(self._names, line.topic, line.task), "muted"),
            Cell(line.author, "muted"),
            Cell(line.item_key, "muted"),
        )
        return Row(line.item, tuple(cells[at] for at in _shown(self._found, self._is_grouped)))


def _shown(found: ItemList, is_grouped: bool) -> list[int]:
    """The columns of a list: groups and scores where they were asked for."""
    left_out = {1: not is_grouped, 2: found.filter.score is None}
    return [at for at in range(len(_COLUMNS)) if not left_out.get(at, False)]


class ItemsScreen(ListAndDetails, actions=ACTIONS):
    PLACE = "item_list"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(digit, f"score({digit})", show=False) for digit in "12345"),
    ]

    def __init__(self, dataset: str) -> None:
        super().__init__(loading=tr("Finding the items."), details=tr("Item"))
        self.wanted = ItemRequest(dataset)
        self.found: ItemList | None = None
        self.ticked: set[int] = set()
        """What acts are done with, by number; with all that is listed where none is."""
        self.is_comparing = False
        """Whether the details show the items most like the current one."""

    @property
    def dataset(self) -> str:
        return self.wanted.dataset

    def context(self) -> tuple[str, ...]:
        return (self.dataset,)

    def command(self) -> Sequence[str]:
        return tuple(command_words(self.wanted))

    def idle_keys(self) -> Collection[str]:
        return () if self.found is not None and self.found.items else _OF_ITEMS

    def on_mount(self) -> None:
        super().on_mount()
        self._find()

    # The list

    def _find(self) -> None:
        self.host.ask("finding the items", ItemQuery(self.wanted), self._show, group="item-list")

    def _show(self, found: ItemList) -> None:
        self.found = found
        self.ticked.intersection_update(found.items)
        self._say_what_is_listed(found)
        columns = [_COLUMNS[at] for at in _shown(found, bool(self.wanted.duplicates))]
        self.list.set_source(self._source(found), columns, empty=tr("No item is so. F: others"))
        if not found.items:
            self.details.show(None)
        self.show_footer()

    def _source(self, found: ItemList) -> ItemSource:
        return ItemSource(self.host, found, self.ticked, bool(self.wanted.duplicates))

    def _say_what_is_listed(self, found: ItemList) -> None:
        states = ", ".join(_state_text(state, count) for state, count in found.states.items())
        held = "  ".join(f"{name} {value}" for name, value in chosen(self.wanted))
        number = len(self.ticked)
        ticks = tr("   {number:,} ticked: acts are for these", number=number) if number else ""
        self.caption.show(
            [
                [
                    (plural(len(found.items), "item"), "strong"),
                    (ticks, "good"),
                    (f"   {states}", ""),
                ],
                [(held or tr("every item of the dataset; F says which"), "muted")],
            ]
        )

    def action_tick(self) -> None:
        if self.found is None or self.current is None:
            return
        self.ticked ^= {self.current}
        self._say_what_is_listed(self.found)
        self.list.replace_source(self._source(self.found))
        self.list.move_to(self.list.cursor + 1)

    @property
    def current(self) -> int | None:
        """The number of the item under the cursor."""
        row = self.list.current
        return None if row is None else int(row.key)

    def show_details(self) -> None:
        item = self.current
        if item is None:
            return
        if self.is_comparing:
            query = SimilarQuery(self.dataset, item)
            self.host.ask("comparing", query, self._show_similar, group="similar-items")
            return
        read = self.host.read(
            lambda db: [
                (line, datasets.content(db, line.revision))
                for line in item_lists.lines(db, [item], ItemFilter())
            ]
        )
        for line, content in read or ():
            names = cell_names(self.host.facts)
            lay = partial(lay_blocks, _blocks(line, content, names))
            self.details.show(lay, title=tr("Item {key}", key=line.item_key))

    def _show_similar(self, found: SimilarItems) -> None:
        if not self.is_comparing or self.current != found.item:
            return
        own = found.content

        def lay(width: int) -> list[list[Piece]]:
            lines: list[list[Piece]] = []
            for one in found.others:
                lines += [
                    [
                        (f"{one.similarity:.2f}", "strong"),
                        (f"  {_state_text(one.state)}", ""),
                        (f"  {one.item_key}", "muted"),
                    ],
                    *diff_lay(_differences(own, one.content))(width),
                    [],
                ]
            return lines or [[(tr("No other item shares a word with it."), "muted")]]

        this, other = tr("only in this one"), tr("only in the other")
        self.details.show(lay, title=f"{tr('Most alike:')} [-{this}-] {{+{other}+}}")

    def action_similar(self) -> None:
        self.is_comparing = not self.is_comparing
        self.show_details()

    def action_filter(self) -> None:
        def asked(values: Values) -> None:
            self.wanted = request_of(self.dataset, values)
            self._find()

        self.host.question(FilterForm(self.wanted, self._known()), asked)

    def _known(self) -> Mapping[str, Sequence[str]]:
        fact = next(one for one in self.host.facts.datasets if one.dataset.name == self.dataset)
        names = self.host.read(
            lambda db: (
                item_lists.authors(db, fact.dataset),
                [
                    run.name
                    for run in runs.listing(db)
                    if datasets.of_release(db, run.release_id).id == fact.dataset.id
                ],
            )
        )
        authors, run_names = names or ([], [])
        return {
            "states": tuple(ItemState),
            "topics": (*(topic.key for topic in fact.taxonomy.topics), UNASSIGNED),
            "tasks": (*(task.key for task in fact.taxonomy.tasks), UNASSIGNED),
            "verdicts": ("2", "1", "0"),
            "authors": authors,
            "run": run_names,
            "duplicates": ("groups", "later"),
        }

    # Acts on what is ticked, or on all that is listed

    def action_score(self, value: int) -> None:
        self._plan("set", value)

    def action_postpone(self) -> None:
        self._plan("postpone")

    def action_flag(self) -> None:
        self._plan("flag")

    def action_exclude(self) -> None:
        reasons = load_form(FORM).exclude_reasons
        rows = [Row(str(one.value), (Cell(local_name(one)),)) for one in reasons]

        self.host.question(
            Choose(tr("Exclude {meant}: why?", meant=self._meant), (Column(),), rows),
            lambda reason: self._plan("exclude", reason),
        )

    def action_sample(self) -> None:
        held = self.host.read(lambda db: samples.listing(db, FORM)) or []

        self.host.question(
            Form(
                tr("Add {meant} to a sample", meant=self._meant),
                [Line("name", "Sample", "", "its name", [one.name for one in held])],
                "Count them",
                note=tr(
                    "A new name is a new sample, for whoever comes. There are: {names}",
                    names=", ".join(one.name for one in held) or tr("none yet"),
                ),
                trouble=lambda values: "" if values["name"] else tr("Name a sample."),
            ),
            lambda values: self._plan("sample", values["name"]),
        )

    def _plan(self, verb: Verb, value: int | str = "") -> None:
        """Counts what the act would be done with, then asks, once."""
        if self.found is None or not self.found.items:
            self.host.advise("Nothing is listed.")
            return
        request = ActRequest(self._items(), verb, value, FORM)
        query = ActQuery(request, self.host.rater)
        self.host.ask("counting", query, lambda plan: self._confirm(request, plan), group="act")

    @property
    def _meant(self) -> str:
        number = len(self.ticked)
        return tr("the {number:,} ticked", number=number) if number else tr("all listed")

    def _items(self) -> ItemRequest:
        """The ticked items by their names, or what is listed."""
        if not self.ticked:
            return self.wanted
        lines = self.host.read(lambda db: item_lists.lines(db, sorted(self.ticked), ItemFilter()))
        return ItemRequest(
            self.dataset, ItemFilter(items=tuple(line.item_key for line in lines or ()))
        )

    def _confirm(self, request: ActRequest, plan: ActPlan) -> None:
        left_out = _left_out(plan.left_out)
        if not plan.items:
            self.host.advise(
                "{what}: nothing to do.{left_out}", what=read(plan.what), left_out=left_out
            )
            return
        states = ", ".join(_state_text(state, count) for state, count in plan.states.items())
        confirm(
            self,
            tr("{what}: {items}?", what=read(plan.what), items=plural(len(plan.items), "item")),
            tr("{states}.{left_out} u takes all of it back.", states=states, left_out=left_out),
            tr("do it"),
            lambda: self._perform(request, plan),
        )

    def _perform(self, request: ActRequest, plan: ActPlan) -> None:
        rater = self.host.rater
        self.host.in_thread(
            "writing",
            lambda workspace: perform_act(workspace, request, plan.items, rater),
            self._done,
        )

    def _done(self, done: ActDone) -> None:
        states = ", ".join(_state_text(state, count) for state, count in done.states.items())
        self.ticked.clear()
        self._say(
            tr(
                "{what}: {items}, now {states}.{left_out} u: undo",
                what=read(done.what),
                items=plural(done.items, "item"),
                states=states,
                left_out=_left_out(done.left_out),
            )
        )

    def action_undo(self) -> None:
        rater = self.host.rater
        self.host.in_thread(
            "taking back", lambda workspace: undo_act(workspace, rater), self._undone
        )

    def _undone(self, undone: ActUndone | None) -> None:
        if undone is None:
            self.host.advise("There is no act of yours to take back.")
            return
        number = undone.stay
        stay = tr(" {number:,} stay in the sample: somebody has begun them.", number=number)
        self._say(
            tr(
                "Took back: {what}, {items}.{stay}",
                what=read(undone.what),
                items=plural(undone.items, "item"),
                stay=stay if number else "",
            )
        )

    def _say(self, text: str) -> None:
        self.host.advise(text)
        self._find()


def _state_text(state: str, count: int | None = None) -> str:
    name = tr(str(state)).replace("_", " ")
    return name if count is None else f"{count:,} {name}"


def _left_out(counts: Mapping[str, int]) -> str:
    return tr(" Left out: {reasons}.", reasons=read(left_out_text(counts))) if counts else ""


def _blocks(line: ItemLine, content: ItemContent, names: Mapping[str, str]) -> list[Block]:
    blocks = []
    for turn in content.turns:
        blocks.append(Block("question", turn.question, "strong"))
        blocks += [Block("answer", answer) for answer in turn.golden_answers]
        blocks += [
            Block("evidence", unit.quote or tr("a whole document"), "muted")
            for unit in turn.evidence
        ]
    blocks.append(Block("cell", cell_text(names, line.topic, line.task), "muted"))
    state, verdict = _state_text(line.state), ""
    if line.verdict is not None:
        verdict = tr(", automatic verdict {verdict}", verdict=line.verdict)
    said = tr(
        "{state}, text by {author}{verdict}", state=state, author=line.author, verdict=verdict
    )
    blocks.append(Block("state", said, "muted"))
    return blocks


def _differences(own: ItemContent, other: ItemContent) -> list[DiffLine]:
    """Questions and answers of two items, with what is in one of them alone."""
    return [
        DiffLine(tr(label), text_diff(*(_joined(content, label) for content in (own, other))))
        for label in ("question", "answer")
    ]


def _joined(content: ItemContent, label: str) -> str:
    if label == "question":
        return " / ".join(turn.question for turn in content.turns)
    return " / ".join(answer for turn in content.turns for answer in turn.golden_answers)
