"""Systems: the named retriever-and-generator configurations that a run can evaluate."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from engine.corpus.chunking import check_settings
from engine.models.settings import providers
from engine.own.service import VARIANTS as OWN_VARIANTS
from engine.own.service import read_table, service_of
from engine.retrieve.refined import open_changes
from engine.retrieve.settings import ALL, NeuralSettings, find_retrieval, neural_settings
from engine.retrieve.stages import asked_providers, stages_of
from engine.settings.fields import Variant, about
from engine.settings.reader import SETTINGS_FILE, check_ranges, convert_table, read_settings
from store.errors import InputError, UsageError
from store.messages import choices, no_such
from store.records import ChunkingSettings, HistoryMode
from store.systems import NO_ANSWERS, OWN, ContextFormat, StageConfig, SystemConfig

OFFLINE_SYSTEMS: tuple[SystemConfig, ...] = (
    SystemConfig(
        name="bm25",
        retriever="bm25",
        baseline=True,
        description="BM25 (Lucene's variant) and answers by extraction",
    ),
    SystemConfig(
        name="bm25-okapi",
        retriever="bm25-okapi",
        baseline=True,
        description="BM25 as rank_bm25's BM25Okapi scores it, and answers by extraction",
    ),
    SystemConfig(
        name="lsa",
        retriever="lsa",
        baseline=True,
        description="TF-IDF and SVD vectors in faiss, and answers by extraction",
    ),
    SystemConfig(
        name="closed-book",
        retriever=None,
        generator="closed-book",
        baseline=True,
        description="no retrieval; answers from the question alone",
    ),
)
"""Built in: deterministic, no network, no weights. Baselines, and called so."""

DEMO_SYSTEMS = ("bm25", "lsa", "closed-book")

_OFFLINE_GENERATORS = ("extractive", "closed-book")


Depth = int | Literal["all"]


class _SystemTable(msgspec.Struct):
    """A `[systems.NAME]` table of ragdesk.toml."""

    chunk_size: Annotated[
        int | None, about("a chunking of its own; empty: the corpus' own chunks")
    ] = None
    chunk_overlap: Annotated[
        int | None, about("of one chunk with the next; empty: an eighth of the chunk size")
    ] = None
    chunk_unit: Annotated[
        Literal["tokens", "chars"], about("what chunk size and overlap count")
    ] = "tokens"
    corpus: Annotated[
        list[str | dict[str, Any]],
        about("stages that change what chunks are indexed by", "corpus", written="stages"),
    ] = []
    query: Annotated[
        list[str | dict[str, Any]],
        about("stages that change what is searched for", "query", written="stages"),
    ] = []
    """A name, or a table with `stage`, options and `provider`."""
    expansion: Annotated[
        str | None, about("given words that are searched for beside the question, as keywords")
    ] = None
    retriever: Annotated[
        str | None,
        about("what finds chunks; hybrid:A+B fuses two; empty: none", "retrievers", example="bm25"),
    ] = None
    top_k: Annotated[int, about("chunks that are retrieved, 1 to 1000")] = 5
    reranker: Annotated[
        str | list[str], about("what puts chunks in a new order, one or several", "rerankers")
    ] = []
    rerank_depth: Annotated[
        Depth | list[Depth], about("chunks that each reranker reads; empty: 50")
    ] = []
    context: Annotated[
        list[str | dict[str, Any]],
        about("stages that change what the generator reads", "context", written="stages"),
    ] = []
    context_format: Annotated[ContextFormat, about("how a model is shown the passages")] = "titled"
    halve_above: Annotated[
        int | None, about("tokens from which a model is asked in halves; empty: never")
    ] = None
    generator: Annotated[
        str, about("what answers: a provider, or offline by extraction", "generators")
    ] = "extractive"
    prompt: Annotated[
        Literal["general", "task"], about("whether the model is told its task's form of answer")
    ] = "general"
    history: Annotated[HistoryMode, about("what it sees of a conversation's earlier turns")] = (
        HistoryMode.GOLD
    )
    description: Annotated[str, about("shown in lists")] = ""


STAGES = Variant("stages", "ragdesk's stages, from query to answer", _SystemTable)
VARIANTS = (STAGES, *OWN_VARIANTS)
"""The tables of systems: of ragdesk's stages, or one's own."""


class _Settings(msgspec.Struct):
    systems: dict[str, dict[str, Any]] = {}


def systems(folder: Path) -> dict[str, SystemConfig]:
    """The built-in systems and those of the workspace's `ragdesk.toml`, by name.

    Raises InputError, naming file and field, when that file is broken.
    """
    by_name = {system.name: system for system in OFFLINE_SYSTEMS}
    file = folder / SETTINGS_FILE
    tables = read_settings(file, _Settings).systems
    read = SystemReader(folder)
    for name, written in tables.items():
        by_name[name] = read.system(name, written, f"{file}: systems.{name}")
    return by_name


def system_table(folder: Path, name: str) -> dict[str, Any]:
    """The settings of a system as a `[systems.NAME]` table has them, also of a built-in one."""
    written = read_settings(folder / SETTINGS_FILE, _Settings).systems
    if name in written:
        return written[name]
    return offline_table(find_system(folder, name))


def offline_table(system: SystemConfig) -> dict[str, Any]:
    """The settings of a built-in system, likewise."""
    table = {"retriever": system.retriever, "generator": system.generator}
    return {key: value for key, value in table.items() if value is not None}


class SystemReader:
    """Reads tables of systems beside the providers and models of a workspace's settings."""

    def __init__(self, folder: Path) -> None:
        have = providers(folder)
        self._folder = folder
        self._known = {*_OFFLINE_GENERATORS, *have}
        self._endpoints = [name for name, one in have.items() if one.kind != "offline"]
        self._neural = neural_settings(folder)

    def system(self, name: str, written: dict[str, Any], place: str) -> SystemConfig:
        """The system that a table describes. Raises InputError, beginning with `place`."""
        if "kind" in written:
            return _read_own(self._folder, name, written, place)
        fields = _SystemTable.__struct_fields__
        for key in written:
            if key not in fields:
                raise InputError(f"{place} has no key {key!r}.", choices(key, fields, "Its keys"))
        table = convert_table(written, _SystemTable, place)
        config = _read_system(name, table, self._neural, self._endpoints, place)
        _check(config, place, self._known)
        return config


def _read_own(folder: Path, name: str, written: dict[str, Any], place: str) -> SystemConfig:
    table = read_table(folder, name, written, place)
    return SystemConfig(
        name=name,
        retriever=None if table.passages is False else OWN,
        generator=NO_ANSWERS if table.answer is False else OWN,
        top_k=table.top_k,
        history=table.history,
        description=table.description,
        own=msgspec.to_builtins(service_of(folder, name, table, place)),
    )


def _read_system(
    name: str,
    table: _SystemTable,
    neural: NeuralSettings,
    endpoints: Collection[str],
    place: str,
) -> SystemConfig:
    config = SystemConfig(
        name=name,
        generator=table.generator,
        top_k=table.top_k,
        prompt=table.prompt,
        history=table.history,
        expansion=table.expansion,
        chunking=_chunking(table, place),
        corpus=_stages(table.corpus, f"{place}.corpus"),
        query=_stages(table.query, f"{place}.query"),
        context=_stages(table.context, f"{place}.context"),
        context_format=table.context_format,
        halve_above=table.halve_above,
        baseline=table.generator in _OFFLINE_GENERATORS,
        description=table.description,
    )
    rerankers = [table.reranker] if isinstance(table.reranker, str) else table.reranker
    written = table.rerank_depth if isinstance(table.rerank_depth, list) else [table.rerank_depth]
    depths = [ALL if depth == "all" else depth for depth in written]
    if table.retriever is None:
        if rerankers:
            raise InputError(f"{place}.reranker has nothing to rerank.", "Give it a retriever.")
        if config.corpus or config.query or config.context:
            raise InputError(
                f"{place} has stages of retrieval but retrieves nothing.", "Give it a retriever."
            )
        return config
    try:
        retrieval = find_retrieval(neural, table.retriever, rerankers, depths)
        config = msgspec.structs.replace(
            config,
            retriever=retrieval.retriever,
            embeddings=retrieval.embeddings,
            rerank=retrieval.rerank,
        )
        open_changes(config.corpus)
        stages_of(config)
    except UsageError as error:
        raise InputError(f"{place}: {error.message}", error.remedy) from error
    asked = asked_providers(config)
    if config.baseline and "" in asked:
        raise InputError(
            f"{place} has a stage that asks a model, but {config.generator!r} is not one.",
            'Give the stage one, { stage = "NAME", provider = "NAME" }, or the system as its'
            " generator.",
        )
    for provider in asked:
        if provider and provider not in endpoints:
            raise InputError(
                f"{place} has a stage that asks {provider!r}, which is no provider with an"
                " endpoint.",
                choices(provider, endpoints, "Those are"),
            )
    return config


def _stages(written: Sequence[str | dict[str, Any]], place: str) -> tuple[StageConfig, ...]:
    stages = []
    for table in written:
        options = {"stage": table} if isinstance(table, str) else dict(table)
        name = options.pop("stage", None)
        if not isinstance(name, str):
            raise InputError(
                f"{place} holds a table without `stage`.", 'Write { stage = "NAME", ... }.'
            )
        provider = options.pop("provider", "")
        if not isinstance(provider, str):
            raise InputError(
                f"{place}: the provider of {name!r} is {provider!r}.", 'Write provider = "NAME".'
            )
        stages.append(StageConfig(name, options, provider))
    return tuple(stages)


def _chunking(table: _SystemTable, place: str) -> ChunkingSettings | None:
    if table.chunk_size is None:
        if table.chunk_overlap is not None:
            raise InputError(f"{place}.chunk_overlap is given alone.", "Give chunk_size too.")
        return None
    overlap = table.chunk_size // 8 if table.chunk_overlap is None else table.chunk_overlap
    settings = ChunkingSettings(table.chunk_size, overlap, table.chunk_unit)
    try:
        check_settings(settings)
    except UsageError as error:
        raise InputError(f"{place}: {error.message}", error.remedy) from error
    return settings


def find_system(folder: Path, name: str) -> SystemConfig:
    have = systems(folder)
    if name not in have:
        raise no_such("system", name, have, "Systems")
    return have[name]


def _check(config: SystemConfig, place: str, generators: Collection[str]) -> None:
    if config.generator not in generators:
        raise InputError(
            f"{place}.generator is {config.generator!r}.",
            f"Known: {', '.join(sorted(generators))}; a model is named in [providers.NAME].",
        )
    if config.retriever is None and config.generator == "extractive":
        raise InputError(
            f"{place} extracts answers but retrieves nothing.",
            'Give it a retriever, or generator = "closed-book".',
        )
    check_ranges(place, [("halve_above", config.halve_above, 1_000, 10_000_000)])
    if not 1 <= config.top_k <= 1000:
        raise InputError(f"{place}.top_k is {config.top_k}.", "Use 1 to 1000.")
    if config.rerank and config.top_k > config.rerank[-1].depth:
        raise InputError(
            f"{place}.top_k is {config.top_k}, and the last reranker keeps"
            f" {config.rerank[-1].depth} chunks.",
            "Raise rerank_depth.",
        )
