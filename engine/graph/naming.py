"""The entities that a text names, by rule: a baseline that needs no model."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from engine.text.segmentation import load_jieba
from store.records import Lang

LONGEST = 40
"""Characters of a name."""
_ZH_NAMING = frozenset({"nr", "nrt", "nrfg", "ns", "nt", "nz"})
_ZH_SURNAMES = (
    "赵钱孙李周吴郑王冯陈卫蒋沈韩杨朱秦许何吕张孔曹严金魏陶姜谢邹苏潘葛范彭马方任袁柳史唐费薛"
    "雷贺倪汤罗毕郝安常于傅齐康余顾孟黄萧尹姚邵汪毛戴宋熊纪舒项祝董梁杜阮蓝闵季贾路江童郭梅林"
    "钟徐邱骆高夏蔡田樊胡凌霍万支柯卢莫房裘丁邓洪包左石崔龚程裴陆翁段侯刘叶白蒲赖乔温庄柴阎连"
    "欧阳习易廖曾关查游向肖"
)
_ZH_COMMON = re.compile("正文|城市|上市|通讯|日讯|大学|公司|本报|记者|中国|")
"""What jieba takes for names and is none, or names what nearly every text does."""
_ZH_TITLE = re.compile(r"《([^《》\n]{2,30})》")
_ZH_CALENDAR = re.compile(r"[\d零一二三四五六七八九十百千万亿年月日点时分%.]+")
_EN_NAME = re.compile(
    r"[A-Z][\w&’'.-]*(?:,? (?:Inc|Corp|Ltd|LLC|Co)\.?|(?: (?:of|and|for|the|&))? [A-Z][\w&’'-]*)+"
)
_EN_TITLE = re.compile(r"[“\"]([A-Z][^“”\"\n]{3,40})[”\"]")
_EN_DATE = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_EN_LEADING = re.compile(
    r"(?:of|and|for|the|The|This|These|Our|We|In|As|On|At|For|If|Its|It|Each|All|Any|An?|And|But|Under|See|Refer"
    r"|During|Such|Other|With|From|To|By|Of|No|Year|Years|Note|Notes) "
)
_ROW = re.compile(r"^\|[ \t]*([^|\n]*?)[ \t]*\|", re.MULTILINE)
_LETTERS = re.compile(r"[^\W\d_]")


def named_in(text: str, lang: Lang) -> tuple[str, ...]:
    """The distinct names in a text, in order: of two words or more in English, of two characters
    or more in Chinese; and what the rows of its tables are called.

    Chinese: proper names as jieba tags them, those that follow one another joined, and titles in
    《》. English: capitalised runs of words, and titles in quotation marks.
    """
    names = _chinese(text) if lang == "zh" else _english(text)
    rows = [
        row.rstrip(":")
        for row in _ROW.findall(text)
        if _LETTERS.match(row) and not _EN_DATE.search(row)
    ]
    least = _has_two_characters if lang == "zh" else _has_two_words
    return tuple(
        dict.fromkeys(
            name for name in map(str.strip, (*names, *rows)) if least(name) and len(name) <= LONGEST
        )
    )


def _chinese(text: str) -> list[str]:
    found = _ZH_TITLE.findall(text)
    run = ""
    for pair in (*_tagger().cut(text), None):
        if pair is not None and pair.flag in _ZH_NAMING and _LETTERS.search(pair.word):
            run += pair.word if _is_name(pair.word, pair.flag) else ""
            continue
        if not _ZH_COMMON.fullmatch(run) and not _ZH_CALENDAR.fullmatch(run):
            found.append(run)
        run = ""
    return found


def _is_name(word: str, flag: str) -> bool:
    """Whether a word is what its tag says: jieba sees persons and brands in many a phrase."""
    if flag == "nr":
        return word[0] in _ZH_SURNAMES and len(word) <= 3
    return flag != "nz" or len(word) > 2


def _english(text: str) -> list[str]:
    found = _EN_TITLE.findall(text)
    for name in _EN_NAME.findall(text):
        while leading := _EN_LEADING.match(name):
            name = name[leading.end() :]
        if not _EN_DATE.search(name):
            found.append(name.rstrip(".,’'"))
    return found


def _has_two_characters(name: str) -> bool:
    return len(name) > 1


def _has_two_words(name: str) -> bool:
    return " " in name.strip()


@lru_cache(maxsize=1)
def _tagger() -> Any:
    load_jieba()
    import jieba.posseg

    return jieba.posseg
