"""Drafts that ask for a paragraph: a section of a document, two alike sections, an event, a
company's figures, the rows of a table, what a text says of its main matter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from engine.corpus.document import SourceDocument
from engine.generate.rules import figures_zh, main_matter, news_zh, table_accounts, views_zh
from engine.generate.rules.facts import templates
from engine.generate.rules.facts.passages import passage, text_of
from engine.generate.rules.facts.subjects import subject_of, title_of
from engine.generate.rules.material import Material, by_turns
from engine.text.sentences import sentences
from store.records import ItemContent, Turn

_ZH_HEAD = re.compile(
    r"^(?:#{2,6}\s*)?[一二三四五六七八九十]{1,2}、(?P<head>[^。：:，\n]{2,16})[。：:\n]\s*"
)
_EN_HEAD = re.compile(
    r"^(?:#{2,6}\s*)?(?P<head>(?![^.:]* (?:is|are|was|were|has|have|must|may|can|will) )"
    r"[A-Z][A-Za-z’'-]+(?: [A-Za-z’'-]+){0,3})[.:]\s+(?=[A-Z0-9])"
)
_LEAST = {"zh": 60, "en": 140}
_MOST = {"zh": 700, "en": 1500}
_ASKS_FOR = re.compile(r"要求|应当|须|不得|必须")


class _Section(Struct, frozen=True):
    head: str
    start: int
    end: int
    spans: tuple[tuple[int, int], ...]
    """Its sentences."""


def build(material: Material) -> Iterator[ItemContent]:
    """Like sections of two documents first, then one of each other kind in turn."""
    yield from pairs(material)
    yield from by_turns(
        _sections(material),
        news_zh.accounts(material),
        figures_zh.accounts(material),
        views_zh.accounts(material),
        _main_matters(material),
        table_accounts.build(material),
    )


def _sections(material: Material) -> Iterator[ItemContent]:
    for section in material.shuffled(sections(material.document)):
        turn = _on_section(material, section)
        if turn is not None:
            yield material.item([turn], "section")


def _main_matters(material: Material) -> Iterator[ItemContent]:
    for turn in main_matter.turns(material):
        yield material.item([turn], "main_matter")


def pairs(material: Material) -> Iterator[ItemContent]:
    """Items on sections of one heading in two documents."""
    own = {section.head: section for section in sections(material.document)}
    for partner in material.partners:
        for section in sections(partner):
            mine = own.get(section.head)
            if mine is None:
                continue
            turn = _on_two(material, partner, mine, section)
            if turn is not None:
                yield material.item([turn], "two_sections", steps=2)


def sections(document: SourceDocument) -> list[_Section]:
    """Paragraphs that begin with a heading (三、持仓。 / Charges.), of fitting length."""
    headed: list[_Section] = []
    head_of = _ZH_HEAD if document.lang == "zh" else _EN_HEAD
    for paragraph in re.finditer(r"[^\n]+", document.text[:20_000]):
        head = head_of.match(paragraph.group())
        if head is None:
            continue
        start = paragraph.start() + head.end()
        spans = tuple(
            (start + a, start + b) for a, b in sentences(document.text[start : paragraph.end()])
        )
        length = paragraph.end() - start
        if 2 <= len(spans) <= 9 and _LEAST[document.lang] <= length <= _MOST[document.lang]:
            headed.append(_Section(head["head"].strip(), paragraph.start(), paragraph.end(), spans))
    return headed


def _on_section(material: Material, section: _Section) -> Turn | None:
    name = material.subject.name
    if not name or section.head in name or not title_of(material.document):
        return None
    text = material.document.text
    answer = text_of(text, section.spans, material.lang)
    if material.lang == "zh":
        is_rule = len(_ASKS_FOR.findall(answer)) >= 2
        if is_rule:
            question = f"{name}在{section.head}方面有哪些规定？"
        elif section.head.endswith("情况"):
            question = f"{name}的{section.head}如何？"
        else:
            question = f"{name}的{section.head}具体情况如何？"
    else:
        head = (
            section.head if section.head.isupper() else section.head[0].lower() + section.head[1:]
        )
        what = templates.with_article(name)
        question = f"What are the main points about {head} for {what}?"
    return Turn(question, (answer,), (passage(material.document, section.start, section.end),))


def _on_two(
    material: Material, partner: SourceDocument, mine: _Section, theirs: _Section
) -> Turn | None:
    names_ = material.subject.name, subject_of(partner).name
    if not all(names_) or names_[0] == names_[1]:
        return None
    texts = (
        text_of(material.document.text, mine.spans, material.lang),
        text_of(partner.text, theirs.spans, material.lang),
    )
    if material.lang == "zh":
        question = f"请分别介绍{names_[0]}和{names_[1]}的{mine.head}情况。"
        answer = f"{names_[0]}：{texts[0]}{names_[1]}：{texts[1]}"
    else:
        called = [templates.with_article(name) for name in names_]
        head = mine.head[0].lower() + mine.head[1:]
        question = f"What should one know about {head} for {called[0]} and for {called[1]}?"
        answer = f"{names_[0]}: {texts[0]} {names_[1]}: {texts[1]}"
    evidence = (
        passage(material.document, mine.start, mine.end),
        passage(partner, theirs.start, theirs.end),
    )
    return Turn(question, (answer,), evidence)
