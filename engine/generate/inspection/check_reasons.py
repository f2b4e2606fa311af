"""The reasons of the checks, in the item's language."""

from __future__ import annotations

from collections.abc import Iterable

from store.records import Lang

TEXTS: dict[str, tuple[str, str]] = {
    "topic_none": ("未指定主题，无从核对。", "No topic is given to check against."),
    "topic_asked": ("问题含主题词：{terms}。", "The question has terms of the topic: {terms}."),
    "topic_quoted": ("依据含主题词：{terms}。", "The passages have terms of the topic: {terms}."),
    "topic_absent": (
        "问题和依据都不含主题词。",
        "No term of the topic is in question or passages.",
    ),
    "names_document": ("问题提到手头的文档", "the question speaks of a document at hand"),
    "unbalanced": ("括号或引号不成对", "a bracket or quotation mark is left open"),
    "no_question_mark": ("不以问号结尾", "does not end as a question"),
    "length": ("长度不当（{count}字）", "of unfit length ({count} characters)"),
    "leans": ("依赖上文：“{word}”", "leans on something before it: “{word}”"),
    "relative_time": ("时间不明确：“{word}”", "the time is unclear: “{word}”"),
    "no_time": ("没有说明时间", "names no time"),
    "vague": ("主体不明确：“{word}”", "does not say whose: “{word}”"),
    "no_name": ("没有点明机构、产品或地点", "names no institution, product or place"),
    "reads_badly": ("语句不通顺：“{word}”", "reads badly: “{word}”"),
    "unnamed": ("依据没有点明“{name}”", "the passages do not name “{name}”"),
    "complete": ("问题独立、完整。", "The question is complete by itself."),
    "carries_article": ("任务的问题里带有文章。", "The task's question carries an article."),
    "none_wanted": ("无法回答的问题没有依据。", "A question without an answer has no passage."),
    "no_passage": ("没有依据", "a turn has no passage"),
    "unknown_document": (
        "依据指向未给出的文档{name}",
        "a passage stands in {name}, not given here",
    ),
    "not_verbatim": ("依据与原文不符：“{quote}”", "a passage is not verbatim: “{quote}”"),
    "torn": ("依据在词中截断：“{quote}”", "a passage is cut within a word: “{quote}”"),
    "too_long": ("依据过长（{count}字）", "passages too long ({count} characters)"),
    "verbatim": ("依据逐字出自原文。", "Every passage is verbatim."),
    "stands": ("答案“{answer}”见于依据。", "The answer “{answer}” stands in the passages."),
    "not_there": ("答案“{answer}”不见于依据", "the answer “{answer}” is not in the passages"),
    "computed": ("由依据中的数值算得：{formula}。", "Computed from the passages: {formula}."),
    "not_computed": (
        "数值“{answer}”既不在依据中，也不能由其两个数值算得",
        "“{answer}” is neither in the passages nor computed from two of their figures",
    ),
    "says_nothing": ("答案没有内容：“{answer}”", "the answer says nothing: “{answer}”"),
    "no_answer": ("没有答案", "there is no answer"),
    "leaked": ("答案“{answer}”已写在问题里", "the question itself says “{answer}”"),
    "no_unit": ("数值没有单位：“{answer}”", "the figure has no unit: “{answer}”"),
    "unfounded": (
        "答案有{share}%的字词不在依据中",
        "{share} % of the answer's words are not in the passages",
    ),
    "founded": ("答案的内容都有依据。", "Everything in the answer stands in the passages."),
    "refusal_fits": ("任务要求说明无法回答。", "The task wants the answer that there is none."),
    "yes_no": ("是非题", "a yes-no question"),
    "affirmed": ("答案总为肯定的是非题", "a yes-no question that is affirmed"),
    "one_place": ("答案在一处即可找到。", "One place gives the answer."),
    "several_places": ("答案不在同一处", "the answer is spread over several places"),
    "two_steps": ("需要{steps}步：{kind}。", "Takes {steps} steps: {kind}."),
    "one_step": ("一句话就能回答", "a single sentence answers it"),
    "two_sides": ("比较双方，证据来自{count}处。", "Compares two sides, with {count} passages."),
    "one_side": ("没有对比的双方", "there are no two sides"),
    "long": ("答案有{count}句。", "The answer has {count} sentences."),
    "short": ("答案太短，不成段", "the answer is too short for a paragraph"),
    "turns": ("{count}轮，后续问题依赖上文。", "{count} turns; later ones depend on the first."),
    "independent": ("第{turn}轮不依赖上文", "turn {turn} does not depend on what came before"),
    "repeated": ("各轮答案重复", "turns repeat an answer"),
    "not_checked": ("规则不检查这一任务的要求。", "No rule checks the requirement of this task."),
}


def say(key: str, lang: Lang, **slots: object) -> str:
    """The reason named `key` in `lang`, its slots filled."""
    return TEXTS[key][0 if lang == "zh" else 1].format(**slots)


def joined(reasons: Iterable[str], lang: Lang) -> str:
    """Several reasons as one text."""
    return ("；" if lang == "zh" else "; ").join(reasons)
