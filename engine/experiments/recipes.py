"""Recipes: the experiments of papers, with their figures, as files beside this module."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import resources
from itertools import combinations, product
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from engine.evaluate.systems import system_table
from engine.experiments.design import Design, Factor, How, label
from engine.judge.registry import judges
from engine.models.settings import providers
from engine.retrieve.settings import neural_settings
from engine.retrieve.stages import QUERY_STAGES
from store.errors import UsageError

_TABLES = {
    "embeddings": "[embeddings.NAME]",
    "dense": "[embeddings.NAME]",
    "rerankers": "[rerankers.NAME]",
    "models": "[providers.NAME] with an endpoint",
    "ekrag": '[judges.NAME] with method = "ekrag"',
}
"""By what a recipe writes as `*KIND`, the tables that a workspace names such things in."""
_PLACE = re.compile(rf"\*({'|'.join(_TABLES)})\b")

Given = TypeVar("Given")


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


def recipe_names() -> list[str]:
    """The names of all recipes."""
    files = resources.files(__package__).joinpath("recipe_files").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def read_recipe(name: str) -> Recipe:
    """The recipe of that name."""
    file = resources.files(__package__).joinpath("recipe_files", f"{name}.toml")
    return msgspec.toml.decode(file.read_bytes(), type=Recipe)


def recipe_design(folder: Path, name: str, base: str | None = None) -> Design:
    """The design of a recipe in a workspace: over the embeddings, rerankers, models and judges that
    it has, and without the arms that need what it lacks.

    Raises UsageError where no arm is left.
    """
    recipe = read_recipe(name)
    chosen = base or recipe.base
    written = {**system_table(folder, chosen), **recipe.table}
    have = _have(folder)
    has_model = written.get("generator") in have["models"]
    factors = []
    for factor in recipe.factors:
        levels = [level for given in factor.levels for level in _expanded(given, have)]
        levels = [level for level in levels if has_model or not _asks_base(level)]
        if levels:
            factors.append(Factor(factor.name, tuple(levels)))
    changes = (change for factor in factors for level in factor.levels for change in level.items())
    if all(written.get(key, False) == value for key, value in changes):
        kinds = dict.fromkeys(_PLACE.findall(str(recipe.factors)))
        raise UsageError(
            f"{name} compares what this workspace has none of.",
            f"Add to ragdesk.toml: {', '.join(_TABLES[kind] for kind in kinds)}.",
        )
    metrics = tuple(metric for given in recipe.metrics for metric in _expanded(given, have))
    return Design(chosen, recipe.table, tuple(factors), metrics, recipe.how, recipe=name)


def _have(folder: Path) -> dict[str, list[str]]:
    """The names that may stand for `*KIND` in a recipe."""
    neural = neural_settings(folder)
    embed = {embedding.provider for embedding in neural.embeddings.values()}
    return {
        "embeddings": list(neural.embeddings),
        "dense": ["lsa", *neural.embeddings],
        "rerankers": list(neural.rerankers),
        "models": [
            provider.name
            for provider in providers(folder).values()
            if provider.kind != "offline" and provider.name not in embed
        ],
        "ekrag": [judge.name for judge in judges(folder).values() if judge.kind == "ekrag"],
    }


def _expanded(given: Given, have: Mapping[str, Sequence[str]]) -> Iterator[Given]:
    """`given` once for each name in the place of a `*KIND`; where that stands there several times,
    once for each combination of so many names, in their order."""
    text = msgspec.json.encode(given).decode()
    kinds = Counter(_PLACE.findall(text))
    for chosen in product(*(combinations(have[kind], count) for kind, count in kinds.items())):
        names = {kind: iter(own) for kind, own in zip(kinds, chosen, strict=True)}
        yield msgspec.json.decode(_PLACE.sub(partial(_next_name, names), text))


def _next_name(names: Mapping[str, Iterator[str]], place: re.Match[str]) -> str:
    return next(names[place[1]])


def _asks_base(level: Mapping[str, Any]) -> bool:
    """Whether a stage asks the model of the base system."""
    return any(
        isinstance(stage, str) and QUERY_STAGES[stage].asks_model
        for stage in level.get("query") or []
    )
