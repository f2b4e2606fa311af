"""Which language the interface speaks: chosen once, before the rest of it is imported."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.records import Lang

VARIABLE = "RAGDESK_LANG"
LANGUAGES: dict[Lang, str] = {"en": "English", "zh": "中文"}
"""The languages by their codes, each by its own name."""


def preferred(environ: Mapping[str, str]) -> Lang:
    """Returns the language of `$RAGDESK_LANG`, else the one that this account chose, else Chinese
    where the locale is Chinese, else English. What names no language counts as absent."""
    try:
        kept = _file(environ).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        kept = ""
    for asked in (environ.get(VARIABLE), kept):
        for code in LANGUAGES:
            if asked == code:
                return code
    locale = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    return "zh" if locale.casefold().startswith("zh") else "en"


def language() -> Lang:
    """Returns the code of the interface's language, `en` or `zh`."""
    return _chosen


def use_language(code: Lang) -> None:
    """Speaks that language from now on, in this process and in those that it starts. What was
    imported before keeps the texts that it has."""
    global _chosen
    _chosen = os.environ[VARIABLE] = code


def remember(code: Lang, environ: Mapping[str, str]) -> None:
    """Keeps the language as that of this account, for every workspace."""
    file = _file(environ)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{code}\n", "utf-8")


def _file(environ: Mapping[str, str]) -> Path:
    home = environ.get("XDG_CONFIG_HOME")
    folder = Path(home) if home else Path(environ.get("HOME") or "~").expanduser() / ".config"
    return folder / "ragdesk" / "language"


_chosen = preferred(os.environ)
