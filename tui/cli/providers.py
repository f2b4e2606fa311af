"""Commands on models at endpoints: providers list, test."""

from __future__ import annotations

import argparse
import asyncio
import os

from engine.models.settings import Provider, find_provider, providers
from tui.cli.output import print_json, print_table


def list_providers(arguments: argparse.Namespace) -> int:
    found = list(providers(arguments.workspace).values())
    if arguments.json:
        print_json({"providers": [_as_json(one) for one in found]})
        return 0
    print_table(
        ("provider", "model", "address", "key in", "in flight", "price"),
        [
            (
                one.name,
                one.model or "built in",
                one.base_url,
                _key_words(one),
                str(one.limits.max_in_flight) if one.base_url else "",
                _price_words(one),
            )
            for one in found
        ],
    )
    return 0


def test_provider(arguments: argparse.Namespace) -> int:
    from engine.models.probe import probe_apart

    provider = find_provider(arguments.workspace, arguments.name)
    result = asyncio.run(probe_apart(provider, arguments.use))
    if arguments.json:
        print_json(result)
    else:
        for sentence in result.sentences:
            print(sentence)
    return 0 if result.ok else 1


def _key_is_set(provider: Provider) -> bool:
    return bool(os.environ.get(provider.api_key_env, "").strip())


def _key_words(provider: Provider) -> str:
    if not provider.api_key_env:
        return ""
    return provider.api_key_env + ("" if _key_is_set(provider) else " (not set)")


def _price_words(provider: Provider) -> str:
    prices = provider.prices
    if prices is None:
        return ""
    return f"{prices.input:g}/{prices.output:g} {prices.currency} per {prices.per_tokens:,} tokens"


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
