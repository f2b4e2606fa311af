"""A run to be made: what is refused, what is frozen with it, and the order of its items."""

from __future__ import annotations

import random
import sqlite3
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct, structs

from engine.answer.prompt import load_answer_prompts
from engine.evaluate.systems import find_system
from engine.jobs.model_choice import check_spendings
from engine.jobs.operation import Budget
from engine.models.settings import Provider, providers
from engine.own.service import Service, for_one_run, stored_service
from engine.retrieve.refining import frozen_stages
from engine.retrieve.stages import asked_providers, stage_prompts
from store.clock import now_text
from store.corpora import corpora
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import UsageError
from store.records import ReleasedItem
from store.runs import runs
from store.runs.runs import Run, RunSettings
from store.systems import SystemConfig
from store.workspace import Workspace

T = TypeVar("T")


class NewRun(Struct, frozen=True, omit_defaults=True):
    system: str
    """The name of a system."""
    dataset: str
    """A release, as `gold@1`; `gold` alone is the latest of that dataset."""
    name: str | None = None
    """By default the system's and the release's, with a number where that is taken."""
    seed: int = 0
    """Of the order in which items are worked."""
    repeats: int = 1
    """How often each item is answered."""


def check_new_run(workspace: Workspace, new: NewRun, budget: Budget) -> None:
    """Raises NotFound for an unknown system or release, UsageError for a name that a run cannot
    have, for figures that make no sense and for a budget that cannot be kept, InputError when the
    provider's key is not in the environment, when the prompt of a stage has wrong slots, and when
    there is nothing to retrieve from."""
    if new.repeats < 1:
        raise UsageError(f"The number of repeats is {new.repeats}.", "Use 1 or more.", "--repeats")
    system = find_system(workspace.folder, new.system)
    check_system(workspace, system, datasets.find_release(workspace.db, new.dataset), budget)
    if new.name is not None:
        runs.check_name(workspace.db, new.name)


def check_system(
    workspace: Workspace, system: SystemConfig, release: Release, budget: Budget
) -> None:
    """Raises what `check_new_run` raises of a system over a release."""
    db = workspace.db
    asked = (answering_provider(workspace, system), *stage_providers(workspace, system).values())
    check_spendings([provider for provider in asked if provider is not None], budget)
    stage_prompts(system, workspace.folder / "prompts")
    if system.retriever:
        corpus = datasets.corpus_of(db, release.id)
        if corpora.is_empty(db, corpus):
            raise corpora.empty_corpus(corpus)


def make_run(workspace: Workspace, new: NewRun) -> Run:
    """The run, with the provider's settings and the prompt texts as they are now; to be called
    inside a transaction."""
    db = workspace.db
    system = find_system(workspace.folder, new.system)
    release = datasets.find_release(db, new.dataset)
    name = new.name
    if name is None:
        name = runs.free_name(db, f"{system.name}-{release.label}")
    order = release_order(db, release, new.seed)
    return make_run_of(workspace, system, release, name, order, seed=new.seed, repeats=new.repeats)


def make_run_of(
    workspace: Workspace,
    system: SystemConfig,
    release: Release,
    name: str,
    order: Sequence[tuple[int, int]],
    *,
    seed: int = 0,
    repeats: int = 1,
) -> Run:
    """The same of a system over a release in an order of its items, as `release_order` gives."""
    db = workspace.db
    corpus = datasets.corpus_of(db, release.id)
    system = with_frozen_stages(workspace, system)
    provider = answering_provider(workspace, system)
    if isinstance(provider, Service):
        provider = for_one_run(provider, f"{name}, {now_text()}")
    beside = stage_providers(workspace, system)
    settings = RunSettings(
        seed=seed,
        repeats=repeats,
        corpus_fingerprint=corpora.fingerprint(db, corpus) if system.retriever else "",
        provider=msgspec.to_builtins(provider) if provider else None,
        stage_providers={name: msgspec.to_builtins(one) for name, one in beside.items()},
        prompts=run_prompts(workspace, system, release.id) if provider or beside else {},
    )
    return runs.create(db, name, release.id, system, settings, order)


def release_order(db: sqlite3.Connection, release: Release, seed: int) -> list[tuple[int, int]]:
    """(revision number, turns) of a release's items in the order in which a run works them."""
    return items_order(datasets.released_items(db, release.id), seed)


def items_order(items: Iterable[ReleasedItem], seed: int) -> list[tuple[int, int]]:
    """The same of some of its items."""
    return _stratified_order(
        (
            (
                (item.revision_id, len(item.content.turns)),
                (item.content.topic, item.content.task),
            )
            for item in items
        ),
        seed,
    )


def answering_provider(workspace: Workspace, system: SystemConfig) -> Provider | None:
    """The provider that answers for `system`; None when an offline generator does."""
    if system.is_own:
        return stored_service(system.own)
    provider = providers(workspace.folder).get(system.generator)
    return None if provider is None or provider.kind == "offline" else provider


def stage_providers(workspace: Workspace, system: SystemConfig) -> dict[str, Provider]:
    """The providers that stages of `system` ask in the place of its own model, by name."""
    have = providers(workspace.folder)
    return {name: have[name] for name in asked_providers(system) if name}


def with_frozen_stages(workspace: Workspace, system: SystemConfig) -> SystemConfig:
    """The system whose corpus stages say by which model and prompts they ask, as these are now:
    other ones make other texts."""
    asked = stage_providers(workspace, system)
    own = answering_provider(workspace, system)
    if own is not None:
        asked[""] = own
    prompts = stage_prompts(system, workspace.folder / "prompts")
    return structs.replace(system, corpus=frozen_stages(system.corpus, asked, prompts))


def run_prompts(workspace: Workspace, system: SystemConfig, release_id: int) -> dict[str, str]:
    """The texts of the prompts by which a system's stages ask and by which the items of a release
    are answered, by `LANG/ID`. Raises what `stage_prompts` raises."""
    tasks = {item.content.task for item in datasets.released_items(workspace.db, release_id)}
    return {
        **load_answer_prompts(
            workspace.folder,
            sorted(tasks),
            closed_book=not system.retriever,
            by_task=system.prompt == "task",
            in_halves=system.halve_above is not None,
        ),
        **stage_prompts(system, workspace.folder / "prompts"),
    }


def _stratified_order(items: Iterable[tuple[T, Hashable]], seed: int) -> list[T]:
    """The items (each with its cell) shuffled within cells and dealt out evenly over them.

    After any number of items every cell is done in the same proportion, to within one item, so a
    run that is stopped is an unbiased sample of the whole. Item j of the n of a cell (0-based)
    stands at the fraction (j + u) / n, where u is drawn once a cell from [0, 1).
    """
    cells: defaultdict[Hashable, list[T]] = defaultdict(list)
    for item, cell in items:
        cells[cell].append(item)
    draw = random.Random(seed)
    placed: list[tuple[float, int, T]] = []
    for cell in sorted(cells, key=repr):
        members = list(cells[cell])
        draw.shuffle(members)
        offset = draw.random()
        for rank, member in enumerate(members):
            placed.append(((rank + offset) / len(members), len(placed), member))
    placed.sort(key=lambda place: place[:2])
    return [member for _, _, member in placed]
