"""What a job would take of a model."""

from __future__ import annotations

from msgspec import Struct


class Estimate(Struct, frozen=True):
    """What a job would take. Tokens and cost are those of the calls that the cache does not save.

    All 0 for a job that asks no model. A room adds what else its jobs count.
    """

    calls: int = 0
    """Those whose replies are in the cache included."""
    cached: int = 0
    """Replies that are there already, or will be once an equal request of the job was answered."""
    tokens_in: int = 0
    tokens_out: int = 0
    """An upper bound where the provider's `max_tokens` gives one."""
    cost: float | None = None
    """Null without prices."""
    currency: str | None = None
