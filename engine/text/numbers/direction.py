"""The direction that words give to a figure: 下降3.4%, `rose by 3.4 %`, `a 3.4 % decline`."""

from __future__ import annotations

import re

from engine.text.numbers.records import Sign

_ZH_DOWN = (
    "下降|减少|下滑|降低|回落|下跌|缩减|收窄|下行|下调|调降|萎缩|净亏损|亏损|降幅|跌幅|少|减|降|跌"
)
_ZH_UP = "增长|增加|上升|提高|上涨|扩大|提升|上调|走高|回升|增幅|涨幅|盈利|高出|多出|增|升|涨"
_ZH_BEFORE = re.compile(
    rf"(?:(?P<down>{_ZH_DOWN})|(?P<up>{_ZH_UP}))"
    r"(?:幅度|幅|率|额|了|约|近|超过|超|逾|大约|达到|达|为|是|:|：| ){0,4}$"
)
_ZH_AFTER = re.compile(r" ?的?(?:(?P<down>降幅|跌幅|下降|下滑|跌)|(?P<up>增幅|涨幅|增长|增速))")

_EN_DOWN = (
    r"decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|fell|falls?|falling|dropp?(?:ed|s|ing)?|down"
    r"|reduc(?:ed|es|tion|tions)|lower(?:ed)?|shrank|loss(?:es)?|lost|contracted"
)
_EN_UP = (
    r"increas(?:e|es|ed|ing)|ris(?:e|es|ing)|rose|grew|grow(?:s|n|th|ing)?|up|gain(?:ed|s)?"
    r"|climb(?:ed|s)?|higher|improved|expanded|jumped|advanced"
)
_EN_FILLER = (
    r"(?: (?:by|of|about|approximately|around|nearly|roughly|almost|over|an?|another|further"
    r"|was|is|were|additional|total|some|only|just|net|[-:])){0,3}"
)
_EN_BEFORE = re.compile(
    rf"\b(?:(?P<down>{_EN_DOWN})|(?P<up>{_EN_UP}))(?: in [^,.;:%\d]{{1,48}}? (?:of|by|was|is))?"
    rf"{_EN_FILLER} ?$",
    re.IGNORECASE,
)
_EN_AFTER = re.compile(
    r"[ -]?(?:year-over-year |year-on-year |yoy )?"
    r"(?:(?P<down>decrease|decline|drop|reduction|fall|lower|loss)|(?P<up>increase|growth|rise|gain|higher))\b",
    re.IGNORECASE,
)

_CLAUSE_MARKS = re.compile(r".*[，,。；;！？!?|\n\t（(]", re.DOTALL)
_ZH_WINDOW = 12
_EN_WINDOW = 72


def direction(text: str, start: int, end: int) -> Sign:
    """-1 for words of a fall, 1 for a rise, 0 for neither; `to` and 至 name a level, not a change.

    `start` and `end` bound the whole number, with its currency and unit.
    """
    last = text[start - 1 : start]
    if last == " " and text[start - 2 : start - 1].isascii():
        match = _EN_BEFORE.search(_clause_before(text, start, _EN_WINDOW))
    elif last and last not in "|\n(（":
        match = _ZH_BEFORE.search(_clause_before(text, start, _ZH_WINDOW))
    else:
        match = None
    if match is None:
        match = _after(text, end)
    if match is None:
        return 0
    return -1 if match["down"] else 1


def _clause_before(text: str, start: int, window: int) -> str:
    before = text[max(0, start - window) : start]
    mark = _CLAUSE_MARKS.match(before)
    return before[mark.end() :] if mark else before


def _after(text: str, end: int) -> re.Match[str] | None:
    following = text[end : end + 1]
    if not following or following in "\n|，。；,;.":
        return None
    return _EN_AFTER.match(text, end) if following in " -" else _ZH_AFTER.match(text, end)
