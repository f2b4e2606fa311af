"""Model judges: the `[judges.NAME]` tables of a workspace's `ragdesk.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.judge.model.asking import Example, PromptLang, examples_of, judge_prompts
from engine.judge.rules.judge import JUDGE_NAME, METRICS
from engine.models.settings import Provider, providers
from engine.prompts.languages import LANGS
from engine.prompts.templates import prompt_ids
from engine.settings import SETTINGS_FILE, check_ranges, convert_table, read_settings
from store.errors import InputError, NotFound
from store.messages import choices

MODEL_JUDGE_VERSION = 1
"""Raised whenever the way of asking or of reading replies changes what an answer may score."""

MOST_REPEATS = 20
_NOT_IN_SCORES = ("name", "prices", "limits", "timeout_s", "api_key_env")
"""Fields of a provider that no reply depends on."""


class _JudgeTable(Struct, forbid_unknown_fields=True):
    """A `[judges.NAME]` table."""

    model: str
    """A provider of the settings."""
    metrics: tuple[str, ...] = METRICS
    lang: PromptLang = "item"
    temperature: float | None = None
    max_tokens: int | None = None
    repeats: int = 1
    prompts: str = "judge"
    examples: str = ""


class _File(Struct):
    judges: dict[str, dict[str, Any]] = {}


class ModelJudge(Struct, frozen=True):
    """A model that is asked for judgements, as a workspace defines it."""

    name: str
    provider: Provider
    metrics: tuple[str, ...]
    lang: PromptLang
    """Of the prompts; `item` is the language of each item."""
    temperature: float | None
    """Null is as the provider's settings say."""
    max_tokens: int | None
    repeats: int
    prompts: dict[str, str]
    """Template texts by `LANG/ID`."""
    prompt_folder: str
    examples: tuple[Example, ...]

    def config(self) -> dict[str, Any]:
        """What the scores depend on; prompts and examples in full, so that a judge whose files
        have changed since can still be read."""
        given = msgspec.to_builtins(self.provider)
        return {
            "judge": self.name,
            "kind": "model",
            "version": MODEL_JUDGE_VERSION,
            "provider": {name: given[name] for name in given if name not in _NOT_IN_SCORES},
            "metrics": list(self.metrics),
            "lang": self.lang,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "repeats": self.repeats,
            "prompt_folder": self.prompt_folder,
            "prompts": self.prompts,
            "examples": [msgspec.to_builtins(example) for example in self.examples],
        }


def model_judges(folder: Path) -> dict[str, ModelJudge]:
    """The model judges of the workspace's `ragdesk.toml`, by name.

    Raises InputError, naming file and field, for a broken file, an unknown field or metric, a
    model that is no provider, a prompt without its parts, and an example that fits no metric.
    """
    file = folder / SETTINGS_FILE
    tables = read_settings(file, _File).judges
    known = providers(folder) if tables else {}
    return {
        name: _read(folder, name, table, known, f"{file}: judges.{name}")
        for name, table in tables.items()
    }


def _read(
    folder: Path, name: str, raw: dict[str, Any], known: dict[str, Provider], place: str
) -> ModelJudge:
    table = convert_table(raw, _JudgeTable, place)
    _check_name(name, place)
    _check(table, known, place)
    metrics = tuple(metric for metric in METRICS if metric in table.metrics)
    return ModelJudge(
        name=name,
        provider=known[table.model],
        metrics=metrics,
        lang=table.lang,
        temperature=table.temperature,
        max_tokens=table.max_tokens,
        repeats=table.repeats,
        prompts=_prompts(folder, table, metrics, place),
        prompt_folder=table.prompts,
        examples=examples_of(folder / table.examples, metrics) if table.examples else (),
    )


def _prompts(
    folder: Path, table: _JudgeTable, metrics: tuple[str, ...], place: str
) -> dict[str, str]:
    """The judge's templates. InputError naming the field where one is nowhere: the fault is in
    the file, whatever was typed."""
    try:
        return judge_prompts(folder, table.prompts, metrics, table.lang)
    except NotFound as error:
        spoken = LANGS if table.lang == "item" else (table.lang,)
        known = {
            one.rpartition("/")[0]
            for lang in spoken
            for one in prompt_ids(lang, folder / "prompts")
            if one.rpartition("/")[2] in metrics
        }
        raise InputError(
            f"{place}.prompts is {table.prompts!r}: {error.message[0].lower()}{error.message[1:]}",
            choices(table.prompts, sorted(known), "Folders with templates of judges"),
        ) from error


def _check_name(name: str, place: str) -> None:
    if name == JUDGE_NAME:
        raise InputError(f"{place}: {JUDGE_NAME!r} is the built-in judge.", "Choose another name.")
    if not name.strip() or name != name.strip() or "@" in name or "/" in name:
        raise InputError(
            f"{place}: {name!r} cannot name a judge.", "Leave out @, / and spaces around it."
        )


def _check(table: _JudgeTable, known: dict[str, Provider], place: str) -> None:
    provider = known.get(table.model)
    if provider is None or provider.kind == "offline":
        names = ", ".join(name for name, one in known.items() if one.kind != "offline")
        raise InputError(
            f"{place}.model is {table.model!r}, which is no model at an endpoint.",
            f"Name one of [providers.NAME]; there are: {names or 'none yet'}.",
        )
    unknown = [metric for metric in table.metrics if metric not in METRICS]
    if unknown or not table.metrics:
        raise InputError(
            f"{place}.metrics holds {unknown[0]!r}." if unknown else f"{place}.metrics is empty.",
            f"The metrics are {', '.join(METRICS)}.",
        )
    check_ranges(
        place,
        (
            ("temperature", table.temperature, 0, 2),
            ("max_tokens", table.max_tokens, 1, 10_000_000),
            ("repeats", table.repeats, 1, MOST_REPEATS),
        ),
    )
