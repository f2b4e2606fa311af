"""The `[judges.NAME]` tables of a workspace's `ragdesk.toml`, whatever method reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Struct

from engine.judge.rules.config import JUDGE_NAME
from engine.judge.templates import PromptLang
from engine.models.settings import Provider
from engine.settings.fields import about
from engine.settings.reader import SETTINGS_FILE, check_ranges, convert_table, read_settings
from store.errors import InputError
from store.messages import choices

MODEL_METHOD = "model"
"""Of a table that names no method."""

MOST_REPEATS = 20
_NOT_IN_SCORES = ("name", "prices", "limits", "timeout_s", "api_key_env", "json_schema")
"""Fields of a provider that no reply depends on; a judge that sends a schema says so itself."""


class AskingTable(Struct, forbid_unknown_fields=True):
    """The settings of every method that asks a model; its own table adds to them."""

    model: Annotated[str, about("the provider that is asked", "endpoints")]
    temperature: Annotated[
        float | None, about("of sampling; empty: as the provider's settings say")
    ] = None
    max_tokens: Annotated[
        int | None, about("longest reply in tokens; empty: as the provider's settings say")
    ] = None
    repeats: Annotated[int, about("how often each answer is judged, 1 to 20")] = 1


class PromptedTable(AskingTable):
    """The settings of those that ask by templates; its own table names their usual folder."""

    lang: Annotated[PromptLang, about("language of the prompts; item: that of the question")] = (
        "item"
    )
    prompts: Annotated[str, about("folder of its templates in prompts/LANG/")] = ""


Table = TypeVar("Table", bound=AskingTable)
AnyTable = TypeVar("AnyTable", bound=Struct)


class _File(Struct):
    judges: dict[str, dict[str, Any]] = {}


class JudgeTable(Struct, frozen=True):
    """A table as it stands."""

    name: str
    method: str
    fields: dict[str, Any]
    """All but the method."""
    place: str
    """File and table, for messages."""

    def read(self, kind: type[Table], known: dict[str, Provider]) -> tuple[Table, Provider]:
        """The table as its method's `kind`, and the model that it names.

        Raises InputError for an unknown or missing field, a value of another type or out of its
        range, a name that no judge can have, and a model that is no provider at an endpoint.
        """
        table = self.named(kind)
        provider = known.get(table.model)
        if provider is None or provider.kind == "offline":
            names = ", ".join(name for name, model in known.items() if model.kind != "offline")
            raise InputError(
                f"{self.place}.model is {table.model!r}, which is not a model at an endpoint.",
                f"Name one of [providers.NAME]; there are: {names or 'none yet'}.",
            )
        check_ranges(
            self.place,
            (
                ("temperature", table.temperature, 0, 2),
                ("max_tokens", table.max_tokens, 1, 10_000_000),
                ("repeats", table.repeats, 1, MOST_REPEATS),
            ),
        )
        return table, provider

    def named(self, kind: type[AnyTable]) -> AnyTable:
        """The table as its method's `kind`, whether or not that asks a model.

        Raises InputError for an unknown or missing field, a value of another type, and a name that
        no judge can have.
        """
        table = convert_table(self.fields, kind, self.place)
        if not self.name.strip() or self.name != self.name.strip() or {"@", "/"} & set(self.name):
            raise InputError(
                f"{self.place}: {self.name!r} cannot name a judge.",
                "Leave out @, / and spaces around it.",
            )
        if self.name == JUDGE_NAME:
            raise InputError(
                f"{self.place}: {JUDGE_NAME!r} is the built-in judge.", "Choose another name."
            )
        return table


def chosen_metrics(given: Sequence[str], known: Sequence[str], place: str) -> tuple[str, ...]:
    """The metrics that a table names, in the order of those that there are.

    Raises InputError, naming the table at `place`, where it names none or another.
    """
    for metric in given:
        if metric not in known:
            raise InputError(
                f"{place}.metrics holds {metric!r}.", choices(metric, known, "The metrics are")
            )
    if not given:
        raise InputError(f"{place}.metrics is empty.", f"The metrics are: {', '.join(known)}.")
    return tuple(metric for metric in known if metric in given)


def judge_tables(folder: Path) -> list[JudgeTable]:
    """The tables in the order of the file. Raises InputError, naming it, for a broken file."""
    tables = read_settings(folder / SETTINGS_FILE, _File).judges
    return [judge_table(folder, name, fields) for name, fields in tables.items()]


def judge_table(folder: Path, name: str, fields: dict[str, Any]) -> JudgeTable:
    return JudgeTable(
        name,
        str(fields.get("method", MODEL_METHOD)),
        {key: value for key, value in fields.items() if key != "method"},
        f"{folder / SETTINGS_FILE}: judges.{name}",
    )


def provider_config(provider: Provider) -> dict[str, Any]:
    """The part of a provider's settings that its replies depend on, for a judge's configuration."""
    given = msgspec.to_builtins(provider)
    return {name: given[name] for name in given if name not in _NOT_IN_SCORES}


def prompted_config(
    table: PromptedTable, provider: Provider, prompts: Mapping[str, str]
) -> dict[str, Any]:
    """The part of a judge's configuration that says how its model is asked, with its templates in
    full, so that a judge whose files have changed since can still be read."""
    return {
        "provider": provider_config(provider),
        "lang": table.lang,
        "temperature": table.temperature,
        "max_tokens": table.max_tokens,
        "repeats": table.repeats,
        "prompt_folder": table.prompts,
        "prompts": prompts,
    }
