"""Examines the providers and systems of `ragdesk.toml`, and probes the endpoints on request."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from engine.doctor.findings import Finding, State
from engine.evaluate.systems import systems
from engine.models.probe import ProbeResult, probe_apart
from engine.models.settings import Provider, providers
from engine.settings import SETTINGS_FILE
from store.errors import RagdeskError


def provider_findings(
    folder: Path, *, probe: bool = False, environ: Mapping[str, str] = os.environ
) -> list[Finding]:
    """The settings file, then every endpoint; with `probe` each is asked one small question."""
    try:
        configured = [
            provider for provider in providers(folder).values() if provider.kind != "offline"
        ]
        count = len(systems(folder))
    except RagdeskError as error:
        return [Finding("providers", SETTINGS_FILE, "broken", error.message, error.remedy)]
    noun = "provider" if len(configured) == 1 else "providers"
    summary = f"{len(configured)} {noun}, {count} systems"
    findings = [Finding("providers", SETTINGS_FILE, "ok", summary)]
    if not probe:
        return [*findings, *(_by_key(provider, environ) for provider in configured)]
    results = asyncio.run(_probe_all(configured))
    return [*findings, *map(_by_probe, configured, results)]


def _by_key(provider: Provider, environ: Mapping[str, str]) -> Finding:
    detail = f"{provider.model} at {provider.base_url}"
    if not provider.api_key_env:
        return Finding("providers", provider.name, "ok", f"{detail}, no key")
    if environ.get(provider.api_key_env, "").strip():
        return Finding("providers", provider.name, "ok", f"{detail}, key in {provider.api_key_env}")
    return Finding(
        "providers",
        provider.name,
        "note",
        f"{detail}: the environment variable {provider.api_key_env} is not set here",
        f"Set it before ragdesk is started: export {provider.api_key_env}=...",
    )


async def _probe_all(configured: list[Provider]) -> list[ProbeResult]:
    return await asyncio.gather(*(probe_apart(provider) for provider in configured))


def _by_probe(provider: Provider, result: ProbeResult) -> Finding:
    state: State = "ok" if result.ok else "broken"
    detail, *remedies = result.sentences
    return Finding("providers", provider.name, state, detail, " ".join(remedies))
