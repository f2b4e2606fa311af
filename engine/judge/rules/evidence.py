"""The parts of a prediction that the retrieved text supports, and those that it does not."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engine.judge.rules.claims import Claim, claims
from engine.judge.rules.config import THRESHOLDS
from engine.judge.rules.golden import Fit
from engine.judge.rules.matching import numbers_of
from engine.judge.rules.reasons import quote, say
from engine.text.content_words import word_share
from engine.text.numbers import Number, find_same
from store.records import Lang, Passage

_SHORT_WORDS = 6
"""A golden answer with at most this many words is a name or a fact: another one contradicts it."""


class Retrieved(Struct, frozen=True):
    """The retrieved texts as one, and their numbers with those that the question gives."""

    text: str
    numbers: tuple[Number, ...]

    @staticmethod
    def of(passages: Sequence[Passage], asked: str) -> Retrieved:
        """The evidence of the passages and the question together."""
        figures = [number for passage in passages for number in numbers_of(passage.text)]
        text = "\n".join(f"{passage.title}\n{passage.text}" for passage in passages)
        return Retrieved(f"{text}\n{asked}", (*figures, *numbers_of(asked)))

    def supports(self, claim: Claim) -> bool:
        """Returns whether every number and most words of the claim are there."""
        return self._holds(claim, THRESHOLDS["supported_words"])

    def gives(self, aspect: Claim) -> bool:
        """Returns whether an aspect of the golden answer can be read there."""
        return bool(aspect.words or aspect.numbers) and self._holds(
            aspect, THRESHOLDS["held_words"]
        )

    def _holds(self, claim: Claim, least_words: float) -> bool:
        if any(find_same(number, self.numbers) is None for number in claim.numbers):
            return False
        return word_share(claim.words, self.text) >= least_words


def hallucination(fit: Fit, retrieved: Retrieved, lang: Lang) -> tuple[int, str]:
    """1 when a claim is outside the retrieved text and contradicts the golden answer, else 0."""
    outside = [claim for claim in claims(fit.prediction) if not retrieved.supports(claim)]
    if not outside:
        return 0, say("hal_none", lang)
    for claim in outside:
        if _contradicts(claim, fit):
            reason = say("hal_yes", lang, claim=quote(claim.text))
            return 1, reason + (fit.contradiction.say(lang) if fit.contradiction else "")
    return 0, say("hal_harmless", lang, claim=quote(outside[0].text))


def _contradicts(claim: Claim, fit: Fit) -> bool:
    if fit.equal:
        return False
    if fit.contradiction is not None:
        return fit.contradiction.claim == claim
    words = sum(len(match.claim.words) for match in fit.matches)
    is_short_fact = words <= _SHORT_WORDS and len(claim.words) <= _SHORT_WORDS
    says_nothing_of_it = fit.word_share < THRESHOLDS["held_words"] and not any(
        match.same for match in fit.matches
    )
    return is_short_fact and says_nothing_of_it and len(claims(fit.prediction)) == 1


def utilization(fit: Fit, accuracy: int, retrieved: Retrieved, lang: Lang) -> tuple[int, str]:
    """0, 1 or 2 by recall and precision of useful retrieved content (see `rules`)."""
    stated = claims(fit.prediction)
    precision = sum(retrieved.supports(claim) for claim in stated) / len(stated) if stated else 0.0
    useful = [match for match in fit.matches if retrieved.gives(match.claim)]
    percent = round(100 * precision)
    is_mostly_from_it = precision >= THRESHOLDS["utilization_precision"]
    if not useful:
        return int(accuracy > 0), say("utl_none", lang, precision=percent)
    held = sum(fit.equal or match.is_held(THRESHOLDS["held_words"]) for match in useful)
    reason = say("utl", lang, held=held, total=len(useful), precision=percent)
    if held / len(useful) >= THRESHOLDS["utilization_recall"] and is_mostly_from_it:
        return 2, reason
    return int(held > 0), reason
