"""The choices that describe an export, and the lines of the Export screen that show them."""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

from engine.exporters.layouts import LAYOUTS, RUN_LAYOUTS
from engine.exporters.queries import (
    DatasetExport,
    Export,
    JudgeDataExport,
    PreferencesExport,
    RunsExport,
)
from engine.labelling.forms import load_form
from store.records import ItemState
from tui.language import tr
from tui.widgets.row_source import Cell, Row

NOTE = 31
"""Cells that a note has beside its choice on a terminal of 80 columns."""
KINDS = {
    "judge": tr("labels to train judges on"),
    "preference": tr("preferences as DPO pairs"),
    **{kind: tr(layout.label) for kind, layout in LAYOUTS.items()},
    "run": tr("runs: predictions and scores"),
}
RUN_KINDS = {kind: tr(layout.label) for kind, layout in RUN_LAYOUTS.items()}
SHAPES = {
    "trl": tr("prompt and completion, for TRL"),
    "openai": tr("messages, for chat fine-tuning"),
    "alpaca": tr("LLaMA-Factory, with dataset_info.json"),
    "sharegpt": tr("LLaMA-Factory, with dataset_info.json"),
    "parquet": tr("a table; needs the extra parquet"),
}
PAIR_SHAPES = {
    "trl": tr("prompt, chosen and rejected"),
    "alpaca": SHAPES["alpaca"],
    "sharegpt": SHAPES["sharegpt"],
}
FORMS = {"judge": "judge_labels", "preference": "preference"}
"""The form of the labels that a kind exports."""
RATERS = {
    "1": tr("every label"),
    "2": tr("at least two, or a ruling"),
    "3": tr("at least three, or a ruling"),
}
"""Of how many raters labels are exported."""
REPLIES = {
    "value": tr('{"value": 2}, null for n/a'),
    "omnieval": tr('{"prediction": 2}, -1 for n/a'),
}
CHOICES = {
    "judge": (
        *("kind", "sample", "runs", "metrics", "raters", "shapes", "reply", "rationale", "soft"),
        *("prompts", "split", "anonymous"),
    ),
    "preference": ("kind", "sample", "runs", "field", "raters", "shapes", "split", "anonymous"),
    "run": ("kind", "layout", "runs"),
}
"""The choices of a kind, in their order. Of runs nobody is named."""
OF_ITEMS = ("kind", "dataset", "states", "topics", "tasks", "side", "anonymous")
"""Those of every other kind, which exports items."""
YES_NO = ("anonymous", "rationale", "soft")
"""What Enter switches by itself."""
MANY = ("states", "topics", "tasks", "runs", "metrics", "shapes")
"""Of what several can be chosen."""
TYPED = {
    "prompts": (tr("Other prompts"), tr("[METRIC=]FILE, several with spaces between")),
    "split": (tr("Split"), tr("the one that exports share")),
}
"""What is typed: the title of the question, and the hint in its empty line."""
_UNSAFE = re.compile(r"[^\w.@-]+")


class Choices(NamedTuple):
    """The choices of a person for an export; an empty list stands for everything."""

    kind: str = "judge"
    dataset: str = ""
    """`NAME`, or a release `NAME@V`."""
    states: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    side: str = ""
    """`SPLIT:SIDE`."""
    sample: str = ""
    runs: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    reply: str = "value"
    rationale: bool = False
    soft: bool = False
    anonymous: bool = False
    layout: str = "jsonl"
    """Of runs."""
    field: str = "overall"
    """By which one answer is preferred."""
    raters: str = "1"
    """How many raters a label has at least."""
    prompts: str = ""
    """Files in the place of the prompts, as the command line takes them."""
    split: str = ""
    """What the sides of labels are taken from."""

    @property
    def is_of_items(self) -> bool:
        """Whether a dataset's items are exported."""
        return self.kind in LAYOUTS

    @property
    def export(self) -> Export:
        if self.kind == "run":
            return RunsExport(self.layout, self.runs)
        if self.kind == "preference":
            return PreferencesExport(
                self.sample,
                self.runs,
                self.field,
                self.shapes,
                self.anonymous,
                int(self.raters),
                self.split,
            )
        if self.kind == "judge":
            return JudgeDataExport(
                self.sample,
                self.runs,
                self.metrics,
                self.shapes,
                self.reply,
                self.rationale,
                self.soft,
                self.anonymous,
                int(self.raters),
                tuple(shlex.split(self.prompts)),
                self.split,
            )
        return DatasetExport(
            self.kind,
            self.dataset,
            tuple(map(ItemState, self.states)),
            self.topics,
            self.tasks,
            self.side,
            self.anonymous,
        )

    def command(self, out: str) -> tuple[str, ...]:
        """Returns the words of the command that writes the same into the folder `out`; none for an
        export that is not chosen yet."""
        if self.kind == "run":
            words = (*self.runs, "--as", self.layout) if self.runs else ()
        elif self.is_of_items:
            words = (
                *_option("--dataset", self.dataset),
                *_option("--state", *self.states),
                *_option("--topic", *self.topics),
                *_option("--task", *self.tasks),
                *_option("--split", self.side),
            )
            words = words if self.dataset else ()
        else:
            is_pairs = self.kind == "preference"
            words = (
                *_option("--form", FORMS[self.kind]),
                *_option("--sample", self.sample),
                *_option("--runs", *self.runs),
                *_option("--metrics", *((self.field,) if is_pairs else self.metrics)),
                *_option("--shapes", *self.shapes),
                *_option("--min-raters", self.raters),
                *_option("--split", self.split),
            )
            if not is_pairs:
                words += (
                    *_option("--reply", self.reply),
                    *(("--rationale",) if self.rationale else ()),
                    *(("--soft-labels",) if self.soft else ()),
                    *_option("--prompt-file", *shlex.split(self.prompts)),
                )
        if not words:
            return ()
        kind = "judge" if self.kind == "preference" else self.kind
        anonymous = ("--anonymous",) if self.anonymous and self.kind != "run" else ()
        return ("export", kind, *words, *anonymous, "--out", out)

    @property
    def folder_name(self) -> str:
        """Returns a folder name that describes the contents, without characters special to a
        shell."""
        if self.kind == "judge":
            return _UNSAFE.sub("-", "-".join(["judge", self.sample or "data", *self.metrics]))
        if self.kind == "preference":
            return _UNSAFE.sub("-", f"preference-{self.sample or 'data'}-{self.field}")
        if self.kind == "run":
            several = f"{len(self.runs)}-runs" if self.runs else "runs"
            name = self.runs[0] if len(self.runs) == 1 else several
            return _UNSAFE.sub("-", f"{name}-{self.layout}")
        return _UNSAFE.sub("-", "-".join([self.dataset, self.kind, *self.topics, *self.tasks]))

    @property
    def usual_shapes(self) -> tuple[str, ...]:
        """Returns the shapes that are written by default."""
        known = PAIR_SHAPES if self.kind == "preference" else SHAPES
        return tuple(shape for shape in known if shape != "parquet")

    @property
    def usual_states(self) -> str:
        """Returns the states of items that are exported by default."""
        if "@" in self.dataset:
            return tr("as the release froze them")
        return tr("all") if self.kind == "items" else tr("accepted")


def choice_rows(chosen: Choices) -> list[Row]:
    """Returns a line for every choice that the kind of export has."""
    pairs = tr("both of a pair") if chosen.kind == "preference" and chosen.runs else ""
    because = tr("raters' comments as the reason")
    states = ", ".join(map(tr, chosen.states)) or chosen.usual_states
    lines = {
        "kind": (tr("kind"), chosen.kind, KINDS[chosen.kind]),
        "layout": (tr("layout"), chosen.layout, RUN_KINDS[chosen.layout]),
        "sample": (tr("sample"), chosen.sample or tr("all labels"), ""),
        "runs": (tr("runs"), _many(chosen.runs), pairs),
        "field": (tr("field"), chosen.field, tr("by which one is preferred")),
        "metrics": (tr("metrics"), _many(chosen.metrics), ""),
        "raters": (tr("raters"), chosen.raters, RATERS[chosen.raters]),
        "shapes": (tr("shapes"), ", ".join(chosen.shapes or chosen.usual_shapes), ""),
        "reply": (tr("reply"), chosen.reply, REPLIES[chosen.reply]),
        "rationale": (tr("rationale"), _yes(chosen.rationale), because),
        "soft": (tr("soft labels"), _yes(chosen.soft), tr("the shares of raters by value")),
        "prompts": (tr("prompts"), chosen.prompts or tr("as shipped"), tr("files of your own")),
        "split": (
            tr("split"),
            chosen.split or tr("the shared one"),
            tr("train, validation and test"),
        ),
        "dataset": (tr("dataset"), chosen.dataset or tr("none"), ""),
        "states": (tr("states"), states, ""),
        "topics": (tr("topics"), _many(chosen.topics), ""),
        "tasks": (tr("tasks"), _many(chosen.tasks), ""),
        "side": (tr("split side"), chosen.side or tr("all"), ""),
        "anonymous": (tr("anonymous"), _yes(chosen.anonymous), tr("rater-1 instead of a name")),
    }
    return [
        Row(name, (Cell(label, "muted"), Cell(value, "strong"), Cell(note, "muted")))
        for name in CHOICES.get(chosen.kind, OF_ITEMS)
        for label, value, note in (lines[name],)
    ]


def judged_metrics() -> tuple[str, ...]:
    """Returns the metrics that people label answers on and judges are trained on."""
    return tuple(field.key for field in load_form("judge_labels").fields)


def _option(name: str, *values: str) -> tuple[str, ...]:
    return (name, *values) if any(values) else ()


def _many(chosen: tuple[str, ...]) -> str:
    return ", ".join(chosen) or tr("all")


def _yes(holds: bool) -> str:
    return tr("yes") if holds else tr("no")
