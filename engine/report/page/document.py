"""The frame of a page: one HTML document that may fetch nothing and run nothing but its own script.

The policy names the style sheet and the script by their hashes, so that a text which became markup
in spite of its escaping would neither run nor style anything. Data lie in blocks that a browser
does not execute, and to which the policy does not apply.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec

from engine.report.escape import html as safe
from store.records import Lang

_IN_SCRIPT = str.maketrans(
    {sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029\u061c\u200e\u200f"}
    | {chr(code): f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
)
"""What could end the element, or turn the direction of the source, within strings of JSON."""


def document(
    title: str, lang: Lang, body: Iterable[str], *, styles: str, script: str = "", data: str = ""
) -> str:
    """The page; `body` are lines of HTML, `data` its blocks of data. Ends with a newline."""
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src {_source(styles)}",
            *([f"script-src {_source(script)}"] if script else []),
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    lines = [
        "<!DOCTYPE html>",
        f'<html lang="{lang}">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{safe(title)}</title>",
        f"<style>{styles}</style>",
        # before the body, so that it is never seen without what the script does to it
        f"<script>{script}</script>" if script else "",
        "</head>",
        "<body>",
        *body,
        data,
        "</body>",
        "</html>",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def json_block(id: str, value: Any) -> str:
    """A value as JSON that no text within it can leave."""
    text = msgspec.json.encode(value).decode().translate(_IN_SCRIPT)
    return f'<script type="application/json" id="{id}">{text}</script>'


def packed_block(id: str, value: Any) -> str:
    """A value as JSON, compressed by gzip, in base64: a third to a half of its size.

    Browsers read it by DecompressionStream, which takes the bytes from the page itself, so that
    the policy need not allow any fetching.
    """
    packed = gzip.compress(msgspec.json.encode(value), 6, mtime=0)
    return f'<script type="application/gzip" id="{id}">{b64encode(packed).decode()}</script>'
