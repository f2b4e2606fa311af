"""Retrieved texts cut down to what a judge's prompt may hold of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.text.sentences import sentences
from engine.text.tokens import continues_word, count_tokens, token_starts
from store.records import Passage


class Fitted(Struct, frozen=True):
    """What is shown of the passages of an answer."""

    passages: tuple[Passage, ...]
    whole: int
    """The passages that are shown whole, the best ones."""
    left_out: int
    """The passages of which nothing is shown."""
    tokens: int

    def told(self, limit: int) -> dict[str, Any] | None:
        """The same as a judgement's details; null where all is shown."""
        cut = len(self.passages) - self.whole
        if not cut and not self.left_out:
            return None
        counted = {"whole": self.whole, "cut": cut, "left_out": self.left_out}
        return {"documents": {**counted, "tokens": self.tokens, "limit": limit}}


def fitted(passages: Sequence[Passage], limit: int) -> Fitted:
    """The passages up to `limit` tokens, titles and texts, as `engine.text.tokens` counts.

    They are taken whole from the best down. The first that is too long is cut behind the last
    sentence that fits, and ends the list; where not even its first sentence fits, it is left out,
    but of the best one as many words are kept as fit.
    """
    shown: list[Passage] = []
    spent = 0
    for passage in passages:
        size = _size(passage)
        if spent + size <= limit:
            shown.append(passage)
            spent += size
            continue
        whole = len(shown)
        text = _cut(passage.text, limit - spent - count_tokens(passage.title), not shown)
        if text:
            shown.append(replace(passage, text=text))
            spent += _size(shown[-1])
        return Fitted(tuple(shown), whole, len(passages) - len(shown), spent)
    return Fitted(tuple(shown), len(shown), 0, spent)


def _size(passage: Passage) -> int:
    return count_tokens(passage.title) + count_tokens(passage.text)


def _cut(text: str, limit: int, at_least_words: bool) -> str:
    """The beginning of a text that is too long: whole sentences, or else whole words if asked."""
    ends = [end for _, end in sentences(text) if count_tokens(text[:end]) <= limit]
    if ends:
        return text[: ends[-1]]
    if not at_least_words:
        return ""
    starts = token_starts(text)
    places = [at for at in starts[: max(limit, 1) + 1] if not continues_word(text, at)]
    return text[: places[-1]].rstrip()
