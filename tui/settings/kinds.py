"""The kinds of tables of `ragdesk.toml` that can be edited in the app."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.evaluate import systems
from engine.evaluate.system_fields import system_fields
from engine.judge import judge_fields
from engine.judge.base import JudgeSpec
from engine.judge.judge_fields import judge_fields as fields_of_judge
from engine.judge.registry import METHODS, check_table
from engine.models import settings as providers
from engine.models.settings import OFFLINE, Provider, read_provider
from engine.retrieve import settings as retrieval
from engine.settings.fields import Field, Variant, fields_of
from engine.settings.file import Table
from engine.settings.reader import SETTINGS_FILE
from store.systems import NO_ANSWERS, SystemConfig
from tui.language import later, tr
from tui.widgets.row_source import Cell, Column

Cells = tuple[Cell | str, ...]


class Tested(NamedTuple):
    """What came of one question to what a table describes."""

    ok: bool
    sentences: Sequence[str]


class Kind(NamedTuple):
    key: str
    """As in `[systems.NAME]`."""
    noun: str
    columns: tuple[Column, ...]
    variants: tuple[Variant, ...]
    fields: Callable[[Path, Variant], list[Field]]
    row: Callable[[Path, str, Table], Cells]
    """The row of a table. Raises InputError where it is wrong: what lists it checks it."""
    built_in: Callable[[Path], Mapping[str, tuple[Cells, Table | None]]]
    """What is there without a table, each with its row and the table that a copy begins with."""
    test: Callable[[Path, str, Table], Tested] | None = None
    """Asks what the table describes one small question; called in a thread."""
    untested: tuple[str, ...] = ()
    """The variants that cannot be asked."""

    def can_test(self, variant: Variant) -> bool:
        return self.test is not None and variant.name not in self.untested

    def check(self, folder: Path, name: str, table: Table) -> None:
        """Raises InputError for a table that would not be read."""
        self.row(folder, name, table)


def _place(folder: Path, kind: str, name: str) -> str:
    return f"{folder / SETTINGS_FILE}: {kind}.{name}"


# Systems


def _system(folder: Path, name: str, table: Table) -> SystemConfig:
    return systems.SystemReader(folder).system(name, table, _place(folder, "systems", name))


def _system_row(folder: Path, name: str, table: Table) -> Cells:
    return _system_cells(_system(folder, name, table), "")


def _system_cells(system: SystemConfig, origin: str) -> Cells:
    if system.is_own:
        how = str(system.own.get("kind", "")) + f" {system.own.get('base_url', '')}"
    else:
        stages = [
            *(stage.name for stage in system.query),
            system.retriever or tr("no retrieval"),
            *(stage.reranker.name for stage in system.rerank),
            *(stage.name for stage in system.context),
            tr("no answer") if system.generator == NO_ANSWERS else system.generator,
        ]
        how = " > ".join(stages)
    return (Cell(system.name, "strong"), how, Cell(origin + system.description, "muted"))


def _offline_systems(folder: Path) -> dict[str, tuple[Cells, Table | None]]:
    return {
        one.name: (_system_cells(one, tr("built in: ")), systems.offline_table(one))
        for one in systems.OFFLINE_SYSTEMS
    }


def _test_system(folder: Path, name: str, table: Table) -> Tested:
    # imported when it is asked for: nothing else in the app speaks to systems
    from engine.doctor.providers import probe_system

    finding = probe_system(folder, _system(folder, name, table))
    said = [one for one in (finding.detail, finding.remedy) if one]
    return Tested(finding.state == "ok", said)


# Embeddings and rerankers


def _neural_fields(folder: Path, variant: Variant) -> list[Field]:
    have = [
        (one.name, tr("{model} at {base_url}", model=one.model, base_url=one.base_url))
        for one in providers.providers(folder).values()
        if one.kind != "offline"
    ]
    return fields_of(variant, {"endpoints": have})


def _embedding_row(folder: Path, name: str, table: Table) -> Cells:
    one = retrieval.embedding_of_table(folder, name, table)
    where = tr("at {provider}", provider=one.provider) if one.provider else "weights"
    return (
        Cell(one.name, "strong"),
        one.model,
        tr("{where}, {index} index", where=where, index=one.index),
    )


def _reranker_row(folder: Path, name: str, table: Table) -> Cells:
    one = retrieval.reranker_of_table(folder, name, table)
    where = tr(" at {provider}", provider=one.provider) if one.provider else ""
    return (Cell(one.name, "strong"), one.model, f"{one.kind}{where}")


def _nothing(folder: Path) -> dict[str, tuple[Cells, Table | None]]:
    return {}


_NEURAL_COLUMNS = (Column("name", 20), Column("model", minimum=24), Column("how", 26))

# Judges


def _judge_row(folder: Path, name: str, table: Table) -> Cells:
    return _judge_cells(check_table(folder, name, table), "")


def _judge_cells(spec: JudgeSpec, origin: str) -> Cells:
    model = f" {spec.provider.name}" if spec.provider is not None else ""
    metrics = " ".join(spec.metrics)
    return (Cell(spec.name, "strong"), f"{spec.kind}{model}{origin}", Cell(metrics, "muted"))


def _judges_without_table(folder: Path) -> dict[str, tuple[Cells, Table | None]]:
    found = [spec for kind in ("rules", "trained") for spec in METHODS[kind].find(folder, [])]
    return {
        spec.name: (
            _judge_cells(spec, tr(", built in") if spec.kind == "rules" else ", learned"),
            None,
        )
        for spec in found
    }


# Providers


def _provider(folder: Path, name: str, table: Table) -> Provider:
    return read_provider(name, table, _place(folder, "providers", name))


def _provider_row(folder: Path, name: str, table: Table) -> Cells:
    one = _provider(folder, name, table)
    return (
        Cell(one.name, "strong"),
        one.model,
        Cell(one.base_url, "muted"),
        _key_cell(one.api_key_env),
        _price_text(one),
    )


def _key_cell(variable: str) -> Cell:
    if variable and not os.environ.get(variable, "").strip():
        return Cell(tr("{variable} (not set)", variable=variable), "warn")
    return Cell(variable)


def _price_text(provider: Provider) -> str:
    prices = provider.prices
    if prices is None:
        return ""
    per = "1M" if prices.per_tokens == 1_000_000 else f"{prices.per_tokens:,}"
    return tr(
        "{input:g}/{output:g} {currency} per {per}",
        input=prices.input,
        output=prices.output,
        currency=prices.currency,
        per=per,
    )


def _offline(folder: Path) -> dict[str, tuple[Cells, Table | None]]:
    return {
        OFFLINE.name: (
            (Cell(OFFLINE.name, "strong"), Cell(tr("built in"), "muted"), "", "", ""),
            None,
        )
    }


def _test_provider(folder: Path, name: str, table: Table) -> Tested:
    # imported when it is asked for: nothing else in the app speaks to endpoints
    from engine.models.probe import probe_apart

    result = asyncio.run(probe_apart(_provider(folder, name, table)))
    return Tested(result.ok, result.sentences)


KINDS: dict[str, Kind] = {
    kind.key: kind
    for kind in (
        Kind(
            later("systems"),
            tr("system"),
            (
                Column("system", 20),
                Column(tr("from the question to the answer"), minimum=40),
                Column("about", minimum=20, drop=1),
            ),
            systems.VARIANTS,
            system_fields,
            _system_row,
            _offline_systems,
            _test_system,
            (systems.STAGES.name,),
        ),
        Kind(
            later("judges"),
            tr("judge"),
            (
                Column("judge", minimum=16),
                Column("how", 20),
                Column("metrics", minimum=20),
            ),
            judge_fields.VARIANTS,
            fields_of_judge,
            _judge_row,
            _judges_without_table,
        ),
        Kind(
            later("embeddings"),
            tr("embedding"),
            _NEURAL_COLUMNS,
            retrieval.EMBEDDING_VARIANTS,
            _neural_fields,
            _embedding_row,
            _nothing,
        ),
        Kind(
            later("rerankers"),
            tr("reranker"),
            _NEURAL_COLUMNS,
            retrieval.RERANKER_VARIANTS,
            _neural_fields,
            _reranker_row,
            _nothing,
        ),
        Kind(
            later("providers"),
            tr("provider"),
            (
                Column("provider", minimum=12),
                Column("model", minimum=16),
                Column("address", minimum=24, drop=2),
                Column(tr("key in"), 24),
                Column("price", 24, drop=3),
            ),
            (providers.VARIANT,),
            lambda folder, variant: fields_of(variant, {}),
            _provider_row,
            _offline,
            _test_provider,
        ),
    )
}
