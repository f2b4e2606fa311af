"""Examines the interpreter and the installed packages by their metadata."""

from __future__ import annotations

import platform
import re
import sqlite3
import sys
from importlib import metadata

from engine.doctor.findings import Finding

DISTRIBUTION = "ragdesk"
_USERS_EXTRAS = ("neural",)
"""Extras that a user may want; the others are for testing ragdesk itself."""
_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?[^;]*(?:;.*extra == ['\"]([^'\"]+))?")


def installation_findings() -> list[Finding]:
    """Findings on Python, SQLite, ragdesk, its requirements and its extras."""
    findings = [
        Finding("installation", "python", "ok", f"{platform.python_version()} at {sys.executable}"),
        Finding("installation", "sqlite", "ok", sqlite3.sqlite_version),
    ]
    try:
        requirements = metadata.requires(DISTRIBUTION) or []
        findings.append(Finding("installation", DISTRIBUTION, "ok", metadata.version(DISTRIBUTION)))
    except metadata.PackageNotFoundError:
        missing = Finding(
            "installation",
            DISTRIBUTION,
            "broken",
            "runs from a folder without being installed, so its requirements are unknown",
            "Install it: pip install -c constraints.txt .",
        )
        return [*findings, missing]
    needed: dict[str, list[str]] = {}
    for requirement in requirements:
        match = _REQUIREMENT.match(requirement)
        if match is not None:
            needed.setdefault(match[2] or "", []).append(match[1])
    findings.append(_packages("packages", needed.get("", []), "broken", "."))
    for extra in _USERS_EXTRAS:
        findings.append(_packages(f"extra {extra}", needed.get(extra, []), "note", f"'.[{extra}]'"))
    return findings


def _packages(name: str, packages: list[str], if_missing: str, target: str) -> Finding:
    versions = {package: _version(package) for package in packages}
    missing = [package for package, version in versions.items() if version is None]
    there = ", ".join(f"{package} {version}" for package, version in versions.items() if version)
    if not missing:
        return Finding("installation", name, "ok", there)
    return Finding(
        "installation",
        name,
        "broken" if if_missing == "broken" else "note",
        f"not installed: {', '.join(missing)}" + (f"; installed: {there}" if there else ""),
        f"In ragdesk's source folder: pip install -c constraints.txt {target}",
    )


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
