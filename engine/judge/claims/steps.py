"""The steps of a judge of claims: the claims of each text, and their verdicts, each made once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from engine.judge.base import Case
from engine.judge.claims.metrics import Part, Verdicts
from engine.judge.claims.replies import UNSUPPORTED, Verdict
from engine.models.chat import ChatReply
from engine.prompts.templates import PromptText
from store.records import Passage, ScoreState

T = TypeVar("T")


class Step(Struct, Generic[T], frozen=True):
    """What a step came to, and what it rests on."""

    value: T | None
    """Null where it failed."""
    state: ScoreState = ScoreState.OK
    reason: str = ""
    prompt: PromptText | None = None
    """Of the last request; none where nothing was asked."""
    replies: tuple[ChatReply, ...] = ()
    repaired: bool = False

    def after(self, *earlier: Step[Any]) -> Step[T]:
        """This step, resting on earlier ones too."""
        replies = [reply for step in (*earlier, self) for reply in step.replies]
        return replace(
            self,
            replies=tuple(dict.fromkeys(replies)),
            repaired=any(step.repaired for step in (*earlier, self)),
            prompt=self.prompt or next((one.prompt for one in earlier[::-1] if one.prompt), None),
        )


class Checker(Protocol):
    """Lists claims and checks them: by a model, or by computing."""

    stand_in: str
    """What stands in for a model; empty for a model."""

    async def claims(self, case: Case, text: str) -> Step[tuple[str, ...]]:
        """The claims of a text that answers the question of the case."""

    async def check(
        self, case: Case, claims: Sequence[str], reference: str
    ) -> Step[tuple[Verdict, ...]]:
        """A verdict on each claim by a text alone. Neither is empty."""


class Checked(Struct, frozen=True):
    """Claims of one text with their verdicts by others."""

    claims: tuple[str, ...]
    by_text: tuple[tuple[Verdict, ...], ...]
    """By text, and by claim."""


class Steps:
    """The parts that the metrics of one answer are counted from, each made when first needed."""

    def __init__(self, case: Case, checker: Checker) -> None:
        self._case = case
        self._checker = checker
        self._claims: dict[str, Step[tuple[str, ...]]] = {}
        self._parts: dict[Part, Step[Checked]] = {}

    async def part(self, part: Part) -> Step[Checked]:
        """The claims that a part is about, with their verdicts."""
        if part not in self._parts:
            self._parts[part] = await self._make(part)
        return self._parts[part]

    async def _make(self, part: Part) -> Step[Checked]:
        case = self._case
        golden = [text for text in case.golden_answers if text.strip()]
        passages = [_written(passage) for passage in case.passages]
        if part == "keypoints":
            return await self._check(Step(case.keypoints), [case.answer])
        if part in ("answer", "answer_in"):
            texts = ["\n".join(golden)] if part == "answer" else passages
            return await self._check(await self._claims_of(case.answer), texts)
        texts = [case.answer] if part == "golden" else passages
        # golden answers are forms of one answer: the first is taken apart, all are checked against
        return await self._check(await self._claims_of(golden[0]), texts)

    async def _claims_of(self, text: str) -> Step[tuple[str, ...]]:
        if text not in self._claims:
            self._claims[text] = (
                await self._checker.claims(self._case, text) if text.strip() else Step(())
            )
        return self._claims[text]

    async def _check(self, listed: Step[tuple[str, ...]], texts: Sequence[str]) -> Step[Checked]:
        """Claims checked against each text, as far as that works; an empty text entails nothing."""
        if listed.value is None:
            return Step(None, listed.state, listed.reason).after(listed)
        done: list[Step[Any]] = [listed]
        by_text: list[tuple[Verdict, ...]] = []
        for text in texts:
            if not listed.value or not text.strip():
                by_text.append((UNSUPPORTED,) * len(listed.value))
                continue
            step = await self._checker.check(self._case, listed.value, text)
            if step.value is None:
                return Step[Checked](None, step.state, step.reason, step.prompt).after(*done, step)
            done.append(step)
            by_text.append(step.value)
        return Step(Checked(listed.value, tuple(by_text))).after(*done)


def _written(passage: Passage) -> str:
    return f"{passage.title}\n{passage.text}" if passage.title else passage.text


def verdicts_of(parts: dict[Part, Checked]) -> Verdicts:
    """Whether the claims of the parts hold, as the formulas take it."""

    def by_claim(part: Part) -> list[list[bool]]:
        checked = parts.get(part, Checked((), ()))
        return [
            [said[number] == "entailed" for said in checked.by_text]
            for number in range(len(checked.claims))
        ]

    return Verdicts(
        answer=[held for (held,) in by_claim("answer")],
        golden=[held for (held,) in by_claim("golden")],
        answer_in=by_claim("answer_in"),
        golden_in=by_claim("golden_in"),
        keypoints=[held for (held,) in by_claim("keypoints")],
    )


_ABOUT: dict[Part, tuple[str, str]] = {
    "answer": ("answer_claims", "golden_answer"),
    "answer_in": ("answer_claims", "passages"),
    "golden": ("golden_claims", "answer"),
    "golden_in": ("golden_claims", "passages"),
    "keypoints": ("keypoints", "answer"),
}
"""By part: what the list of its claims is called in details, and the text that they were checked
against."""


def details_of(parts: dict[Part, Checked]) -> dict[str, Any]:
    """Claims with their verdicts as plain JSON; passages by their rank, those that entail a claim
    and those that contradict it."""
    told: dict[str, list[dict[str, Any]]] = {}
    for part, checked in parts.items():
        name, by = _ABOUT[part]
        entries = told.setdefault(name, [{"text": claim} for claim in checked.claims])
        for number, entry in enumerate(entries):
            said = [verdicts[number] for verdicts in checked.by_text]
            if by == "passages":
                entry |= {
                    f"{word}_by_passages": [
                        rank for rank, verdict in enumerate(said, 1) if verdict == word
                    ]
                    for word in ("entailed", "contradicted")
                    if word == "entailed" or word in said
                }
            else:
                entry[f"by_{by}"] = said[0]
    return told
