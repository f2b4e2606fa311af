"""The stages that an item was made in, in words for a person."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.datasets import generation_steps
from store.datasets.generation_steps import Step

_BEGINNING = 40


class MadeStage(Struct, frozen=True):
    """What one stage gave."""

    name: str
    lines: tuple[str, ...]
    problem: str = ""
    """Why its reply could not be used; it was asked for again."""


def made_in(db: sqlite3.Connection, corpus: Corpus, item_id: int) -> tuple[MadeStage, ...]:
    """The stages of an item in the order in which they were passed; none where it was written at
    once, imported or written by a person."""
    steps = generation_steps.of_item(db, item_id)
    ids = {
        report["document_id"]
        for step in steps
        if isinstance(step.value, dict)
        for report in step.value.get("reports", ())
    }
    names = {
        name: document.title or f"{document.text[:_BEGINNING].strip()}..."
        for name, document in corpora.documents_by_id(db, corpus, ids).items()
    }
    return tuple(_stage(step, names) for step in steps)


def _stage(step: Step, names: Mapping[str, str]) -> MadeStage:
    return MadeStage(step.stage, tuple(_lines(step.value, names)), step.reason)


def _lines(value: Any, names: Mapping[str, str]) -> Iterator[str]:
    if isinstance(value, list):
        yield from (f"- {_flat(member, names)}" for member in value)
    elif isinstance(value, dict):
        for key, member in value.items():
            if isinstance(member, list) and any(isinstance(one, dict) for one in member):
                yield f"{key}:"
                yield from _lines(member, names)
            else:
                yield f"{key}: {_flat(member, names)}"


def _flat(value: Any, names: Mapping[str, str]) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_flat(member, names)}" for key, member in value.items())
    if isinstance(value, list):
        return " / ".join(_flat(member, names) for member in value)
    return names.get(value, value) if isinstance(value, str) else str(value)
