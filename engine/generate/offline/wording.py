"""How drafts ask: the question templates, Chinese and English."""

from __future__ import annotations

import re

from engine.generate.offline.records import Subject
from store.records import Lang

_GENERIC = re.compile(
    r"^(?:金额|数值|数量|内容|取值|比例|标准|指标值|amount|value|fee|charge|total|figure|level|result"
    r"|number|limit|rate)s?$",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\b(?:rates?|weight|margin|value|multiple|price|ratio|share|number|amount|benefit|premium|paid"
    r"|received|deductible|sublimit|limit|sales|earnings|income|yield|return|costs?|fees?|size|volume"
    r"|target|claims|loss(?:es)?|change|growth|score|days|hours|time|balance|revenues?|threshold"
    r"|minimum|maximum|percentage|%|total|period|count|cap|discount|requirement)\b",
    re.IGNORECASE,
)
"""A column with one of these says what is measured; another column says of which case."""
_CONDITIONS = frozenset(
    {"before", "after", "now", "then", "from", "to", "with", "without", "notes", "note"}
)
_COMMON_THING = re.compile(
    r"\b(?:Fund|Card|Facility|Plan|Policy|Pilot|Return|Programme|Program|Migration|Sale|Transcriber"
    r"|Summariser|Group|Company|Monthly|Market|Standard|Handbook|Exchange|Index|Trust|Scheme|Project"
    r"|Operations|Deposit|Wording|Circular)\b"
)
_ORGANISATION = re.compile(r"\b(?:Inc|Corp|Corporation|plc|PLC|Limited|Ltd|LLC|Group|N\.V)\b")
_TITLE_CASE = re.compile(r"[A-Z][a-z]+(?:[ -](?:[A-Z][a-z]+|of|and|for|in|to|from|on|&))+")
_PROPER = frozenset(
    """Africa America Americas Argentina Asia Asia-Pacific Australia Austria Belgium Brazil Britain
    Canada Chile China Denmark EMEA Europe Finland France Germany Hungary India Indonesia Ireland
    Israel Italy Japan Korea Luxembourg Malaysia Mexico Netherlands Norway Poland Portugal Russia
    Singapore Spain Sweden Switzerland Taiwan Thailand Turkey Ukraine Vietnam European American
    Chinese Japanese German British French North South Latin Central United Middle East States
    Kingdom New Zealand Hong Kong Pacific January February March April May June July August
    September October November December""".split()
)
    words = heading.split(" ")
    return " ".join(
        word if word[1:] != word[1:].lower() or word in _PROPER else word.lower() for word in words
    )


def _covers(label: str, heading: str) -> bool:
    words = {word.lower() for word in re.findall(r"[A-Za-z]{4,}", heading)}
    own = {word.lower() for word in re.findall(r"[A-Za-z]{4,}", label)}
    return bool(words) and len(words & own) >= 0.6 * len(words)


def at_time(period: str) -> str:
    """A column's time with its preposition: `in 2019`, `at December 31, 2019`; empty if unclear."""
    if not period or len(period) > 60:
        return ""
    day = _DAY.match(period)
    if day and day.end() == len(period):
        return f"at {day['day']}"
    if _BARE_YEAR.match(period):
        return f"in {period[0].lower() + period[1:] if period[1:2].islower() else period}"
    span = _SPAN.match(period)
    if span and _ENDS_IN_YEAR.search(period):
        said = re.sub(r"^for the ", "", span["span"], flags=re.IGNORECASE)
        said = re.sub(r"\b(?:Fiscal|Years?|Ended|Ending|Months|Quarter)\b", _lower_word, said)
        said = re.sub(r"^years ", "year ", said)
        return f"for the {said[:1].lower()}{said[1:]}"
    return ""


def _lower_word(found: re.Match[str]) -> str:
    return found.group().lower()


def be(label: str, *, past: bool = False) -> str:
    """is, are, was or were, by the number of the label's head."""
    head = re.split(r" (?:of|for|from|in|on|to|and|per|with|at|by)\b|,", label)[0]
    is_plural = _PLURAL.search(head) is not None
    return ("were" if is_plural else "was") if past else ("are" if is_plural else "is")


def lowered(label: str, text: str) -> str:
    """A label as it stands inside a sentence: lower case unless it seems to begin with a name.

    It does when its first two words are capitalised, when its first is a place, and when the
    document capitalises that word in the middle of a sentence and never writes it small.
    """
    if _TITLE_CASE.fullmatch(label) and not _in_prose(label, text):
        return spoken(label)
    first = re.match(r"[A-Z][a-z-]+(?![a-z’'])", label)
    if first is None or re.match(r"[A-Z][\w-]+ [A-Z][a-z]", label) or first.group() in _PROPER:
        return label
    word = re.escape(first.group())
    is_small = re.search(rf"(?<![A-Za-z]){word.lower()}(?![A-Za-z])", text) is not None
    is_name = re.search(rf"(?<=[a-z,] ){word}(?![A-Za-z])", text) is not None
    return label if is_name and not is_small else label[0].lower() + label[1:]


def _in_prose(label: str, text: str) -> bool:
    """Whether the text has the label within a sentence, as it has names, not only in tables."""
    return re.search(rf"[a-z,] {re.escape(label)}", text) is not None


def first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]
