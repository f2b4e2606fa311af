"""Tokens as words that no library takes apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def coded(texts: Sequence[Sequence[str]]) -> Iterator[str]:
    """Each text as words between spaces, one for a token and the same for equal tokens: a token
    may itself be a space or the end of a sentence."""
    numbers: dict[str, int] = {}
    for tokens in texts:
        yield " ".join(f"w{numbers.setdefault(token, len(numbers))}" for token in tokens)
