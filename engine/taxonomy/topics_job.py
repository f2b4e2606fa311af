"""The job `topics`: a tree of topics proposed for a corpus, and kept as a taxonomy."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from typing import Any

import msgspec
from msgspec import Struct

from engine.corpus.source_documents import source_documents
from engine.generate import requests
from engine.generate.records import SourceDocument
from engine.generate.replies import ReplyState, TreeNode, read_tree
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.launch import JobBudget
from engine.jobs.model_choice import (
    chosen_provider,
    freeze_prompts,
    frozen_prompts,
    frozen_provider,
    load_prompts,
)
from engine.models.budget import Spending
from engine.models.errors import ModelError
from engine.models.settings import Provider
from engine.taxonomy.lexical import MOST_DOCUMENTS, READ_CHARACTERS, propose_topics
from engine.taxonomy.stored import check_own_name, find_taxonomy, save_taxonomy
from engine.taxonomy.tree import taxonomy_of_tree
from store.corpora import corpora, taxonomies
from store.corpora.corpora import Corpus
from store.errors import InputError, RagdeskError, UsageError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import Lang
from store.workspace import Workspace

ASKED_AT_MOST = 3
"""How often a model is asked for a tree when what comes back is none."""
_MOST_COUNT = 200


class TopicsParams(Struct, frozen=True, omit_defaults=True):
    """What an operator asks for, and what was frozen with it."""

    corpus: str
    name: str
    domain: str
    """What the corpus is about, in words; the root of the tree."""
    lang: Lang
    """Of the topics' names."""
    tasks_from: str = "omnieval"
    """The taxonomy whose tasks the new one has."""
    count: int = 12
    """Topics to propose, about."""
    sample: int = 40
    """Documents that a model is shown the beginning of."""
    seed: int = 0
    provider: dict[str, Any] | None = None
    prompts: dict[str, str] = {}
    max_tokens: int | None = None
    max_cost: float | None = None


def queue_topics(
    workspace: Workspace,
    corpus_name: str,
    name: str,
    *,
    model: str | None = None,
    domain: str = "",
    lang: Lang | None = None,
    tasks_from: str = "omnieval",
    count: int = 12,
    sample: int = 40,
    seed: int = 0,
    budget: JobBudget | None = None,
) -> Job:
    """A job that proposes topics for a corpus and keeps them as taxonomy `name`.

    Without a model they are found by shared words, a baseline. The domain is the corpus' name and
    the language that of most documents, unless given. Raises NotFound for an unknown corpus, model
    or taxonomy to take tasks from, InputError for a name that is taken and an empty corpus, and
    UsageError for figures that make no sense.
    """
    budget = budget or JobBudget()
    for option, value, most in (("--count", count, _MOST_COUNT), ("--sample", sample, 1000)):
        if not 2 <= value <= most:
            raise UsageError(f"{option} is {value}.", f"Use 2 to {most}.")
    corpus = corpora.get(workspace.db, corpus_name)
    _check_free(workspace.db, name)
    find_taxonomy(workspace.db, tasks_from)
    provider = chosen_provider(workspace, model, budget)
    shown = sample_documents(workspace.db, corpus, sample, seed)
    if not shown:
        raise InputError(f"Corpus {corpus_name!r} is empty.", "Ingest documents first.")
    langs = Counter(document.lang for document in shown)
    with workspace.write() as db:
        texts = {} if provider is None else load_prompts(workspace, requests.TOPIC_TREE)
        params = TopicsParams(
            corpus.name,
            name,
            domain.strip() or corpus.name,
            lang or langs.most_common(1)[0][0],
            tasks_from,
            count,
            sample,
            seed,
            None if provider is None else msgspec.to_builtins(provider),
            freeze_prompts(db, texts),
            budget.max_tokens,
            budget.max_cost,
        )
        who = "by shared words" if provider is None else f"by {provider.model}"
        title = f"{name} for {corpus.name} {who}"
        return jobs.enqueue(db, "topics", title, params=msgspec.to_builtins(params))


def sample_documents(
    db: sqlite3.Connection, corpus: Corpus, count: int, seed: int
) -> list[SourceDocument]:
    """A seeded draw of at most `count` documents of a corpus, in order of their id."""
    ids = sorted(corpora.source_names(db, corpus))
    drawn = sorted(random.Random(seed).sample(ids, min(count, len(ids))))
    return source_documents(db, corpus, drawn)


async def build_topics(context: JobContext) -> None:
    """Proposes the topics and keeps them; nothing is kept of a proposal that cannot be read."""
    params = msgspec.convert(context.job.params, TopicsParams)
    db = context.workspace.db
    corpus = corpora.get(db, params.corpus)
    _check_free(db, params.name)
    provider = frozen_provider(params.provider)
    if provider is None:
        documents = sample_documents(db, corpus, MOST_DOCUMENTS, params.seed)
        texts = [f"{one.title}\n{one.text}"[:READ_CHARACTERS] for one in documents]
        root = await context.pool.call(
            propose_topics, texts, params.domain, params.count, params.seed
        )
        origin = "proposed by shared words (baseline)"
    else:
        root, origin = await _ask(context, params, corpus, provider)
    known = find_taxonomy(db, params.tasks_from)
    taxonomy = taxonomy_of_tree(root, params.name, known, known.topics)
    with context.workspace.write() as write:
        save_taxonomy(write, taxonomy, origin)
        jobs.set_progress(write, context.job.id, 1, 1)


async def _ask(
    context: JobContext, params: TopicsParams, corpus: Corpus, provider: Provider
) -> tuple[TreeNode, str]:
    """The tree that the model proposes, and in words who made it with which prompt."""
    db = context.workspace.db
    documents = sample_documents(db, corpus, params.sample, params.seed)
    prompt = frozen_prompts(db, params.prompts)[params.lang]
    asked = requests.topic_tree_request(params.domain, documents, prompt, count=params.count)
    chat = JobChat(context, provider, GroupCommit(context.workspace), Spending())
    problems: list[str] = []
    for repeat in range(ASKED_AT_MOST):
        context.raise_if_stopping()
        try:
            reply = await chat.complete(asked.request, repeat)
        except ModelError as error:
            raise RagdeskError(error.message, error.remedy) from error
        read = read_tree(reply.text)
        context.note("reply", f"{read.state}: {reply.key} {read.problem}".rstrip())
        if read.state is ReplyState.PARSED and read.root is not None:
            return read.root, f"proposed by {provider.model}, prompt {prompt.id} {prompt.hash[:12]}"
        problems.append(f"{read.state} ({read.problem})" if read.problem else read.state)
    raise RagdeskError(
        f"{provider.model} gave no tree of topics in {ASKED_AT_MOST} replies:"
        f" {'; '.join(problems)}.",
        "Try another model, or leave --model out for topics by shared words.",
    )


def _check_free(db: sqlite3.Connection, name: str) -> None:
    check_own_name(name)
    if taxonomies.find(db, name) is not None:
        raise UsageError(
            f"Taxonomy {name!r} exists already.",
            "Choose another name; `ragdesk topics prune` changes the one there is.",
        )
