"""Examines the machine: its GPU, and whether the worker survives the end of the log-in session."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from engine.doctor.findings import Finding

_PATIENCE_S = 0.5
_LINGER = (
    "Run `loginctl enable-linger` once, and start ragdesk or tmux as"
    " `systemd-run --user --scope tmux`."
)


def host_findings(environ: Mapping[str, str] = os.environ, root: Path = Path("/")) -> list[Finding]:
    """Findings about the machine; `root` is the folder of the host's own files."""
    return [lingering(environ, root), gpu()]


def lingering(environ: Mapping[str, str], root: Path) -> Finding:
    """Whether closing the session would end the worker: systemd's KillUserProcesses."""
    if not (root / "run/systemd/system").is_dir():
        return Finding(
            "host", "log-out", "ok", "no systemd here; the worker keeps running after log-out"
        )
    settings = _logind(root)
    if settings.get("KillUserProcesses", "no").lower() not in ("yes", "true", "1", "on"):
        return Finding("host", "log-out", "ok", "processes keep running after log-out")
    user = environ.get("USER") or getpass.getuser()
    if user in settings.get("KillExcludeUsers", "root").split():
        return Finding("host", "log-out", "ok", f"processes of {user} keep running after log-out")
    only = settings.get("KillOnlyUsers", "").split()
    if only and user not in only:
        return Finding("host", "log-out", "ok", f"processes of {user} keep running after log-out")
    lingers = (root / "var/lib/systemd/linger" / user).exists()
    if lingers and _in_user_scope(root):
        return Finding(
            "host", "log-out", "ok", f"{user} has lingering enabled; this session keeps running"
        )
    return Finding(
        "host",
        "log-out",
        "note",
        "this host ends a user's processes at log-out, including the worker",
        _LINGER,
    )


def _logind(root: Path) -> dict[str, str]:
    """The settings of logind.conf and its drop-ins; later files win, as in systemd."""
    drop_ins: dict[str, Path] = {}
    for place in ("usr/lib", "run", "etc"):
        for file in (root / place / "systemd/logind.conf.d").glob("*.conf"):
            drop_ins[file.name] = file
    files = [root / "etc/systemd/logind.conf", *(drop_ins[name] for name in sorted(drop_ins))]
    settings: dict[str, str] = {}
    for file in files:
        try:
            lines = file.read_text("utf-8", "replace").splitlines()
        except OSError:
            continue  # absent, or not for this user to read
        for line in lines:
            key, equals, value = line.strip().partition("=")
            if equals and not key.startswith(("#", ";")):
                settings[key.strip()] = value.strip()
    return settings


def _in_user_scope(root: Path) -> bool:
    """Whether this process belongs to the user's manager and not to the log-in session."""
    try:
        return "/user@" in (root / "proc/self/cgroup").read_text("utf-8")
    except OSError:
        return False


def gpu() -> Finding:
    """The GPUs that NVIDIA's driver lists; only the extra `neural` makes use of one."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return Finding("host", "gpu", "ok", "none found (nvidia-smi is not installed)")
    try:
        process = subprocess.run(
            [program, "--query-gpu=name,memory.total", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=True,
        ).stdout
    except (subprocess.SubprocessError, OSError) as error:
        return Finding("host", "gpu", "note", f"nvidia-smi gives no answer: {error}")
    return Finding("host", "gpu", "ok", "; ".join(process.split("\n")).strip("; ") or "none")
