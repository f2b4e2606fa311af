"""Asking a model which entities a chunk names, and reading what it replies."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from engine.corpus.document import SourceDocument, shown_document
from engine.graph.linking import folded
from engine.graph.naming import LONGEST
from engine.models.parse import parse_json
from engine.models.replies import ReplyState, unread_state
from engine.prompts.templates import PromptedRequest, PromptText

PROMPT = "graph/entities"


class ReadNames(Struct, frozen=True):
    state: ReplyState
    names: tuple[str, ...] = ()
    problem: str = ""
    """Why the reply was not parsed, or how many names were left out."""


def naming_request(chunk: SourceDocument, prompts: Mapping[str, PromptText]) -> PromptedRequest:
    """Asks for the entities that a chunk names."""
    prompt = prompts[chunk.lang]
    return prompt.request({"document": shown_document(chunk, chunk.lang)})


def read_names(raw: str, chunk: SourceDocument) -> ReadNames:
    """The names of a reply that stand in the chunk, whatever the case; others are left out."""
    parsed = parse_json(raw)
    if parsed.value is None:
        return ReadNames(unread_state(raw), problem=parsed.problem)
    listed = parsed.value.get("entities") if isinstance(parsed.value, dict) else parsed.value
    if not isinstance(listed, list):
        return ReadNames(ReplyState.UNPARSED, problem="the reply is no list of entities")
    text = folded(f"{chunk.title}\n{chunk.text}")
    given = [name.strip() for name in listed if isinstance(name, str) and name.strip()]
    names = tuple(
        dict.fromkeys(name for name in given if len(name) <= LONGEST and folded(name) in text)
    )
    left_out = len(listed) - len(names)
    problem = f"{left_out} that do not stand in the text were left out" if left_out else ""
    return ReadNames(ReplyState.PARSED if names else ReplyState.EMPTY, names, problem)
