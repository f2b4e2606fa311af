"""RAGQuestEval at work: questions from the golden answer, answers from both texts, two values."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.judge.applies import not_applicable
from engine.judge.base import Case, Judgement, JudgeSpec
from engine.judge.ragquesteval.metrics import METRICS
from engine.judge.ragquesteval.scoring import QuestScore, is_unanswered, read_answers, score_answers
from engine.judge.templates import Templates
from engine.models.asking import Asked, ask_twice, quoting
from engine.models.chat import Ask, ChatReply, ChatRequest
from engine.models.parse import parse_json
from engine.prompts.templates import PromptText
from engine.text.normalisation import document_id
from store.datasets import question_sets
from store.datasets.question_sets import QuestionSet
from store.errors import InputError
from store.records import Lang, MetricScore, ScoreState
from store.workspace import open_workspace

_AS_JSON: dict[Lang, str] = {
    "zh": "这个回复无法使用：{}。请重新出题，只输出一个 JSON 对象，"
    '其中 "key_info" 和 "question" 各是一个字符串列表。',
    "en": "That reply cannot be used: {}. Do it again and reply with one JSON object only, in which"
    ' "key_info" and "question" are a list of strings each.',
}
_IN_TAGS: dict[Lang, str] = {
    "zh": "这个回复无法使用：{}。请重新按顺序回答每一个问题，"
    "每个答案单独写在 <response> 和 </response> 之间的一行里。",
    "en": "That reply cannot be used: {}. Answer every question again, in order, each answer on a"
    " line of its own between <response> and </response>.",
}


class _Reading(Struct, frozen=True):
    """A reply's questions or answers."""

    texts: tuple[str, ...] = ()
    problem: str = ""
    repaired: bool = False
    key_info: tuple[str, ...] = ()


class _Unusable(Exception):
    """A step without which no question can be asked; its argument is the reason."""

    def __init__(self, reason: str, prompt: PromptText) -> None:
        super().__init__(reason)
        self.prompt = prompt


class QuestJudge:
    """Both metrics rest on the same questions and answers."""

    def __init__(self, folder: Path, spec: JudgeSpec) -> None:
        config = spec.config
        self._variant = config["variant"]
        self.metrics = tuple(one for one in METRICS if one.variant == self._variant)
        self._templates = Templates.of_config(config)
        self._sampling = {name: config[name] for name in ("temperature", "max_tokens")}
        self._name = config["questions"]
        self._sets = _imported(folder, self._name, config["questions_hash"])

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        known = self._known(case)
        if known is not None:
            for metric in metrics:
                yield Judgement(self._score(metric, *known))
            return
        replies: list[ChatReply] = []
        golden = next(answer for answer in case.golden_answers if answer.strip())
        try:
            found = self._sets.get(document_id(golden))
            questions = await self._question_set(found, golden, case.lang, ask, replies)
            if not questions.questions:
                reason = f"{self._name!r} has no question about this item, and their code no score"
                for metric in metrics:
                    yield Judgement(self._score(metric, ScoreState.NA, reason))
                return
            prompt = self._templates.find("answers", case.lang)
            asked = await self._answers(
                case.answer, questions.questions, self._enough(questions), prompt, ask
            )
        except _Unusable as error:
            for metric in metrics:
                score = self._score(metric, ScoreState.UNPARSED, str(error))
                yield Judgement(score, error.prompt, tuple(replies))
            return
        replies += asked.replies
        details, scores = self._result(asked, questions, found is not None)
        for metric in metrics:
            repaired = asked.read is not None and asked.read.repaired
            yield Judgement(scores(metric), prompt, tuple(replies), repaired, details)

    def _known(self, case: Case) -> tuple[ScoreState, str, float | None] | None:
        """State, reason and value of both metrics where no model is needed."""
        outside = not_applicable(case, self.metrics[0])
        if outside is not None:
            return outside.state, outside.reason, None
        if not case.answer.strip():
            return ScoreState.OK, "the answer is empty: it answers no question", 0.0
        return None

    async def _question_set(
        self,
        found: QuestionSet | None,
        golden: str,
        lang: Lang,
        ask: Ask,
        replies: list[ChatReply],
    ) -> QuestionSet:
        """The imported set, or one that the model makes; replies are added to `replies`.

        As their code does, the variant `crud` takes a set as it was published, faults included; the
        other asks anew for what is missing.
        """
        if found is not None and self._variant == "crud":
            return found
        made = found
        if made is None or not made.questions:
            prompt = self._templates.find("questions", lang)
            read = _usable(
                await ask_twice(
                    ask,
                    self._request(prompt, text=golden),
                    _read_questions,
                    _AS_JSON[prompt.lang].format,
                ),
                prompt,
                replies,
            )
            made = QuestionSet(read.texts, (), read.key_info)
        if len(made.answers) == len(made.questions):
            return made
        prompt = self._templates.find("answers", lang)
        read = _usable(
            await self._answers(golden, made.questions, _as_many(made.questions), prompt, ask),
            prompt,
            replies,
        )
        return msgspec.structs.replace(made, answers=read.texts)

    def _enough(self, questions: QuestionSet) -> Callable[[int], bool]:
        """Whether so many answers can be scored."""
        if self._variant != "crud":
            return _as_many(questions.questions)
        # their code looks only at the answers to questions that the golden answer answers
        kept = [at for at, text in enumerate(questions.answers) if not is_unanswered(text)]
        return lambda count: count > max(kept, default=-1)

    async def _answers(
        self,
        text: str,
        questions: tuple[str, ...],
        enough: Callable[[int], bool],
        prompt: PromptText,
        ask: Ask,
    ) -> Asked[_Reading]:
        listed = "\n".join(f"{number}. {question}" for number, question in enumerate(questions, 1))

        def read(reply: ChatReply) -> _Reading:
            given = tuple(read_answers(reply.text))
            if enough(len(given)):
                return _Reading(given)
            cut = ", cut short by the limit of tokens" if reply.truncated else ""
            problem = f"the reply gives {len(given)} answers to {len(questions)} questions{cut}"
            return _Reading(problem=problem)

        request = self._request(prompt, text=text, questions=listed)
        return await ask_twice(ask, request, read, _IN_TAGS[prompt.lang].format)

    def _result(
        self, asked: Asked[_Reading], questions: QuestionSet, is_imported: bool
    ) -> tuple[dict[str, Any] | None, Callable[[str], MetricScore]]:
        """Details, and what gives each metric its score."""
        if asked.read is None:
            return None, lambda metric: self._score(metric, ScoreState.ERROR, asked.error)
        if asked.read.problem:
            return None, lambda metric: self._score(metric, ScoreState.UNPARSED, _quoting(asked))
        scored = score_answers(questions.questions, questions.answers, asked.read.texts)
        details = {
            "questions_from": f"import {self._name}" if is_imported else "the judge's model",
            "questions": msgspec.to_builtins(scored.questions),
        }
        return details, lambda metric: self._value(metric, scored)

    def _value(self, metric: str, scored: QuestScore) -> MetricScore:
        if not scored.usable and self._variant != "crud":
            reason = "the golden answer answers none of the questions"
            return self._score(metric, ScoreState.NA, reason)
        answered = sum(question.f1 is not None for question in scored.questions)
        reason = f"{answered} of {scored.usable} questions answered"
        precision = scored.precision if self._variant == "crud" else scored.precision_of_all
        value = scored.recall if metric == "QA_recall" else precision
        return self._score(metric, ScoreState.OK, reason, value)

    def _score(
        self, metric: str, state: ScoreState, reason: str, value: float | None = None
    ) -> MetricScore:
        return MetricScore(metric, self._variant, value, state, reason)

    def _request(self, prompt: PromptText, **values: str) -> ChatRequest:
        return ChatRequest(prompt.fill(values), **self._sampling)


def _usable(asked: Asked[_Reading], prompt: PromptText, replies: list[ChatReply]) -> _Reading:
    """The reading of a step that others rest on. Raises the ModelError that came in its place, and
    _Unusable for a problem."""
    replies += asked.replies
    if asked.failure is not None:
        raise asked.failure
    assert asked.read is not None
    if asked.read.problem:
        raise _Unusable(_quoting(asked), prompt)
    return asked.read


def _read_questions(reply: ChatReply) -> _Reading:
    parsed = parse_json(reply.text, "object")
    if reply.truncated:
        return _Reading(problem="the reply was cut short by the limit of tokens")
    if parsed.value is None:
        return _Reading(problem=parsed.problem)
    questions = _texts(parsed.value.get("question"))
    if not questions:
        return _Reading(problem='"question" is no list of questions')
    return _Reading(
        questions, repaired=parsed.repaired, key_info=_texts(parsed.value.get("key_info"))
    )


def _texts(given: Any) -> tuple[str, ...]:
    """The texts of a list that holds nothing else; none of another one."""
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        return ()
    return tuple(text.strip() for text in given if text.strip())


def _as_many(questions: tuple[str, ...]) -> Callable[[int], bool]:
    return lambda count: count == len(questions)


def _quoting(asked: Asked[_Reading]) -> str:
    """The problem of a reply, with its beginning."""
    assert asked.read is not None
    return quoting(asked.read.problem, asked.replies[-1].text)


def _imported(folder: Path, name: str, expected: str) -> Mapping[str, QuestionSet]:
    """The imported sets. Raises InputError when they are not those of the hash any more."""
    if not name:
        return {}
    with open_workspace(folder) as workspace:
        if question_sets.hash_of(workspace.db, name) != expected:
            raise InputError(
                f"The question sets {name!r} were changed since this judging was queued.",
                "Judge again: the judge is another one now.",
            )
        return question_sets.of_name(workspace.db, name)
