"""Chinese and English documents with the word frequencies of real ones; or real ones, from a file.

Chinese words are drawn from jieba's dictionary by its frequencies, English ones are built of
syllables and drawn by Zipf's law. Equal seeds give equal documents.
"""

from __future__ import annotations

import gzip
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path

_SYLLABLES = tuple(
    consonant + vowel + tail
    for consonant in ("b", "d", "f", "k", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v")
    for vowel in "aeiou"
    for tail in ("", "n", "r", "s")
)
_ENGLISH_WORDS = 30_000
_MARKS = "，，，，。。、；"


def documents(count: int, data: Path | None = None, seed: int = 7) -> list[str]:
    """The first `count` texts of `data` (JSON lines with a field `text`, gzipped or not), or as
    many made ones: four of five Chinese, 400 to 900 characters."""
    if data is not None:
        return list(itertools.islice(_read(data), count))
    chance = random.Random(seed)
    chinese, english = _chinese_words(), _english_words(chance)
    return [
        _chinese(chance, *chinese) if number % 5 else _english(chance, *english)
        for number in range(count)
    ]


def passages(texts: list[str], count: int, seed: int = 7) -> list[str]:
    """`count` pieces of 12 to 40 characters out of the middle of the texts: queries."""
    chance = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        text = chance.choice(texts)
        start = chance.randrange(max(len(text) - 60, 1))
        piece = text[start : start + chance.randint(12, 40)].strip()
        if piece:
            found.append(piece)
    return found


def _read(data: Path) -> Iterator[str]:
    with gzip.open(data) if data.suffix == ".gz" else data.open("rb") as lines:
        for line in lines:
            yield json.loads(line)["text"]


def _chinese_words() -> tuple[list[str], list[float]]:
    import jieba

    words, weights = [], []
    with jieba.get_dict_file() as dictionary:
        for line in dictionary:
            word, frequency, *_ = line.decode("utf-8").split()
            words.append(word)
            weights.append(float(frequency))
    return words, list(itertools.accumulate(weights))


def _english_words(chance: random.Random) -> tuple[list[str], list[float]]:
    words = [
        "".join(chance.choices(_SYLLABLES, k=chance.choice((1, 2, 2, 3, 3, 4))))
        for _ in range(_ENGLISH_WORDS)
    ]
    weights = (1 / rank for rank in range(1, _ENGLISH_WORDS + 1))
    return words, list(itertools.accumulate(weights))


def _chinese(chance: random.Random, words: list[str], cumulative: list[float]) -> str:
    pieces: list[str] = []
    for word in chance.choices(words, cum_weights=cumulative, k=chance.randint(250, 550)):
        pieces.append(word)
        luck = chance.random()
        if luck < 0.12:
            pieces.append(chance.choice(_MARKS))
        elif luck < 0.15:
            pieces.append(f"{chance.randint(1, 9999)}.{chance.randint(0, 99)}%")
    return "".join(pieces) + "。"


def _english(chance: random.Random, words: list[str], cumulative: list[float]) -> str:
    pieces: list[str] = []
    for word in chance.choices(words, cum_weights=cumulative, k=chance.randint(70, 150)):
        luck = chance.random()
        pieces.append(word + ("," if luck < 0.08 else "." if luck < 0.15 else ""))
    return " ".join(pieces) + "."
