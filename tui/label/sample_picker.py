"""The way into Label: to the sample that the rater was at, or to a choice, or what to do first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from store.labels import samples
from store.labels.samples import Sample
from tui.keymap import REGISTRY
from tui.label.messages import form_language
from tui.label.samples import COLUMNS, SampleChoice, sample_rows, samples_of
from tui.live.facts import INSPECTION, Facts
from tui.screens.choose import Choose
from tui.screens.place import PlaceScreen
from tui.widgets.paragraphs import paragraphs
from tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from tui.app import Ragdesk


class SamplePicker(PlaceScreen):
    """Lies under the desk of a sample, which opens as soon as it is known which."""

    PLACE = "label"
    BINDINGS: ClassVar[list[BindingType]] = [
        binding
        for binding in REGISTRY.bindings("label")
        if binding.id in ("label.sample", "desk.new_sample")
    ]

    def __init__(self) -> None:
        super().__init__()
        self.footer.show(self.desk.registry.footer(self.PLACE, ("desk.new_sample", "label.sample")))
        self.words = Sheet(title="", id="nothing")
        self._is_open = False
        """A desk has been sent for: what is learned meanwhile sends for no second one."""

    def compose_body(self) -> Iterator[Widget]:
        yield self.words

    def on_mount(self) -> None:
        super().on_mount()
        self.words.focus()
        self.call_after_refresh(self._look)

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        """Something may have been drawn meanwhile."""
        if before is not None and self.is_current:
            self._look()

    def _look(self) -> None:
        if self._is_open:
            return
        desk = self.desk
        found = _read(desk)
        if not found:
            runs = [fact.run.name for fact in desk.facts.work if fact.run is not None]
            words = empty_words(runs)
            self.words.show(paragraphs(words), title="Nothing to label", from_top=False)
            return
        last = desk.read(lambda db: samples.last_of(db, desk.rater, other_than=INSPECTION))
        names = [one.sample.name for one in found]
        if last is not None and last.name in names:
            self.open(last)
        elif len(found) == 1:
            self.open(found[0].sample)
        else:
            self.words.show(paragraphs("S chooses what to label."), title="Label")
            self.action_sample()

    def open(self, sample: Sample, *, is_new: bool = False) -> None:
        """Go to the desk of a sample; if another's is on its way, in its place."""
        self._is_open = True
        enter(self.desk, sample, is_new=is_new)

    def action_sample(self) -> None:
        choose_sample(self.desk)

    def action_new_sample(self) -> None:
        from tui.statistics.new_sample import open_new_sample

        open_new_sample(self.desk, "judge_labels", self._look)


def show_sample(desk: Ragdesk, name: str) -> None:
    """At Label, after one has come from elsewhere: the desk of this sample, from the queue's start
    unless the rater was at it last. A question or an editor that is open there stays."""
    from tui.label.label_screen import AtLabel

    screen, stack = desk.screen, desk.screen_stack
    sample = next((one.sample for one in _read(desk) if one.sample.name == name), None)
    if sample is None:
        return
    last = desk.read(lambda db: samples.last_of(db, desk.rater, other_than=INSPECTION))
    is_new = last is None or last.name != name
    if isinstance(screen, SamplePicker):
        screen.open(sample, is_new=is_new)
    elif isinstance(screen, Choose) and isinstance(stack[-2], SamplePicker):
        # the door asks which, because it is new; this is the answer
        screen.dismiss(name)
    elif isinstance(screen, AtLabel) and screen.sample.name != name:
        enter(desk, sample, is_new=is_new)


def choose_sample(desk: Ragdesk, *, current: str = "") -> None:
    """Ask which sample to label, and go to it."""
    found = _read(desk)
    if not found:
        desk.show_problem("No sample waits for you. + draws one.")
        return

    def go(name: str | None) -> None:
        if name is not None and name != current:
            enter(desk, next(one.sample for one in found if one.sample.name == name), is_new=True)

    rows = sample_rows(found, form_language(os.environ))
    desk.push_screen(Choose("What to label", COLUMNS, rows, current=current), go)


def enter(desk: Ragdesk, sample: Sample, *, is_new: bool = False) -> None:
    """The desk of a sample, in the place of another's. `is_new`: from its queue's start, not from
    what was before the rater last."""
    from tui.label.label_screen import desk_of

    def go() -> None:
        screen = desk_of(sample, is_new=is_new)
        if isinstance(desk.screen, SamplePicker):
            desk.push_screen(screen)
        else:
            desk.switch_screen(screen)

    # after a question that asked for it has gone
    desk.call_later(go)


def empty_words(runs: list[str]) -> str:
    """How the queue is filled, here or in a shell, with a run that there is."""
    run = runs[0] if runs else "RUN"
    first = "" if runs else "Evaluate a system first: F5 Runs, then +.\n\n"
    return (
        f"{first}+ draws a sample of answers, so many a cell; in a shell:\n\n"
        f"ragdesk sample draw judge-1 --form judge_labels --run {run} --per-cell 5\n\n"
        "`ragdesk sample draw --help` has the rest: even over scores, several raters, pairs of"
        " two runs (--form preference). What is drawn shows here by itself."
    )


def _read(desk: Ragdesk) -> list[SampleChoice]:
    if not desk.facts.is_open:
        return []
    return desk.read(lambda db: samples_of(db, desk.rater)) or []
