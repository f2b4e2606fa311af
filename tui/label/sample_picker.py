"""The way into Label: to the sample that the rater was at, or to a choice, or what to do first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, ClassVar

from textual.app import App
from textual.binding import BindingType
from textual.widget import Widget

from store.labels import samples
from store.labels.samples import Sample
from tui.label.keys import ACTIONS
from tui.label.samples import COLUMNS, SampleChoice, sample_rows, samples_of
from tui.live.facts import INSPECTION, Facts
from tui.screens.choose import Choose
from tui.screens.host import Host, host_of
from tui.screens.place import PlaceScreen
from tui.shell.actions import bindings
from tui.shell.language import form_language
from tui.widgets.paragraphs import paragraphs
from tui.widgets.sheet import Sheet


class SamplePicker(PlaceScreen):
    """Lies under the desk of a sample, which opens as soon as it is known which."""

    PLACE = "label"
    BINDINGS: ClassVar[list[BindingType]] = [
        binding
        for binding in bindings("label", ACTIONS)
        if binding.id in ("label.sample", "desk.new_sample")
    ]

    def __init__(self) -> None:
        super().__init__()
        self.footer.show(self.host.registry.footer(self.PLACE, ("desk.new_sample", "label.sample")))
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
        host = self.host
        found = _read(host)
        if not found:
            runs = [fact.run.name for fact in host.facts.work if fact.run is not None]
            words = empty_words(runs)
            self.words.show(paragraphs(words), title="Nothing to label", from_top=False)
            return
        last = host.read(lambda db: samples.last_of(db, host.rater, other_than=INSPECTION))
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
        enter(self.app, sample, is_new=is_new)

    def action_sample(self) -> None:
        choose_sample(self.app)

    def action_new_sample(self) -> None:
        from tui.statistics.new_sample import open_new_sample

        open_new_sample(self.host, "judge_labels", self._look)


def show_sample(app: App[Any], name: str) -> None:
    """At Label, after one has come from elsewhere: the desk of this sample, from the queue's start
    unless the rater was at it last. A question or an editor that is open there stays."""
    from tui.label.label_screen import AtLabel

    host, screen, stack = host_of(app), app.screen, app.screen_stack
    sample = next((one.sample for one in _read(host) if one.sample.name == name), None)
    if sample is None:
        return
    last = host.read(lambda db: samples.last_of(db, host.rater, other_than=INSPECTION))
    is_new = last is None or last.name != name
    if isinstance(screen, SamplePicker):
        screen.open(sample, is_new=is_new)
    elif isinstance(screen, Choose) and isinstance(stack[-2], SamplePicker):
        # the door asks which, because it is new; this is the answer
        screen.dismiss(name)
    elif isinstance(screen, AtLabel) and screen.sample.name != name:
        enter(app, sample, is_new=is_new)


def choose_sample(app: App[Any], *, current: str = "") -> None:
    """Ask which sample to label, and go to it."""
    host = host_of(app)
    found = _read(host)
    if not found:
        host.show_problem("No sample waits for you. + draws one.")
        return

    def go(name: str | None) -> None:
        if name is not None and name != current:
            enter(app, next(one.sample for one in found if one.sample.name == name), is_new=True)

    rows = sample_rows(found, form_language(os.environ))
    app.push_screen(Choose("What to label", COLUMNS, rows, current=current), go)


def enter(app: App[Any], sample: Sample, *, is_new: bool = False) -> None:
    """The desk of a sample, in the place of another's. `is_new`: from its queue's start, not from
    what was before the rater last."""
    from tui.label.label_screen import desk_of

    def go() -> None:
        screen = desk_of(sample, is_new=is_new)
        if isinstance(app.screen, SamplePicker):
            app.push_screen(screen)
        else:
            app.switch_screen(screen)

    # after a question that asked for it has gone
    app.call_later(go)


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


def _read(host: Host) -> list[SampleChoice]:
    if not host.facts.is_open:
        return []
    return host.read(lambda db: samples_of(db, host.rater)) or []
