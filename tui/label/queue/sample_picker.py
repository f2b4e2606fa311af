"""The way into Label: to the sample that the rater was at, or to a choice, or what to do first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from store.labels.samples import samples
from store.labels.samples.samples import Sample
from tui.label.keys import ACTIONS
from tui.label.queue.samples import (
    ask_sample,
    drawing_text,
    last_sample,
    others_text,
    read_samples,
    start_at,
)
from tui.language import tr
from tui.live.facts import INSPECTION, Facts
from tui.screens.destinations import AtSample, Destination
from tui.screens.place import PlaceScreen
from tui.shell.actions import bindings
from tui.widgets.line import LOADING
from tui.widgets.sheet import Sheet, paragraphs


class SamplePicker(PlaceScreen):
    """Lies under the screen of a sample, which opens as soon as it is known which."""

    PLACE = "label"
    BINDINGS: ClassVar[list[BindingType]] = [
        binding
        for binding in bindings("label", ACTIONS)
        if binding.id in ("label.sample", "desk.new_sample", "desk.statistics")
    ]

    def __init__(self) -> None:
        super().__init__()
        self.words = Sheet(title="", id="nothing", loading=LOADING)
        self._is_open = False
        """A sample has been sent for: what is learned meanwhile sends for no second one."""

    def compose_body(self) -> Iterator[Widget]:
        yield self.words

    def on_mount(self) -> None:
        self.words.focus()

    def command(self) -> Sequence[str]:
        return ("sample", "list")

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        """Something may have been drawn meanwhile."""
        if before is None:
            self.call_after_refresh(self._look)
        elif self.is_current:
            self._look()

    def _look(self) -> None:
        if self._is_open:
            return
        choices = read_samples(self.host)
        if not choices:
            runs = [fact.run.name for fact in self.host.facts.work if fact.run is not None]
            others = others_text(self.host)
            title = tr("Nothing for you to label") if others else tr("Nothing to label")
            self.words.show(paragraphs(others + drawing_text(runs)), title=title, from_top=False)
            return
        last = last_sample(self.host)
        if last is not None and last.name in {choice.sample.name for choice in choices}:
            self.open(last)
        elif len(choices) == 1:
            self.open(choices[0].sample)
        else:
            self.words.show(paragraphs(tr("S chooses what to label.")), title=tr("Label"))
            self.action_sample()

    def arrive(self, destination: Destination) -> bool:
        if isinstance(destination, AtSample) and (start := start_at(self.host, destination.name)):
            sample, is_new = start
            self.open(sample, is_new=is_new)
        return True

    def open(self, sample: Sample, *, is_new: bool = False) -> None:
        """Goes to a sample; if another is on its way, in its place. `is_new`: from its queue's
        start, not from what was before the rater last."""
        self._is_open = True
        from tui.label.label_screen import LabelScreen

        def go() -> None:
            screen = LabelScreen(sample, is_new=is_new)
            if self.is_current:
                self.app.push_screen(screen)
            else:
                self.app.switch_screen(screen)

        # after a question that asked for it has gone
        self.call_later(go)

    def action_sample(self) -> None:
        ask_sample(self.host, lambda sample: self.open(sample, is_new=True))

    def action_new_sample(self) -> None:
        from tui.statistics.new_sample import open_new_sample

        open_new_sample(self.host, "judge_labels", self._look)

    def action_statistics(self) -> None:
        """The work of others, for who leads and labels nothing: with the form drawn for last."""
        from tui.statistics.screen import StatisticsScreen

        drawn = self.host.read(samples.listing) or []
        forms = [sample.form_key for sample in drawn if sample.form_key != INSPECTION]
        if forms:
            self.app.push_screen(StatisticsScreen(forms[-1]), lambda _: None)
