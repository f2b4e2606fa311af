"""The question templates of drafts, Chinese and English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.generate.rules.facts.fact import Subject
from engine.generate.rules.vocabulary import word_list
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
_PROPER = frozenset(word_list("en", "proper nouns"))
"""Words that stay capitalised inside a sentence: places and months."""
_DAY = re.compile(
    r"^(?:as (?:of|at) |at )?(?P<day>[A-Z][a-z]{2,8}\.? \d{1,2},? (?:19|20)\d\d"
    r"|\d{1,2} [A-Z][a-z]{2,8} (?:19|20)\d\d)",
)
_SPAN = re.compile(
    r"^(?P<span>(?:(?:fiscal )?years?|(?:three|six|nine|twelve|\d+) months|quarters?"
    r"|(?:for the )?(?:fiscal )?(?:year|period|quarter|months)s? end(?:ed|ing))\b.*)",
    re.IGNORECASE,
)
_ENDS_IN_YEAR = re.compile(r"(?:19|20)\d\d$")
_BARE_YEAR = re.compile(r"^(?:(?:FY|fiscal(?: year)?)\s?)?(?:19|20)\d\d$", re.IGNORECASE)
_PLURAL = re.compile(r"(?<![su])s$", re.IGNORECASE)


def ask_cell(
    lang: Lang,
    subject: Subject,
    label: str,
    column: str,
    period: str,
    text: str,
    *,
    unit: str = "",
) -> str:
    """The question for a table cell; empty where it would name neither subject nor time."""
    if lang == "zh":
        return _ask_cell_zh(subject, label, column, period, unit)
    return _ask_cell_en(subject, label, column, period, text)


def _ask_cell_zh(subject: Subject, label: str, column: str, period: str, unit: str) -> str:
    if not subject.name:
        return ""
    asks = "是多少" if not unit else f"是多少{unit}"
    if period and column == period and re.fullmatch(r"[\d年月日第一二三四季度末上下半]+", period):
        return f"{subject.name}中，{period}的{label}{asks}？"
    if not column or _GENERIC.match(column) or column in label:
        return f"{subject.name}的{label}{asks}？"
    return f"{subject.name}中，{label}的{column}{asks}？"


def _ask_cell_en(subject: Subject, label: str, column: str, period: str, text: str) -> str:
    named = lowered(label, text)
    time = at_time(period)
    if period and time:
        about = about_en(subject, label)
        return first_upper(f"{about}what {be(label, past=True)} {named} {time}?")
    if not subject.name:
        return ""
    if not column or _GENERIC.match(column) or column.lower() in label.lower():
        return f"What {be(label)} the {named} of {with_article(subject.name)}?"
    measure = lowered(column, text)
    if _MEASURE.search(column):
        asks = f"what {be(column)} the {measure} for {named}?"
    elif column.lower() in _CONDITIONS:
        return ""
    elif column.split()[0].lower() in _CONDITIONS:
        asks = f"what {be(label)} the {named} {column[0].lower()}{column[1:]}?"
    else:
        asks = f"what {be(label)} the {named} for the {measure}?"
    return f"For {with_article(subject.name)}, {asks}"


def about_en(subject: Subject, label: str) -> str:
    """The words that say whose figure is asked for: `for Acme plc, `, `with regard to leases, `."""
    if subject.name:
        return f"for {with_article(subject.name)}, "
    heading = subject.heading
    if heading and not _covers(label, heading):
        return f"with regard to {inside_sentence(heading)}, "
    return ""


def is_measure(column: str) -> bool:
    """Returns whether a column's header says what is measured, not in which case."""
    return _MEASURE.search(column) is not None


def with_article(name: str) -> str:
    """`the Kestrel Credit Card`, but `Larkfield Life`."""
    return f"the {name}" if _COMMON_THING.search(name) else name


def inside_sentence(heading: str) -> str:
    """A heading inside a sentence: words of title case in lower case, acronyms as they are."""
    if _ORGANISATION.search(heading):
        return heading
    if heading.isupper():
        return heading.lower()
    words = heading.split(" ")
    return " ".join(
        word if word[1:] != word[1:].lower() or word in _PROPER else word.lower() for word in words
    )


def _covers(label: str, heading: str) -> bool:
    words = {word.lower() for word in re.findall(r"[A-Za-z]{4,}", heading)}
    own = {word.lower() for word in re.findall(r"[A-Za-z]{4,}", label)}
    return bool(words) and len(words & own) >= 0.6 * len(words)


@lru_cache(maxsize=4096)
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
        time = re.sub(r"^for the ", "", span["span"], flags=re.IGNORECASE)
        time = re.sub(r"\b(?:Fiscal|Years?|Ended|Ending|Months|Quarter)\b", _lower_word, time)
        time = re.sub(r"^years ", "year ", time)
        return f"for the {time[:1].lower()}{time[1:]}"
    return ""


def bare_time(period: str) -> str:
    """A column's time without its preposition: `2019`; empty if unclear."""
    return re.sub(r"^(?:in|at|for) ", "", at_time(period))


def _lower_word(match: re.Match[str]) -> str:
    return match.group().lower()


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
        return inside_sentence(label)
    first = re.match(r"[A-Z][a-z-]+(?![a-z’'])", label)
    if first is None or re.match(r"[A-Z][\w-]+ [A-Z][a-z]", label) or first.group() in _PROPER:
        return label
    word = re.escape(first.group())
    is_small = re.search(rf"(?<![A-Za-z]){word.lower()}(?![A-Za-z])", text) is not None
    is_name = re.search(rf"(?<=[a-z,] ){word}(?![A-Za-z])", text) is not None
    return label if is_name and not is_small else label[0].lower() + label[1:]


def _in_prose(label: str, text: str) -> bool:
    """Returns whether the text has the label within a sentence, as it has names, not only in
    tables."""
    return re.search(rf"[a-z,] {re.escape(label)}", text) is not None


def listed(names: Sequence[str], lang: Lang) -> str:
    """Names as a sentence lists them: a, b and c."""
    if lang == "zh":
        return f"{'、'.join(names[:-1])}和{names[-1]}"
    joint = "; " if any("," in name or " and " in name for name in names) else ", "
    last = "; and " if joint == "; " else " and "
    return f"{joint.join(names[:-1])}{last}{names[-1]}"


def first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]
