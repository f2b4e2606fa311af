"""Facts from what Chinese news quotes: who said it."""

from __future__ import annotations

import re

from engine.corpus.document import SourceDocument
from engine.generate.question_text import names_a_thing, relative_time
from engine.generate.rules import patterns_zh as zh
from engine.generate.rules.fact import Fact, FactKind
from engine.generate.rules.statements_zh import Statement, statements_of
from engine.generate.rules.vocabulary import any_of
from store.records import Evidence

_CLAIM = range(12, 65)
"""Characters of what was said that a question can repeat."""

_LEANS = re.compile(any_of("zh", "beginnings of leaning claims"))
"""Words at a claim's beginning that only the report makes clear."""
_INSTITUTION = re.compile("(?:" + any_of("zh", "ends of speaking institutions") + ")$")


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
        evidence=(Evidence(document.document_id, start, end, sentence),),
        start=start,
        period=statement.when,
        written=statement.who,
    )


def _claim(sentence: str, statement: Statement) -> str:
    """A speaker's claim, where it stands alone; empty where it does not, or is too long."""
    at = sentence.find(statement.verb)
    if at < 0 or statement.who not in sentence:
        return ""
    said = re.sub(r"^(?:道|到|了|说|称)?[，,：:“]+", "", sentence[at + len(statement.verb) :])
    claim = re.sub(r"^(?:但是?|不过|而且?|同时|此外)", "", said.rstrip("。！？”"))
    is_clear = not (
        zh.REFERS.search(claim)
        or relative_time(claim)
        or re.search(r"[“”。]", claim)
        or _LEANS.match(claim)
    )
    is_whole = len(claim) in _CLAIM and statement.who not in claim
    return claim if is_clear and is_whole and names_a_thing(claim, "zh") else ""
