"""The language of the person, by the locale of the process."""

from __future__ import annotations

from collections.abc import Mapping


def form_language(environ: Mapping[str, str]) -> str:
    """`zh` where the person's locale is Chinese, else `en`."""
    chosen = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    return "zh" if chosen.lower().startswith("zh") else "en"
