"""The draw of a sample, read from the fields of the question for a new sample.

Answers for the form `judge_labels` may be drawn by chances, so that their labels say most of
something; then the fields mean a `NextRequest`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.calibration.calibration_records import Choose
from engine.calibration.label_requests import NextRequest
from engine.labelling.drawing.drawing import SampleRequest
from store.errors import InputError
from store.labels.forms import Form
from store.messages import no_such
from store.records import ItemState
from tui.language import tr

TEXTS = (
    ("name", tr("Name"), tr("of the sample; an existing one is drawn further")),
    ("form", tr("Form"), ""),
    ("of", tr("Of"), ""),
    ("choose", tr("Choose by"), tr("cells; or precision, comparison, agreement")),
    ("metric", tr("Metric"), tr("to balance by, and whose, such as: accuracy rules")),
    ("raters", tr("Raters"), tr("names; none: any rater")),
    ("adjudicators", tr("Adjudicators"), tr("names: who rules on conflicts; none: any third")),
)
"""(field, label, what is to be written in it)."""
NUMBERS = (
    ("per_cell", tr("Per cell"), "5"),
    ("number", tr("Number"), "30"),
    ("within", tr("Within"), "0.05"),
    ("difference", tr("Difference"), "0.1"),
    ("raters_wanted", tr("Raters each"), "1"),
    ("repeats", tr("Repeats"), "0"),
    ("seed", tr("Seed"), "0"),
    ("aids", tr("Aids"), "no"),
)
"""(field, label, what is written in it to begin with). `number` is of answers, or of questions of a
comparison; `within` half of the interval's width that is precise enough, `difference` what is to be
found. `aids` is yes or no: whether raters see, before they label an answer, how it compares with
the golden one."""

JUDGED = "judge_labels"
CELLS = "cells"
CHOICES: tuple[Choose, ...] = ("precision", "comparison", "agreement")


def shown(form: Form, choose: str) -> set[str]:
    """The fields that matter for this form and choice: items have states, answers have scores."""
    always = {"name", "form", "of", "raters", "adjudicators", "raters_wanted", "seed"}
    if form.subject_kind == "revision":
        return always | {"states", "per_cell", "repeats"}
    if form.key != JUDGED or choose in ("", CELLS):
        scored = {"metric"} if form.subject_kind == "prediction" else set()
        chosen = {"choose"} if form.key == JUDGED else set()
        return always | scored | chosen | {"per_cell", "repeats", "aids"}
    asked = "difference" if choose == "comparison" else "within"
    return always | {"choose", "metric", "number", asked}


def usual_states(counts: Mapping[str, int]) -> tuple[str, ...]:
    """The states to draw items from, by the number of items in each: drafts wait for people; where
    they were inspected already, whatever was not discarded."""
    if counts.get(ItemState.DRAFTED) or not counts:
        return (ItemState.DRAFTED,)
    return tuple(state for state in counts if state != ItemState.DISCARDED) or tuple(counts)


def read_next(forms: Mapping[str, Form], texts: Mapping[str, str]) -> NextRequest | None:
    """Returns the draw by chances that the texts of the fields describe, None where they describe
    another; raises RagdeskError if they cannot be read."""
    choose = texts["choose"]
    if choose in ("", CELLS) or "choose" not in shown(_form(forms, texts), choose):
        return None
    if choose not in CHOICES:
        raise InputError(
            tr("Choose by is {choose!r}.", choose=choose),
            tr("Type {join}.", join=", ".join((CELLS, *CHOICES))),
        )
    metric, _, judge = texts["metric"].partition(" ")
    if not judge.strip():
        raise InputError(tr("Whose metric is not said."), tr("Type both, such as: accuracy rules."))
    return NextRequest(
        name=texts["name"],
        choose=choose,
        runs=_sources(texts),
        metric=metric,
        judge=judge.strip(),
        number=_number(texts, "number"),
        seed=_number(texts, "seed"),
        within=None if choose == "comparison" else _part(texts, "within"),
        raters_wanted=_number(texts, "raters_wanted"),
        raters=_people(texts["raters"]),
        adjudicators=_people(texts["adjudicators"]),
    )


def read_asked(texts: Mapping[str, str]) -> float | None:
    """Returns how precise a mean, or how small a difference, the labels are to show; None where
    nothing can be planned by it."""
    return {
        "precision": lambda: _part(texts, "within"),
        "comparison": lambda: _part(texts, "difference"),
    }.get(texts["choose"], lambda: None)()


def read_request(
    forms: Mapping[str, Form], texts: Mapping[str, str], states: Iterable[str] = ()
) -> SampleRequest:
    """Returns the draw that the texts of the fields describe, of items in these states, with one of
    the `forms`; raises RagdeskError if they cannot be read."""
    form = _form(forms, texts)
    is_items, is_scored = form.subject_kind == "revision", form.subject_kind == "prediction"
    sources = _sources(texts)
    metric, _, judge = texts["metric"].partition(" ")
    return SampleRequest(
        name=texts["name"],
        form=form.key,
        per_cell=_number(texts, "per_cell"),
        dataset=", ".join(sources) if is_items else "",
        states=tuple(map(ItemState, states)) if is_items else (ItemState.DRAFTED,),
        runs=() if is_items else sources,
        metric=metric if is_scored else "",
        judge=judge.strip() if is_scored else "",
        raters_wanted=_number(texts, "raters_wanted"),
        repeat_share=_share(texts["repeats"]),
        seed=_number(texts, "seed"),
        raters=_people(texts["raters"]),
        adjudicators=_people(texts["adjudicators"]),
        aids=not is_items and _yes(texts["aids"]),
    )


def _form(forms: Mapping[str, Form], texts: Mapping[str, str]) -> Form:
    if texts["form"] not in forms:
        raise no_such("form", texts["form"], forms, tr("Forms"))
    return forms[texts["form"]]


def _sources(texts: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(filter(None, (one.strip() for one in texts["of"].split(","))))


def _people(text: str) -> tuple[str, ...] | None:
    return tuple(text.replace(",", " ").split()) or None


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise InputError(tr("Aids are {text!r}.", text=text), tr("Type yes or no."))
    return text == "yes"


def _number(texts: Mapping[str, str], field: str) -> int:
    text = texts[field]
    if not text.lstrip("-").isdecimal():
        label = next(label for name, label, _ in NUMBERS if name == field)
        raise InputError(
            tr("{label} is {text!r}.", label=label, text=text), tr("Use a whole number.")
        )
    return int(text)


def _part(texts: Mapping[str, str], field: str) -> float | None:
    """A number above 0 and below 1, or none."""
    if not texts[field]:
        return None
    try:
        number = float(texts[field])
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        label = next(label for name, label, _ in NUMBERS if name == field)
        raise InputError(
            tr("{label} is {texts!r}.", label=label, texts=texts[field]),
            tr("Use a number above 0 and below 1."),
        )
    return number


def _share(text: str) -> float:
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise InputError(
            tr("Repeats are {text!r}.", text=text), tr("Use a share, such as 0.1 or 10%.")
        ) from None
