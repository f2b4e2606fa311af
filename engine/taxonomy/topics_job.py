"""The job `topics`: a tree of topics proposed for a corpus, and kept as a taxonomy."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter

from msgspec.structs import replace

from engine.corpus.document import SourceDocument
from engine.corpus.source_documents import source_documents
from engine.jobs.chat import JobChat
from engine.jobs.commits import GroupCommit
from engine.jobs.context import JobContext
from engine.jobs.model_choice import (
    ModelOperation,
    check_model,
    chosen_provider,
    frozen_prompts,
    load_prompts,
)
from engine.jobs.operation import Estimate, Progress, no_progress, put
from engine.jobs.request_count import RequestCount
from engine.models.budget import Spending
from engine.models.errors import ModelError
from engine.models.replies import ReplyState
from engine.models.settings import Provider
from engine.prompts.templates import PromptedRequest, PromptText
from engine.taxonomy.lexical import MOST_DOCUMENTS, READ_CHARACTERS, propose_topics
from engine.taxonomy.replies import read_tree
from engine.taxonomy.requests import TOPIC_TREE, topic_tree_request
from engine.taxonomy.stored import check_own_name, find_taxonomy, save_taxonomy
from engine.taxonomy.tree import TreeNode, taxonomy_of_tree
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
_MOST_SHOWN = 1000


class ProposeTopics(ModelOperation, frozen=True, tag="topics"):
    """By shared words, a baseline, where no model is named."""

    corpus: str
    name: str
    """Of the new taxonomy."""
    domain: str = ""
    """What the corpus is about, in words; the root of the tree. By default the corpus' name."""
    lang: Lang | None = None
    """Of the topics' names; by default that of most documents."""
    tasks_from: str = "omnieval"
    """The taxonomy whose tasks the new one has."""
    count: int = 12
    """Topics to propose, about."""
    sample: int = 40
    """Documents that a model is shown the beginning of."""
    seed: int = 0

    def check(self, workspace: Workspace) -> None:
        """Raises NotFound for an unknown corpus, model or taxonomy to take tasks from, InputError
        for an empty corpus, UsageError for a name that is taken and for figures that make no
        sense, and what `check_model` raises."""
        for name, value, most, option in (
            ("topics", self.count, _MOST_COUNT, "--count"),
            ("documents", self.sample, _MOST_SHOWN, "--sample"),
        ):
            if not 2 <= value <= most:
                raise UsageError(f"The number of {name} is {value}.", f"Use 2 to {most}.", option)
        corpus = corpora.get(workspace.db, self.corpus)
        _check_free(workspace.db, self.name)
        find_taxonomy(workspace.db, self.tasks_from)
        check_model(workspace, self.model, self.budget)
        if corpora.is_empty(workspace.db, corpus):
            raise InputError(f"Corpus {self.corpus!r} is empty.", "Ingest documents first.")

    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> Estimate:
        """One reply that is a tree."""
        provider = chosen_provider(workspace, self.model)
        if provider is None:
            return Estimate()
        count = RequestCount(workspace, provider)
        named = self._named(workspace.db)
        texts = load_prompts(workspace, TOPIC_TREE)
        count.add(named._request(workspace.db, texts).request, 0)
        return count.estimate

    def enqueue(self, workspace: Workspace) -> Job:
        frozen = self._named(workspace.db).frozen(workspace, TOPIC_TREE)
        provider = frozen.provider
        who = "by shared words" if provider is None else f"by {provider.model}"
        return put(workspace.db, frozen, f"{self.name} for {self.corpus} {who}")

    async def run(self, context: JobContext) -> None:
        """Proposes the topics and keeps them; nothing is kept of a proposal that cannot be read."""
        db = context.workspace.db
        _check_free(db, self.name)
        if self.provider is None:
            documents = _sample(db, corpora.get(db, self.corpus), MOST_DOCUMENTS, self.seed)
            texts = [
                f"{document.title}\n{document.text}"[:READ_CHARACTERS] for document in documents
            ]
            root = await context.in_child(propose_topics, texts, self.domain, self.count, self.seed)
            origin = "proposed by shared words (baseline)"
        else:
            root, origin = await self._ask(context, self.provider)
        known = find_taxonomy(db, self.tasks_from)
        taxonomy = taxonomy_of_tree(root, self.name, known, known.topics)
        with context.workspace.write() as write:
            save_taxonomy(write, taxonomy, origin)
            jobs.set_progress(write, context.job.id, 1, 1)

    def _named(self, db: sqlite3.Connection) -> ProposeTopics:
        """With domain and language as the corpus gives them, where they were not given."""
        langs = Counter(document.lang for document in self._shown(db)).most_common(1)
        return replace(
            self,
            domain=self.domain.strip() or self.corpus,
            lang=self.lang or (langs[0][0] if langs else "en"),
        )

    def _shown(self, db: sqlite3.Connection) -> list[SourceDocument]:
        return _sample(db, corpora.get(db, self.corpus), self.sample, self.seed)

    def _request(self, db: sqlite3.Connection, prompts: dict[str, PromptText]) -> PromptedRequest:
        assert self.lang is not None, "the language is settled by _named"
        shown = self._shown(db)
        return topic_tree_request(self.domain, shown, prompts[self.lang], count=self.count)

    async def _ask(self, context: JobContext, provider: Provider) -> tuple[TreeNode, str]:
        """The tree that the model proposes, and in words who made it with which prompt."""
        db = context.workspace.db
        asked = self._request(db, frozen_prompts(db, self.prompts))
        commits = GroupCommit(context.workspace)
        chat = JobChat(context, provider, self.budget, commits, Spending())
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
                prompt = f"{asked.prompt_id} {asked.prompt_hash[:12]}"
                return read.root, f"proposed by {provider.model}, prompt {prompt}"
            problems.append(f"{read.state} ({read.problem})" if read.problem else read.state)
        raise RagdeskError(
            f"{provider.model} gave no tree of topics in {ASKED_AT_MOST} replies:"
            f" {'; '.join(problems)}.",
            "Try another model, or none, for topics by shared words.",
            "--model",
        )


def _sample(db: sqlite3.Connection, corpus: Corpus, count: int, seed: int) -> list[SourceDocument]:
    """A seeded draw of at most `count` documents of a corpus, in order of their id."""
    ids = sorted(corpora.source_names(db, corpus))
    drawn = sorted(random.Random(seed).sample(ids, min(count, len(ids))))
    return source_documents(db, corpus, drawn)


def _check_free(db: sqlite3.Connection, name: str) -> None:
    check_own_name(name)
    if taxonomies.find(db, name) is not None:
        raise UsageError(
            f"Taxonomy {name!r} exists already.",
            "Choose another name, or prune the one there is.",
            "ragdesk topics prune",
        )
