"""The model that an operator names for a job, and what is frozen when the job is queued."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

import msgspec

from engine.jobs.launch import JobBudget, check_budget, check_key
from engine.models.settings import OFFLINE, Provider, find_provider
from engine.prompts.languages import LANGS
from engine.prompts.templates import PromptText, load_prompt
from store.jobs import prompts
from store.jobs.prompts import PromptRow
from store.workspace import Workspace


def chosen_provider(workspace: Workspace, model: str | None, budget: JobBudget) -> Provider | None:
    """The provider called `model`; None for none and for `offline`.

    Raises NotFound for an unknown one, InputError when its key is not in the environment, and
    UsageError for a budget that cannot be kept.
    """
    provider = None if model in (None, "", OFFLINE.name) else find_provider(workspace.folder, model)
    if provider is not None and provider.kind == "offline":
        provider = None
    check_budget(budget, provider)
    if provider is not None:
        check_key(provider)
    return provider


def load_prompts(workspace: Workspace, prompt_id: str) -> dict[str, PromptText]:
    """A prompt in both languages as the workspace has it now, by language."""
    folder = workspace.folder / "prompts"
    return {lang: load_prompt(prompt_id, lang, folder) for lang in LANGS}


def freeze_prompts(db: sqlite3.Connection, texts: Mapping[str, PromptText]) -> dict[str, str]:
    """Stores the texts; returns the hash of each, by language."""
    for text in texts.values():
        prompts.put(db, PromptRow(text.hash, text.id, text.lang, text.text))
    return {lang: text.hash for lang, text in texts.items()}


def frozen_prompts(db: sqlite3.Connection, hashes: Mapping[str, str]) -> dict[str, PromptText]:
    """What `freeze_prompts` stored."""
    rows = {lang: prompts.get(db, digest) for lang, digest in hashes.items()}
    return {lang: PromptText(row.id, row.lang, row.text, row.hash) for lang, row in rows.items()}


def frozen_provider(settings: dict[str, Any] | None) -> Provider | None:
    """The provider as it was when the job was queued."""
    return None if settings is None else msgspec.convert(settings, Provider)
