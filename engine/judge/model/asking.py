"""Asking a model for a judgement: templates, examples, the request, and what to say of a reply that
cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from engine.judge.base import Case
from engine.judge.model.passages import OF_PASSAGES, asked_spec
from engine.judge.templates import PromptLang, Templates, documents_text, read_templates
from engine.metrics.spec import MetricSpec, metric_names, resolve
from engine.models.chat import ChatRequest, Message
from engine.prompts.history import history_text
from engine.prompts.templates import PromptText
from store.errors import InputError
from store.formats.jsonl import read_jsonl
from store.records import Lang, Passage

ASKED_METRICS = metric_names("standard", "judge")
"""Metrics that a model can be asked for by one prompt: those with a template `FOLDER/METRIC`."""

_NONE: dict[Lang, str] = {"zh": "（没有标注证据）", "en": "(none is marked)"}
_AGAIN: dict[Lang, str] = {
    "zh": "这个回复无法使用：{problem}。请重新判断，只输出一个 JSON 对象，"
    '其中 "value" 只能是：{legal}。',
    "en": "That reply cannot be used: {problem}. Judge again and reply with one JSON object only,"
    ' whose "value" is one of: {legal}.',
}


class ExampleText(Struct, frozen=True, omit_defaults=True):
    """A retrieved text in an example."""

    text: str
    title: str = ""


class Example(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A judged answer that is shown to the model before the one to judge: a line of a file."""

    metric: str
    question: str
    answer: str
    golden_answers: Annotated[tuple[str, ...], Meta(min_length=1)]
    value: int | Literal["na"]
    lang: Lang = "en"
    documents: tuple[ExampleText, ...] = ()
    reason: str = ""


class JudgePrompts(Templates, frozen=True):
    """The templates of a judge, one for each metric, and its examples."""

    examples: tuple[Example, ...] = ()

    @classmethod
    def of_config(cls, config: Mapping[str, Any]) -> JudgePrompts:
        return cls(
            config["prompt_folder"],
            config["prompts"],
            config["lang"],
            msgspec.convert(config["examples"], tuple[Example, ...]),
        )


def judge_prompts(
    workspace: Path, folder: str, metrics: Sequence[str], lang: PromptLang
) -> dict[str, str]:
    """The templates `FOLDER/METRIC`; see `read_templates`, which says what it raises."""
    return read_templates(workspace, folder, lang, slot_checks(metrics))


def slot_checks(metrics: Sequence[str]) -> dict[str, Callable[[PromptText], None]]:
    """What refuses a template with wrong slots, by metric."""
    return {metric: partial(check_slots, metric=metric) for metric in metrics}


def check_slots(prompt: PromptText, metric: str) -> None:
    """InputError for a slot that nothing fills, and for one that the metric's template lacks."""
    prompt.fill(*_values(Case(0, "", (), (), "", (), prompt.lang), prompt.lang, metric))


def examples_of(file: Path, metrics: Sequence[str]) -> tuple[Example, ...]:
    """The examples of a JSON Lines file for these metrics.

    Raises InputError naming file and line for an unknown metric and a value off its scale.
    """
    examples = []
    for line, example in read_jsonl(file, Example):
        if example.metric not in ASKED_METRICS:
            raise InputError(
                f"{file}, line {line}: there is no metric {example.metric!r}.",
                f"The metrics are {', '.join(ASKED_METRICS)}.",
            )
        spec = asked_spec(example.metric)
        if not spec.allows(example.value):
            raise InputError(
                f"{file}, line {line}: {example.value!r} is not a value of {example.metric}.",
                f"Its values are {spec.legal_values}.",
            )
        if example.metric in metrics:
            examples.append(example)
    return tuple(examples)


def judge_request(
    prompts: JudgePrompts,
    case: Case,
    metric: str,
    *,
    temperature: float | None = None,
    max_tokens: int | None = None,
    with_schema: bool = False,
) -> ChatRequest:
    """The request for one metric of one answer, `with_schema` where the server takes one."""
    return ChatRequest(
        judge_messages(prompts, case, metric),
        temperature=temperature,
        max_tokens=max_tokens,
        response_format=reply_schema(asked_spec(metric)) if with_schema else None,
    )


def reply_schema(spec: MetricSpec) -> dict[str, Any]:
    """The `response_format` that lets a reply be a reason and a legal value of the metric."""
    legal: list[int | None] = [int(value) for value in spec.values]
    kinds = ["integer"]
    if spec.allows_na:
        legal.append(None)
        kinds.append("null")
    fields = {"reason": {"type": "string"}, "value": {"type": kinds, "enum": legal}}
    schema = {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    named = {"name": spec.name, "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": named}


def judge_messages(prompts: JudgePrompts, case: Case, metric: str) -> tuple[Message, ...]:
    """System message, examples as earlier exchanges, and the answer to judge."""
    prompt = prompts.find(metric, case.lang)
    system, user = prompt.fill(*_values(case, prompt.lang, metric))
    shown: list[Message] = []
    for example in prompts.examples:
        if example.metric == metric and example.lang == prompt.lang:
            _, asked = prompt.fill(*_values(_example_case(example), prompt.lang, metric))
            shown += [asked, Message("assistant", reply_text(example.value, example.reason))]
    return (system, *shown, user)


def _example_case(example: Example) -> Case:
    return Case(
        prediction_id=0,
        question=example.question,
        history=(),
        golden_answers=example.golden_answers,
        answer=example.answer,
        passages=tuple(Passage("", one.title, one.text, 0) for one in example.documents),
        lang=example.lang,
    )


def reply_text(value: int | Literal["na"], reason: str = "") -> str:
    """A reply as the prompts ask for it, with the given value."""
    given = {"value": None if value == "na" else value}
    return msgspec.json.encode({"reason": reason, **given} if reason else given).decode()


def mending_words(problem: str, spec: MetricSpec, lang: Lang) -> str:
    """What to say of a reply that gives no value of the metric."""
    return _AGAIN[lang].format(problem=problem, legal=spec.legal_values)


def _values(case: Case, lang: Lang, metric: str) -> tuple[dict[str, str], dict[str, str]]:
    """The values of a template's slots, of those that it must have and those that it may have."""
    values = {"question": case.question, "golden_answers": "\n".join(case.golden_answers)}
    optional = {"history": history_text(case.history, lang)}
    documents = documents_text(case.passages, lang)
    if metric in OF_PASSAGES:
        evidence = "\n\n".join(passage.text for passage in case.evidence)
        return {**values, "document": documents}, {**optional, "evidence": evidence or _NONE[lang]}
    values["answer"] = case.answer
    # prompts of metrics that are not about what was retrieved need not show it, nor those of fields
    # of a form of one's own
    needs = resolve(metric).needs if metric in ASKED_METRICS else ()
    place = values if "retrieved" in needs else optional
    place["documents"] = documents
    return values, optional
