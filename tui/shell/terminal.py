"""The preparation of the process for the terminal; it imports nothing of Textual.

`prepare` runs before Textual is imported, because Textual reads its environment at import.

NO_COLOR needs nothing here: Textual turns every colour to grey when it is set, and sets the
pseudo class `:nocolor`. Our widgets therefore never tell a state by colour alone.
"""

from __future__ import annotations

import gc
import os
import sys
import unicodedata
from collections.abc import MutableMapping
from importlib.util import find_spec

FULL_REDRAW_VARIABLE = "RAGDESK_FULL_REDRAW"
"""Set to anything but empty or 0, all that is drawn is written, not what has changed alone
(`ragdesk --full-redraw`)."""


def prepare(environ: MutableMapping[str, str] = os.environ) -> None:
    """Set what Textual reads; what the person has set already wins, but for the size.

    The kitty keyboard protocol stays off: in the mode that Textual asks for, several terminals
    (iTerm2, older WezTerm and Ghostty) lose the characters that an input method commits.
    Animations stay off: nothing moves by itself, and a scroll is one frame on a thin link.
    COLUMNS and LINES go: where a shell exports them they would be the size for good, whatever the
    terminal is made to be.
    """
    for name in ("COLUMNS", "LINES"):
        environ.pop(name, None)
    environ.setdefault("TEXTUAL_ANIMATIONS", "none")
    environ.setdefault("TEXTUAL_DISABLE_KITTY_KEY", "1")


def leave_out_openssl() -> None:
    """Import what would bring OpenSSL into the process without it: 5 MB, of which the app needs
    nothing. It makes no connection itself, and what it hashes is short.

    A later import of `ssl` finds it. Call it before anything imports `hashlib` or `asyncio`; for
    what is imported already it does nothing. Some systems have no hashes but those of OpenSSL.
    """
    names = ["_ssl"]
    if all(map(find_spec, ("_md5", "_sha1", "_sha3", "_blake2"))) and (
        find_spec("_sha2") or (find_spec("_sha256") and find_spec("_sha512"))
    ):
        names.append("_hashlib")
    absent = [name for name in names if name not in sys.modules]
    for name in absent:
        sys.modules[name] = None  # type: ignore[assignment]  # its import fails
    try:
        import asyncio  # noqa: F401
        import hashlib  # noqa: F401
    finally:
        for name in absent:
            del sys.modules[name]


def redraws_fully(environ: MutableMapping[str, str] = os.environ) -> bool:
    """Whether everything that is drawn is written to the terminal, changed or not."""
    return environ.get(FULL_REDRAW_VARIABLE, "") not in ("", "0")


def settle_memory() -> None:
    """Take what start-up built out of the collector's reach; call once the app is ready.

    A full collection over the modules and widgets that stay for good takes 50 to 200 ms, in
    the middle of someone's key press. The young are collected often, which takes 0.1 ms: what
    pictures leave behind would else come to several megabytes.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 20, 50)


_FROM_CHINESE_INPUT = str.maketrans("。、【】《》「」“”‘’…—·￥¥", "./[]<>[]\"\"''^_`$$")
"""What a Chinese input method types, full-width punctuation on, for these ASCII keys."""


def normalise_key(key: str, character: str | None) -> tuple[str, str | None]:
    """The key and character that a person meant, where an input method was left on.

    Full-width digits, letters and punctuation become their ASCII keys (NFKC), and so do the
    Chinese marks that an input method puts on a punctuation key: `１` is `1`, `？` and `、` find
    the bindings of `?` and `/`. Anything else comes back as it was. For keys that mean actions,
    never for typed text.

    `key` is Textual's name of the key (`question_mark`), `character` what it types, if anything.
    """
    if character is None or len(character) != 1 or character.isascii():
        return key, character
    plain = unicodedata.normalize("NFKC", character.translate(_FROM_CHINESE_INPUT))
    if len(plain) != 1 or not plain.isascii() or not plain.isprintable():
        return key, character
    return key_name(plain), plain


def key_name(character: str) -> str:
    """Textual's name of the key that types an ASCII character."""
    if character.isalnum():
        return character
    name = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
    return _TEXTUAL_NAMES.get(name, name)


_TEXTUAL_NAMES = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}
"""Where Textual's name of a key is not the character's Unicode name."""
