"""Parses JSON text and names the place of an error."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from store.errors import InputError


def parse(text: str) -> Any:
    """The value of `text`. Raises InputError with the place of the error.

    The fast parser goes first; the standard one is asked about what that refuses, since it takes
    `NaN` and lone surrogates, which real files hold, and names the line of a fault.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        pass
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = (
            f"line {error.lineno}, column {error.colno}"
            if "\n" in text
            else (f"column {error.colno}")
        )
        raise InputError(f"not valid JSON: {error.msg} at {place}") from error
    except RecursionError as error:
        raise InputError("the JSON is nested too deeply") from error
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(f"not readable JSON: {error}") from error
