"""Rendered results on their way out: as one JSON document, or as a file that is whole or absent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from store.errors import InputError


def json_text(value: Any) -> str:
    """One JSON document; `value` is anything msgspec encodes."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def write_whole(text: str, out: Path, *, overwrite: bool = True) -> None:
    """Write `text`, with a line break at its end unless it is empty, in UTF-8.

    Raises InputError when it cannot be written, or when it exists and `overwrite` is false.
    """
    ended = text if text.endswith("\n") or not text else text + "\n"
    partial = out.with_name(out.name + ".partial")
    try:
        if not overwrite:
            # claims the name, so that nobody's file is replaced even by a race
            out.open("x").close()
        try:
            partial.write_text(ended, "utf-8")
            partial.replace(out)
        except OSError:
            if partial.is_file():
                partial.unlink()
            if not overwrite:
                out.unlink()
            raise
    except FileExistsError as error:
        raise InputError(f"{out} exists already.", "Choose another name.") from error
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}.") from error
