"""Which items are listed: the question for it, and what was chosen, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from textual.widgets import Input

from engine.labelling.items.item_lists import ItemRequest
from store.datasets.item_lists import ItemFilter
from store.records import ItemState
from tui.language import tr
from tui.screens.form import Form, Line, Values

LISTS = ("states", "topics", "tasks", "verdicts", "authors")
"""The lines that take several words."""


class FilterForm(Form):
    """A line for each thing that can hold of an item; below stand the words that a line takes."""

    def __init__(self, wanted: ItemRequest, known: Mapping[str, Sequence[str]]) -> None:
        """`known` has the words of lines that take certain ones, by key."""
        given = dict(chosen(wanted))
        lines = (
            ("text", tr("Text"), tr("in a question or a golden answer")),
            ("states", tr("States"), tr("any")),
            ("topics", tr("Topics"), tr("any")),
            ("tasks", tr("Tasks"), tr("any")),
            ("verdicts", tr("Verdicts"), tr("of automatic inspection: any of 2 1 0")),
            ("authors", tr("Authors"), tr("anyone")),
            ("document", tr("Document"), tr("title, path or name, or a part of it")),
            ("run", tr("Scores of run"), tr("none")),
            ("metric", tr("Metric"), tr("of the run")),
            ("judge", tr("Judge"), tr("where several scored it")),
            ("low", tr("Score at least"), tr("no limit")),
            ("high", tr("Score at most"), tr("no limit")),
            ("duplicates", tr("Near-duplicates"), tr("nothing, or groups, or later")),
        )
        super().__init__(
            tr("Which items"),
            [
                Line(key, label, given.get(key, ""), hint, known.get(key, ()))
                for key, label, hint in lines
            ],
            tr("List them"),
            trouble=self._trouble,
        )
        self._known = known

    def changed(self) -> None:
        super().changed()
        key = next((key for key, line in self.lines.items() if line is self.focused), "")
        known = ", ".join(self._known.get(key, ()))
        self.say(tr("One of: {known}", known=known) if known else "")

    def on_descendant_focus(self) -> None:
        if isinstance(self.focused, Input):
            self.changed()

    def _trouble(self, values: Values) -> str:
        for key in ("low", "high"):
            if values[key] and _number(values[key]) is None:
                return tr(
                    "{label}: {value!r} is no number.",
                    label=self.parts[key].label,
                    value=values[key],
                )
        for key in ("states", "verdicts", "duplicates"):
            for word in _words(values[key]):
                if word not in self._known[key]:
                    return tr(
                        "{label}: {known}; not {word!r}.",
                        label=self.parts[key].label,
                        known=", ".join(self._known[key]),
                        word=word,
                    )
        return ""


def request_of(dataset: str, values: Values) -> ItemRequest:
    """What the question was answered with."""
    wanted = ItemFilter(
        text=values["text"],
        states=tuple(ItemState(word) for word in _words(values["states"])),
        topics=_words(values["topics"]),
        tasks=_words(values["tasks"]),
        authors=_words(values["authors"]),
        document=values["document"],
        verdicts=tuple(int(word) for word in _words(values["verdicts"])),
    )
    return ItemRequest(
        dataset,
        wanted,
        run=values["run"],
        metric=values["metric"],
        judge=values["judge"],
        low=_number(values["low"]),
        high=_number(values["high"]),
        duplicates=values["duplicates"],  # type: ignore[arg-type]  # checked by the question
    )


def chosen(wanted: ItemRequest) -> Iterator[tuple[str, str]]:
    """What is asked of the items, each by its name; nothing for what may be anything."""
    held = wanted.filter
    for key, value in (
        ("text", held.text),
        ("states", " ".join(held.states)),
        ("topics", " ".join(held.topics)),
        ("tasks", " ".join(held.tasks)),
        ("verdicts", " ".join(map(str, held.verdicts))),
        ("authors", " ".join(held.authors)),
        ("document", held.document),
        ("run", wanted.run),
        ("metric", wanted.metric),
        ("judge", wanted.judge),
        ("low", "" if wanted.low is None else f"{wanted.low:g}"),
        ("high", "" if wanted.high is None else f"{wanted.high:g}"),
        ("duplicates", wanted.duplicates),
    ):
        if value:
            yield key, value


def command_words(wanted: ItemRequest) -> Iterator[str]:
    """The words of the command that lists the same items."""
    yield from ("items", "list", "--dataset", wanted.dataset)
    for key, value in chosen(wanted):
        yield f"--{key}"
        yield from _words(value) if key in LISTS else (value,)


def _words(text: str) -> tuple[str, ...]:
    return tuple(filter(None, re.split(r"[\s,]+", text)))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
