"""Examines the providers and systems of `ragdesk.toml`, and probes the endpoints on request."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import structs

from engine.doctor.findings import Finding, State
from engine.evaluate.systems import systems
from engine.models.chat import ChatReply
from engine.models.endpoints import Endpoints
from engine.models.probe import ProbeResult, probe
from engine.models.settings import Provider, providers
from engine.own.chat import OwnChat
from engine.own.reply import OwnReply
from engine.own.request import request_for
from engine.own.service import Service, stored_service
from engine.retrieve.stage import TurnState
from engine.settings.reader import SETTINGS_FILE
from store.errors import RagdeskError
from store.messages import plural
from store.records import ItemContent, Turn
from store.sharing.rights import code_folder
from store.systems import SystemConfig

_QUESTION = "What is this system asked about?"


def provider_findings(
    folder: Path, *, probe: bool = False, environ: Mapping[str, str] = os.environ
) -> list[Finding]:
    """The settings file, then every endpoint; with `probe` each is asked one small question."""
    try:
        configured = [
            provider for provider in providers(folder).values() if provider.kind != "offline"
        ]
        have = systems(folder)
    except RagdeskError as error:
        return [Finding("providers", SETTINGS_FILE, "broken", error.message, error.remedy)]
    summary = f"{plural(len(configured), 'provider')}, {len(have)} systems"
    findings = [Finding("providers", SETTINGS_FILE, "ok", summary)]
    own = [system for system in have.values() if system.is_own]
    if not probe:
        findings += [_by_key(provider, environ) for provider in configured]
        return [*findings, *(_own_by_settings(folder, system, environ) for system in own)]
    results = asyncio.run(_probe_all(configured))
    findings += map(_by_probe, configured, results)
    return [*findings, *(probe_system(folder, system) for system in own)]


def _own_by_settings(folder: Path, system: SystemConfig, environ: Mapping[str, str]) -> Finding:
    """Whether what a system of one's own needs is there; nothing is started."""
    service = stored_service(system.own)
    detail = f"{service.kind}, {service.base_url}"
    variables = (*service.env, *([service.api_key_env] if service.api_key_env else []))
    unset = [name for name in variables if not environ.get(name, "").strip()]
    program = ""
    if service.kind == "command":
        program = service.command[0]
    elif service.python:
        place = f"System {system.name!r}"
        program = str(code_folder(folder, place) / Path(service.python).expanduser())
    if program and shutil.which(program, path=environ.get("PATH")) is None:
        said = f"{detail}: there is no program {program}"
        remedy = "Correct command or python; a program is looked for in PATH, or give its path."
        return Finding("providers", system.name, "broken", said, remedy)
    if unset:
        said = f"{detail}: not set here: {', '.join(unset)}"
        return Finding("providers", system.name, "note", said, "Set it before ragdesk is started.")
    return Finding("providers", system.name, "ok", detail)


def probe_system(folder: Path, system: SystemConfig) -> Finding:
    """What comes of one question to a system of one's own."""
    service = structs.replace(stored_service(system.own), attempts=1)
    try:
        reply = asyncio.run(_ask_own(folder, service, system))
    except RagdeskError as error:
        return Finding("providers", system.name, "broken", error.message, error.remedy)
    given = msgspec.json.decode(reply.text, type=OwnReply)
    count = "no" if given.passages is None else len(given.passages)
    detail = (
        f"{service.kind}, {service.base_url}: answered {(given.answer or '')[:60]!r} with {count}"
        f" passages in {reply.latency_ms:.0f} ms"
    )
    return Finding("providers", system.name, "ok", detail)


async def _ask_own(folder: Path, service: Service, system: SystemConfig) -> ChatReply:
    state = TurnState(ItemContent((Turn(_QUESTION),)), 0, (), (_QUESTION,))
    async with Endpoints() as endpoints:
        chat = OwnChat(service, folder, endpoints)
        try:
            return await chat.complete(request_for(service.request, state, system.top_k, ()))
        finally:
            await chat.close()


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
    return await asyncio.gather(*(probe(provider) for provider in configured))


def _by_probe(provider: Provider, result: ProbeResult) -> Finding:
    state: State = "ok" if result.ok else "broken"
    detail, *remedies = result.sentences
    return Finding("providers", provider.name, state, detail, " ".join(remedies))
