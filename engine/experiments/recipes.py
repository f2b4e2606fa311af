"""Recipes: the experiments of papers, with their figures, as files beside this module."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.evaluate.systems import system_table
from engine.experiments.design import Design, Factor, How, label
from engine.models.settings import providers
from engine.retrieve.settings import neural_settings
from engine.retrieve.stages import QUERY_STAGES


class PaperRow(Struct, frozen=True):
    levels: dict[str, Any]
    figures: tuple[str, ...]

    @property
    def name(self) -> str:
        return label(self.levels) or "base"


class Paper(Struct, frozen=True):
    """What the paper's own table says."""

    headings: tuple[str, ...]
    unit: str
    rows: tuple[PaperRow, ...]
    advice: tuple[str, ...] = ()
    """What it recommends, with what contradicts that in it."""


class Recipe(Struct, frozen=True):
    title: str
    base: str
    how: How
    metrics: tuple[str, ...]
    table: dict[str, Any]
    factors: tuple[Factor, ...]
    paper: Paper
    note: str = ""


def read_recipe(name: str) -> Recipe:
    """The recipe of that name."""
    file = resources.files(__package__).joinpath("recipe_files", f"{name}.toml")
    return msgspec.toml.decode(file.read_bytes(), type=Recipe)


def recipe_design(folder: Path, name: str, base: str | None = None) -> Design:
    """The design of a recipe in a workspace: over the embeddings, rerankers and models that it has,
    and without the arms that need what it lacks."""
    recipe = read_recipe(name)
    chosen = base or recipe.base
    written = {**system_table(folder, chosen), **recipe.table}
    have_model = providers(folder).get(str(written.get("generator", "")))
    has_model = have_model is not None and have_model.kind != "offline"
    factors = tuple(
        Factor(
            factor.name,
            tuple(
                level
                for written_level in factor.levels
                for level in _expanded(folder, written_level)
                if has_model or not _asks_model(level)
            ),
        )
        for factor in recipe.factors
    )
    return Design(chosen, recipe.table, factors, recipe.metrics, recipe.how, recipe=name)


def _expanded(folder: Path, level: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A level for each embedding or reranker of the workspace where it says `*embeddings` or
    `*rerankers`."""
    neural = neural_settings(folder)
    have = {"*embeddings": list(neural.embeddings), "*rerankers": list(neural.rerankers)}
    for key, value in level.items():
        if isinstance(value, str) and value in have:
            yield from ({**level, key: name} for name in have[value])
            return
    yield level


def _asks_model(level: dict[str, Any]) -> bool:
    stages = level.get("query", [])
    return any(QUERY_STAGES[stage].asks_model for stage in stages if isinstance(stage, str))
