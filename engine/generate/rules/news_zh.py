"""Drafts from the events that Chinese news reports: accounts, dialogues, comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.corpus.document import SourceDocument
from engine.generate.rules.facts.passages import passages, text_of
from engine.generate.rules.material import Material
from engine.generate.rules.news.events import Event, events_of, facts_of_event
from engine.generate.rules.vocabulary import word_list, word_pairs
from engine.text.segmentation import terms
from store.records import Evidence, ItemContent, Turn

_LEAST_ACCOUNT = 60
_COMMON = frozenset(word_list("zh", "common to events"))
"""Words that events of any kind share."""
_KINDS = word_pairs("zh", "kinds of events")
"""Kinds of events by the words that their clauses end with."""
_KIND = re.compile(rf"(?P<ends>{'|'.join(_KINDS)})》?$")
_DEEDS = {
    "meeting": re.compile(r"(?:举行|召开)[^，]*(?:会议|座谈会|会谈|例会|全会|谈判)"),
    "encounter": re.compile(r"会见|到访|访问"),
    "warning": re.compile(r"(?:发布|启动|升级)[^，]*(?:预警|应急响应)"),
    "results": re.compile(r"(?:发布|公布|披露)[^，]*(?:业绩|财报|半年报|年报|信息披露报告)"),
    "merger": re.compile(r"收购|增持|减持|回购"),
    "contest": re.compile(r"夺冠|击败|战胜|晋级"),
    "penalty": re.compile(r"处罚|罚款|通报批评|警示函"),
    "rate": re.compile(r"(?:上调|下调|维持)[^，]*利率"),
}


def accounts(material: Material) -> Iterator[ItemContent]:
    """Drafts that ask what a report tells of each of its events, in its own sentences."""
    for event in events_of(material.document):
        answer = _account(material.document, event)
        if len(answer) >= _LEAST_ACCOUNT and len(event.account) >= 2:
            turn = Turn(_asks_account(event), (answer,), _places(material.document, event))
            yield material.item([turn], "event")


def _asks_account(event: Event) -> str:
    return f"请介绍{event.named}的{'主要内容' if event.issuer[0] else '具体情况'}。"


def dialogues(material: Material) -> Iterator[list[Turn]]:
    """The turns of dialogues on an event's time, place and outcome; the first turn names the
    event."""
    document = material.document
    for event in events_of(document):
        own = _places(document, event)[:1]
        issued = bool(event.issuer[0])
        turns = [
            Turn(fact.question, fact.answers, fact.evidence)
            for fact in facts_of_event(document, event)
        ]
        later = []
        if event.place and event.day:
            bare = event.clause.replace(f"在{event.place}", "", 1)
            turns[0] = Turn(f"{event.day[0][:5]}{bare}是在哪一天？", event.day, own)
            later.append(Turn("那是在哪里？", (event.place,), own))
        if len(event.account) >= 2:
            asks = "它的主要内容是什么？" if issued else "那具体情况如何？"
            rest = text_of(document.text, event.account[1:], "zh")
            places = passages(document, event.account[1:])
            if len(rest) >= _LEAST_ACCOUNT:
                later.append(Turn(asks, (rest,), places))
        if turns and later:
            yield [turns[0], *later]


def comparisons(material: Material) -> Iterator[ItemContent]:
    """Events of the document and of a partner that are of one matter."""
    for partner in material.partners:
        pairs = [
            (mine, theirs)
            for mine in events_of(material.document)
            for theirs in events_of(partner)
            if _of_one_matter(mine, theirs)
        ]
        for mine, theirs in pairs:
            one, two = sorted(
                ((mine, material.document), (theirs, partner)), key=lambda side: side[0].named
            )  # one order, so that a pair is one question from whichever side
            turn = _compared(one, two)
            if turn is not None:
                yield material.item([turn], "events", steps=2)


def _compared(a: tuple[Event, SourceDocument], b: tuple[Event, SourceDocument]) -> Turn | None:
    (one, first), (two, second) = a, b
    answers = _account(first, one), _account(second, two)
    question = f"比较“{one.named}”与“{two.named}”，两者的具体情况有何不同？"
    if "“" in f"{one.named}{two.named}":
        question = f"{one.named}，与{two.named}相比，两者的具体情况有何不同？"
    if min(map(len, answers)) < _LEAST_ACCOUNT or len(question) > 150:
        return None
    answer = f"{one.named}：{answers[0]}\n{two.named}：{answers[1]}"
    return Turn(question, (answer,), (*_places(first, one), *_places(second, two)))


def _of_one_matter(a: Event, b: Event) -> bool:
    """Returns whether two events share two telling words, or are of one kind and either plainly
    comparable or share one word."""
    if a.clause == b.clause:
        return False
    shared = _words(a) & _words(b)
    kinds = [_kind(event.clause) for event in (a, b)]
    alike = bool(kinds[0]) and kinds[0] == kinds[1]
    return alike or len(shared) >= 2


def _kind(clause: str) -> str:
    """The kind of what happened; empty where no word tells it."""
    done = next((kind for kind, verb in _DEEDS.items() if verb.search(clause)), "")
    ends = _KIND.search(clause)
    if done or ends is None:
        return done
    return _KINDS[ends["ends"]]


def _words(event: Event) -> set[str]:
    return {
        term
        for term in terms(event.clause)
        if len(term) > 1 and term not in _COMMON and not term[0].isdigit()
    }


def _account(document: SourceDocument, event: Event) -> str:
    return text_of(document.text, event.account, "zh")


def _places(document: SourceDocument, event: Event) -> tuple[Evidence, ...]:
    first = event.account[:1]
    return (*passages(document, first), *passages(document, event.account[1:]))
