"""API keys, which are read from the environment and kept out of files and messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_PREFIXED = re.compile(
    r"(?<![A-Za-z0-9])"
    r"(?:sk|pk|rk|gsk|xai|pplx|nvapi|hf|ghp|glpat|r8|fw|csk|api|key)[-_][A-Za-z0-9][A-Za-z0-9_\-]{14,}"
    r"|AIza[A-Za-z0-9_\-]{20,}|AKIA[A-Z0-9]{12,}|LTAI[A-Za-z0-9]{12,}"
    r"|eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*"
)
_BEARER = re.compile(r"(?i)(?<=bearer )[A-Za-z0-9._~+/\-]{8,}=*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_NAMES = re.compile(r"(?i)api_?key|secret|password|passwd|authori[sz]ation|bearer|\btoken$")

HIDDEN = "[key]"


def looks_like_key(value: str) -> bool:
    """Whether `value` is more likely a key than a word, a model or a variable's name."""
    text = value.strip()
    if _PREFIXED.search(text) or _BEARER.search(text):
        return True
    # a variable's name is in capitals; a key without a known prefix mixes letters and digits
    plain = len(text) >= 20 and text.isascii() and text.isalnum()
    return plain and any(map(str.islower, text)) and any(map(str.isdigit, text))


def is_variable_name(value: str) -> bool:
    return _VARIABLE.fullmatch(value) is not None


def names_with_keys(value: Any, path: str = "") -> Iterator[str]:
    """Dotted paths within nested tables whose name or value suggests a key."""
    if isinstance(value, dict):
        for name, inner in value.items():
            place = f"{path}.{name}" if path else str(name)
            if isinstance(inner, str) and _SECRET_NAMES.search(str(name)):
                yield place
            else:
                yield from names_with_keys(inner, place)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from names_with_keys(inner, f"{path}[{number}]")
    elif isinstance(value, str) and looks_like_key(value):
        yield path


def read_key(variable: str, environ: Mapping[str, str]) -> str:
    """The key in the environment variable `variable`, without white space around it.

    Raises LookupError when it is unset or empty, and ValueError when it holds characters that
    cannot stand in an HTTP header; neither says what the variable holds.
    """
    key = environ.get(variable, "").strip()
    if not key:
        raise LookupError(f"the environment variable {variable} is not set")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ValueError(f"the environment variable {variable} holds characters that no key has")
    return key


def scrub(text: str, key: str = "") -> str:
    """`text` with `key`, and whatever looks like one, replaced by `[key]`."""
    if key:
        text = text.replace(key, HIDDEN)
    return _BEARER.sub(HIDDEN, _PREFIXED.sub(HIDDEN, text))
