"""The question that mixes attention or training questions into a sample."""

from __future__ import annotations

from typing import cast

from engine.labelling.drawing.known import GoldRequest, Mixed, MixRequest, choose_gold, mix
from store.labels.log.authoring import is_authoring
from store.labels.samples import samples
from store.labels.samples.known import Purpose
from store.labels.samples.samples import Sample
from store.messages import plural
from store.workspace import Workspace
from tui.language import tr
from tui.screens.form import Form, Line, Pick, Values
from tui.screens.host import Host
from tui.screens.place import PlaceScreen

PURPOSES = (
    ("attention", tr("the rater never learns of them")),
    ("training", tr("the rater is told answer and reason afterwards")),
)
NOTE = tr(
    "New questions are drawn of subjects whose answers are settled: by rulings, "
    "or by the imported labels of the rater named. They are never labels of "
    "their subjects."
)


def ask_known(screen: PlaceScreen) -> None:
    """Asks for sample, kind, rate and source, then chooses what is new and mixes it in."""
    host = screen.host
    if not host.facts.is_open:
        host.show_problem("There is no workspace yet. F2, then + reads files into one.")
        return
    held = host.read(lambda db: [one for one in samples.listing(db) if _may_hold(one)]) or []
    if not held:
        host.advise("No sample is open: + at a desk draws one.")
        return

    def decided(values: Values) -> None:
        form = next(one.form_key for one in held if one.name == values["sample"])
        _mix(host, form, values)

    host.question(
        Form(
            tr("Mix known questions into a sample"),
            [
                Pick("sample", tr("Sample"), [(one.name, one.form_key) for one in held]),
                Pick("purpose", tr("As"), PURPOSES),
                Line("rate", tr("Rate"), "0.1", tr("known questions to a subject")),
                Line("number", tr("New questions"), "0", tr("0: those that there are")),
                Line("gold", tr("Answers from"), "adjudicated", tr("adjudicated, or a rater")),
                Line("reason", tr("Reason"), "", tr("told; else what the ruling says")),
                Line("seed", tr("Seed"), "0"),
            ],
            tr("Mix them in"),
            note=NOTE,
            trouble=_trouble,
        ),
        decided,
    )


def _may_hold(sample: Sample) -> bool:
    return not is_authoring(sample.form_key)


def _trouble(values: Values) -> str:
    try:
        rate = float(values["rate"])
    except ValueError:
        rate = 0.0
    if not 0 < rate <= 1:
        return tr("The rate is above 0 and at most 1, such as 0.1.")
    for key in ("number", "seed"):
        if not values[key].isdecimal():
            return tr("New questions and the seed are whole numbers, such as 0.")
    return "" if values["gold"] else tr("Say whose answers are right.")


def _mix(host: Host, form: str, values: Values) -> None:
    purpose, seed = cast(Purpose, values["purpose"]), int(values["seed"])
    number = int(values["number"])
    gold = GoldRequest(form, purpose, values["gold"], (), number, seed, values["reason"])
    request = MixRequest(values["sample"], float(values["rate"]), seed, purpose)
    rater = host.rater

    def work(workspace: Workspace) -> Mixed:
        if number:
            choose_gold(workspace, gold, rater)
        return mix(workspace, request, rater)

    host.in_thread(tr("mixing in"), work, lambda mixed: _say(host, mixed))


def _say(host: Host, mixed: Mixed) -> None:
    lacking = (
        tr(" The rate asks for {lacking:,} more.", lacking=mixed.lacking) if mixed.lacking else ""
    )
    host.advise(
        "Sample {sample}: {added} mixed in, {questions} to {subjects}.{lacking}",
        sample=mixed.sample,
        added=mixed.added,
        questions=plural(mixed.questions, "known question"),
        subjects=plural(mixed.subjects, "subject"),
        lacking=lacking,
    )
