"""Claims listed by rule and checked by computing: stand-ins for a model.

`benchmarks/claim_stand_ins.py` measures them against people; docs/judges.md has its table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.judge.base import Case
from engine.judge.claims.replies import Verdict
from engine.judge.claims.steps import Step
from engine.judge.rules.claims import Claim, claim_of, measures
from engine.judge.rules.claims import claims as claims_by_rule
from engine.retrieve.index.vectors import Embed
from engine.text.content_words import content_terms
from engine.text.numbers import Number, same_number
from engine.text.refusals import is_refusal
from engine.text.sentences import sentences

Support = Callable[[Sequence[str], str, str], list[bool]]
"""Whether a text, which may answer a question, entails each of some claims."""

_LEAST_SHARE = 0.5
"""Of a claim's content words that a text must have to entail it, as the rule judge has it."""


class ComputedChecker:
    """A checker that computes. It says of no claim that it is contradicted."""

    def __init__(self, support: Support, stand_in: str) -> None:
        self._support = support
        self.stand_in = f"{stand_in}, in the place of a model"

    async def claims(self, case: Case, text: str) -> Step[tuple[str, ...]]:
        if is_refusal(text):
            return Step(())
        return Step(tuple(dict.fromkeys(claim.text for claim in claims_by_rule(text))))

    async def check(
        self, case: Case, claims: Sequence[str], reference: str
    ) -> Step[tuple[Verdict, ...]]:
        held = self._support(claims, reference, case.question)
        return Step(tuple("entailed" if one else "neutral" for one in held))


def by_words(claims: Sequence[str], text: str, question: str) -> list[bool]:
    """Whether a text has at least half of each claim's words and numbers, and all its figures.

    A text that makes one statement may leave out what the question says: `3.9 days`. Then words of
    the question count as said, for claims that share a word or a number with the text itself. A
    refusal entails nothing.
    """
    if is_refusal(text):
        return [False] * len(claims)
    own, figures = set(content_terms(text)), measures(text)
    unsaid = set(content_terms(question)) if len(claims_by_rule(text)) == 1 else set()
    return [_is_held(claim_of(claim), own, unsaid, figures) for claim in claims]


def _is_held(claim: Claim, own: set[str], unsaid: set[str], figures: Sequence[Number]) -> bool:
    if not states_figures(claim, figures):
        return False
    stated = len(claim.numbers)
    shared = sum(word in own or word in unsaid for word in claim.words)
    is_about = bool(stated) or not own.isdisjoint(claim.words)
    return is_about and shared + stated >= _LEAST_SHARE * (len(claim.words) + stated)


def by_similarity(embed: Embed, least: float) -> Support:
    """Whether a text has a sentence or clause whose vector has a cosine of at least `least` with
    the claim's, and all the claim's figures. `embed` gives vectors of length 1."""

    def support(claims: Sequence[str], text: str, question: str) -> list[bool]:
        figures = measures(text)
        vectors = embed([*claims, *parts_of(text)])
        own, parts = vectors[: len(claims)], vectors[len(claims) :]
        alike = (own @ parts.T).max(axis=1) >= least
        return [
            bool(is_alike) and states_figures(claim_of(claim), figures)
            for claim, is_alike in zip(claims, alike, strict=True)
        ]

    return support


def parts_of(text: str) -> tuple[str, ...]:
    """The sentences and clauses of a text, each once."""
    parts = [text[start:end] for start, end in sentences(text)]
    parts += [claim.text for claim in claims_by_rule(text)]
    return tuple(dict.fromkeys(parts)) or (text,)


def states_figures(claim: Claim, figures: Sequence[Number]) -> bool:
    """Whether each number of a claim that is written in digits or has a unit is among some
    figures, in any notation. Others, as in `one of the two`, are seldom figures."""
    written = [
        number
        for number in claim.numbers
        if not number.is_bare
        or any(character.isdigit() for character in claim.text[number.start : number.end])
    ]
    return all(
        any(same_number(number, figure, bare_takes_unit=True) for figure in figures)
        for number in written
    )
