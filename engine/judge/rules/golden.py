"""The fit of a prediction with the golden answers: aspects held, numbers agreed, contradictions."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engine.judge.rules.claims import Claim, claim_of, claims, measures
from engine.judge.rules.config import HELD_WORDS
from engine.judge.rules.matching import (
    Match,
    answers_alike,
    contradicting,
    denies,
    folded,
    is_denial_of,
    match_claim,
    numbers_of,
    opposed,
    yes_or_no,
)
from engine.judge.rules.reasons import quote, say, written
from engine.judge.rules.stated import Reading, read
from engine.text.content_words import held_words, word_share
from engine.text.numbers import Number, same_number
from store.records import Lang


class Contradiction(Struct, frozen=True):
    """A claim of the prediction that goes against the golden answer."""

    claim: Claim
    stated: str = ""
    gold: str = ""

    def say(self, lang: Lang) -> str:
        """The contradiction in words."""
        if self.gold:
            return say("number_differs", lang, stated=self.stated, gold=self.gold)
        return say("denies", lang, claim=quote(self.claim.text))


class Fit(Struct, frozen=True):
    """One golden answer against the prediction."""

    golden: str
    prediction: str
    equal: bool
    """The prediction says the golden answer literally, and little else or nothing against it."""
    matches: tuple[Match, ...]
    """One for each aspect of the golden answer."""
    word_share: float
    contradiction: Contradiction | None

    @property
    def held(self) -> tuple[Match, ...]:
        return tuple(match for match in self.matches if match.is_held(HELD_WORDS))

    @property
    def not_held(self) -> tuple[Match, ...]:
        return tuple(match for match in self.matches if not match.is_held(HELD_WORDS))

    @property
    def held_share(self) -> float:
        return len(self.held) / len(self.matches)

    @property
    def all_missing(self) -> bool:
        """Whether the golden answer has numbers and the prediction gives none of them."""
        return any(match.missing for match in self.matches) and not any(
            match.same for match in self.matches
        )


class NumberAgreement(Struct, frozen=True):
    """The numbers of one golden answer and what the prediction has for them."""

    golden: str
    same: tuple[tuple[Number, Number], ...]
    missing: tuple[Number, ...]
    stated: tuple[Number, ...]


def best_fit(golden: Sequence[str], prediction: str, asked: str) -> Fit:
    """The golden answer that the prediction fits best; the first of equals."""
    fits = [_fit(answer, prediction, asked) for answer in golden]
    return max(
        fits,
        key=lambda fit: (
            fit.equal,
            fit.contradiction is None,
            fit.held_share,
            fit.word_share,
        ),
    )


def numbers_agree(golden: Sequence[str], prediction: str, asked: str) -> NumberAgreement | None:
    """The golden answer whose numbers the prediction gives best; none when none has a number."""
    agreements = []
    stated = numbers_of(prediction)
    for answer in golden:
        wanted = [number for aspect in _aspects(answer, asked) for number in aspect.numbers]
        if not wanted:
            continue
        # offsets count in the whole answer, so that it can be quoted
        wanted = _new_numbers(measures(answer), asked)
        reading = read(answer, prediction, asked)
        changed = [number for number, _ in reading.changed]
        wanted += [number for number in changed if number not in wanted]
        pairs = [
            (number, None if number in changed else _find(number, reading, answer))
            for number in wanted
        ]
        agreements.append(
            NumberAgreement(
                golden=answer,
                same=tuple((number, other) for number, other in pairs if other is not None),
                missing=tuple(number for number, other in pairs if other is None),
                stated=stated,
            )
        )
    return min(agreements, key=lambda agreement: len(agreement.missing), default=None)


def _find(number: Number, reading: Reading, answer: str) -> Number | None:
    """The stated number that is `number`; a golden answer that is only a figure has no unit."""
    is_only_figure = number.is_bare and number.end - number.start >= len(answer.strip())
    return reading.find(number, bare_takes_unit=is_only_figure)


def _fit(golden: str, prediction: str, asked: str) -> Fit:
    aspects = _aspects(golden, asked)
    reading = read(golden, prediction, asked)
    matches = tuple(_match(aspect, prediction, reading) for aspect in aspects)
    words = [word for aspect in aspects for word in aspect.words]
    contradiction = _contradiction(golden, aspects, matches, prediction, reading)
    return Fit(
        golden=golden,
        prediction=prediction,
        equal=_is_equal(golden, prediction, matches, contradiction),
        matches=matches,
        word_share=word_share(words, prediction) if words else 0.0,
        contradiction=contradiction,
    )


def _match(aspect: Claim, prediction: str, reading: Reading) -> Match:
    if aspect.words or aspect.numbers:
        return match_claim(
            aspect,
            prediction,
            lambda number: reading.find(number, bare_takes_unit=number.is_bare),
        )
    share = float(answers_alike(aspect.text, prediction))
    return Match(claim=aspect, word_share=share, same=(), missing=())


def _is_equal(
    golden: str, prediction: str, matches: Sequence[Match], contradiction: Contradiction | None
) -> bool:
    gold, answer = folded(golden), folded(prediction)
    has_content = any(match.claim.words or match.claim.numbers for match in matches)
    is_bare_yes = not has_content and yes_or_no(golden) is not None
    if contradiction is not None or is_bare_yes or any(match.missing for match in matches):
        return gold == answer != ""
    return gold == answer or (len(gold) > 1 and gold in answer)


def _aspects(golden: str, asked: str) -> list[Claim]:
    """The aspects of a golden answer, without what the question says already."""
    given = numbers_of(asked)
    aspects = list(claims(golden)) or [claim_of(golden)]
    narrowed = [_without(claim, asked, given) for claim in aspects]
    kept = [claim for claim in narrowed if claim.words or claim.numbers]
    return kept or aspects


def _without(claim: Claim, asked: str, given: Sequence[Number]) -> Claim:
    echoed = held_words(claim.words, asked)
    return Claim(
        text=claim.text,
        words=tuple(word for word in claim.words if word not in echoed),
        numbers=tuple(number for number in claim.numbers if not _is_given(number, given)),
    )


def _new_numbers(figures: Sequence[Number], asked: str) -> list[Number]:
    given = numbers_of(asked)
    kept = [number for number in figures if not _is_given(number, given)]
    return kept or list(figures)


def _is_given(number: Number, given: Sequence[Number]) -> bool:
    return any(same_number(number, other) for other in given)


def _contradiction(
    golden: str,
    aspects: Sequence[Claim],
    matches: Sequence[Match],
    prediction: str,
    reading: Reading,
) -> Contradiction | None:
    """The first claim that gives another number for an aspect it speaks of, or denies one."""
    stated = claims(prediction)
    wholes = claims(golden)
    restated = {folded(whole.text) for whole in wholes}
    for number, other in reading.changed:
        texts = written(other, prediction), written(number, golden)
        return Contradiction(_claim_with(other, stated) or claim_of(prediction), *texts)
    if opposed(golden, prediction) and stated:
        return Contradiction(stated[0])
    for claim in stated:
        if folded(claim.text) in restated:
            continue
        if any(denies(aspect, claim) for aspect in aspects) or any(
            is_denial_of(whole, claim) for whole in wholes
        ):
            return Contradiction(claim)
    for match in matches:
        if not match.missing:
            continue
        about = [claim for claim in stated if _speaks_of(claim, match.claim, len(aspects))]
        for claim in about:
            pair = contradicting(claim.numbers, match.missing)
            if pair is not None:
                return Contradiction(
                    claim, written(pair[0], claim.text), written(pair[1], match.claim.text)
                )
    return None


def _claim_with(number: Number, stated: Sequence[Claim]) -> Claim | None:
    """The first claim that states a number of that value."""
    for claim in stated:
        if any((one.kind, one.value) == (number.kind, number.value) for one in claim.numbers):
            return claim
    return None


def _speaks_of(claim: Claim, aspect: Claim, aspects: int) -> bool:
    """Returns whether a claim is about an aspect: the only one there is, or one it shares words
    with."""
    if aspects == 1 or not aspect.words:
        return bool(claim.numbers)
    return word_share(aspect.words, claim.text) >= HELD_WORDS
