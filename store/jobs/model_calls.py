"""The cache of model calls: replies by the hash of the exact request."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from store.clock import now_text
from store.hashing import canonical_json, content_hash


class ModelCall(msgspec.Struct, frozen=True):
    """A provider's reply; `cost` is in `currency`, and both are null when the price is unknown.

    Errors, refused keys and empty replies are never stored: they would be served for ever.
    """

    provider: str
    model: str
    request: dict[str, Any]
    reply: str
    finish_reason: str
    latency_ms: float
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    currency: str | None = None
    reply_model: str | None = None
    """The model that answered, as the server names it; null where it names none."""


class CallRef(msgspec.Struct, frozen=True):
    """A reference to a cached reply that a result depends on."""

    key: str
    cached: bool = False
    """Whether it came from the cache, so that it cost nothing this time."""


def call_key(provider: str, request: dict[str, Any], repeat: int) -> str:
    """The key of a request, over everything that can change the reply and nothing else."""
    return content_hash({"provider": provider, "request": request, "repeat": repeat})


def get(db: sqlite3.Connection, key: str) -> ModelCall | None:
    row = db.execute(
        "SELECT provider, model, request, reply, finish_reason, latency_ms, tokens_in, tokens_out,"
        " cost, currency, reply_model FROM model_call WHERE key = ?",
        (key,),
    ).fetchone()
    if row is None:
        return None
    return ModelCall(row[0], row[1], msgspec.json.decode(row[2]), *row[3:])


def put(db: sqlite3.Connection, key: str, call: ModelCall) -> None:
    """Stores a reply; the first one for a key stays."""
    db.execute(
        "INSERT INTO model_call (key, provider, model, request, reply, finish_reason, tokens_in,"
        " tokens_out, cost, currency, latency_ms, created_at, reply_model)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            key,
            call.provider,
            call.model,
            canonical_json(call.request).decode(),
            call.reply,
            call.finish_reason,
            call.tokens_in,
            call.tokens_out,
            call.cost,
            call.currency,
            call.latency_ms,
            now_text(),
            call.reply_model,
        ),
    )
