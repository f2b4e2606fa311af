"""Commands on models at endpoints: providers list, test."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from tui.cli.command import Group, command, option
from tui.cli.output import show, show_table
from tui.language import tr

if TYPE_CHECKING:
    from engine.models.settings import Provider


@command("list", "list the providers of ragdesk.toml")
def list_providers(arguments: argparse.Namespace) -> int:
    from engine.models.settings import providers

    known = list(providers(arguments.workspace).values())
    return show_table(
        arguments,
        {"providers": [_as_json(provider) for provider in known]},
        ("provider", "model", "address", "key in", "in flight", "price"),
        [
            (
                provider.name,
                provider.model or tr("built in"),
                provider.base_url,
                _key_text(provider),
                str(provider.limits.max_in_flight) if provider.base_url else "",
                _price_text(provider),
            )
            for provider in known
        ],
    )


@command(
    "test",
    "ask an endpoint one small question",
    option("NAME", "a provider of ragdesk.toml"),
    option("--use", "what to ask it for (default chat)", "chat", choices=("chat", "embeddings")),
    example="writer",
)
def test_provider(arguments: argparse.Namespace) -> int:
    import asyncio

    from engine.models.probe import probe
    from engine.models.settings import find_provider

    provider = find_provider(arguments.workspace, arguments.name)
    result = asyncio.run(probe(provider, arguments.use))
    show(arguments, result, *result.sentences)
    return 0 if result.ok else 1


def _key_is_set(provider: Provider) -> bool:
    return bool(os.environ.get(provider.api_key_env, "").strip())


def _key_text(provider: Provider) -> str:
    if not provider.api_key_env:
        return ""
    name = provider.api_key_env
    return name if _key_is_set(provider) else tr("{name} (not set)", name=name)


def _price_text(provider: Provider) -> str:
    prices = provider.prices
    if prices is None:
        return ""
    return tr(
        "{input:g}/{output:g} {currency} per {per_tokens:,} tokens",
        input=prices.input,
        output=prices.output,
        currency=prices.currency,
        per_tokens=prices.per_tokens,
    )


def _as_json(provider: Provider) -> dict[str, object]:
    return {
        "name": provider.name,
        "kind": provider.kind,
        "model": provider.model,
        "base_url": provider.base_url,
        "api_key_env": provider.api_key_env,
        "key_is_set": _key_is_set(provider) if provider.api_key_env else None,
        "limits": provider.limits,
        "prices": provider.prices,
    }


COMMANDS = (
    Group("providers", "models at endpoints", "list|test", (list_providers, test_provider)),
)
