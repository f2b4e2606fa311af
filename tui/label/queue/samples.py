"""The samples that a rater may label: how far each is, asking for one, how to draw another."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from store.labels.log import authoring
from store.labels.log.authoring import RoundProgress
from store.labels.samples import queue, quotas, samples
from store.labels.samples.samples import Sample
from store.messages import plural
from store.sharing.modes import is_shared
from tui.label.messages import own_text
from tui.language import later, local_name, tr
from tui.live.facts import INSPECTION
from tui.screens.choose import Choose
from tui.screens.host import Host
from tui.screens.label_forms import read_form
from tui.widgets.row_source import Cell, Column, Row

COLUMNS = (Column(minimum=16), Column(minimum=10, drop=1), Column("", 16, "right"))


class SampleChoice(NamedTuple):
    sample: Sample
    done: int
    """Subjects that this rater is done with."""
    waiting: int
    """Those that the queue still gives them, as Home counts them."""


def samples_of(db: sqlite3.Connection, rater: str) -> list[SampleChoice]:
    """Samples that this rater may label, newest first; those that give nothing come last."""
    drawn = [sample for sample in samples.listing(db) if sample.form_key != INSPECTION]
    counts = {
        one.sample: one
        for form in {sample.form_key for sample in drawn}
        for one in queue.by_sample(db, form, rater)
    }
    choices = [
        SampleChoice(sample, counts[sample.name].done, counts[sample.name].waiting)
        for sample in reversed(drawn)
        if sample.name in counts
    ]
    return sorted(choices, key=lambda choice: not choice.waiting)


def read_samples(host: Host) -> list[SampleChoice]:
    """The samples that the app's rater may label; none where there is no workspace yet."""
    if not host.facts.is_open:
        return []
    return host.read(lambda db: samples_of(db, host.rater)) or []


def last_sample(host: Host) -> Sample | None:
    """The sample that the app's rater was at last, Inspect's apart."""
    return host.read(lambda db: samples.last_of(db, host.rater, other_than=INSPECTION))


def start_at(host: Host, name: str) -> tuple[Sample, bool] | None:
    """The sample of this name, and whether to begin at its queue's start, as where the rater was
    at another one last; None where it is not for the rater."""
    sample = next((one.sample for one in read_samples(host) if one.sample.name == name), None)
    if sample is None:
        return None
    last = last_sample(host)
    return sample, last is None or last.name != name


def ask_sample(host: Host, choose: Callable[[Sample], None], *, current: str = "") -> None:
    """Asks which sample to label; `choose` gets one other than the `current`."""
    choices = {one.sample.name: one for one in read_samples(host)}
    if not choices:
        host.show_problem("No sample waits for you. + draws one.")
        return

    def go(name: str | None) -> None:
        if name is not None and name != current:
            choose(choices[name].sample)

    rows = _sample_rows(host, list(choices.values()))
    host.push_screen(Choose(tr("What to label"), COLUMNS, rows, current=current), go)


def _sample_rows(host: Host, choices: Sequence[SampleChoice]) -> list[Row]:
    rows = []
    for sample, done, waiting in choices:
        form = read_form(host, sample.form_key)
        amount = own_text(done, done + waiting) or tr("none for you")
        cells = (Cell(sample.name, "strong"), Cell(local_name(form)), Cell(amount, "muted"))
        rows.append(Row(sample.name, cells))
    return rows


def others_text(host: Host, form: str | None = None) -> str:
    """For whom the open samples are that do not name this rater, of a form or of all but Inspect's;
    empty where there are none."""
    if not host.facts.is_open:
        return ""
    drawn = host.read(lambda db: samples.listing(db, form)) or []
    of_others = [
        tr("Sample {name} is for {raters}.", name=sample.name, raters=", ".join(sample.raters))
        for sample in drawn
        if sample.raters and host.rater not in sample.raters
        if form is not None or sample.form_key != INSPECTION
    ]
    if not of_others:
        return ""
    text = (
        later("{of_others} You are {rater}; an operator says who rates.\n\n")
        if is_shared(host.folder)
        else later("{of_others} You are {rater}; ctrl+p, then change rater.\n\n")
    )
    return tr(text, of_others=" ".join(of_others), rater=host.rater)


def full_text(host: Host, form: str, sample: str | None = None) -> str:
    """Says which quotas of this rater are full, in the samples of a form or in one, and who gives
    more, with a space behind; empty where none is."""
    if not host.facts.is_open:
        return ""
    full = host.read(lambda db: quotas.full(db, host.folder, host.rater, form)) or []
    return "".join(f"{one.text} " for one in full if sample in (None, one.sample))


def round_text(host: Host, sample: Sample) -> str:
    """How far the round of authoring is that a sample is a step of."""

    def read(db: sqlite3.Connection) -> RoundProgress:
        return authoring.progress(db, [subject for subject, _ in samples.subjects(db, sample)])

    found = host.read(read)
    if found is None:
        return ""
    return tr(
        "Of {items} {to_write} wait for a question, {to_answer} for an answer and "
        "{to_vet} for the lead; {accepted} are accepted, {discarded} discarded.",
        items=plural(found.items, "item"),
        to_write=found.to_write,
        to_answer=found.to_answer,
        to_vet=found.to_vet,
        accepted=found.accepted,
        discarded=found.discarded,
    )


def drawing_text(runs: Sequence[str]) -> str:
    """How the queue is filled."""
    first = "" if runs else tr("Evaluate a system first: F5 Runs, then +.\n\n")
    return tr(
        "{first}+ draws a sample of answers. It can even out scores, or choose the "
        "answers whose labels say most, for one rater or several; the form "
        "preference takes pairs of two runs. What is drawn shows here by itself.",
        first=first,
    )
