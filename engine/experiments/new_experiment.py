"""Making an experiment: its arms are read as systems, its items get their sides, and both stay."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

from msgspec import structs

from engine.evaluate.systems import SystemReader, system_table
from engine.experiments.design import BASE, Design, arms
from engine.experiments.scores import metric_query
from engine.experiments.sides import check_sides
from engine.metrics.spec import resolve
from engine.results.derived import DERIVED
from engine.splitting.dataset import split_dataset
from store.datasets import datasets, splits
from store.datasets.datasets import Release
from store.datasets.splits import Split
from store.errors import InputError, NotFound, UsageError
from store.hashing import canonical_json
from store.runs import experiments
from store.runs.experiments import Arm, Experiment
from store.systems import SystemConfig
from store.workspace import Workspace

_LISTS = ("query", "context", "corpus", "reranker", "rerank_depth")
"""Keys that hold lists; several values are written with `>` between them."""
_NEXT_KEY = re.compile(r"\+(?=\w+=)")


def make_experiment(
    workspace: Workspace, name: str, dataset: str, design: Design, split: str = ""
) -> Experiment:
    """Stores an experiment over a release; its table becomes that of the base system as it is now.

    `split` is the name of a split of the dataset with sides train and test, by default the
    dataset's own, in which items that have no side get one. Raises UsageError for a design without
    arms, with impossible figures or unknown metrics, or for an arm that is no system.
    """
    release = datasets.find_release(workspace.db, dataset)
    design, made = checked_arms(workspace.folder, design)
    known = split_of(workspace.db, release, split)
    if known is None:
        known = split_dataset(workspace, release.dataset_name).split
    check_sides(workspace.db, release, known)
    with workspace.write(durable=True) as db:
        return experiments.create(db, name, release.id, known.id, design, made)


def checked_arms(folder: Path, design: Design) -> tuple[Design, list[tuple[str, dict[str, Any]]]]:
    """The design with the settings of the base system as they are now, and the name and levels of
    each arm. Raises what `make_experiment` raises of a design."""
    table = {**system_table(folder, design.base), **design.table}
    design = structs.replace(design, table=table)
    if design.finalists is not None and design.finalists < 1:
        raise UsageError(
            f"The number of finalists is {design.finalists}.", "Use 1 or more.", "--finalists"
        )
    if not design.metrics:
        raise UsageError("The experiment has no metric.", "Name one that chooses.", "--metrics f1")
    for metric in design.metrics:
        asked = metric_query(metric)
        if not (asked.judge and asked.metric) and asked.variant not in DERIVED:
            resolve(asked.metric, asked.variant or "standard")
    return design, _different(SystemReader(folder), design)


def split_of(db: sqlite3.Connection, release: Release, name: str = "") -> Split | None:
    """The split of that name, by default the dataset's own, which may not be there yet."""
    try:
        return splits.get(db, name or release.dataset_name)
    except NotFound:
        if name:
            raise
        return None


def _different(reader: SystemReader, design: Design) -> list[tuple[str, dict[str, Any]]]:
    """The arms of a design, each read as a system, without those that equal an earlier one."""
    made: dict[bytes, tuple[str, dict[str, Any]]] = {}
    for arm, levels in arms(design):
        try:
            system = structs.replace(_read(reader, design, arm, levels), name="")
        except InputError as error:
            if arm == BASE:
                raise
            raise UsageError(error.message, error.remedy, error.command) from error
        made.setdefault(canonical_json(system), (arm, levels))
    if len(made) < 2:
        raise UsageError("All arms equal the base system.", "Name levels that it does not have.")
    return list(made.values())


def arm_system(folder: Path, design: Design, arm: Arm) -> SystemConfig:
    """The system of an arm. Raises InputError where the settings that it rests on have changed so
    that it is none any more."""
    return system_of(folder, design, arm.name, arm.levels)


def system_of(folder: Path, design: Design, arm: str, levels: dict[str, Any]) -> SystemConfig:
    """The same of an arm by its name and levels."""
    return _read(SystemReader(folder), design, arm, levels)


def parse_factor(text: str) -> tuple[str, tuple[dict[str, Any], ...]]:
    """A factor of one key, as `parse_levels` reads it, or of several, as `parse_tied` does."""
    return (parse_tied if _NEXT_KEY.search(text) else parse_levels)(text)


def parse_levels(text: str) -> tuple[str, tuple[dict[str, Any], ...]]:
    """A factor from words, `KEY=VALUE,VALUE`: its name and levels. Numbers are numbers, `none`
    takes the key away, and stages one after the other are written `A>B`, as are their depths.
    Raises UsageError for other words."""
    key, equals, values = text.partition("=")
    if not (key and equals and values):
        raise UsageError(f"The factor {text!r} names no levels.", "Write KEY=VALUE,VALUE.")
    return key, tuple({key: _value(key, value)} for value in values.split(","))


def parse_tied(text: str) -> tuple[str, tuple[dict[str, Any], ...]]:
    """A factor of several keys, `KEY=VALUE+KEY=VALUE,...`, likewise."""
    levels = []
    for level in text.split(","):
        pairs = [pair.partition("=") for pair in _NEXT_KEY.split(level)]
        if not all(key and value for key, _, value in pairs):
            raise UsageError(
                f"The factor {text!r} cannot be read.", "Write KEY=VALUE+KEY=VALUE,..."
            )
        levels.append({key: _value(key, value) for key, _, value in pairs})
    return "+".join(levels[0]), tuple(levels)


def _value(key: str, text: str) -> Any:
    if text == "none":
        return False
    return [_word(word) for word in text.split(">")] if key in _LISTS else _word(text)


def _word(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


def _read(reader: SystemReader, design: Design, arm: str, levels: dict[str, Any]) -> SystemConfig:
    """One arm; equal settings have one name, so that experiments share what they have in common.
    A level of `false` takes a setting away."""
    name = design.base if arm == BASE else f"{design.base}: {arm}"
    table = {**design.table, **levels}
    given = {key: value for key, value in table.items() if value is not False}
    return reader.system(name, given, f"arm {arm!r}")
