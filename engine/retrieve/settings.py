"""Embeddings and rerankers: the tables of a workspace's `ragdesk.toml`, and what names them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from engine.models.settings import Provider, providers
from engine.retrieve.expression import JOINS, read_expression
from engine.retrieve.names import EVERY_CHUNK, RERANKERS, RETRIEVERS, asking_kind
from engine.settings.fields import Variant
from engine.settings.reader import SETTINGS_FILE, check_ranges, convert_table, read_settings
from store.errors import InputError, UsageError
from store.messages import choices
from store.sharing.modes import is_shared
from store.systems import EmbeddingConfig, NeuralModel, RerankerConfig, RerankStage, Retrieval

DEFAULT_DEPTH = 50
MAX_DEPTH = 1000
ALL = 1_000_000_000
"""The depth of a reranker that reads every chunk."""
DEFAULT_KIND = RerankerConfig("", "").kind

_NAME = re.compile(r"[\w.-]+")
_ON_THE_HUB = re.compile(r"[\w.-]+/[\w.-]+")
_OF_WEIGHTS_ONLY = ("model", "revision", "max_length", "dtype", "device", "batch")
_SET_HERE = ("name", "endpoint")

Config = TypeVar("Config", bound=NeuralModel)


class _File(Struct):
    embeddings: dict[str, dict[str, Any]] = {}
    rerankers: dict[str, dict[str, Any]] = {}


class NeuralSettings(Struct, frozen=True):
    """The checked tables `[embeddings.NAME]` and `[rerankers.NAME]`, by name."""

    embeddings: Mapping[str, EmbeddingConfig] = {}
    rerankers: Mapping[str, RerankerConfig] = {}


def neural_settings(folder: Path) -> NeuralSettings:
    """The embeddings and rerankers of the workspace; imports no model library.

    Raises InputError, naming file and field, for a broken file, an unknown field, a value out of
    its range, and a model that is neither a folder nor a name on the hub.
    """
    tables = read_settings(folder / SETTINGS_FILE, _File)
    return NeuralSettings(
        {name: embedding_of_table(folder, name, one) for name, one in tables.embeddings.items()},
        {name: reranker_of_table(folder, name, one) for name, one in tables.rerankers.items()},
    )


_AT_ENDPOINT = Variant(
    "endpoint",
    "an embedding model at a provider's endpoint",
    EmbeddingConfig,
    without=frozenset({*_OF_WEIGHTS_ONLY, "trust_remote_code"}),
    marked_by="provider",
)
EMBEDDING_VARIANTS = (
    _AT_ENDPOINT,
    Variant(
        "weights",
        "weights, by sentence-transformers (extra neural)",
        EmbeddingConfig,
        without=frozenset({"provider"}),
    ),
)
_OF_LISTS = frozenset({"window", "step"})
RERANKER_VARIANTS = (
    Variant(
        "cross-encoder",
        "weights, by sentence-transformers (extra neural)",
        RerankerConfig,
        without=frozenset({"provider", *_OF_LISTS}),
    ),
    *(
        Variant(
            kind,
            what,
            RerankerConfig,
            {"kind": kind},
            frozenset({*_OF_WEIGHTS_ONLY, "trust_remote_code", "instruction"} - {"max_length"})
            | (frozenset() if kind == "listwise" else _OF_LISTS),
        )
        for kind, what in (
            ("listwise", "a language model that puts passages in order"),
            ("pointwise", "a language model that grades each passage"),
        )
    ),
)
"""The tables of embeddings and rerankers."""


def check_weights(folder: Path, config: NeuralModel) -> None:
    """Raises InputError where a job of a shared workspace would load other weights than the
    settings name now: they may bring code, and what a job froze lies in a file that every member
    can write."""
    if not is_shared(folder):
        return
    now = neural_settings(folder)
    known = [*now.embeddings.values(), *now.rerankers.values()]
    if all(_weights(config) != _weights(one) for one in known):
        raise InputError(
            f"{folder / SETTINGS_FILE} does not name the weights {config.model}, as this job asks.",
            "Start a new job, or have the embedding or reranker put back.",
        )


def _weights(config: NeuralModel) -> tuple[str, str, bool]:
    return config.model, config.revision, config.trust_remote_code


def embedding_of_table(folder: Path, name: str, table: dict[str, Any]) -> EmbeddingConfig:
    """The embedding that a table of that name describes. Raises InputError."""
    return _read_embedding(folder, name, table, f"{folder / SETTINGS_FILE}: embeddings.{name}")


def reranker_of_table(folder: Path, name: str, table: dict[str, Any]) -> RerankerConfig:
    """The same of a reranker."""
    return _read_reranker(folder, name, table, f"{folder / SETTINGS_FILE}: rerankers.{name}")


def find_retrieval(
    settings: NeuralSettings,
    retriever: str,
    rerankers: Sequence[str] = (),
    depths: Sequence[int] = (),
) -> Retrieval:
    """The retrieval of that name (see `engine.retrieve.expression`), with all its settings.

    `depths` are the candidates of each reranker, `ALL` for every chunk; when empty, each sees 50,
    the first behind `every-chunk` all. Raises UsageError for an unknown name, for depths that do
    not go down, and for a reranker that asks a language model before one that computes.
    """
    if retriever == EVERY_CHUNK.name:
        if not rerankers:
            raise UsageError(
                f"{retriever!r} finds nothing by itself.",
                "Name a reranker that puts the chunks in order.",
            )
        return Retrieval(retriever, rerank=_stages(settings, rerankers, depths, ALL))
    have = [*RETRIEVERS, *settings.embeddings]
    used = []
    written = read_expression(retriever)
    if written.joined == "union" and not rerankers:
        raise UsageError(
            f"{retriever!r} gives candidates in no order.",
            "Name a reranker that puts them in order, or write hybrid: for a fusion by rank.",
        )
    for side in written.sides:
        if side.name not in have:
            raise UsageError(
                f"There is no retriever {side.name!r}.", choices(side.name, have, "Retrievers")
            )
        if side.name in settings.embeddings:
            used.append(settings.embeddings[side.name])
        elif written.joined in JOINS and not RETRIEVERS[side.name].has_vectors:
            raise UsageError(
                f"{retriever!r} joins vectors, and {side.name!r} has none.",
                "Name lsa and embeddings; hybrid: joins any retrievers.",
            )
    return Retrieval(retriever, tuple(used), _stages(settings, rerankers, depths, MAX_DEPTH))


def _stages(
    settings: NeuralSettings, names: Sequence[str], depths: Sequence[int], most: int
) -> tuple[RerankStage, ...]:
    for name in names:
        if name not in settings.rerankers:
            raise UsageError(
                f"There is no reranker {name!r}.",
                choices(name, settings.rerankers, "Known")
                + " Describe it in ragdesk.toml: [rerankers.NAME] with a model.",
            )
    first = most if most == ALL else DEFAULT_DEPTH
    chosen = depths or [first, *[DEFAULT_DEPTH] * (len(names) - 1)][: len(names)]
    if len(chosen) != len(names):
        raise UsageError(
            f"There are {len(names)} rerankers and {len(chosen)} depths.",
            "Give each reranker its depth, or none of them.",
        )
    for before, depth in zip([most, *chosen], chosen, strict=False):
        if not 1 <= depth <= before:
            raise UsageError(
                f"A rerank depth is {depth}.", f"Use 1 to {before}: no later stage sees more."
            )
    configs = [settings.rerankers[name] for name in names]
    asking = [asking_kind(config) is not None for config in configs]
    if asking != sorted(asking):
        raise UsageError(
            "A reranker that asks a language model stands before one that computes.",
            "Put those that ask last: they are the dearest, and read the fewest chunks.",
        )
    return tuple(map(RerankStage, configs, chosen))


def _read_embedding(folder: Path, name: str, table: dict[str, Any], place: str) -> EmbeddingConfig:
    if name in RETRIEVERS:
        raise InputError(f"{place}: {name!r} is a built-in retriever.", "Choose another name.")
    if "provider" not in table:
        return _checked(_converted(name, table, EmbeddingConfig, place), folder, place)
    for field in _OF_WEIGHTS_ONLY:
        if field in table:
            raise InputError(
                f"{place}.{field} does not go with a provider.",
                "Remove it; what is sent to an endpoint stands in its [providers.NAME].",
            )
    # the provider's own fields, so that the config says all that a run froze
    embedding = _converted(name, {**table, "model": "unknown"}, EmbeddingConfig, place)
    provider = _endpoint(folder, embedding.provider, place)
    return msgspec.structs.replace(embedding, model=provider.model, endpoint=provider.base_url)


def _read_reranker(folder: Path, name: str, table: dict[str, Any], place: str) -> RerankerConfig:
    kind = table.get("kind", DEFAULT_KIND)
    if kind not in RERANKERS:
        raise InputError(f"{place}.kind is {kind!r}.", choices(kind, RERANKERS, "Kinds"))
    if RERANKERS[kind].has_weights:
        for field in ("provider", "window", "step"):
            if field in table:
                raise InputError(f"{place}.{field} does not go with kind = {kind!r}.", "Remove it.")
        return _checked(_converted(name, table, RerankerConfig, place), folder, place)
    for field in table:
        if field not in ("kind", "provider", "max_length", "window", "step"):
            raise InputError(
                f"{place}.{field} does not go with kind = {kind!r}.",
                "Remove it; what is sent to an endpoint stands in its [providers.NAME].",
            )
    config = _converted(name, {**table, "model": "unknown"}, RerankerConfig, place)
    check_ranges(
        place,
        (
            ("max_length", config.max_length, 8, 1_000_000),
            ("window", config.window, 2, 1000),
            ("step", config.step, 1, config.window),
        ),
    )
    return msgspec.structs.replace(config, model=_endpoint(folder, config.provider, place).model)


def _endpoint(folder: Path, name: str, place: str) -> Provider:
    """The provider of that name. Raises InputError where it is none with an endpoint."""
    have = {key: known for key, known in providers(folder).items() if known.kind != "offline"}
    if name not in have:
        raise InputError(
            f"{place}.provider is {name!r}.",
            f"Providers with an endpoint: {', '.join(have) or 'none yet'}.",
        )
    return have[name]


def _converted(name: str, table: dict[str, Any], kind: type[Config], place: str) -> Config:
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{place}: the name {name!r} cannot be written in a fusion.",
            "Use letters, digits, `_`, `-` and `.`.",
        )
    # msgspec would pass over a field that is misspelt, and take those that are set here
    known = [field for field in kind.__struct_fields__ if field not in _SET_HERE]
    for field in table:
        if field not in known:
            raise InputError(f"{place}.{field} is unknown.", f"Fields: {', '.join(known)}.")
    return convert_table({"name": name, **table}, kind, place)


def _checked(config: Config, folder: Path, place: str) -> Config:
    check_ranges(
        place,
        (("max_length", config.max_length, 8, 1_000_000), ("batch", config.batch, 1, 65_536)),
    )
    given = Path(config.model).expanduser()
    path = (folder / given).resolve()
    if path.is_dir():
        if is_shared(folder) and path.is_relative_to(folder.resolve()):
            raise InputError(
                f"{place}.model is {path}, which any member of the shared workspace could replace.",
                "Move it out of the workspace's folder, and name it by its full path.",
            )
        return msgspec.structs.replace(config, model=str(path))
    if given.is_absolute() or not _ON_THE_HUB.fullmatch(config.model):
        raise InputError(
            f"{place}.model is {config.model!r}, and there is no folder {path}.",
            "Use a folder (as seen from the workspace), or ORGANISATION/NAME on the hub.",
        )
    return config
