"""The printed model calls of a job: the estimate before it, tokens and money after it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from store.messages import plural
from tui.cli.output import print_json, print_line, say
from tui.language import later, read, tr

if TYPE_CHECKING:
    from engine.jobs.operation import Estimate
    from engine.judge.estimate import JudgeEstimate

_COUNTED = ("calls", "cached", "tokens_in", "tokens_out", "cost", "currency")


def spent_words(params: Mapping[str, Any], tokens: int, cost: float) -> str:
    """The tokens and money that a job of these parameters spent, in the currency of its
    provider's prices."""
    prices = (params.get("provider") or {}).get("prices")
    spent = read(plural(tokens, "token"))
    return spent if prices is None else f"{spent}, {cost:.4f} {prices.get('currency', 'USD')}"


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
    print_line(
        "model calls {calls:,}, of which {cached:,} are in the cache",
        calls=estimate.calls,
        cached=estimate.cached,
    )
    print_tokens(estimate)


def print_tokens(estimate: Estimate, bound: str = later("at most about")) -> None:
    """Prints the tokens of an estimate, and their cost; `bound` says how far the replies' are
    known."""
    print_line(
        "tokens in about {tokens_in:,}, out {bound} {tokens_out:,}",
        tokens_in=estimate.tokens_in,
        bound=tr(bound),
        tokens_out=estimate.tokens_out,
    )
    if estimate.cost is not None:
        print_line(
            "cost about {cost:,.2f} {currency}", cost=estimate.cost, currency=estimate.currency
        )
    elif estimate.calls:
        print_line("cost unknown: the provider has no prices in ragdesk.toml")


def print_judging(estimate: JudgeEstimate) -> None:
    """Prints what a judge takes that scores answers once they are there."""
    least = tr("at least ") if estimate.at_least else ""
    print_line(
        "judging {scores}: golden answers stand in for those not there",
        scores=plural(estimate.scores, "score"),
    )
    print_line("model calls {least}{calls:,}", least=least, calls=estimate.calls)
    print_tokens(estimate)
