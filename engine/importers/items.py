"""Importing gold items: each quote found in its document, the whole released as a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.importers.document_names import by_ending, path_parts
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import InputError
from store.formats.items import FileEvidence, FileItem, read_items
from store.records import UNASSIGNED, Evidence, ItemContent, ItemState, Taxonomy, Turn
from store.workspace import Workspace


def import_items(
    workspace: Workspace,
    files: Sequence[Path],
    *,
    corpus: Corpus,
    dataset_name: str,
    taxonomy: Taxonomy,
    author: str,
) -> Release:
    """Reads item files into a new dataset and releases version 1; all of it or nothing.

    Raises InputError, with file and line, for a topic or task that the taxonomy lacks, a source
    that the corpus does not hold, and a quote that its document does not hold verbatim.
    """
    reader = _Reader(workspace, corpus, taxonomy)
    with workspace.write(durable=True) as db:
        dataset = datasets.create(db, dataset_name, corpus.id, corpora.put_taxonomy(db, taxonomy))
        for file in files:
            for line, item in read_items(file):
                content = reader.content(f"{file}, line {line}", item)
                first = next((e for turn in content.turns for e in turn.evidence), None)
                datasets.add_item(
                    db,
                    dataset,
                    item.id,
                    first.document_id if first else item.id,
                    content,
                    author=author,
                    reason=f"imported from {file.name}",
                    state=ItemState.ACCEPTED,
                )
        if not datasets.state_counts(db, dataset):
            raise InputError(
                f"There is no item in {', '.join(map(str, files))}.", "Give one JSON object a line."
            )
        return datasets.release(db, dataset, "imported")


class _Reader:
    def __init__(self, workspace: Workspace, corpus: Corpus, taxonomy: Taxonomy) -> None:
        self._paths = by_ending(corpora.document_by_path(workspace.db, corpus))
        self._texts = {
            document.document_id: document.text
            for document in corpora.documents(workspace.db, corpus)
        }
        self._corpus = corpus.name
        self._legal = {
            "topic": {UNASSIGNED, *(topic.key for topic in taxonomy.topics)},
            "task": {UNASSIGNED, *(task.key for task in taxonomy.tasks)},
        }
        self._taxonomy = taxonomy.key

    def content(self, place: str, item: FileItem) -> ItemContent:
        for field, value in (("topic", item.topic), ("task", item.task)):
            if value not in self._legal[field]:
                raise InputError(
                    f"{place}: field `{field}`: taxonomy {self._taxonomy!r} has no {value!r}.",
                    f"Known: {', '.join(sorted(self._legal[field]))}.",
                )
        if not item.turns:
            raise InputError(f"{place}: field `turns` is empty.", "Give the item a question.")
        turns = tuple(
            Turn(
                turn.question,
                tuple(turn.golden_answers),
                tuple(self._evidence(place, evidence) for evidence in turn.evidence),
            )
            for turn in item.turns
        )
        return ItemContent(turns, item.topic, item.task, item.lang, item.facets)

    def _evidence(self, place: str, evidence: FileEvidence) -> Evidence:
        document_id = self._paths.get(path_parts(evidence.source))
        if document_id is None:
            raise InputError(
                f"{place}: field `source`: corpus {self._corpus!r} holds no {evidence.source!r}.",
                "Ingest that file first, or mend the path.",
            )
        if evidence.quote is None:
            return Evidence(document_id)
        start = self._texts[document_id].find(evidence.quote)
        if start < 0:
            raise InputError(
                f"{place}: field `quote`: {evidence.source} does not hold {evidence.quote!r}.",
                "Quote the document word for word.",
            )
        return Evidence(document_id, start, start + len(evidence.quote), evidence.quote)
