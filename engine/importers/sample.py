"""The sample corpus that comes with the program, as a dataset that is released."""

from __future__ import annotations

from store.datasets.datasets import Release
from store.workspace import Workspace

SAMPLE = "sample"
"""The name of its corpus, and of its dataset."""


def load_sample(workspace: Workspace) -> Release:
    """Reads the documents, gives them topics and imports the items; raises UsageError where there
    is a dataset of that name."""
    from engine.corpus.ingest import ingest
    from engine.corpus.readers import read_paths
    from engine.importers.items import import_items
    from engine.taxonomy.definitions import load_taxonomy
    from engine.taxonomy.offline_classification import classify_corpus
    from sample_corpus import ROOT
    from store.corpora import corpora

    taxonomy = load_taxonomy("omnieval")
    ingest(workspace, SAMPLE, read_paths([ROOT / "documents"]))
    classify_corpus(workspace, corpora.get(workspace.db, SAMPLE), taxonomy)
    return import_items(
        workspace,
        sorted((ROOT / "items").glob("*.jsonl")),
        corpus_name=SAMPLE,
        dataset_name=SAMPLE,
        taxonomy=taxonomy,
        author=SAMPLE,
    )
