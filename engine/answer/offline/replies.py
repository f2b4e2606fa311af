"""The record of an offline answer, and the words of its refusals and reasons, by language."""

from __future__ import annotations

from msgspec import Struct

from store.records import Lang, PredictionState, Span


class Answer(Struct, frozen=True, omit_defaults=True):
    """An answer, where it was read, and why it was chosen in words a person can check."""

    text: str
    spans: tuple[Span, ...] = ()
    reason: str = ""
    state: PredictionState = PredictionState.OK


_TEXTS: dict[str, dict[Lang, str]] = {
    "refusal": {
        "zh": "根据检索到的资料无法回答该问题。",
        "en": "The retrieved documents do not answer this question.",
    },
    "closed_refusal": {
        "zh": "在没有资料的情况下无法回答该问题。",
        "en": "I cannot answer this question without documents.",
    },
    "no_overlap": {
        "zh": "检索到的段落与问题没有共同的实义词。",
        "en": "The passages share no content word with the question.",
    },
    "sentence": {
        "zh": "第{rank}段中与问题最相符的句子；匹配词：{words}。",
        "en": "Best matching sentence, passage {rank}; matched: {words}.",
    },
    "number": {
        "zh": "第{rank}段最相符句子中的{kind}数值；匹配词：{words}。",
        "en": "The {kind} number of the best matching sentence, passage {rank}; matched: {words}.",
    },
    "words": {
        "zh": "第{rank}段最相符句子中与疑问词对应的部分；匹配词：{words}。",
        "en": "The part of the best matching sentence that the question word stands for, passage "
        "{rank}; matched: {words}.",
    },
    "cell": {
        "zh": "表格行“{label}”、列“{header}”的单元格（第{rank}段）。",
        "en": 'Table row "{label}", column "{header}" (passage {rank}).',
    },
    "computed": {
        "zh": "计算：{formula} = {result}。",
        "en": "Computed: {formula} = {result}.",
    },
    "several": {
        "zh": "按原文顺序取{count}个最相符的句子；匹配词：{words}。",
        "en": "The {count} best matching sentences in document order; matched: {words}.",
    },
    "compared": {
        "zh": "从{count}篇文档各取最相符的句子；匹配词：{words}。",
        "en": "The best matching sentence of each of {count} documents; matched: {words}.",
    },
    "closed_yes_no": {
        "zh": "没有资料，按是非问题的常见答案猜测。",
        "en": "No documents: the common answer to a yes-no question, a guess.",
    },
    "closed_echo": {
        "zh": "没有资料，只能重复问题中的关键词。",
        "en": "No documents: repeats the question's own key words.",
    },
    "closed_fact": {
        "zh": "没有资料，不猜测具体数值或名称。",
        "en": "No documents: does not guess a figure or a name.",
    },
}


def say(key: str, lang: Lang, **slots: object) -> str:
    """The text named `key` in `lang`, its slots filled."""
    return _TEXTS[key][lang].format(**slots)
