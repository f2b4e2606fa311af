"""The model that an operator names for a job, and what is frozen when the job is queued."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import field
from msgspec.structs import replace

from engine.jobs.operation import Budget, Operation
from engine.models.keys import read_key
from engine.models.settings import OFFLINE, Provider, find_provider
from engine.prompts.languages import LANGS
from engine.prompts.templates import PromptText, load_prompt
from store.errors import InputError, UsageError
from store.jobs import prompts
from store.jobs.prompts import PromptRow
from store.workspace import Workspace

Asks = TypeVar("Asks", bound="ModelOperation")


class ModelOperation(Operation, frozen=True, kw_only=True):
    """An operation that a model does by one prompt, or ragdesk itself where no model is named."""

    model: str = ""
    """A provider's name; empty or `offline` for none."""
    provider: Provider | None = None
    """The settings of the model, frozen when the job was queued; null for none."""
    prompts: dict[str, str] = field(default_factory=dict)
    """Hash of the frozen prompt by language; its text is in the store."""

    def frozen(self: Asks, workspace: Workspace, prompt_id: str) -> Asks:
        """The operation with its model's settings and prompt as they are now."""
        provider = chosen_provider(workspace, self.model)
        if provider is None:
            return self
        hashes = freeze_prompts(workspace.db, load_prompts(workspace, prompt_id))
        return replace(self, provider=provider, prompts=hashes)


def chosen_provider(workspace: Workspace, model: str) -> Provider | None:
    """The provider called `model`; None for no name and for an offline one.

    Raises NotFound for an unknown name.
    """
    if model in ("", OFFLINE.name):
        return None
    provider = find_provider(workspace.folder, model)
    return None if provider.kind == "offline" else provider


def check_model(workspace: Workspace, model: str, budget: Budget) -> Provider | None:
    """What `chosen_provider` gives, ready to be asked.

    Raises InputError too when the key is not in the environment, and UsageError for a budget that
    cannot be kept.
    """
    provider = chosen_provider(workspace, model)
    check_spending(provider, budget)
    return provider


def check_spending(provider: Provider | None, budget: Budget) -> None:
    """Raises UsageError for a budget that cannot be kept, and InputError when the provider's key
    is not in the environment."""
    budget.check(provider)
    if provider is None or not provider.api_key_env:
        return
    try:
        read_key(provider.api_key_env, os.environ)
    except (LookupError, ValueError) as error:
        raise InputError(
            f"{provider.title}: {error.args[0]}.",
            f"Set it first: export {provider.api_key_env}=...",
        ) from None


def check_spendings(asked: Sequence[Provider], budget: Budget) -> None:
    """Raises what `check_spending` raises of any of the providers, and UsageError for a budget of
    money where their prices are in several currencies."""
    if not asked:
        check_spending(None, budget)
    for provider in asked:
        check_spending(provider, budget)
    currencies = sorted({provider.prices.currency for provider in asked if provider.prices})
    if budget.max_cost is not None and len(currencies) > 1:
        raise UsageError(
            f"The budget of money is one sum, and the prices are in {' and '.join(currencies)}.",
            "State all prices in one currency, or bound the tokens.",
            "--max-tokens",
        )


def load_prompts(workspace: Workspace, prompt_id: str) -> dict[str, PromptText]:
    """A prompt in both languages as the workspace has it now, by language."""
    folder = workspace.folder / "prompts"
    return {lang: load_prompt(prompt_id, lang, folder) for lang in LANGS}


def freeze_prompts(db: sqlite3.Connection, texts: Mapping[str, PromptText]) -> dict[str, str]:
    """Stores the texts; returns the hash of each under its key."""
    for text in texts.values():
        prompts.put(db, PromptRow(text.hash, text.id, text.lang, text.text))
    return {key: text.hash for key, text in texts.items()}


def frozen_prompts(db: sqlite3.Connection, hashes: Mapping[str, str]) -> dict[str, PromptText]:
    """What `freeze_prompts` stored."""
    rows = {key: prompts.get(db, digest) for key, digest in hashes.items()}
    return {key: PromptText(row.id, row.lang, row.text, row.hash) for key, row in rows.items()}
