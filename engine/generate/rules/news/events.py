"""Events that Chinese news reports: who did what, when and where, and the facts they give.

A report says in its first sentences what happened. The rules read it off where one clause says it
plainly: it begins with a name, holds a verb of doing, and needs nothing before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from engine.corpus.document import SourceDocument
from engine.generate.question_text import relative_time
from engine.generate.rules.facts import patterns_zh as zh
from engine.generate.rules.facts.fact import Fact, FactKind
from engine.generate.rules.facts.names import is_private, names
from engine.generate.rules.facts.passages import passage
from engine.generate.rules.facts.subjects import title_of
from engine.generate.rules.news.listed import listed
from engine.generate.rules.vocabulary import any_of
from engine.text.sentences import sentences

_FIRST = 5
"""Sentences at a document's beginning that are read for events of any time; after these an event
has its own day."""
_FOLLOWING = 4
"""Sentences after an event's own that tell more of it."""
_LONGEST_ACCOUNT = 560
_READ = 4_000
"""Characters in which a report's listed companies are looked for."""
_DATELINES = 2
"""Sentences that a dateline may stand before, and the parts that it may have."""
_CLAUSE = range(9, 73)
_NAMED_BY = 14
"""Characters of a clause within which its name begins."""
_SETTLED = 8
"""From this day of a month on 近日 lies in that month, as far as a reader knows."""

_HEADER = 100
"""Characters at a report's beginning that hold its date."""
_STAMP = re.compile(
    r"(?:(?P<year>20\d\d)[-/年.]\s?|\A\W*)(?<!\d)(?P<month>0?[1-9]|1[0-2])[-/月.]\s?(?P<day>\d{1,2})(?!\d)"
)
_NOISE = re.compile(any_of("zh", "imprints of events"))
_HEAD = re.compile(
    r"^(?:.{0,60}?正文：)?"
    r"(?:.{0,40}?(?:[（(](?![^）)]*称)[^（）()A-Za-z\d]{0,40}[）)]"
    r"|[\d日]电(?=[ （(])|日?讯|报道(?=[\d ])))?[，,：: 　]*"
)
_DAY = r"(?:(?P<year>20\d\d)年)?(?:(?P<month>\d{1,2})月)?(?P<day>\d{1,2})日"
_WHEN = re.compile(
    rf"^(?:当地时间|截至|北京时间|于)?(?:{_DAY}|(?P<vague>近日|日前|近期|昨日|今日|昨天|今天))"
    r"(?:\d{1,2}时(?:许|左右)?|上午|下午|晚间?|晚上|早间|早上|凌晨|中午|傍晚)?(?P<after>起)?"
)
_INNER = re.compile(
    rf"(?:于)?(?<![\d至到、-]){_DAY}(?:\d{{1,2}}时许?|上午|下午|晚间?|晚上|凌晨)?(?![至到起、-])|近日|日前|昨日|今日"
)
_ASIDE = re.compile(r"[（(][^（）()]*[）)]|^[^（(]{0,40}[)）]")
_OWN_YEAR = re.compile(r"^20\d\d年(?:度)?(?=第)")
_SOURCE = re.compile(r"^(?:据|根据|从|按照)|(?:获悉|报道|消息|显示|了解|透露|介绍|称)$")
_DOES = re.compile(any_of("zh", "verbs of events"))
_SAYS = re.compile(any_of("zh", "no events"))
_ENDS_OPEN = re.compile("(?:" + any_of("zh", "open ends of events") + ")$")
_STARTS_OPEN = re.compile("^(?:" + any_of("zh", "open beginnings of events") + ")")
_MARKED = re.compile(
    r"[A-Z]{2,}|[^，的]{0,14}第(?:\d+|[一二三四五六七八九十百]+)[届次](?![会轮]?是)"
)
_ISSUES = re.compile(r"(?P<verb>发布|公布|披露|印发|签署|推出|出台)了?(?P<thing>《[^》]{2,50}》)$")
_IN_PASSING = re.compile(r"已|上述|随即|原计划|原定|才|[上中]$|通报$|^安全")
_TOLD_BY = re.compile(r"表示|指出|认为|透露|称|截[至止]|消息|报道")
_PLACE = re.compile(
    r"在(?P<place>[一-鿿]{2,16}?)(?=(?:隆重|正式|成功|顺利|共同|联合)?(?:举行|举办|召开|开幕|闭幕|挂牌|会见|启动|亮相|登陆|发射))"
)
_MANY = re.compile(r"、|联合|共同|等部门")


class Event(Struct, frozen=True):
    """An event that a clause of news reports."""

    when: str
    """Its day, month or year, with the year: 2023年7月25日; what the report's date allows."""
    day: tuple[str, ...]
    """Ways to write its day, in full first; empty where only month or year are known."""
    clause: str
    """What happened, without its time: 中国驻奥地利使馆在维也纳举行招待会."""
    place: str
    """Where, without 在; may be empty."""
    account: tuple[tuple[int, int], ...]
    """The sentences that tell of it, its own first."""

    @property
    def named(self) -> str:
        """The event with its time, as a question can name it."""
        issued = _ISSUES.search(self.clause)
        if issued is None:
            return f"{self.when}{self.clause}"
        return f"{self.when}{self.clause[: issued.start()]}{issued['verb']}的{issued['thing']}"

    @property
    def issuer(self) -> tuple[str, str, str]:
        """The issuer, the verb and the title issued; empty where nothing with a title was
        issued."""
        issued = _ISSUES.search(self.clause)
        if issued is None:
            return "", "", ""
        return self.clause[: issued.start()], issued["verb"], issued["thing"]


@lru_cache(maxsize=512)
def events_of(document: SourceDocument) -> tuple[Event, ...]:
    """The events of a Chinese news report, one a sentence; none of a titled document."""
    if document.lang != "zh" or title_of(document) or is_private(document.text):
        return ()
    spans = report_sentences(document)
    events: dict[str, Event] = {}
    for number in range(len(spans)):
        event = next(_in_sentence(document, spans, number), None)
        if event is None or any(event.clause in other for other in events):
            continue
        if number < _FIRST or _stands_later(event, document.text[slice(*spans[number])]):
            events[event.clause] = event
    return tuple(events.values())


@lru_cache(maxsize=512)
def report_sentences(document: SourceDocument) -> tuple[tuple[int, int], ...]:
    """The sentences of a report without its imprint and dateline."""
    kept = []
    for number, (start, end) in enumerate(sentences(document.text[:6_000])):
        begin = start
        for _ in range(_DATELINES if number < _DATELINES else 0):
            head = _HEAD.match(document.text[begin:end])
            begin += head.end() if head else 0
        while begin < end and document.text[begin].isspace():
            begin += 1
        text = document.text[begin:end]
        if 12 <= len(text) <= 320 and not _NOISE.search(text) and text[0] not in "》”）、，":
            kept.append((begin, end))
    return tuple(kept)


def _stands_later(event: Event, sentence: str) -> bool:
    """Returns whether an event further down has its own day, which is not that of somebody's
    words."""
    is_plain = not (_IN_PASSING.search(event.clause) or _TOLD_BY.search(sentence))
    return bool(event.day) and is_plain and len(re.findall(r"\d日", sentence)) == 1


def _in_sentence(
    document: SourceDocument, spans: tuple[tuple[int, int], ...], number: int
) -> Iterator[Event]:
    today = date_of(document)
    if today is None:
        return
    start, end = spans[number]
    if document.text.startswith("其中", start):
        return
    when: tuple[str, tuple[str, ...]] = (vaguely(today), ()) if number < 2 else ("", ())
    for match in zh.CLAUSE.finditer(document.text[start:end]):
        clause = zh.LEAD_IN.sub("", _ASIDE.sub("", match.group()).strip(" 　"))
        lead = _WHEN.match(clause)
        if lead is not None:
            if lead["after"]:
                return
            when = _time(lead, today)
            clause = clause[lead.end() :].strip(" 　")
        if len(clause) < _CLAUSE.start or _SOURCE.search(clause):
            continue
        inner = _INNER.search(clause)
        if inner is not None and inner.end() == len(clause):
            continue  # a heading without its line's end: the day is of what follows
        if inner is not None:
            when = _time(inner, today)
            clause = f"{clause[: inner.start()]}{clause[inner.end() :]}"
        clause = re.sub(r"(?<=[一-鿿])了(?=[一-鿿\d《])|了$| ", "", clause)
        clause = re.sub(
            r"(?<=[一-鿿])(?:晚间|昨晚|今晚)(?=[发公披宣])", "", _OWN_YEAR.sub("", clause)
        )
        if when[0] and _is_told(clause, listed(document.text[:_READ])):
            place = _PLACE.search(clause)
            yield Event(*when, clause, place["place"] if place else "", _account(spans, number))


def date_of(document: SourceDocument) -> tuple[int, int, int] | None:
    """Year, month and day of a report; its year from the text where its date has none."""
    stamp = _STAMP.search(document.text[:_HEADER])
    if stamp is None:
        return None
    years = Counter(re.findall(r"(?<!\d)20\d\d(?=年)", document.text))
    year = stamp["year"] or next((year for year, count in years.most_common(1) if count > 1), "")
    return (int(year), int(stamp["month"]), int(stamp["day"])) if year else None


def time_in(sentence: str, today: tuple[int, int, int]) -> str:
    """The day that a sentence names, with its year; empty where it names none."""
    match = _INNER.search(sentence)
    return _time(match, today)[0] if match is not None and match.groupdict()["day"] else ""


def vaguely(today: tuple[int, int, int]) -> str:
    """The time of an event that a report dates 近日: its month, at a month's beginning its year."""
    year, month, day = today
    return f"{year}年{month}月" if day >= _SETTLED else f"{year}年"


def _time(match: re.Match[str], today: tuple[int, int, int]) -> tuple[str, tuple[str, ...]]:
    """The time of an event, and the ways to write the day where that is known."""
    year, month, _ = today
    day = match.groupdict().get("day")
    if day is None:
        return vaguely(today), ()
    if match["month"] is None:
        if int(day) > today[2]:
            year, month = (year, month - 1) if month > 1 else (year - 1, 12)
        full = f"{year}年{month}月{int(day)}日"
        return full, (full, f"{int(day)}日")
    if match["year"] is None and int(match["month"]) > month + 1:
        year -= 1  # a report of January speaks of December
    full = f"{match['year'] or year}年{int(match['month'])}月{int(day)}日"
    return full, (full, f"{int(match['month'])}月{int(day)}日")


def _is_told(clause: str, companies: tuple[str, ...]) -> bool:
    """Returns whether a clause says by itself what was done, and by whom.

    Its subject is a name, a listed company, or one of a numbered row: 第十三次经贸部长会议.
    """
    does = _DOES.search(clause)
    if len(clause) not in _CLAUSE or does is None or does.start() < 2:
        return False
    bare = re.sub(r"《[^》]*》", "", clause)
    if _SAYS.search(bare) or _ENDS_OPEN.search(clause) or _STARTS_OPEN.match(clause):
        return False
    if re.fullmatch(r"“[^”]*”", clause):
        return False
    if zh.REFERS.search(bare) or relative_time(bare) or zh.is_unbalanced(clause):
        return False
    spans = names(clause, "zh")
    is_named = bool(spans) and spans[0][0] <= _NAMED_BY
    is_marked = clause.startswith(("《", "“", *companies)) or _MARKED.match(clause) is not None
    return is_named or is_marked


def _account(spans: tuple[tuple[int, int], ...], number: int) -> tuple[tuple[int, int], ...]:
    kept = [spans[number]]
    length = spans[number][1] - spans[number][0]
    for start, end in spans[number + 1 : number + 1 + _FOLLOWING]:
        length += end - start
        if length > _LONGEST_ACCOUNT:
            break
        kept.append((start, end))
    return tuple(kept)


def event_facts(document: SourceDocument) -> list[Fact]:
    """Facts on events: their time, their place, and the issuer of a title."""
    return [fact for event in events_of(document) for fact in facts_of_event(document, event)]


def facts_of_event(document: SourceDocument, event: Event) -> Iterator[Fact]:
    """The facts that one event gives."""
    if event.day:
        year = event.day[0][:5]
        question = f"{year}{event.clause}是在哪一天？"
        yield _fact(document, event, FactKind.DATE, question, event.day)
    if event.place:
        question = f"{event.when}{event.clause.replace(f'在{event.place}', '在哪里', 1)}？"
        yield _fact(document, event, FactKind.NAME, question, (event.place,))
    who, verb, thing = event.issuer
    if who:
        asks = "哪些部门或机构" if _MANY.search(who) else "哪个部门或机构"
        question = f"{event.when}{verb}的{thing}出自{asks}？"
        yield _fact(document, event, FactKind.NAME, question, (who,))


def _fact(
    document: SourceDocument,
    event: Event,
    kind: FactKind,
    question: str,
    answers: tuple[str, ...],
) -> Fact:
    start, end = event.account[0]
    return Fact(
        document_id=document.document_id,
        lang="zh",
        kind=kind,
        label=event.clause,
        question=question,
        answers=answers,
        evidence=(passage(document, start, end),),
        start=start,
        period=event.when,
        written=answers[0],
    )
