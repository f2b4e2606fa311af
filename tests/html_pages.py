"""Reads a page as a browser would: its elements, their attributes, and what its scripts hold."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "br", "rect"}


class Page(HTMLParser):
    """Checks that elements nest, and collects tags, attributes, texts, styles and scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.raw: dict[str, str] = {}
        """What stands in `style`, in the script without a type, and in the blocks by their id."""
        self.policy = ""
        self._block = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.attributes += given.items()
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag in ("script", "style"):
            self._block = given.get("id", tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.raw[self._block] = self.raw.get(self._block, "") + data
        else:
            self.words.append(data)

    def json(self, block: str) -> Any:
        """What a block of JSON holds."""
        return json.loads(self.raw[f"held-{block}"])

    def packed(self, block: str) -> Any:
        """What a compressed block holds."""
        return json.loads(gzip.decompress(b64decode(self.raw[f"held-{block}"])))
