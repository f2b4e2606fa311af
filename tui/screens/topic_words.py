"""What topics are called: the names of the shipped taxonomies, by key."""

from __future__ import annotations

from functools import cache

from engine.taxonomy import load_taxonomy, shipped_taxonomies
from store.records import UNASSIGNED


@cache
def _names() -> dict[str, tuple[str, str]]:
    return {
        topic.key: (topic.zh, topic.en)
        for taxonomy in shipped_taxonomies()
        for topic in load_taxonomy(taxonomy).topics
    }


def topic_text(key: str, lang: str) -> str:
    """The topic's name in that language; its key where no shipped taxonomy has it."""
    if not key or key == UNASSIGNED:
        return key
    zh, en = _names().get(key, (key, key))
    return zh if lang == "zh" else en
