"""Systems: the named retriever-and-generator configurations that a run can evaluate."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from engine.models.settings import providers
from engine.retrieve.names import RETRIEVERS
from store.errors import InputError, NotFound
from store.records import HistoryMode, SystemConfig

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


class _SystemTable(msgspec.Struct, forbid_unknown_fields=True):
    """A `[systems.NAME]` table of ragdesk.toml."""

    retriever: str | None = None
    generator: str = "extractive"
    top_k: int = 5
    history: HistoryMode = HistoryMode.GOLD
    description: str = ""


class _Settings(msgspec.Struct):
    systems: dict[str, _SystemTable] = {}


def systems(folder: Path) -> dict[str, SystemConfig]:
    """The built-in systems and those of the workspace's `ragdesk.toml`, by name.

    Raises InputError, naming file and field, when that file is broken.
    """
    found = {system.name: system for system in OFFLINE_SYSTEMS}
    file = folder / "ragdesk.toml"
    if not file.exists():
        return found
    try:
        settings = msgspec.toml.decode(file.read_bytes(), type=_Settings)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}.", "Mend the file, or remove it.") from error
    known = {*_OFFLINE_GENERATORS, *providers(folder)}
    for name, table in settings.systems.items():
        config = SystemConfig(
            name=name,
            retriever=table.retriever,
            generator=table.generator,
            top_k=table.top_k,
            history=table.history,
            baseline=table.generator in _OFFLINE_GENERATORS,
            description=table.description,
        )
        _check(config, file, known)
        found[name] = config
    return found


def find_system(folder: Path, name: str) -> SystemConfig:
    have = systems(folder)
    if name not in have:
        raise NotFound(f"There is no system {name!r}.", f"Systems: {', '.join(have)}.")
    return have[name]


def _check(config: SystemConfig, file: Path, generators: Collection[str]) -> None:
    place = f"{file}: systems.{config.name}"
    if config.retriever is not None and config.retriever not in RETRIEVERS:
        raise InputError(
            f"{place}.retriever is {config.retriever!r}.", f"Known: {', '.join(RETRIEVERS)}."
        )
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
    if not 1 <= config.top_k <= 1000:
        raise InputError(f"{place}.top_k is {config.top_k}.", "Use 1 to 1000.")
