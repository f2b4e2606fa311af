"""The draw of a sample, read from the fields of the question for a new sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.labelling.drawing import SampleRequest
from engine.labelling.forms import load_form
from store.errors import InputError
from store.records import ItemState

TEXTS = (
    ("name", "Name", "of the sample; an existing one is drawn further"),
    ("form", "Form", ""),
    ("of", "Of", ""),
    ("metric", "Balance by", "a metric, then whose, such as: accuracy rules"),
    ("raters", "Raters", "names; none: any rater"),
    ("adjudicators", "Adjudicators", "names of who rules on conflicts; none: any third person"),
)
"""(field, label, what is to be written in it)."""
NUMBERS = (
    ("per_cell", "Per cell", "5"),
    ("raters_wanted", "Raters each", "1"),
    ("repeats", "Repeats", "0"),
    ("seed", "Seed", "0"),
    ("aids", "Aids", "no"),
)
"""(field, label, what is written in it to begin with). `aids` is yes or no: whether raters see,
before they label an answer, how it compares with the golden one."""


def usual_states(counts: Mapping[str, int]) -> tuple[str, ...]:
    """The states to draw items from, by the number of items in each: drafts wait for people; where
    they were inspected already, whatever was not discarded."""
    if counts.get(ItemState.DRAFTED) or not counts:
        return (ItemState.DRAFTED,)
    return tuple(state for state in counts if state != ItemState.DISCARDED) or tuple(counts)


def read_request(texts: Mapping[str, str], states: Iterable[str] = ()) -> SampleRequest:
    """Returns the draw that the texts of the fields describe, of items in these states; raises
    RagdeskError if they cannot be read."""
    form = load_form(texts["form"])
    is_items, is_scored = form.subject_kind == "revision", form.subject_kind == "prediction"
    sources = tuple(filter(None, (one.strip() for one in texts["of"].split(","))))
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


def _people(text: str) -> tuple[str, ...] | None:
    return tuple(text.replace(",", " ").split()) or None


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise InputError(f"Aids are {text!r}.", "Type yes or no.")
    return text == "yes"


def _number(texts: Mapping[str, str], field: str) -> int:
    text = texts[field]
    if not text.lstrip("-").isdecimal():
        label = next(label for name, label, _ in NUMBERS if name == field)
        raise InputError(f"{label} is {text!r}.", "Use a whole number.")
    return int(text)


def _share(text: str) -> float:
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise InputError(f"Repeats are {text!r}.", "Use a share, such as 0.1 or 10%.") from None
