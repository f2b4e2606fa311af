"""Drafts from what Chinese news quotes: one speaker's view, several on one matter, who said it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from engine.corpus.document import SourceDocument
from engine.generate.rules.facts.passages import passages, text_of
from engine.generate.rules.facts.templates import listed
from engine.generate.rules.material import Material
from engine.generate.rules.news.statements import Statement, said_facts, statements_of
from engine.generate.rules.news.topics import common_topic
from store.records import ItemContent, Turn

_LEAST_ACCOUNT = 60
_LEAST_VIEW = 40
"""Characters of what a speaker says that is worth a question."""
_MOST_TOGETHER = 3
_LEAST_OCCASION = 9
"""Characters of an occasion that says which one it was: 在安理会审议乌克兰问题时."""
_LONGEST_QUESTION = 150
_TELLS = frozenset(("介绍", "透露", "解释"))
"""Verbs after which facts come."""
_THINKS = frozenset(("认为", "预计", "分析", "建议", "坦言", "警告", "呼吁"))
"""Verbs after which opinions come."""


def accounts(material: Material) -> Iterator[ItemContent]:
    """Drafts on one speaker's view of a matter, then on the views of several."""
    document = material.document
    quotes = {fact.answers[0]: fact for fact in said_facts(document)}
    for statement in statements_of(document):
        fact, spans = quotes.get(statement.who), statement.spans
        question = _asks(statement)
        if not question and fact is not None:
            claim = f"{statement.verb}“{fact.label}”"
            question = f"{statement.when}，{statement.who}除{claim}外，还谈到了哪些内容？"
            spans = spans[1:]
        account = text_of(document.text, spans, "zh")
        is_new = fact is None or spans is statement.spans or fact.label not in account
        if question and is_new and len(account) >= _LEAST_ACCOUNT and len(spans) > 1:
            turn = Turn(question, (account,), passages(document, spans))
            yield material.item([turn], "statement")
    together = _together(document)
    if together is not None:
        yield material.item([together], "views")


def _together(document: SourceDocument) -> Turn | None:
    """A turn on the views of a report's speakers on the matter that most of them speak of."""
    views = [view for view in statements_of(document) if len(_text(document, view)) >= _LEAST_VIEW]
    for count in range(min(len(views), _MOST_TOGETHER), 1, -1):
        for group in combinations(views, count):
            topic = _shared(document, group)
            if not topic or any(_may_be_one(a.who, b.who) for a, b in combinations(group, 2)):
                continue
            named = [view.who for view in group]
            when = group[0].when if len({view.when for view in group}) == 1 else group[0].when[:5]
            question = f"{when}，{listed(named, 'zh')}对{topic}分别有什么看法？"
            answer = "\n".join(_text(document, view) for view in group)
            if len(question) <= _LONGEST_QUESTION and len(answer) >= _LEAST_ACCOUNT:
                places = [place for view in group for place in passages(document, view.spans)]
                return Turn(question, (answer,), tuple(dict.fromkeys(places)))
    return None


def dialogues(material: Material) -> Iterator[list[Turn]]:
    """The turns of dialogues: one speaker's words and view, or two speakers' views of one
    matter."""
    document = material.document
    quotes = {fact.answers[0]: fact for fact in said_facts(document)}
    for statement in statements_of(document):
        fact, later = quotes.get(statement.who), statement.spans[1:]
        rest = text_of(document.text, later, "zh")
        if fact is not None and len(rest) >= _LEAST_VIEW and fact.label not in rest:
            yield [
                Turn(fact.question, fact.answers, fact.evidence),
                Turn("此外还谈到了什么？", (rest,), passages(document, later)),
            ]
    statements = [
        view for view in statements_of(document) if len(_text(document, view)) >= _LEAST_VIEW
    ]
    for first, second in combinations(statements, 2):
        topic = _shared(document, (first, second))
        if topic and first.when == second.when and not _may_be_one(first.who, second.who):
            yield [
                Turn(
                    f"{first.when}，{first.who}对{topic}有什么看法？",
                    (_text(document, first),),
                    passages(document, first.spans),
                ),
                Turn(
                    f"那么{second.who}呢？",
                    (_text(document, second),),
                    passages(document, second.spans),
                ),
            ]


def _may_be_one(a: str, b: str) -> bool:
    """Returns whether two names may be of one speaker: 俄外交部 is short for 俄罗斯外交部."""
    return set(a) <= set(b) or set(b) <= set(a)


def _shared(document: SourceDocument, group: tuple[Statement, ...]) -> str:
    """The matter that all of a group speak of; empty where there is none."""
    texts = [_text(document, statement) for statement in group]
    return common_topic(texts, document.text, "".join(statement.who for statement in group))


def _text(document: SourceDocument, statement: Statement) -> str:
    return text_of(document.text, statement.spans, "zh")


def _asks(statement: Statement) -> str:
    """The question for a speaker's account; empty where nothing says what it may be about."""
    about = f"就{statement.topic}" if statement.topic else ""
    is_placed = len(statement.occasion) >= _LEAST_OCCASION
    if not (about or is_placed):
        return ""
    verb = statement.verb
    what = f"{verb}了哪些情况" if verb in _TELLS else "有哪些看法" if verb in _THINKS else ""
    if about and what == "有哪些看法":
        about = f"对{statement.topic}"
    what = what or "谈了哪些内容"
    return f"{statement.when}，{statement.who}{statement.occasion}{about}{what}？"
