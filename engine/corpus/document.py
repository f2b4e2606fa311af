"""A document in the form that rules and models read."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engine.text.sentences import sentences
from store.records import UNASSIGNED, Lang

LONGEST_DOCUMENT = 12_000
"""Characters of a document that are shown; the rest is cut at the end of a sentence."""


class SourceDocument(Struct, frozen=True):
    """A document to make items from."""

    document_id: str
    title: str
    text: str
    lang: Lang
    topic: str = UNASSIGNED
    """Key of its topic, or `unassigned`."""
    source: str = ""
    """Path of the file it came from; documents of one folder or file make natural partners."""


def shown_documents(documents: Sequence[SourceDocument], lang: Lang) -> str:
    """The documents one after another, numbered when there are several."""
    if len(documents) == 1:
        return shown_document(documents[0], lang)
    return "\n\n".join(
        shown_document(document, lang, number) for number, document in enumerate(documents, 1)
    )


def shown_document(document: SourceDocument, lang: Lang, number: int = 0) -> str:
    """A document between two marker lines, with its title; its text is as it is stored."""
    name = "文档" if lang == "zh" else "document"
    name += f" {number}" if number else ""
    begin, end = ("开始", "结束") if lang == "zh" else ("begins", "ends")
    label = "标题：" if lang == "zh" else "Title: "
    title = f"{label}{document.title}\n" if document.title else ""
    return f"=== {name} {begin} ===\n{title}{shortened(document.text)}\n=== {name} {end} ==="


def shortened(text: str, most: int = LONGEST_DOCUMENT) -> str:
    """`text` up to the last sentence that ends within `most` characters."""
    if len(text) <= most:
        return text
    ends = [end for _, end in sentences(text[:most])[:-1]]
    return text[: ends[-1]] if ends else text[:most]
