"""An item as the fields of a form, and back: pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase
from typing import NamedTuple

import msgspec

from engine.corpus.evidence_facets import value_name
from engine.labelling.items.corrections import SAID, Flaw
from store.records import Evidence, Facet, ItemContent, Taxonomy, Turn
from tui.language import language, local_name, read, tr
from tui.widgets.field_lines import Field

Title = Callable[[str], str]
"""A document's title, by its id; empty for one that is gone."""


class Spot(NamedTuple):
    """What a field stands for. `at` numbers answers, evidence and hidden documents from 0; -1 for
    one that is not there yet."""

    part: str
    turn: int = 0
    at: int = 0
    held: Turn | Evidence | str | None = None
    """The turn that a question came with, the evidence of a row, the key of a topic or task, a
    facet's value, the id of a hidden document."""


def spot_of(field: Field) -> Spot:
    assert isinstance(field.value, Spot)
    return field.value


def fields_of(
    content: ItemContent,
    reason: str,
    taxonomy: Taxonomy,
    title: Title,
    answers: Sequence[str] = (),
) -> tuple[Field, ...]:
    """The form: each turn's question, answers and evidence; what systems answered, to be read; then
    topic, task, hidden documents, reason, and the facets that a person may correct."""
    fields: list[Field] = []
    for number, turn in enumerate(content.turns):
        fields += _turn_fields(turn, number, len(content.turns), title)
    fields += [
        Field(f"system.{letter}", f"{tr('system')} {letter}", text, False, value=Spot("system"))
        for letter, text in zip(ascii_uppercase, answers, strict=False)
    ]
    fields += [
        Field(
            part,
            label,
            _choice_text(part, content, taxonomy),
            False,
            value=Spot(part, held=getattr(content, part)),
            is_apart=part == "topic",
        )
        for part, label in (("topic", tr("topic")), ("task", tr("task")))
    ]
    fields += _hidden_fields(content.hidden, title)
    fields.append(Field("reason", tr("reason"), reason, value=Spot("reason")))
    for name in SAID:
        said = str(content.facets.get(name, ""))
        text = value_name(name, said, language()) if said else ""
        fields.append(
            Field(name, tr(name), text, False, tr("as the evidence says"), Spot(name, held=said))
        )
    return tuple(fields)


def _turn_fields(turn: Turn, number: int, turns: int, title: Title) -> list[Field]:
    fields = [
        Field(
            f"{number}.question",
            _numbered(tr("question"), number, turns),
            turn.question,
            note=tr("type the question"),
            value=Spot("question", number, held=turn),
            is_apart=True,
        )
    ]
    answers = turn.golden_answers or ("",)
    for at, form in enumerate(answers):
        fields.append(
            Field(
                f"{number}.answer.{at}",
                _numbered(tr("answer"), at, len(answers)),
                form,
                note=tr("type the golden answer"),
                value=Spot("answer", number, at),
            )
        )
    for at, evidence in enumerate(turn.evidence):
        fields.append(
            Field(
                f"{number}.evidence.{at}",
                _numbered(tr("evidence"), at, len(turn.evidence)),
                _evidence_text(evidence, title),
                False,
                value=Spot("evidence", number, at, evidence),
            )
        )
    if not turn.evidence:
        note, spot = tr("none; Enter marks a passage"), Spot("evidence", number, -1)
        fields.append(Field(f"{number}.evidence", tr("evidence"), "", False, note, spot))
    return fields


def _hidden_fields(hidden: Sequence[str], title: Title) -> list[Field]:
    if not hidden:
        note = tr("none; Enter chooses a document that systems must not see")
        return [Field("hidden.0", tr("hidden"), "", False, note, Spot("hidden", at=-1))]
    return [
        Field(
            f"hidden.{at}",
            _numbered(tr("hidden"), at, len(hidden)),
            title(document) or tr("a document that is no longer there"),
            False,
            value=Spot("hidden", at=at, held=document),
        )
        for at, document in enumerate(hidden)
    ]


def _numbered(label: str, at: int, of: int) -> str:
    return f"{label} {at + 1}" if of > 1 else label


def _evidence_text(evidence: Evidence, title: Title) -> str:
    name = title(evidence.document_id) or tr("a document that is no longer there")
    quote = " ".join((evidence.quote or tr("the whole document")).split())
    return f"{quote}  [{name}]"


def _choice_text(part: str, content: ItemContent, taxonomy: Taxonomy) -> str:
    """The name of the item's `topic` or `task`; its key where the taxonomy has no such one."""
    key, known = getattr(content, part), getattr(taxonomy, f"{part}s")
    return next((local_name(one) for one in known if one.key == key), key)


def content_of(fields: Sequence[Field], before: ItemContent) -> ItemContent:
    """What the fields say, as typed; what has no field is as in `before`."""
    turns: list[Turn] = []
    chosen: dict[str, str] = {}
    facets = dict(before.facets)
    hidden: list[str] = []
    for field in fields:
        spot = spot_of(field)
        if spot.part == "question":
            held = spot.held if isinstance(spot.held, Turn) else Turn("")
            turns.append(
                msgspec.structs.replace(held, question=field.text, golden_answers=(), evidence=())
            )
        elif spot.part == "answer":
            answers = (*turns[-1].golden_answers, field.text)
            turns[-1] = msgspec.structs.replace(turns[-1], golden_answers=answers)
        elif isinstance(spot.held, Evidence):
            evidence = (*turns[-1].evidence, spot.held)
            turns[-1] = msgspec.structs.replace(turns[-1], evidence=evidence)
        elif spot.part == "hidden" and isinstance(spot.held, str):
            hidden.append(spot.held)
        elif spot.part in SAID and isinstance(spot.held, str):
            facets = with_said(facets, spot.part, spot.held)
        elif isinstance(spot.held, str):
            chosen[spot.part] = spot.held
    return msgspec.structs.replace(
        before, turns=tuple(turns), hidden=tuple(hidden), facets=facets, **chosen
    )


def with_said(facets: Mapping[str, Facet], name: str, value: str) -> dict[str, Facet]:
    """The facets with a value of the one called so; empty for what the evidence says."""
    said: dict[str, Facet] = {name: value} if value else {}
    return {**{key: held for key, held in facets.items() if key != name}, **said}


def reason_of(fields: Sequence[Field]) -> str:
    return next((field.text for field in fields if spot_of(field).part == "reason"), "")


def index_of(fields: Sequence[Field], key: str) -> int:
    """Where a field is; 0 when there is none of that key."""
    return next((at for at, field in enumerate(fields) if field.key == key), 0)


def flaw_text(flaw: Flaw) -> str:
    """The flaw in the interface's language."""
    return flaw.zh if flaw.zh and language() == "zh" else read(flaw.text)


def key_of(flaw: Flaw) -> str:
    """The field at which a flaw is shown."""
    match flaw.part:
        case "question" | "turns":
            return f"{flaw.turn}.question"
        case "answer" | "evidence":
            return f"{flaw.turn}.{flaw.part}.{flaw.at}"
        case "hidden":
            return f"hidden.{flaw.at}"
        case _:
            return flaw.part
