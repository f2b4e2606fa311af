"""Statements of persons and institutions in Chinese news, and the facts that ask who made them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from msgspec import Struct

from engine.corpus.document import SourceDocument
from engine.generate.question_text import names_a_thing, relative_time
from engine.generate.rules.facts import patterns_zh as zh
from engine.generate.rules.facts.fact import Fact, FactKind
from engine.generate.rules.facts.names import is_institution, is_private, names
from engine.generate.rules.facts.passages import Span, passage
from engine.generate.rules.facts.subjects import title_of
from engine.generate.rules.news.events import date_of, report_sentences, time_in, vaguely
from engine.generate.rules.news.topics import is_name, is_nominal, topic_of
from engine.generate.rules.vocabulary import any_of

_SAYS = "(?P<verb>" + any_of("zh", "verbs of speaking") + ")(?:道|到|了|说|称)?(?=[，,：:“](?!$))"
_OFFICE = "(?:" + any_of("zh", "offices") + ")"
_ANY_OFFICE = re.compile(_OFFICE)
_PERSON = r"(?:[一-鿿]{1,8}(?:[·•][一-鿿]{1,8})+|[一-鿿]{2,8}?)"
_OCCASION = r"(?P<occasion>(?:在|出席)[^，。“”：；]{3,30}?(?:时|上|期间))"
_BETWEEN = (
    rf"(?:{_OCCASION}|对此|就此|还|也|同时|并|进一步|则|均|近日|日前|当天|当日|周[一二三四五六日]"
    r"|[\d月日]{2,6}日|如是|再次|特别|明确|公开|直言"
    r"|(?:发布|最新)?(?:研报|报告|声明)中?"
    r"|对[^，。“”：；]{2,14}|向[^，。“”：；]{2,14}|(?:在)?接受[^，。“”：；]{2,24}(?:采访|专访)时"
    r"|在[^，。“”：；]{2,24}中){0,3}"
)
_STARTS = r"(?:^|(?<=[，。；：”！？ 　]))(?:对此|不过|但是?|而|同时|另外|此外|其中|据|根据)?"
_PRONOUN = re.compile(r"^[“”]?(?:此外|同时|另外|不过|而且)?，?[他她](?:还|也|同时|并|进一步|又)?")
_GOES_ON = re.compile(r"^(?:要|一是|二是|三是|四是|首先|其次|第[一二三四]，)")
_NO_SPEAKER = re.compile(any_of("zh", "no speakers"))
_NO_OFFICE = re.compile("^(?:" + any_of("zh", "no offices") + ")")
_TORN_NAME = re.compile(
    "[一-鿿](?:"
    + any_of("zh", "torn ends of names")
    + r")$|曾|^[\dA-Za-z]{0,3}届|[和与及]|^将|^\d+|\d{5}"
)
_SHORTEST_NAME = 5
_LEAST_PLACE = 2
"""Characters before an office that say of what it is."""
_LISTS = re.compile(r"一是|首先|第一，|几[个方]|以下|(?:三|四|五|两)[个大方]")
_LONGEST_ACCOUNT = 600
_LONGEST_NAME = 40
_OFTEN = 3
"""A bare name that comes up so often in a text is one that its readers know."""
_CLAIM = range(12, 65)
"""Characters of what was said that a question can repeat."""
_LEANS = re.compile(any_of("zh", "beginnings of leaning claims"))
"""Words at a claim's beginning that only the report makes clear."""
_INSTITUTION = re.compile("(?:" + any_of("zh", "ends of speaking institutions") + ")$")


class Statement(Struct, frozen=True):
    """A statement of one speaker in a report."""

    who: str
    """The speaker with the office: 中国贸促会会长任鸿斌."""
    when: str
    """Month or day of the statement, with its year."""
    occasion: str
    """在……时, as the report words it; may be empty."""
    verb: str
    """How the first sentence introduces it: 表示."""
    topic: str
    """What it is about; empty where no phrase stands out."""
    spans: tuple[Span, ...]
    """Its sentences, all that the report gives as this speaker's, in order."""


@lru_cache(maxsize=512)
def statements_of(document: SourceDocument) -> tuple[Statement, ...]:
    """The statements of a Chinese news report by speaker, in order of their first sentences."""
    today = date_of(document)
    if document.lang != "zh" or title_of(document) or today is None or is_private(document.text):
        return ()
    by: dict[str, list[Span]] = {}
    first: dict[str, tuple[str, str, str]] = {}
    speaker = ""
    last = (-1, -1)
    for span in report_sentences(document):
        sentence = document.text[slice(*span)]
        said_by = _said_by(document, sentence)
        if said_by is not None:
            speaker, occasion, verb = said_by
            first.setdefault(speaker, (occasion, verb, sentence))
        elif speaker and not _carries_on(document, sentence, last, span[0]):
            speaker = ""
        if speaker:
            by.setdefault(speaker, []).append(span)
            last = span
    made = []
    for who, spans in by.items():
        occasion, verb, sentence = first[who]
        kept = _shortened(spans)
        final = document.text[slice(*kept[-1])]
        if _LISTS.search(final) or final.endswith(("；", "：")):
            kept = kept[:-1]  # what it announces need not all be here
        if not kept:
            continue
        topic = topic_of([document.text[slice(*span)] for span in kept], document.text, who)
        when = time_in(sentence, today) or vaguely(today)
        made.append(Statement(who, when, occasion, verb, topic, kept))
    return tuple(made)


def _said_by(document: SourceDocument, sentence: str) -> tuple[str, str, str] | None:
    """Speaker, occasion and verb of a sentence; None where it names no speaker to be relied on."""
    for pattern in (_with_office(), _bare()):
        for match in pattern.finditer(sentence):
            who = _speaker(document, match["who"], match.groupdict().get("person") or "")
            if who:
                occasion = match["occasion"] or ""
                is_clear = not (relative_time(occasion) or zh.REFERS.search(occasion))
                return who, occasion if is_clear else "", match["verb"]
    return None


def _speaker(document: SourceDocument, who: str, person: str) -> str:
    """The speaker in words that stand alone; empty where they do not."""
    text = document.text
    full = f"{who}{person}"
    if _NO_SPEAKER.search(full) or len(full) > _LONGEST_NAME or zh.is_unbalanced(full):
        return ""
    if person or re.search(rf"{_OFFICE}$", who):
        return _titled(full)
    introduced = re.search(
        rf"(?<![一-鿿])(?P<full>[^，。；：“”（）\s]{{2,30}}?{_OFFICE}"
        rf"(?:[一-鿿]{{1,6}}[·•])?{re.escape(who)})(?![一-鿿]{{0,1}}等)",
        text,
    )
    if introduced is not None:
        return _titled(introduced["full"])
    if is_institution(who) and any(text[a:b] == who for a, b in names(text, "zh")):
        return who
    return who if text.count(who) >= _OFTEN and is_name(who) else ""


def _titled(full: str) -> str:
    """A speaker with office, without what describes them before it; empty where it stays vague."""
    title = full.rsplit("的", 1)[-1]
    title = title if re.search(_OFFICE, title) else full
    head, joint, rest = title.partition("、")
    title = rest if joint and not _ANY_OFFICE.search(head) and "成员" not in head else title
    title = re.sub(r"^.*\d(?:日|时许?)(?=[一-鿿])|\d+日$", "", title)
    if not is_nominal(title):
        return ""
    is_vague = _NO_SPEAKER.search(title) or _NO_OFFICE.match(title) or _TORN_NAME.search(title)
    office = _ANY_OFFICE.search(title)
    is_placed = office is not None and office.start() >= _LEAST_PLACE
    return title if is_placed and not is_vague and len(title) >= _SHORTEST_NAME else ""


def _carries_on(document: SourceDocument, sentence: str, last: Span, start: int) -> bool:
    """Returns whether a sentence goes on with what the speaker of the one before says."""
    before = document.text[slice(*last)]
    if start - last[1] > 2 or _said_again().search(sentence):
        return False
    is_quoted = before.count("“") > before.count("”")
    return is_quoted or bool(_PRONOUN.match(sentence) or _GOES_ON.match(sentence))


def _shortened(spans: Sequence[Span]) -> tuple[Span, ...]:
    kept: list[Span] = []
    length = 0
    for start, end in spans:
        length += end - start
        if kept and length > _LONGEST_ACCOUNT:
            break
        kept.append((start, end))
    return tuple(kept)


@cache
def _said_again() -> re.Pattern[str]:
    """A sentence in which somebody speaks, whoever it be, but for 他 and 她."""
    return re.compile(rf"^[^，。“”]{{2,30}}(?<![他她还也]){_SAYS}")


@cache
def _with_office() -> re.Pattern[str]:
    """中国贸促会会长任鸿斌在论坛上表示，"""
    return re.compile(
        rf"{_STARTS}(?P<who>[^，。；：“”！？\s（）]{{2,34}}?{_OFFICE})(?P<person>{_PERSON}?)"
        rf"(?:[（(][^（）()]{{0,40}}[)）])?{_BETWEEN}{_SAYS}"
    )


@cache
def _bare() -> re.Pattern[str]:
    """国泰君安认为， 任鸿斌指出，"""
    return re.compile(
        rf"{_STARTS}(?P<who>[^，。；：“”！？\s（）]{{2,16}}?)"
        rf"(?:[（(][^（）()]{{0,40}}[)）])?{_BETWEEN}{_SAYS}"
    )


def said_facts(document: SourceDocument) -> list[Fact]:
    """Facts that ask for a speaker, where the words can stand in a question by themselves."""
    return [
        fact
        for statement in statements_of(document)
        if (fact := _who_said(document, statement)) is not None
    ]


def _who_said(document: SourceDocument, statement: Statement) -> Fact | None:
    start, end = statement.spans[0]
    sentence = document.text[start:end]
    claim = _claim(sentence, statement)
    if not claim:
        return None
    asks = "哪家机构" if _INSTITUTION.search(statement.who) else "谁"
    verb = statement.verb.replace("写道", "表示")
    return Fact(
        document_id=document.document_id,
        lang="zh",
        kind=FactKind.NAME,
        label=claim,
        question=f"{statement.when}，{asks}{verb}“{claim}”？",
        answers=(statement.who,),
        evidence=(passage(document, start, end),),
        start=start,
        period=statement.when,
        written=statement.who,
    )


def _claim(sentence: str, statement: Statement) -> str:
    """A speaker's claim, where it stands alone; empty where it does not, or is too long."""
    at = sentence.find(statement.verb)
    if at < 0 or statement.who not in sentence:
        return ""
    words = re.sub(r"^(?:道|到|了|说|称)?[，,：:“]+", "", sentence[at + len(statement.verb) :])
    claim = re.sub(r"^(?:但是?|不过|而且?|同时|此外)", "", words.rstrip("。！？”"))
    is_clear = not (
        zh.REFERS.search(claim)
        or relative_time(claim)
        or re.search(r"[“”。]", claim)
        or _LEANS.match(claim)
    )
    is_whole = len(claim) in _CLAIM and statement.who not in claim
    return claim if is_clear and is_whole and names_a_thing(claim, "zh") else ""
