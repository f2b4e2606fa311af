"""The command that checks the installation, the terminal and the endpoints: doctor."""

from __future__ import annotations

import argparse
import locale
import os
import shutil
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tui.cli.command import command, option
from tui.cli.output import print_json, print_line, print_text
from tui.language import later, read, tr

if TYPE_CHECKING:
    from engine.doctor import Finding

_SMALLEST = (80, 24)

_MARKS = {"ok": tr("ok  "), "note": tr("NOTE"), "broken": tr("FAIL")}


@command(
    "doctor",
    "check the installation, the terminal and the endpoints",
    option("--probe", "also ask every endpoint one small question"),
)
def doctor(arguments: argparse.Namespace) -> int:
    from engine.doctor import (
        host_findings,
        installation_findings,
        provider_findings,
        workspace_findings,
    )

    findings = [
        *installation_findings(),
        *workspace_findings(arguments.workspace),
        *host_findings(),
        *terminal_findings(),
        *provider_findings(arguments.workspace, probe=arguments.probe),
    ]
    ok = all(finding.state != "broken" for finding in findings)
    if arguments.json:
        print_json({"ok": ok, "findings": findings})
    else:
        _print(findings)
        print(tr("nothing is broken") if ok else tr("something is broken; see the lines with FAIL"))
    return 0 if ok else 1


def _print(findings: list[Finding]) -> None:
    area = ""
    for finding in findings:
        if finding.area != area:
            area = finding.area
            print_line(area)
        name, detail = tr(finding.name), _said(finding.detail)
        print_text(f"  {_MARKS[finding.state]}  {name}: {detail}", indent=8)
        if finding.remedy:
            print_text(f"        {read(finding.remedy)}", indent=8)


def _said(detail: str) -> str:
    """The detail in the language of the interface, as a whole or part by part."""
    said = read(detail)
    return ", ".join(map(read, detail.split(", "))) if said == detail else said


def terminal_findings(environ: Mapping[str, str] = os.environ) -> list[Finding]:
    """Findings on this terminal, read from the environment; nothing is sent to it."""
    return [_encoding(), _kind(environ), _size(environ)]


def _encoding() -> Finding:
    from engine.doctor import Finding

    encoding = locale.getpreferredencoding(False)
    if encoding.lower().replace("-", "") == "utf8":
        return Finding("terminal", "encoding", "ok", encoding)
    return Finding(
        "terminal",
        "encoding",
        "note",
        f"{encoding}: Chinese cannot be shown",
        "Set a UTF-8 locale, as LC_ALL=C.UTF-8; or start the app with --ascii.",
    )


def _kind(environ: Mapping[str, str]) -> Finding:
    from engine.doctor import Finding

    term = environ.get("TERM", "")
    if term in ("", "dumb"):
        return Finding(
            "terminal",
            "kind",
            "note",
            f"TERM is {term!r}: the app cannot draw here",
            "The commands work; for the app use a terminal that sets TERM.",
        )
    words = [f"TERM={term}", _colours(environ, term)]
    if environ.get("TMUX"):
        words.append(later("inside tmux"))
    elif environ.get("STY"):
        words.append(later("inside screen"))
    if environ.get("SSH_CONNECTION"):
        words.append(later("over SSH"))
    if program := environ.get("TERM_PROGRAM"):
        words.append(program)
    # neither can be seen from here, and neither is relied on
    words += [later("no kitty keys asked for"), later("no ambiguous-width characters in layouts")]
    return Finding("terminal", "kind", "ok", ", ".join(words))


def _colours(environ: Mapping[str, str], term: str) -> str:
    if environ.get("NO_COLOR"):
        return later("no colours (NO_COLOR)")
    if environ.get("COLORTERM", "") in ("truecolor", "24bit") or "kitty" in term:
        return later("16 million colours")
    return later("256 colours") if "256" in term else later("16 colours")


def _size(environ: Mapping[str, str]) -> Finding:
    from engine.doctor import Finding

    if not sys.stdout.isatty() and "COLUMNS" not in environ:
        return Finding("terminal", "size", "ok", "standard output is not a terminal")
    columns, lines = shutil.get_terminal_size()
    detail = f"{columns} x {lines}"
    if columns < _SMALLEST[0] or lines < _SMALLEST[1]:
        return Finding("terminal", "size", "note", detail, "Make it at least 80 x 24 for the app.")
    return Finding("terminal", "size", "ok", detail)


COMMANDS = (doctor,)
