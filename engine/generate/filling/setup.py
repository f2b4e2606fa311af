"""The beginning of a generation: its request, checked against the workspace, and its plan."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from engine.generate import related
from engine.generate.builders.registry import staged_builder
from engine.generate.filling.asked import ItemsAsked
from engine.generate.filling.quota import Cell, QuotaPlan, even_targets
from engine.generate.partners import ways_of
from engine.generate.requests import generation_prompts
from engine.generate.rules.drafting import builder_of
from engine.jobs.model_choice import chosen_provider, frozen_prompts
from engine.models.settings import Provider
from engine.prompts.languages import LANGS
from engine.prompts.templates import PromptText
from engine.retrieve.settings import find_retrieval, neural_settings
from engine.taxonomy.classifier import classify
from engine.taxonomy.stored import find_taxonomy
from store.corpora import corpora, document_topics, taxonomies
from store.corpora.corpora import Corpus
from store.datasets import datasets, generations
from store.datasets.datasets import Dataset
from store.datasets.generations import OFFLINE, Generation, GenerationSettings
from store.errors import NotFound, UsageError
from store.messages import choices
from store.records import UNASSIGNED, Lang, Task, Taxonomy, Topic
from store.systems import Retrieval
from store.workspace import Workspace

ITEMS_A_CALL = 3
"""Items that one attempt may give; more of one document make a dull dataset."""
_ANY_TOPIC = Topic(UNASSIGNED, "不限", "any")


class Scope(Struct, frozen=True):
    """The request for a generation, checked against the workspace."""

    corpus: Corpus
    dataset: Dataset | None
    """Null where it is yet to be made."""
    taxonomy: Taxonomy
    targets: dict[Cell, int]
    provider: Provider | None
    settings: GenerationSettings
    prompts: dict[str, PromptText]
    """By `LANG/TASK`, of a stage beside the main one by `LANG/TASK/STAGE`; empty for drafts by
    rule."""

    @property
    def absent_prompts(self) -> tuple[str, ...]:
        """The prompts, `LANG/ID`, that its tasks name and that another stands in for."""
        named = {
            f"{lang}/{task.key}": task.prompt for task in self.taxonomy.tasks for lang in LANGS
        }
        return tuple(
            f"{text.lang}/{named[place]}"
            for place, text in self.prompts.items()
            if place in named and text.id != named[place]
        )

    def prompts_of(self, task: str, lang: Lang) -> dict[str, PromptText]:
        """The prompts of a task, by stage."""
        main = f"{lang}/{task}"
        return {
            place[len(main) :].removeprefix("/"): text
            for place, text in self.prompts.items()
            if f"{place}/".startswith(f"{main}/")
        }

    def task(self, key: str) -> Task:
        return next(task for task in self.taxonomy.tasks if task.key == key)

    def topic(self, key: str) -> Topic:
        return topic_of(self.taxonomy, key)


def find_scope(workspace: Workspace, asked: ItemsAsked) -> Scope:
    """The scope of a request, as far as an estimate needs it: the dataset's name may be one that
    cannot be given, and the model's key may be missing. Raises what `Generate.check` raises
    else."""
    if asked.per_cell < 1:
        raise UsageError(
            f"The number of items per cell is {asked.per_cell}.", "Use 1 or more.", "--per-cell"
        )
    corpus = corpora.get(workspace.db, asked.corpus)
    dataset = datasets.for_items(workspace.db, asked.dataset, corpus.name, asked.taxonomy)
    taxonomy = (
        find_taxonomy(workspace.db, asked.taxonomy or "omnieval")
        if dataset is None
        else taxonomies.get(workspace.db, dataset.taxonomy_id)
    )
    topics = _known(
        asked.topics, (topic.key for topic in taxonomy.topics), "topic", taxonomy, (UNASSIGNED,)
    )
    tasks = _known(asked.tasks, (task.key for task in taxonomy.tasks), "task", taxonomy)
    targets = _targets(asked, taxonomy, topics, tasks)
    tasks = list(dict.fromkeys(task for _, task in targets))
    provider = chosen_provider(workspace, asked.model)
    texts: dict[str, PromptText] = {}
    if provider is not None:
        rows = {task.key: task for task in taxonomy.tasks}
        overrides = workspace.folder / "prompts"
        texts = {
            f"{lang}/{key}/{stage}".rstrip("/"): text
            for lang in LANGS
            for key in tasks
            for stage, text in generation_prompts(rows[key], lang, overrides).items()
        }
    settings = GenerationSettings(
        max(targets.values()),
        asked.seed,
        OFFLINE if provider is None else provider.model,
        None if provider is None else msgspec.to_builtins(provider),
        {name: text.hash for name, text in texts.items()},
        _related_by(workspace, asked.related_by),
    )
    return Scope(corpus, dataset, taxonomy, targets, provider, settings, texts)


def stored_scope(workspace: Workspace, generation: Generation) -> Scope:
    """The scope that a generation froze when it was queued."""
    db = workspace.db
    dataset = datasets.get_by_id(db, generation.dataset_id)
    settings = generation.settings
    provider = None if settings.provider is None else msgspec.convert(settings.provider, Provider)
    return Scope(
        corpora.get_by_id(db, dataset.corpus_id),
        dataset,
        taxonomies.get(db, dataset.taxonomy_id),
        generations.targets(db, generation.job_id),
        provider,
        settings,
        frozen_prompts(db, settings.prompts),
    )


def documents_of_topics(db: sqlite3.Connection, scope: Scope) -> dict[str, list[str]]:
    """Ids of the corpus' documents by topic; one that has none yet gets it by its words."""
    topics = document_topics.by_document(db, scope.corpus, scope.taxonomy.key)
    for document in document_topics.unclassified(db, scope.corpus, scope.taxonomy.key):
        guess = classify(document.text, document.title, scope.taxonomy)
        topics[document.document_id] = guess.key
    documents: defaultdict[str, list[str]] = defaultdict(list)
    for document_id in sorted(topics):
        documents[topics[document_id]].append(document_id)
    return dict(documents)


def make_plan(
    scope: Scope,
    documents: Mapping[str, Sequence[str]],
    *,
    filled: Mapping[Cell, int],
    given: Mapping[tuple[str, str, str], int] | None = None,
    tried: Iterable[tuple[str, str, str, int]] = (),
) -> QuotaPlan:
    """The plan of a generation, as its quotas and its writer have it."""
    return QuotaPlan(
        scope.targets,
        documents,
        {task.key: _rounds(task, scope.provider is None) for task in scope.taxonomy.tasks},
        expected={task.key: items_a_call(task, scope.settings) for task in scope.taxonomy.tasks},
        filled=filled,
        given=given,
        tried=tried,
        seed=scope.settings.seed,
    )


def items_a_call(task: Task, settings: GenerationSettings) -> int:
    """Items that one attempt is asked for; a model writes one dialogue at a time."""
    if task.shape == "conversation" and settings.provider is not None:
        return 1
    builder = staged_builder(task)
    most = ITEMS_A_CALL if builder is None else builder.most_items
    return min(most, settings.per_cell)


def topic_of(taxonomy: Taxonomy, key: str) -> Topic:
    """A topic of the taxonomy, or the one that stands for none."""
    return next((topic for topic in taxonomy.topics if topic.key == key), _ANY_TOPIC)


def _rounds(task: Task, by_rule: bool) -> int:
    if by_rule:
        return 0 if builder_of(task) is None else 1
    return len(ways_of(task))


def _related_by(workspace: Workspace, named: str) -> Retrieval:
    """The retriever that chooses related reports. Raises UsageError for an unknown one, and for
    one that would be paid for."""
    chosen = find_retrieval(neural_settings(workspace.folder), named or related.DEFAULT)
    paid = next((model for model in chosen.embeddings if model.provider), None)
    if paid is not None:
        raise UsageError(
            f"Embedding {paid.name!r} asks an endpoint, outside of what a generation may spend.",
            "Choose related reports by a retriever that computes here.",
        )
    return chosen


def _targets(
    asked: ItemsAsked, taxonomy: Taxonomy, topics: Sequence[str], tasks: Sequence[str]
) -> dict[Cell, int]:
    """Even targets, but for the cells that have their own."""
    targets = even_targets(topics, tasks, asked.per_cell)
    all_topics = [topic.key for topic in taxonomy.topics]
    all_tasks = [task.key for task in taxonomy.tasks]
    for topic, task, items in asked.targets:
        _known((topic,), all_topics, "topic", taxonomy, (UNASSIGNED,))
        _known((task,), all_tasks, "task", taxonomy)
        if items < 0:
            raise UsageError(
                f"The target of {topic}/{task} is {items}.", "Use 0 or more.", "--target"
            )
        targets[topic, task] = items
    targets = {cell: items for cell, items in targets.items() if items}
    if not targets:
        raise UsageError("No cell has a target.", "Give at least one cell a target above 0.")
    return targets


def _known(
    given: Sequence[str],
    there: Iterable[str],
    kind: str,
    taxonomy: Taxonomy,
    also: Sequence[str] = (),
) -> list[str]:
    """The keys given, each once; all of the taxonomy's when none is."""
    keys = list(there)
    for key in given:
        if key not in keys and key not in also:
            raise NotFound(
                f"Taxonomy {taxonomy.key!r} has no {kind} {key!r}.",
                choices(key, (*keys, *also), f"Its {kind}s"),
            )
    return list(dict.fromkeys(given)) or keys
