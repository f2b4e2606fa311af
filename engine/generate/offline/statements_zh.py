"""What named people and institutions said, as Chinese news reports it.

A report names its speaker once, by institution, office and name (欧洲央行行长拉加德表示，……),
and goes on with 拉加德说 or 她还表示. The rules take the sentences with such a mark, none between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from engine.generate.names import is_private, names, nouns
from engine.generate.offline.events_zh import month_of, told
from engine.generate.offline.material import Material
from engine.generate.offline.passages import passages, text_of
from engine.generate.offline.subjects import title_of
from engine.generate.question_text import relative_time
from engine.generate.records import SourceDocument
from store.records import ItemContent, Turn

_SAYS = r"(?:表示|指出|认为|介绍说?|强调|分析(?:称|认为|指出)|称|说|透露|坦言|提醒)"
_SPEAKER = re.compile(
    r"(?:(?<=[，。；”：、 \n])|^)(?P<who>[一-鿿A-Za-z·“”]{4,32}?)"
    r"(?P<when>(?:当天|当日|近日|日前|同日)?(?:\d{1,2}月)?(?:\d{1,2}日)?)"
    r"(?P<where>(?:在|向|对|就)[^，。；“”]{2,40}?)?"
    rf"(?:也|还|则|曾|都|进一步|再次|同时|明确|公开|特别)*{_SAYS}[，：:]"
)
_GOES_ON = re.compile(rf"^(?:他|她|其)(?:还|也|同时|进一步|并)*{_SAYS}|^“")
_OFFICE = re.compile(
    r"(?:发言人|负责人|经济学家|分析师|研究员|专家|教授|主任|主席|总裁|总经理|董事长|总干事|秘书长|会长|院长|校长|行长|局长|部长"
    r"|厅长|处长|司长|书记|总理|总统|议长|市长|省长|县长|院士|顾问|所长|队长|首席执行官|合伙人|总监|医师|医生|律师)"
)
_NOT_WHO = re.compile(
    r"记者|网友|工作人员|发布|公告|声明|通报|报告|数据|显示|回复|回应|宣|学生|家长|居民|村民|市民|一名|一位|有的|方面|多位|多名|^[他她其该此本]"
    r"|先生$|女士$|相关人士|内部人士|知情|消息|媒体|[说称]$|会议|文章"
)
_NOISE = re.compile(r"本报|责编|责任编辑|返回搜狐|点击|[？?]|本文|笔者|记者")
_MOST_SENTENCES = 5
_LEAST_SENTENCES = 2
_LEAST = 60
_LEAST_STATEMENT = 30
_MOST = 560
_TELLING = 2
"""Times that a report uses a word which says what a statement in it is about."""


class Statement(Struct, frozen=True):
    """What one speaker said in a report."""

    who: str
    """With institution and office, as the report names them first."""
    when: str
    """Month of the report, with its year."""
    is_view: bool
    """Whether it is an opinion, not information."""
    spans: tuple[tuple[int, int], ...]
    """Its sentences."""
    about: tuple[str, ...]
    """What it may be said to be about: words that statement and report both use, best first."""


_Said = tuple[SourceDocument, Statement]


@lru_cache(maxsize=512)
def statements_of(document: SourceDocument) -> tuple[Statement, ...]:
    """The statements of a Chinese news report, one a speaker; none of a titled document."""
    if document.lang != "zh" or title_of(document) or is_private(document.text):
        return ()
    when = month_of(document)
    if not when:
        return ()
    found: dict[str, list[tuple[int, int]]] = {}
    views: set[str] = set()
    spans = told(document)
    for number, (start, end) in enumerate(spans):
        text = document.text[start:end]
        said = next((one for one in _SPEAKER.finditer(text) if _is_speaker(one["who"])), None)
        if said is None or _NOISE.search(text) or said.start() > 60:
            continue
        who = said["who"]
        found.setdefault(who, []).extend(_following(document, spans, number, who))
        if re.search(r"表示|认为|指出|强调|分析|坦言", said.group()):
            views.add(who)
    made = (
        _made(document, who, when, sorted(set(own)), is_view=who in views)
        for who, own in found.items()
    )
    return tuple(statement for statement in made if statement is not None)


def _is_speaker(who: str) -> bool:
    """Whether it names whose word it is: an institution, or an office there with a name."""
    spans = names(who, "zh")
    if not spans or spans[0][0] != 0 or _NOT_WHO.search(who) or relative_time(who):
        return False
    return spans[0][1] == len(who) or _OFFICE.search(who, spans[0][1] - 1) is not None


def _following(
    document: SourceDocument, spans: tuple[tuple[int, int], ...], number: int, who: str
) -> list[tuple[int, int]]:
    """The sentence that names the speaker, and those by the mark of the same speaker after it."""
    kept = [spans[number]]
    short = re.escape(_short(who))
    for start, end in spans[number + 1 :]:
        text = document.text[start:end]
        is_next = not document.text[kept[-1][1] : start].strip()
        by_name = re.match(rf"^[^，。“”]{{0,8}}{short}(?:还|也|同时|进一步)*{_SAYS}", text)
        by_quote = re.search(rf"”[^，。“”]{{0,8}}{short}{_SAYS}", text)
        if _NOISE.search(text) or not (by_name or by_quote or (is_next and _GOES_ON.match(text))):
            if is_next:
                break
            continue
        kept.append((start, end))
    return kept


def _short(who: str) -> str:
    """The name that the report goes on with: what follows the last office, else the whole."""
    offices = list(_OFFICE.finditer(who))
    name = who[offices[-1].end() :] if offices else who
    return name if len(name) >= 2 else who


def _made(
    document: SourceDocument, who: str, when: str, spans: list[tuple[int, int]], *, is_view: bool
) -> Statement | None:
    kept = spans[:_MOST_SENTENCES]
    text = "".join(document.text[start:end] for start, end in kept)
    if not _LEAST_STATEMENT <= len(text) <= _MOST or text.count("“") != text.count("”"):
        return None
    counts = nouns(document.text)
    own = nouns(text)
    about = [
        word
        for word in own
        if counts[word] >= _TELLING and word not in who and not relative_time(word)
    ]
    about.sort(key=lambda word: (-counts[word] * min(len(word), 4), document.text.find(word)))
    return Statement(who, when, is_view, tuple(kept), tuple(about)) if about else None


def accounts(material: Material) -> Iterator[ItemContent]:
    """What two speakers of a report said on its matter, then what each said at length."""
    document = material.document
    said = statements_of(document)
    for a, b in pairwise(said):
        topic = _shared_topic(a, b)
        if topic and a.is_view and b.is_view:
            question = f"关于{topic}，{a.who}和{b.who}在{a.when}分别表达了哪些看法？"
            answer = f"{a.who}：{_text(document, a)}\n{b.who}：{_text(document, b)}"
            evidence = passages(document, sorted({*a.spans, *b.spans}))
            yield material.item([Turn(question, (answer,), evidence)], "views")
    for statement in said:
        text = _text(document, statement)
        if len(statement.spans) >= _LEAST_SENTENCES and len(text) >= _LEAST:
            asks = "表达了哪些看法" if statement.is_view else "介绍了哪些情况"
            question = f"关于{statement.about[0]}，{statement.who}在{statement.when}{asks}？"
            turn = Turn(question, (text,), passages(document, statement.spans))
            yield material.item([turn], "statement")


def comparisons(material: Material) -> Iterator[ItemContent]:
    """What speakers of two reports said on a matter that both reports are about."""
    for partner in material.partners:
        for mine in statements_of(material.document):
            for theirs in statements_of(partner):
                turn = _two_views((material.document, mine), (partner, theirs))
                if turn is not None:
                    yield material.item([turn], "views", hops=2)


def _two_views(a: _Said, b: _Said) -> Turn | None:
    if a[1].who > b[1].who:
        a, b = b, a
    one, two = a[1], b[1]
    topic = _shared_topic(one, two)
    if not topic or one.who == two.who:
        return None
    if not (one.is_view and two.is_view):
        return None
    question = f"关于{topic}，{one.who}与{two.who}的看法有何不同？"
    if one.when == two.when:
        question = f"关于{topic}，{one.who}与{two.who}在{one.when}表达的看法有何不同？"
    answer = f"{one.who}：{_text(*a)}\n{two.who}：{_text(*b)}"
    return Turn(question, (answer,), (*passages(a[0], one.spans), *passages(b[0], two.spans)))


def _shared_topic(a: Statement, b: Statement) -> str:
    """The first word that both statements may be said to be about; empty where there is none."""
    return next((word for word in a.about if word in b.about and word not in a.who + b.who), "")


def _text(document: SourceDocument, statement: Statement) -> str:
    return text_of(document.text, statement.spans, "zh")
