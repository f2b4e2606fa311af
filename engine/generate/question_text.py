"""Tests of a question's text: it must be understood by someone who has not seen its documents."""

from __future__ import annotations

import re

from engine.generate.rules.facts.names import names
from engine.generate.rules.vocabulary import any_of


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_AT_HAND = r"(?:文档|文本|文章|材料|资料|段落|上下文|原文|文件|报道)"
_NAMES_DOCUMENT = _any(
    rf"(?:所|你|您|上述|以上|上面|给定|给出|提供|本|该|这篇|这份|此|前述)的?"
    rf"(?:提供|给定|给出|检索到)?的?{_AT_HAND}",
    rf"(?:根据|依据|按照|结合|从)(?:上文|{_AT_HAND})",
    r"(?:文中|文章中|文档中|材料中|报道中|上文中?)",
    r"\b(?:the|this|that|given|provided) "
    r"(?:(?:given|provided|above|following|attached|retrieved) )?"
    r"(?:document|passage|text|article|excerpt|context|material|paragraph|snippet)s?\b",
    r"\b(?:mentioned|described|stated|shown|discussed|provided|given) "
    r"(?:above|in the (?:text|table))\b",
)
_RELATIVE_TIME = _any(
    r"今年|去年|前年|明年|今日|昨日|昨天|今天|明天|近日|日前|目前|上月|本月|当月|下月|本周|上周|本季度",
    r"上季度|上年(?!同期)|当日|当天|当年|此次|本次|近期|此前",
    r"\b(?:today|yesterday|tomorrow|recently|currently)\b",
    r"\b(?:this|last|next) (?:year|month|week|quarter)\b",
)
_LEANS = _any(
    r"^(?:那么?|这|其(?![他余中])|[它他她]|该|此|还有|另外|另一|上述|而|并|但)",
    r"^[^，,]{0,3}[本我](?:行|公司|基金|产品|办法|报告|机构|项目|品种|集团|合同|手册|国|市|省|县)",
    r"呢[？?]?$",
    r"^(?:and|but|so|then|what about|how about)\b",
    r"^(?:\w+ (?-i:[a-z]+ ){0,4})?(?:it|its|they|their|them|he|she|his|her)\b",
    r"\bthe (?:same|other|latter|former)\b",
)
_YES_NO = _any(
    r"是否|能否|可否|有没有|是不是|吗\s*[？?]?\s*$",
    r"^(?:is|are|was|were|do|does|did|can|could|must|should|may|has|have|had|will|would)\b",
)
_NOTHING = _any(
    r"无|空|没有|暂无|未知|不详|不知道|不清楚|无答案|不适用|无法(?:回答|确定|得知).*",
    r".{0,12}(?:未|没有)(?:提及|提到|说明|给出).*",
    r"(?:具?有)?(?:积极|正面|有利|良好|重要|一定)的?(?:影响|作用|意义|效果)",
    r"none|null|nil|n/?a|empty|nothing|unknown|no answer",
    r"not (?:mentioned|stated|given|specified|available|applicable).*",
    r"(?:it )?cannot be (?:answered|determined).*",
    r"(?:a |an )?(?:positive|beneficial|significant|important) (?:impact|effect|influence|role)",
)
_AFFIRMS = re.compile(
    r"\s*(?:是的?|对|可以|能|有|会|yes|correct|true)(?:[，,。.!！ ]|$)", re.IGNORECASE
)
_HAN = re.compile(r"[一-鿿]")
_ENDS = "？?"
SHORTEST = {"zh": 6, "en": 12}
"""Characters of the shortest question that can say what it is about."""
LONGEST = {"zh": 160, "en": 360}


def names_the_document(question: str) -> bool:
    """Returns whether a text names a document at hand (根据材料, `according to the passage`)."""
    return _NAMES_DOCUMENT.search(question) is not None


def relative_time(question: str) -> str:
    """A time that only the day of writing makes clear (今年, `last quarter`); empty if none."""
    match = _RELATIVE_TIME.search(question)
    return match.group() if match else ""


def leans_back(question: str) -> str:
    """The words by which a question refers to something before it; empty if none.

    它……, 那……呢, `And ...`. A pronoun further on has what it stands for in the question itself.
    """
    match = _LEANS.search(question.strip())
    return match.group().strip("，,") if match else ""


def is_yes_no(question: str) -> bool:
    """Returns whether yes or no would answer the question."""
    return _YES_NO.search(question.strip()) is not None


def affirms(answer: str) -> bool:
    """Returns whether an answer is a bare yes, or begins with one."""
    return _AFFIRMS.match(answer) is not None


def says_nothing(answer: str) -> bool:
    """Returns whether an answer is blank, `none`, a refusal, or a phrase without
    content (积极影响)."""
    bare = answer.strip().rstrip("。.！!")
    return not bare or _NOTHING.fullmatch(bare) is not None


def ends_as_question(question: str) -> bool:
    """Returns whether a question ends with a question mark, or asks for something (请介绍……。)."""
    text = question.strip()
    return text.endswith(tuple(_ENDS)) or text.startswith(("请", "Describe", "Explain", "Summar"))


def is_balanced(question: str) -> bool:
    """Returns whether the brackets and quotation marks of a text close; a torn phrase often
    leaves one open."""
    pairs = ("（）", "()", "《》", "“”", "[]", "【】")
    return all(question.count(pair[0]) == question.count(pair[1]) for pair in pairs)


_VAGUE = _any(
    r"(?:^|[，,])(?:该|本)?(?:公司|银行|基金|集团|产品)(?=[的在于对]|[，,])",
    r"\b(?:the (?:company|group|bank|fund|firm|issuer)(?! of\b)|our|we|us)\b",
)
_NAMED_ZH = re.compile(
    r"《[^》]+》|“[^”]+”|[A-Z][A-Za-z0-9&-]+|[一-鿿]{2,}(?:银行|集团|公司|证券|保险|基金|大学|交易所|委员会|协会|研究院|海关|法院|政府|局|部|署|人寿|健康|期货|平台"
    r"|[市省县区州国]|产品|计划|合约|办法|手册|细则|指引|债券|票据|存款|险|卡)|[一-鿿]{3,}(?:\d{4}年|（)"
)
_NAMED_EN = re.compile(
    rf"\b(?!(?:What|Which|Who|When|How|For|With|Under|And|{any_of('en', 'months')})\b)[A-Z]"
    r"[\w’'&-]+ (?:[A-Z][\w’'&.-]+|of [A-Z]\w+)"
    r"|\b(?:Inc|Corp|plc|PLC|Ltd|LLC|Group)\b"
)
_BROKEN = _any(
    r"的(?:的|于|在|已|将|这|仍|预计|由|被|把|从|自|因|为)|[，、]{2}|(?:中|，)(?:和|或|及|的)|^[，的了]|的[^，]{0,2}，|[（(][)）]",
    r"\bthe the\b|\bfor (?:below|above|before|after)\b|\b(?:of|for|in|the) (?:of|for|in)\b| {2}",
)


_ASKS_FIGURE = _any(r"多少", r"\bhow (?:much|many)\b|^what (?:is|are|was|were)\b|percentage")
_ANY_TIME = _any(
    r"\d{4}|[年月季度]|期[初末内]|哪[一个]?[年月天]|自.{1,12}以来|首次|成立|上市",
    r"\b(?:fiscal|quarter|month|week)\b",
)


def vague_subject(question: str) -> str:
    """A subject that only the document makes clear (该公司, `the company`, `our`); else empty."""
    match = _VAGUE.search(question)
    return match.group().strip("，, ") if match else ""


def names_a_thing(question: str, lang: str) -> bool:
    """Returns whether a question names an institution, a product, a place or a rule."""
    if lang == "en":
        return _NAMED_EN.search(question) is not None
    return bool(_NAMED_ZH.search(question) or names(question, "zh"))


def lacks_time(question: str) -> bool:
    """Returns whether a question asks for a figure and names no time, not even by asking when."""
    return _ASKS_FIGURE.search(question) is not None and _ANY_TIME.search(question) is None


def reads_badly(question: str) -> str:
    """Words that do not stand together in good Chinese or English, as rules leave them."""
    match = _BROKEN.search(question.strip())
    return match.group() if match else ""


def names_in(question: str) -> tuple[str, ...]:
    """The names that it holds, as far as a pattern can tell."""
    if _HAN.search(question):
        return tuple(question[start:end] for start, end in names(question, "zh"))
    return tuple(match.group() for match in _NAMED_EN.finditer(question))
