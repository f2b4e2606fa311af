"""The printed model calls of a job: the estimate before it, tokens and money after it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from store.messages import plural
from tui.cli.output import ProgressLine, print_json, print_line, say
from tui.language import later, read, tr

if TYPE_CHECKING:
    from engine.calibration.audit.audit_work import AuditEstimate
    from engine.jobs.model_choice import ModelOperation
    from engine.jobs.operation import Estimate, Estimated
    from engine.judge.estimate import JudgeEstimate
    from store.workspace import Workspace

E = TypeVar("E", bound="Estimate")

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


def show_dry_run(
    arguments: argparse.Namespace, workspace: Workspace, operation: ModelOperation, by_rule: str
) -> bool:
    """Prints what a job would ask its model for; `by_rule` is said where it has none. Returns
    whether it has one."""
    from engine.jobs.model_choice import chosen_provider
    from engine.jobs.operation import dry_run

    estimate = dry_run(workspace, operation)
    asks = chosen_provider(workspace, operation.model) is not None
    if asks:
        show_estimate(arguments, estimate)
    else:
        show_no_calls(arguments, by_rule)
    return asks


def estimated(workspace: Workspace, operation: Estimated[E], counted: Callable[[int], str]) -> E:
    """Returns what an operation would take; meanwhile a line says how far it has looked, with
    `counted` naming the number of all that it looks at."""
    from engine.jobs.operation import dry_run

    line = ProgressLine()
    estimate = dry_run(
        workspace,
        operation,
        lambda done, total: line.show(f"{done:,}/{read(counted(total))}"),
    )
    line.end()
    return estimate


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


def print_replies(estimate: JudgeEstimate | AuditEstimate, requests: int) -> None:
    """Prints what a judge's replies cost, and who gives it vectors, by `requests` at most."""
    if estimate.calls:
        print_line("replies in the cache {cached:,}", cached=estimate.cached)
        print_tokens(estimate)
    if estimate.embeds_at:
        print_line(
            "provider {embeds_at} gives vectors: at most {most}, not counted above",
            embeds_at=estimate.embeds_at,
            most=plural(requests, "request"),
        )
