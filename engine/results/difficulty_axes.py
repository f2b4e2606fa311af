"""The axes of a run by difficulty: levels of what was measured, and counts of what items hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping

from engine.difficulty.formulas import difficulty, program_length
from engine.difficulty.levels import levels
from store.datasets import datasets, difficulties
from store.datasets.difficulties import Measure, TurnDifficulty
from store.records import UNASSIGNED, ItemContent, split_turn_facet
from store.runs import predictions
from store.runs.predictions import PredictionKey
from store.runs.runs import Run

PROGRAM = "program"
"""The facet that holds the program of each turn."""

Figures = Mapping[tuple[int, int], float | None]
"""A figure of every turn of a run's items, by revision and turn; null where it has none."""

MEASURED: dict[str, Callable[[TurnDifficulty], float | None]] = {
    "difficulty": lambda one: None if one.rd is None else difficulty(one.rd, one.gd or 0.0),
    "rd": lambda one: one.rd,
    "gd": lambda one: one.gd,
    "distance": lambda one: one.distance,
}
"""Axes by an embedding; `NAME@EMBEDDING` is that of another embedding than the newest measured."""
COUNTED: dict[str, Callable[[ItemContent, int], float | None]] = {
    "turn": lambda content, turn: turn + 1,
    "evidence_count": lambda content, turn: len(content.turns[turn].evidence),
    "program_length": lambda content, turn: (
        program_length(split_turn_facet(content.facets[PROGRAM], len(content.turns))[turn])
        if PROGRAM in content.facets
        else None
    ),
}
"""Axes by what an item holds."""


def names(db: sqlite3.Connection, run: Run) -> list[str]:
    """The axes that tell turns of a run apart: those that have more than one key."""
    keys: dict[str, set[float | None]] = {name: set() for name in COUNTED}
    for _, turn, content in predictions.asked_turns(db, run.id):
        for name, count in COUNTED.items():
            keys[name].add(count(content, turn))
    counted = [name for name, found in keys.items() if len(found) > 1]
    return [*measured_names(db, run), *counted]


def measured_names(db: sqlite3.Connection, run: Run) -> list[str]:
    """The axes by what was measured."""
    measures = _measures(db, run)
    several = measures if len(measures) > 1 else ()
    named = [f"{name}@{one.embedding}" for one in several for name in MEASURED]
    return [*(MEASURED if measures else ()), *named]


def values(db: sqlite3.Connection, run: Run, name: str) -> dict[PredictionKey, str]:
    """The key of every prediction of a run on an axis; `unassigned` where a turn has no figure."""
    turns = figures(db, run, name)
    have = {key: figure for key, figure in turns.items() if figure is not None}
    if name in COUNTED:
        keys = {key: f"{figure:g}" for key, figure in have.items()}
    else:
        keys = dict(zip(have, levels(list(have.values())), strict=True))
    return {key: keys.get(key[:2], UNASSIGNED) for key in predictions.by_key(db, run.id)}


def figures(db: sqlite3.Connection, run: Run, name: str) -> Figures:
    """The figure behind an axis of every turn of a run's items."""
    turns = predictions.asked_turns(db, run.id)
    if name in COUNTED:
        return {(revision, turn): COUNTED[name](item, turn) for revision, turn, item in turns}
    base, _, embedding = name.partition("@")
    chosen = next(one for one in _measures(db, run) if embedding in ("", one.embedding))
    measured = difficulties.of_measure(db, chosen.id)
    value = MEASURED[base]
    keys = ((revision, turn) for revision, turn, _ in turns)
    return {key: value(measured[key]) if key in measured else None for key in keys}


def _measures(db: sqlite3.Connection, run: Run) -> list[Measure]:
    return difficulties.measures(db, datasets.of_release(db, run.release_id).id)
