"""The match of a claim with a text: its words, its numbers, its yes or no."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from engine.judge.rules.claims import Claim, claim_of
from engine.text.content_words import word_share
from engine.text.numbers import Number, comparable, numbers, same_number
from engine.text.refusals import negates, without_negations


class Match(Struct, frozen=True):
    """The share of a claim that a text holds."""

    claim: Claim
    word_share: float
    """Share of the claim's words that the text holds, 0 to 1; 1 when it has none."""
    same: tuple[tuple[Number, Number], ...]
    """Numbers of the claim with the number of the text that says the same."""
    missing: tuple[Number, ...]
    """Numbers of the claim that the text does not give."""

    def is_held(self, least_words: float) -> bool:
        """Returns whether every number and at least that share of the words is there.

        A number with a lone word, usually its measure (96条, 96 alerts), is held by the number.
        """
        if self.missing:
            return False
        is_measure = bool(self.claim.numbers) and len(self.claim.words) <= 1
        return is_measure or self.word_share >= least_words


def match_claim(claim: Claim, text: str, find: Callable[[Number], Number | None]) -> Match:
    """Compares `claim` with `text` as a whole, in which `find` finds its numbers."""
    same, missing = [], []
    for number in claim.numbers:
        other = find(number)
        if other is None:
            missing.append(number)
        else:
            same.append((number, other))
    return Match(claim, word_share(claim.words, text), tuple(same), tuple(missing))


@lru_cache(maxsize=1024)
def numbers_of(text: str) -> tuple[Number, ...]:
    """`numbers`, remembered: one passage is looked at once for many predictions."""
    return numbers(text)


def contradicting(
    stated: Iterable[Number], golden: Sequence[Number]
) -> tuple[Number, Number] | None:
    """A stated number and a golden one that could mean one quantity and differ, if all differ.

    Years do not contradict: another year usually sets the scene for another figure.
    """
    pairs = [
        (number, gold)
        for number in stated
        for gold in golden
        if comparable(number, gold) and not gold.is_year
    ]
    if any(same_number(gold, number, bare_takes_unit=gold.is_bare) for number, gold in pairs):
        return None
    return pairs[0] if pairs else None


_YES = re.compile(r"\s*(?:是的?[，,。]|是$|可以[，,。]|能[，,。]|对[，,。]|yes\b)", re.IGNORECASE)
_NO = re.compile(
    r"\s*(?:否|不是|不可以|不能|不会|不得|没有[，,。]|不[，,。]|不$|no\b(?!\.? ?\d))", re.IGNORECASE
)


def yes_or_no(text: str) -> bool | None:
    """The text's answer to a yes-no question by its first word; none when it does not say."""
    if _NO.match(text):
        return False
    return True if _YES.match(text) else None


def answers_alike(golden: str, prediction: str) -> bool:
    """Returns whether a prediction says what a golden answer without content words (是, No)
    says."""
    expected = yes_or_no(golden)
    if expected is None:
        return folded(golden) in folded(prediction)
    given = yes_or_no(prediction)
    return expected == (not negates(prediction) if given is None else given)


def opposed(golden: str, prediction: str) -> bool:
    """Returns whether one says yes and the other no."""
    gold_says, says = yes_or_no(golden), yes_or_no(prediction)
    return gold_says is not None and says is not None and gold_says != says


def is_denial_of(claim: Claim, other: Claim) -> bool:
    """Returns whether two claims have the same words and numbers but for one denial, or three."""
    bare, denials = without_negations(claim.text)
    other_bare, other_denials = without_negations(other.text)
    if (denials - other_denials) % 2 == 0:
        return False
    if folded(bare) == folded(other_bare) != "":
        return True
    plain, other_plain = claim_of(bare), claim_of(other_bare)
    return (
        bool(plain.words)
        and set(plain.words) == set(other_plain.words)
        and len(plain.numbers) == len(other_plain.numbers)
        and all(map(same_number, plain.numbers, other_plain.numbers))
    )


def denies(claim: Claim, other: Claim) -> bool:
    """Returns whether two claims share most words and exactly one of them denies."""
    if min(len(claim.words), len(other.words)) < 2 or negates(claim.text) == negates(other.text):
        return False
    return word_share(claim.words, other.text) >= 0.7 and word_share(other.words, claim.text) >= 0.5


@lru_cache(maxsize=1024)
def folded(text: str) -> str:
    """NFKC, case-folded, without white space and punctuation: for equality of short answers."""
    normal = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in normal if char.isalnum() or char in "%-.$")
