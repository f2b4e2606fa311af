"""The reasons of the rule judge, in the item's language."""

from __future__ import annotations

from collections.abc import Sequence

from engine.text.numbers import Number
from store.records import Lang

_LONGEST_QUOTE = 60

TEXTS: dict[str, tuple[str, str]] = {
    "no_golden": ("没有标准答案。", "No golden answer."),
    "refusal": ("预测拒绝作答。", "The prediction declines to answer."),
    "closed": ("闭卷：没有检索文档。", "Closed-book: no retrieved documents."),
    "unknown": (
        "导入的回答没有附带检索结果。",
        "The imported answer came without what was retrieved.",
    ),
    "equal": ("与标准答案“{gold}”一致。", 'Says the golden answer "{gold}".'),
    "acc_all": (
        "标准答案的{total}个要点全部相符：{matched}。",
        "All {total} aspects of the golden answer agree: {matched}.",
    ),
    "acc_some": (
        "{total}个要点中{held}个相符：{matched}；缺少：{missing}。",
        "{held} of {total} aspects agree: {matched}; missing: {missing}.",
    ),
    "acc_words": (
        "含标准答案“{gold}”{share}%的实义词。",
        'Holds {share} % of the words of the golden answer "{gold}".',
    ),
    "acc_none": (
        "与标准答案“{gold}”无相符要点。",
        'No aspect of the golden answer "{gold}" is there.',
    ),
    "number_differs": (
        "数值矛盾：预测为{stated}，标准答案为{gold}。",
        "Numbers contradict: the prediction says {stated}, the golden answer {gold}.",
    ),
    "denies": (
        "与标准答案肯定否定相反：“{claim}”。",
        'Says the opposite of the golden answer: "{claim}".',
    ),
    "com_one": ("标准答案只有一个要点。", "The golden answer has one aspect only."),
    "com": ("覆盖{held}/{total}个要点。", "Covers {held} of {total} aspects."),
    "com_missing": ("缺少：{missing}。", "Missing: {missing}."),
    "hal_none": (
        "预测的内容都见于检索文档。",
        "Everything the prediction says is in the retrieved text.",
    ),
    "hal_harmless": (
        "“{claim}”不见于检索文档，但与标准答案不矛盾。",
        '"{claim}" is not in the retrieved text but does not contradict the golden answer.',
    ),
    "hal_yes": (
        "“{claim}”不见于检索文档，且与标准答案矛盾。",
        '"{claim}" is not in the retrieved text and contradicts the golden answer.',
    ),
    "utl": (
        "检索文档支持的{total}个要点中用到{held}个；预测有{precision}%来自检索文档。",
        "Uses {held} of the {total} aspects that the retrieved text supports; {precision} % of "
        "the prediction comes from it.",
    ),
    "utl_none": (
        "检索文档不含标准答案的要点；预测有{precision}%来自检索文档。",
        "The retrieved text holds no aspect of the golden answer; {precision} % of the prediction "
        "comes from it.",
    ),
    "nac_none": ("标准答案不含数值。", "The golden answer has no number."),
    "nac_all": ("数值一致：{pairs}。", "Numbers agree: {pairs}."),
    "nac_missing": (
        "标准答案的{missing}在预测中没有；预测的数值：{stated}。",
        "The golden answer's {missing} is not in the prediction, whose numbers are: {stated}.",
    ),
    "none": ("无", "none"),
}


def say(key: str, lang: Lang, **slots: object) -> str:
    """The reason named `key` in `lang`, its slots filled."""
    return TEXTS[key][0 if lang == "zh" else 1].format(**slots)


def quote(text: str) -> str:
    """`text` on one line, cut to a length that fits a reason."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + "…"


def written(number: Number, text: str) -> str:
    """The number as `text` writes it, with the sign that a word such as 下降 or fell gives it."""
    figure = text[number.start : number.end]
    if number.direction and not number.sign:
        return f"{figure} ({'+' if number.direction > 0 else '-'})"
    return figure


def between_sentences(lang: Lang) -> str:
    """The separator of two sentences: a space in English, nothing in Chinese."""
    return "" if lang == "zh" else " "


def listed(parts: Sequence[str], lang: Lang) -> str:
    """The parts, each quoted short; the word for none when there are none."""
    if not parts:
        return say("none", lang)
    return ("；" if lang == "zh" else "; ").join(quote(part) for part in parts)
