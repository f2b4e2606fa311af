"""The request to a system of one's own for one turn."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.models.chat import ChatRequest, Message
from engine.own.service import stored_service
from engine.own.template import SLOTS, filled
from engine.retrieve.stage import TurnState
from store.corpora import corpora
from store.corpora.corpora import Corpus, LiveDocument
from store.hashing import canonical_json
from store.systems import SystemConfig


def own_request(
    db: sqlite3.Connection, corpus: Corpus, system: SystemConfig, state: TurnState
) -> ChatRequest:
    """The request to `system` for a turn."""
    hidden = corpora.documents_by_id(db, corpus, state.content.hidden)
    template = stored_service(system.own).request
    return request_for(template, state, system.top_k, tuple(hidden.values()))


def request_for(
    template: Mapping[str, Any] | None,
    state: TurnState,
    top_k: int,
    hidden: Sequence[LiveDocument],
) -> ChatRequest:
    """The request for a turn: one message that holds a JSON object.

    Without a template that has `question`, `history` (the earlier turns, as the system's `history`
    lets it see them), `lang`, `top_k` and `hidden`, the documents that it must not use, each by all
    names that it has.
    """
    turns = [{"question": question, "answer": answer} for question, answer in state.history]
    values: dict[str, Any] = {
        "question": state.turn.question,
        "history": turns,
        "messages": [*_messages(state.history), {"role": "user", "content": state.turn.question}],
        "lang": state.lang,
        "top_k": top_k,
        "hidden": [_names(document) for document in hidden],
    }
    if template is None:
        body = {name: values[name] for name in SLOTS if name != "messages"}
    else:
        body = filled(template, values)
    return ChatRequest((Message("user", canonical_json(body).decode()),))


def _messages(history: Sequence[tuple[str, str]]) -> Iterator[dict[str, str]]:
    for question, answer in history:
        yield {"role": "user", "content": question}
        if answer:
            yield {"role": "assistant", "content": answer}


def _names(document: LiveDocument) -> list[str]:
    return [name for name in (document.document_id, document.external_id, document.path) if name]
