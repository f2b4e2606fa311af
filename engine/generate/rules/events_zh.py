"""Events that Chinese news reports: who did what, when and where.

A report says in its first sentences what happened. The rules read it off where one clause says it
plainly: it begins with a name, holds a verb of doing, and needs nothing before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from engine.generate.names import is_private, names
from engine.generate.question_text import relative_time
from engine.generate.records import SourceDocument
from engine.generate.rules import patterns_zh as zh
from engine.generate.rules.listed_zh import listed
from engine.generate.rules.subjects import title_of
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
"""From this day of a month on 近日 lies in that month, as far as can be told."""

_HEADER = 100
"""Characters at a report's beginning that hold its date."""
_STAMP = re.compile(
    r"(?:(?P<year>20\d\d)[-/年.]\s?|\A\W*)(?<!\d)(?P<month>0?[1-9]|1[0-2])[-/月.]\s?(?P<day>\d{1,2})(?!\d)"
)
_NOISE = re.compile(
    r"责任?编辑?|责编|编辑[:： ]|返回搜狐|原标题|来源：|点击|扫码|关注我们|正文：|供图"
    r"|【|(?<!拍)摄(?![影像氏取入制])|更多精彩|转载|版权"
    r"|校对|免责"
    r"|https?:|记者 ?[:：]|本报|本网|资料图|资料照片"
)
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
_DOES = re.compile(
    r"举行|举办|召开|发布|公布|披露|印发|签署|推出|启动|开展|宣布|通报|遭|发生|开幕|落幕|落下帷幕|闭幕|挂牌|停止|下调|上调"
    r"|收购|会见|会谈|调研|访问|考察|完成|投产|开工|开通|正式运行|成立|达成|签订|实施|确诊|宣判|处罚|罚款|查获|破获|起诉|控诉"
    r"|拒绝|否认|关闭|禁止|批准|增持|减持|回购|发放|荣获|当选|任命|辞任|登陆|袭击|坠毁|救援|驰援|捐赠|亮相|发射"
    r"|下线|夺冠|审议|通过(?=《)|公示|出台|颁布|受理|落成|投运|奠基|揭牌|揭幕|进行(?=.{3})|首飞|获批|约谈|正式开放|击败|战胜|晋级|主持|终止|聘请|检查|部署|上线|上架|启用|升级|确认|决定|设立|建成|迎来|收跌|收涨|下跌"
    r"|出席|参加|前往|抵达|签约|慰问|培训|开营|开学|演习|演练|上映|停运|恢复|转移|受伤|受灾|送达|通车|集结|上市"
)
_SAYS = re.compile(
    r"表示|认为|指出|强调|介绍|显示|预计|获悉|记者|网友|以下简称|了解到|热议|透露|预测|建议|可能|如何|为何|什么|吗$|呢$"
    r"|[？！…｜|「」]|公司(?=[^，]{0,3}[董监])|本[次届市省县区公行]|我[市省县区国]|^(?:公司|集团|全市|全省|当地)|一则|这|说$"
    r"|将(?!军)|周[一二三四五六日]|女子|男子|最近|一起|出席会议|发言|致辞|参会|新华社|时起|于是|不存在|所谓|近年|设想|先在|又|曾|致力|两人"
)
_ENDS_OPEN = re.compile(
    r"(?:[的地得和与及或、在对为将于从以]|后|时|中|之际|以来|期间|方面|消息|情况下|公告称|称|宣布)$"
)
_STARTS_OPEN = re.compile(
    r"^(?:除了|至|触及|期间|[的了和与及或而但并将被把让使对从由向为以因]|在|随着|针对|按照|根据|截至|其中|此外|同时|经过?|通过|自|虽|如|当|尽管|作为|关于|受|来自|同学|数名|一[辆名位]"
    r"|[省市县区州][委政招人级]|尽快|全程|探访|获得|出具|参加|完成|实现|[^一-鿿“《A-Z\d])"
)
_MARKED = re.compile(
    r"[A-Z]{2,}|[^，的]{0,14}第(?:\d+|[一二三四五六七八九十百]+)[届次](?![会轮]?是)"
)
_ISSUES = re.compile(r"(?P<verb>发布|公布|披露|印发|签署|推出|出台)了?(?P<thing>《[^》]{2,50}》)$")
_IN_PASSING = re.compile(r"已|上述|随即|原计划|原定|才|[上中]$|通报$|^安全")
_TOLD_BY = re.compile(r"表示|指出|认为|透露|称|截[至止]|消息|报道")
_PLACE = re.compile(
    r"在(?P<place>[一-鿿]{2,16}?)(?=(?:隆重|正式|成功|顺利|共同|联合)?(?:举行|举办|召开|开幕|闭幕|挂牌|会见|启动|亮相|登陆|发射))"
)


class Event(Struct, frozen=True):
    """What a clause of news reports."""

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
        """Who issued what, and the verb; empty where nothing with a title was issued."""
        issued = _ISSUES.search(self.clause)
        if issued is None:
            return "", "", ""
        return self.clause[: issued.start()], issued["verb"], issued["thing"]


@lru_cache(maxsize=512)
def events_of(document: SourceDocument) -> tuple[Event, ...]:
    """The events of a Chinese news report, one a sentence; none of a titled document."""
    if document.lang != "zh" or title_of(document) or is_private(document.text):
        return ()
    spans = told(document)
    found: dict[str, Event] = {}
    for number in range(len(spans)):
        event = next(_in_sentence(document, spans, number), None)
        if event is None or any(event.clause in other for other in found):
            continue
        if number < _FIRST or _stands_later(event, document.text[slice(*spans[number])]):
            found[event.clause] = event
    return tuple(found.values())


@lru_cache(maxsize=512)
def told(document: SourceDocument) -> tuple[tuple[int, int], ...]:
    """The sentences of a report without its imprint and dateline."""
    found = []
    for number, (start, end) in enumerate(sentences(document.text[:6_000])):
        begin = start
        for _ in range(_DATELINES if number < _DATELINES else 0):
            head = _HEAD.match(document.text[begin:end])
            begin += head.end() if head else 0
        while begin < end and document.text[begin].isspace():
            begin += 1
        text = document.text[begin:end]
        if 12 <= len(text) <= 320 and not _NOISE.search(text) and text[0] not in "》”）、，":
            found.append((begin, end))
    return tuple(found)


def _stands_later(event: Event, sentence: str) -> bool:
    """Whether an event further down has its own day, which is not that of somebody's words."""
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
    for found in zh.CLAUSE.finditer(document.text[start:end]):
        clause = zh.LEAD_IN.sub("", _ASIDE.sub("", found.group()).strip(" 　"))
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
    found = _INNER.search(sentence)
    return _time(found, today)[0] if found is not None and found.groupdict()["day"] else ""


def vaguely(today: tuple[int, int, int]) -> str:
    """When it was of which a report says 近日: its month, at a month's beginning its year."""
    year, month, day = today
    return f"{year}年{month}月" if day >= _SETTLED else f"{year}年"


def _time(found: re.Match[str], today: tuple[int, int, int]) -> tuple[str, tuple[str, ...]]:
    """When it was, and the ways to write the day where that is known."""
    year, month, _ = today
    day = found.groupdict().get("day")
    if day is None:
        return vaguely(today), ()
    if found["month"] is None:
        if int(day) > today[2]:
            year, month = (year, month - 1) if month > 1 else (year - 1, 12)
        full = f"{year}年{month}月{int(day)}日"
        return full, (full, f"{int(day)}日")
    if found["year"] is None and int(found["month"]) > month + 1:
        year -= 1  # a report of January speaks of December
    full = f"{found['year'] or year}年{int(found['month'])}月{int(day)}日"
    return full, (full, f"{int(found['month'])}月{int(day)}日")


def _is_told(clause: str, companies: tuple[str, ...]) -> bool:
    """Whether a clause says by itself what was done, and by whom.

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
