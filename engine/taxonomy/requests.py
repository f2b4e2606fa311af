"""Requests to a model about topics: to propose a tree of them, and to classify a document."""

from __future__ import annotations

import json
from collections.abc import Sequence

from engine.corpus.document import SourceDocument, shortened, shown_document
from engine.prompts.templates import PromptedRequest, PromptText
from store.records import Lang, Taxonomy, Topic

CLASSIFICATION = "topics/classify"
TOPIC_TREE = "topics/tree"
SAMPLE_CHARACTERS = 240
"""Of a document that is shown as a sample of its corpus."""


def topic_tree_request(
    domain: str,
    documents: Sequence[SourceDocument],
    prompt: PromptText,
    *,
    depth: int = 2,
    count: int = 12,
) -> PromptedRequest:
    """Asks for a tree of about `count` topics of `domain`, `depth` levels below its root, fit for
    a corpus of which `documents` are a sample."""
    samples = "\n\n".join(
        f"{number}. {document.title}\n{shortened(document.text, SAMPLE_CHARACTERS)}"
        for number, document in enumerate(documents, 1)
    )
    optional = {"documents": samples, "count": str(count)}
    return prompt.request({"domain": domain, "depth": str(depth)}, optional)


def classification_request(
    document: SourceDocument, taxonomy: Taxonomy, prompt: PromptText
) -> PromptedRequest:
    """Asks for the number of the document's topic: 1 for the first of the taxonomy, 0 for none."""
    lang = prompt.lang
    topics = "\n".join(
        json.dumps({"id": number, "topic_name": topic_name(topic, lang)}, ensure_ascii=False)
        for number, topic in enumerate(taxonomy.topics, start=1)
    )
    return prompt.request({"topics": topics, "document": shown_document(document, lang)})


def topic_name(topic: Topic, lang: Lang) -> str:
    """Group and name of a topic in `lang`: 银行业务 - 零售银行."""
    parts = (topic.group_zh, topic.zh) if lang == "zh" else (topic.group_en, topic.en)
    return " - ".join(part for part in parts if part)
