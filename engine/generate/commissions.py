"""Gives documents out to people who author items of them: alone, or in groups on one matter."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Container, Iterator, Sequence

from msgspec import Struct

from engine.corpus.document import SourceDocument
from engine.corpus.source_documents import source_documents
from engine.generate.partners import choose_partners, partner_query
from engine.generate.pool_tasks import PARTNERS
from engine.labelling.forms import load_form
from engine.retrieve.index.base import Retriever
from engine.retrieve.pipeline import open_retriever
from engine.taxonomy.classifier import classify
from engine.taxonomy.stored import find_taxonomy
from store.corpora import corpora, document_topics, taxonomies
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.datasets.datasets import Dataset
from store.errors import Conflict, UsageError
from store.labels import forms
from store.labels.log import authoring
from store.labels.log.authoring import RoundProgress
from store.labels.samples import samples
from store.labels.samples.samples import Assignment, Candidate
from store.messages import check_printable, no_such
from store.records import Evidence, ItemContent, Taxonomy, Turn
from store.workspace import Workspace

MOST_DOCUMENTS = 4
PEOPLE = 3
"""An item is written, answered and vetted by so many different people."""
_LEAST_TEXT = 300
"""Characters of the shortest document that is given out."""
_SEARCHED = 24
"""Chunks that are looked at for the other documents of a group."""
_TAXONOMY = "ekrag"


class RoundRequest(Struct, frozen=True):
    """A round of authoring to begin."""

    name: str
    corpus: str
    dataset: str
    """Made if missing."""
    items: int
    fewest: int = 1
    most: int = 1
    """Documents that are given together; the number is drawn for each item."""
    writers: tuple[str, ...] = ()
    """Who writes questions; empty for whoever comes. So of the other two steps."""
    answerers: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    taxonomy: str = ""
    """Of a new dataset; by default `ekrag`."""
    seed: int = 0


class Round(Struct, frozen=True):
    """A round that was begun."""

    name: str
    dataset: str
    items: int
    documents: int
    """Given out in all."""


class RoundState(Struct, frozen=True):
    """How far a round is, and who does what in it."""

    name: str
    dataset: str
    people: tuple[tuple[str, ...], ...]
    """Writers, answerers and leads; empty for whoever comes."""
    progress: RoundProgress


def rounds(db: sqlite3.Connection, name: str = "") -> list[RoundState]:
    """Every round, the oldest first, or the one of that name. Raises NotFound."""
    first = {
        str(one.settings["round"]): one
        for one in samples.listing(db, authoring.QUESTION, closed=True)
    }
    if name and name not in first:
        raise no_such("round", name, first, "Rounds here")
    return [
        RoundState(
            key,
            str(one.settings["dataset"]),
            tuple(samples.get(db, sample_name(key, step)).raters for step in authoring.STEPS),
            authoring.progress(db, [subject for subject, _ in samples.subjects(db, one)]),
        )
        for key, one in first.items()
        if name in ("", key)
    ]


class BeginRound(Struct, frozen=True):
    """The query that begins a round."""

    asked: RoundRequest
    author: str

    def answer(self, workspace: Workspace) -> Round:
        """Raises what `begin_round` raises."""
        return begin_round(workspace, self.asked, self.author)


def begin_round(workspace: Workspace, asked: RoundRequest, author: str) -> Round:
    """Draws documents and gives them out: an item each, to be authored in three steps.

    Documents that another item of the dataset was commissioned with are left out; equal requests
    over an equal corpus give equal groups. Raises UsageError for a name that is taken, figures that
    make no sense and too few people, Conflict when there are too few documents, NotFound for an
    unknown corpus or taxonomy.
    """
    _check(asked)
    corpus = corpora.get(workspace.db, asked.corpus)
    retriever = open_retriever(workspace, corpus, PARTNERS) if asked.most > 1 else None
    with workspace.write(durable=True) as db:
        dataset = _dataset(db, asked, corpus)
        taxonomy = taxonomies.get(db, dataset.taxonomy_id)
        drawn = _samples(db, asked)
        groups = list(_groups(db, corpus, dataset, asked, retriever))
        topics = document_topics.by_document(db, corpus, taxonomy.key)
        rows = []
        for number, group in enumerate(groups, 1):
            content = _commissioned(group, topics, taxonomy)
            key = f"{asked.name}-{number:03}"
            names = "+".join(sorted(content.documents))
            revision = authoring.commission(db, dataset, key, names, content, author=author)
            rows.append(Candidate(str(revision), topic=content.topic, group_key=names))
        for sample in drawn:
            samples.add(db, sample, [Assignment(row) for row in rows])
    return Round(asked.name, dataset.name, len(groups), sum(map(len, groups)))


def sample_name(name: str, step: str) -> str:
    """The sample of a step of a round: `ROUND/question`."""
    return f"{name}/{step.partition('_')[2]}"


def _samples(db: sqlite3.Connection, asked: RoundRequest) -> list[samples.Sample]:
    """The samples by which the steps are given out, new ones."""
    people = (asked.writers, asked.answerers, asked.leads)
    settings = {"round": asked.name, "dataset": asked.dataset, "corpus": asked.corpus} | {
        "documents": [asked.fewest, asked.most],
        "seed": asked.seed,
    }
    made = []
    for step, raters in zip(authoring.STEPS, people, strict=True):
        forms.register(db, load_form(step))
        name = sample_name(asked.name, step)
        made.append(samples.create(db, name, step, "revision", settings, raters))
    return made


def _check(asked: RoundRequest) -> None:
    if not asked.name.strip() or "/" in asked.name:
        raise UsageError(f"{asked.name!r} cannot name a round.", "Use a name without `/`.")
    check_printable("round", asked.name)
    if asked.items < 1:
        raise UsageError(f"A round of {asked.items} items.", "Use 1 or more.")
    if not 1 <= asked.fewest <= asked.most <= MOST_DOCUMENTS:
        raise UsageError(
            f"{asked.fewest}-{asked.most} documents together.",
            f"Use 1 to {MOST_DOCUMENTS}, as in 1-4.",
        )
    people = (asked.writers, asked.answerers, asked.leads)
    for named in people:
        if len(set(named)) != len(named) or not all(name.strip() for name in named):
            raise UsageError("People are named once a step, and not blank.")
    if all(people) and len({*asked.writers, *asked.answerers, *asked.leads}) < PEOPLE:
        raise UsageError(
            f"An item takes {PEOPLE} people: nobody answers or vets what they wrote.",
            "Name more writers, answerers or leads.",
        )


def _dataset(db: sqlite3.Connection, asked: RoundRequest, corpus: Corpus) -> Dataset:
    held = datasets.for_items(db, asked.dataset, corpus.name, asked.taxonomy)
    if held is not None:
        return held
    taxonomy = find_taxonomy(db, asked.taxonomy or _TAXONOMY)
    return datasets.create(db, asked.dataset, corpus.id, taxonomies.put(db, taxonomy))


def _groups(
    db: sqlite3.Connection,
    corpus: Corpus,
    dataset: Dataset,
    asked: RoundRequest,
    retriever: Retriever | None,
) -> Iterator[tuple[SourceDocument, ...]]:
    """The documents of each item, none twice."""
    draw = random.Random(asked.seed)
    used = authoring.given(db, dataset)
    free = [
        one.document_id
        for one in corpora.documents(db, corpus)
        if len(one.text) >= _LEAST_TEXT and one.document_id not in used
    ]
    free.sort()
    draw.shuffle(free)
    left = dict.fromkeys(free)
    made = 0
    for name in free:
        if made == asked.items:
            return
        if name not in left:
            continue
        (first,) = source_documents(db, corpus, [name])
        others = draw.randint(asked.fewest, asked.most) - 1
        group = (first, *_alike(db, corpus, retriever, first, left, others))
        if len(group) >= asked.fewest:
            for document in group:
                del left[document.document_id]
            made += 1
            yield group
    if made < asked.items:
        raise Conflict(
            f"Corpus {corpus.name!r} has documents for {made} items of {asked.items}.",
            "Ask for fewer items or smaller groups, or ingest more.",
        )


def _alike(
    db: sqlite3.Connection,
    corpus: Corpus,
    retriever: Retriever | None,
    document: SourceDocument,
    left: Container[str],
    most: int,
) -> tuple[SourceDocument, ...]:
    """The documents on the same matter that are still free, the most alike first; none that is a
    version of it."""
    if retriever is None or not most:
        return ()
    hits = retriever.search([partner_query(document)], _SEARCHED)[0]
    found = dict.fromkeys(hit.document_id for hit in hits)
    names = [name for name in found if name in left]
    return choose_partners(document, source_documents(db, corpus, names), most=most)


def _commissioned(
    group: Sequence[SourceDocument], topics: dict[str, str], taxonomy: Taxonomy
) -> ItemContent:
    """An item without a question, whose evidence are the documents that were given."""
    first = group[0]
    known = topics.get(first.document_id)
    topic = known or classify(first.text, first.title, taxonomy).key
    evidence = tuple(Evidence(document.document_id) for document in group)
    return ItemContent((Turn("", evidence=evidence),), topic=topic, lang=first.lang)
