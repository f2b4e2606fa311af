"""The printed model calls of a job: the estimate before it, tokens and money after it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from store.messages import plural
from tui.cli.output import print_json, say

if TYPE_CHECKING:
    from engine.jobs.operation import Estimate
    from engine.judge.estimate import JudgeEstimate

_COUNTED = ("calls", "cached", "tokens_in", "tokens_out", "cost", "currency")


def spent_words(params: Mapping[str, Any], tokens: int, cost: float) -> str:
    """The tokens and money that a job of these parameters spent, in the currency of its
    provider's prices."""
    prices = (params.get("provider") or {}).get("prices")
    if prices is None:
        return plural(tokens, "token")
    return f"{plural(tokens, 'token')}, {cost:.4f} {prices.get('currency', 'USD')}"


def show_no_calls(arguments: argparse.Namespace, why: str) -> None:
    """Prints that a job would ask no model."""
    if arguments.json:
        print_json({**dict.fromkeys(_COUNTED[:-1], 0), "currency": None})
    say(why)


def show_estimate(arguments: argparse.Namespace, estimate: Estimate) -> None:
    """Prints what a job would ask a model for."""
    if arguments.json:
        print_json({name: getattr(estimate, name) for name in _COUNTED})
        return
    print(f"model calls {estimate.calls:,}, of which {estimate.cached:,} are in the cache")
    print_tokens(estimate)


def print_tokens(estimate: Estimate, bound: str = "at most about") -> None:
    """Prints the tokens of an estimate, and their cost; `bound` says how far the replies' are
    known."""
    print(f"tokens in about {estimate.tokens_in:,}, out {bound} {estimate.tokens_out:,}")
    if estimate.cost is not None:
        print(f"cost about {estimate.cost:,.2f} {estimate.currency}")
    elif estimate.calls:
        print("cost unknown: the provider has no prices in ragdesk.toml")


def print_judging(estimate: JudgeEstimate) -> None:
    """Prints what a judge takes that scores answers once they are there."""
    least = "at least " if estimate.at_least else ""
    print(
        f"judging {plural(estimate.scores, 'score')}: golden answers stand in for those not there"
    )
    print(f"model calls {least}{estimate.calls:,}")
    print_tokens(estimate)
