"""The ranking of a passage's sentences by how well they fit the question."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from msgspec import Struct

from engine.text.content_words import matched_word, word_pattern, words_in
from engine.text.sentences import sentences
from store.records import Passage

_HEADING_SHARE = 0.5
"""Weight of a word that stands in the title: there it counts for every sentence alike."""

_NEIGHBOUR_SHARE = 0.25
"""Weight of a word that stands in the sentence before."""

_RANK_DECAY = 0.03
"""What each place further down the retrieved list costs."""

_LABEL_WIDTH = 24
"""A sentence up to this wide (a Han character counts 3) and without a digit is a label."""

_LENGTH_SCALE = 500
"""Characters after which a sentence's score is halved."""


class RankedSentence(Struct, frozen=True):
    """A sentence of a passage; `start` and `end` are offsets in the passage's text."""

    passage: int
    start: int
    end: int
    score: float
    matched: tuple[str, ...]
    """The question's words that it holds."""


def rank_sentences(
    weights: Mapping[str, float], passages: Sequence[Passage]
) -> tuple[list[RankedSentence], dict[str, float]]:
    """Sentences that share a word with the question, best first, and each word's worth.

    score = sum over words of weight x idf x (0.5 in the title or heading above, else 1 in the
    sentence, 0.25 in the sentence before), a little less for long sentences and later passages.
    At least one word must stand in the sentence. Markdown headings and bare labels are no
    sentences. idf is taken over all sentences of the passages. Ties: order of text.
    """
    pattern = word_pattern(list(weights))
    if pattern is None:
        return [], {}
    cut = [sentences(passage.text) for passage in passages]
    held = [
        _words_held(pattern, passage.text, spans)
        for passage, spans in zip(passages, cut, strict=True)
    ]
    worth = _worth(weights, held)
    ranked = []
    for index, (passage, spans) in enumerate(zip(passages, cut, strict=True)):
        title = words_in(pattern, passage.title)
        above = title
        for number, (start, end) in enumerate(spans):
            words = held[index][number]
            if passage.text.startswith("#", start):
                above = words | title
                continue
            if not words or _is_label(passage.text, start, end):
                continue
            before = held[index][number - 1] if number else set()
            gained = sum(worth[word] for word in words - above)
            gained += _HEADING_SHARE * sum(worth[word] for word in above)
            gained += _NEIGHBOUR_SHARE * sum(worth[word] for word in before - words - above)
            score = gained * (1 - _RANK_DECAY * index) / (1 + (end - start) / _LENGTH_SCALE)
            ranked.append(RankedSentence(index, start, end, score, tuple(sorted(words))))
    ranked.sort(key=lambda sentence: (-sentence.score, sentence.passage, sentence.start))
    return ranked, worth


def _is_label(text: str, start: int, end: int) -> bool:
    """Returns whether a sentence is a bare section label ("Covenants."), which only introduces the
    next."""
    if end - start > _LABEL_WIDTH:
        return False
    width = sum(1 if char.isascii() else 3 for char in text[start:end])
    return width <= _LABEL_WIDTH and not any(char.isdigit() for char in text[start:end])


def _words_held(
    pattern: re.Pattern[str], text: str, spans: Sequence[tuple[int, int]]
) -> list[set[str]]:
    held: list[set[str]] = [set() for _ in spans]
    starts = [start for start, _ in spans]
    for match in pattern.finditer(text):
        held[bisect_right(starts, match.start()) - 1].add(matched_word(match, pattern))
    return held


def _worth(weights: Mapping[str, float], held: Sequence[Sequence[set[str]]]) -> dict[str, float]:
    """weight x idf of each word; a lone Han character counts half, being ambiguous."""
    total = sum(len(passage) for passage in held)
    counts = dict.fromkeys(weights, 0)
    for passage in held:
        for words in passage:
            for word in words:
                counts[word] = counts.get(word, 0) + 1
    return {
        word: weights.get(word, 1.0)
        * math.log(1 + (total - count + 0.5) / (count + 0.5))
        * (0.5 if len(word) == 1 and not word.isascii() else 1.0)
        for word, count in counts.items()
    }
