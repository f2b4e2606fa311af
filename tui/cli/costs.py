"""The model calls of a job: an estimate before it, the tokens and money spent after it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.messages import plural
from tui.cli.output import print_json, say

if TYPE_CHECKING:
    from engine.evaluate.estimate import RequestCount
    from store.jobs.jobs import Job

_COUNTED = ("calls", "cached", "tokens_in", "tokens_out", "cost", "currency")


def spent_words(job: Job, tokens: int, cost: float) -> str:
    """The tokens and money that a job spent, in the currency of the provider's prices."""
    prices = (job.params.get("provider") or {}).get("prices")
    if prices is None:
        return plural(tokens, "token")
    return f"{plural(tokens, 'token')}, {cost:.4f} {prices.get('currency', 'USD')}"


def show_no_calls(arguments: argparse.Namespace, why: str) -> None:
    """Prints that a job would ask no model."""
    if arguments.json:
        print_json({**dict.fromkeys(_COUNTED[:-1], 0), "currency": None})
    say(why)


def show_count(arguments: argparse.Namespace, count: RequestCount) -> None:
    """Prints what a job would ask a model for."""
    if arguments.json:
        print_json({name: getattr(count, name) for name in _COUNTED})
        return
    print(f"model calls {count.calls:,}, of which {count.cached:,} are in the cache")
    print(f"tokens in about {count.tokens_in:,}, out at most about {count.tokens_out:,}")
    if count.currency is not None:
        print(f"cost about {count.cost:,.2f} {count.currency}")
    elif count.calls:
        print("cost unknown: the provider has no prices in ragdesk.toml")
