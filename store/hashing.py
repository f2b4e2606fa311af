"""Content hashes, which are equal for equal content on every machine."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec


def canonical_json(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys and no spaces; `value` is any msgspec-encodable object."""
    return msgspec.json.encode(value, order="sorted")


def content_hash(value: Any) -> str:
    """`b2:` and 32 hexadecimal digits over the canonical JSON of `value`."""
    return "b2:" + blake2b(canonical_json(value), digest_size=16).hexdigest()


def bytes_hash(content: bytes) -> str:
    """32 hexadecimal digits of BLAKE2b-128 over a file's content."""
    return blake2b(content, digest_size=16).hexdigest()


def text_id(text: str) -> str:
    """Id of a document's text: `d` and the 32 hexadecimal digits of BLAKE2b-128 over its UTF-8."""
    return "d" + blake2b(text.encode(), digest_size=16).hexdigest()
