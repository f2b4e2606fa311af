"""Drafts that ask for a paragraph: a section of a document, two alike sections, what a text says
of its main matter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from engine.generate.names import ends_whole, is_institution, is_private, is_whole, names
from engine.generate.offline import news_zh, wording
from engine.generate.offline.material import Material
from engine.generate.offline.subjects import subject_of, title_of
from engine.generate.question_text import relative_time
from engine.generate.records import SourceDocument
from engine.segment import terms
from engine.sentences import sentences
from store.records import Evidence, ItemContent, Lang, Turn

_ZH_HEAD = re.compile(
    r"^(?:#{2,6}\s*)?[一二三四五六七八九十]{1,2}、(?P<head>[^。：:，\n]{2,16})[。：:\n]\s*"
)
_EN_HEAD = re.compile(
    r"^(?:#{2,6}\s*)?(?P<head>(?![^.:]* (?:is|are|was|were|has|have|must|may|can|will) )"
    r"[A-Z][A-Za-z’'-]+(?: [A-Za-z’'-]+){0,3})[.:]\s+(?=[A-Z0-9])"
)
_LEAST = {"zh": 60, "en": 140}
_MOST = {"zh": 700, "en": 1500}
_MOST_SENTENCES = 6
_SHORTEST_PHRASE = 4
_SUBJECT_BY = 12
"""Characters of a Chinese sentence within which its subject is named."""
_NOISE = re.compile(r"责任?编辑?|责编|返回搜狐|原标题|来源：|记者|正文：|点击|扫码|关注")
_SAYS = re.compile(r"表示|认为|指出|强调|感谢|显示|坦言|称[，：]|我们|[？?]")
"""Sentences that tell what somebody says tell little of the matter itself."""
_WHY = re.compile(
    r"\b(?:due to|because|as a result|reflect\w*|driven by|attributable|resulted? from"
    r"|offset by)\b",
    re.IGNORECASE,
)
_MOVED = re.compile(r"\b(?:increas|decreas|declin|grew|rose|fell|higher|lower)\w*", re.IGNORECASE)
_EN_NOISE = re.compile(
    r"^(?-i:[a-z])|^[(|•*]|^The following|^\W|^See |\b(?:following table|table below|set forth"
    r"|see note|refer to note|incorporated herein|(?:are|were) as follows"
    r"|discussed (?:above|below))\b|  ",
    re.IGNORECASE,
)
"""Sentences that point elsewhere, remarks of tables, and fragments."""
_ASKS_FOR = re.compile(r"要求|应当|须|不得|必须")


class _Section(Struct, frozen=True):
    head: str
    start: int
    end: int
    spans: tuple[tuple[int, int], ...]
    """Its sentences."""


def build(material: Material) -> Iterator[ItemContent]:
    """Like sections of two documents first, then sections, then what the text is mainly about."""
    yield from pairs(material)
    for section in material.shuffled(sections(material.document)):
        turn = _on_section(material, section)
        if turn is not None:
            yield material.item([turn], "section")
    yield from news_zh.accounts(material)
    turn = on_main_matter(material)
    if turn is not None:
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
                yield material.item([turn], "two_sections", hops=2)


def sections(document: SourceDocument) -> list[_Section]:
    """Paragraphs that begin with a heading (三、持仓。 / Charges.), of fitting length."""
    found: list[_Section] = []
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
            found.append(_Section(head["head"].strip(), paragraph.start(), paragraph.end(), spans))
    return found


def _on_section(material: Material, section: _Section) -> Turn | None:
    name = material.subject.name
    if not name or section.head in name or not title_of(material.document):
        return None
    text = material.document.text
    answer = _text_of(text, section.spans, material.lang)
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
        what = wording.with_article(name)
        question = f"What are the main points about {head} for {what}?"
    evidence = Evidence(
        material.document.document_id, section.start, section.end, text[section.start : section.end]
    )
    return Turn(question, (answer,), (evidence,))


def _on_two(
    material: Material, partner: SourceDocument, mine: _Section, theirs: _Section
) -> Turn | None:
    names_ = material.subject.name, subject_of(partner).name
    if not all(names_) or names_[0] == names_[1]:
        return None
    texts = (
        _text_of(material.document.text, mine.spans, material.lang),
        _text_of(partner.text, theirs.spans, material.lang),
    )
    if material.lang == "zh":
        question = f"请分别介绍{names_[0]}和{names_[1]}的{mine.head}情况。"
        answer = f"{names_[0]}：{texts[0]}{names_[1]}：{texts[1]}"
    else:
        called = [wording.with_article(name) for name in names_]
        head = mine.head[0].lower() + mine.head[1:]
        question = f"What should one know about {head} for {called[0]} and for {called[1]}?"
        answer = f"{names_[0]}: {texts[0]} {names_[1]}: {texts[1]}"
    evidence = tuple(
        Evidence(document.document_id, part.start, part.end, document.text[part.start : part.end])
        for document, part in ((material.document, mine), (partner, theirs))
    )
    return Turn(question, (answer,), evidence)


def on_main_matter(material: Material) -> Turn | None:
    """What the text says of the matter it returns to most, in the sentences that name it."""
    if material.lang == "en":
        return _on_heading(material)
    document = material.document
    spans = [
        (start, end)
        for start, end in sentences(document.text[:12_000])
        if 15 <= end - start <= 240 and not _is_noise(document.text[start:end])
    ]
    if title_of(document) or len(spans) < 3 or is_private(document.text):
        return None
    phrase = _main_phrase(document, spans)
    chosen = [span for span in spans if phrase and _is_about(phrase, document.text[slice(*span)])]
    if len(chosen) < 3:
        return None
    chosen = chosen[:_MOST_SENTENCES]
    answer = _text_of(document.text, chosen, "zh")
    if len(answer) < _LEAST["zh"]:
        return None
    question = f"请介绍{phrase}的主要情况。"
    return Turn(question, (answer,), _merged(document, chosen))


def _is_about(phrase: str, sentence: str) -> bool:
    """Whether a sentence names the phrase at its beginning, as its subject."""
    at = sentence.find(phrase)
    return (
        0 <= at <= _SUBJECT_BY and "：" not in sentence[:_SUBJECT_BY] and not _SAYS.search(sentence)
    )


def _is_noise(sentence: str) -> bool:
    return sentence.startswith(("|", "#")) or _NOISE.search(sentence) is not None


def _main_phrase(document: SourceDocument, spans: Sequence[tuple[int, int]]) -> str:
    """A name with the words that follow it most often, else the longest name mentioned twice."""
    text = document.text
    found = [text[start:end] for start, end in names(text, "zh")]
    counts = Counter(found)
    best = ""
    worth = 0.0
    for name, count in counts.items():
        held = [span for span in spans if name in text[slice(*span)]]
        if count < 2 or len(held) < 3 or not is_whole(name, text) or relative_time(name):
            continue
        extended = _extended(name, text, held)
        if len(extended) < _SHORTEST_PHRASE or not (extended != name or is_institution(name)):
            continue
        points = len(held) * min(len(extended), 12) ** 0.5
        if points > worth:
            best, worth = extended, points
    return best


def _extended(name: str, text: str, held: Sequence[tuple[int, int]]) -> str:
    """`name` with the next word, while at least two sentences have it with that word."""
    phrase = name
    while len(phrase) < 20:
        following = Counter(
            word for span in held for word in _words_after(phrase, text[slice(*span)])
        )
        word, count = following.most_common(1)[0] if following else ("", 0)
        if count < 2 or len(word) < 2:
            return phrase
        if not ends_whole(phrase + word, text):
            return phrase
        phrase += word
    return phrase


def _words_after(phrase: str, sentence: str) -> list[str]:
    at = sentence.find(phrase)
    if at < 0:
        return []
    rest = sentence[at + len(phrase) :]
    if not rest or not "一" <= rest[0] <= "鿿":
        return []
    following = terms(rest[:12])
    return following[:1] if following and rest.startswith(following[0]) else []


def _on_heading(material: Material) -> Turn | None:
    """Why the figures of an excerpt moved, or what it says on its heading."""
    document, subject = material.document, material.subject
    found = on_heading(document)
    topic = subject.name or subject.heading
    if found is None or not topic:
        return None
    answer, evidence, is_why = found
    if title_of(document) and not is_why:
        return None
    spoken = wording.spoken(topic) if not subject.name else wording.with_article(topic)
    when = _mostly_in(answer)
    when = f" in {when}" if when and when not in topic else ""
    if is_why:
        question = f"What explains the changes in {spoken}{when}?"
    else:
        question = f"What are the main points to know about {spoken}?"
    return Turn(question, (answer,), evidence)


@lru_cache(maxsize=512)
def on_heading(document: SourceDocument) -> tuple[str, tuple[Evidence, ...], bool] | None:
    """What an English excerpt says on its heading, and whether that is why figures moved."""
    spans = [
        (start, end)
        for start, end in sentences(document.text[:12_000])
        if 40 <= end - start <= 420
        and document.text[end - 1] == "."
        and not _EN_NOISE.search(document.text[start:end])
    ]
    why = [span for span in spans if _explains(document.text[slice(*span)])]
    chosen = _distinct(document.text, list(dict.fromkeys(why or spans))[:_MOST_SENTENCES])
    answer = _text_of(document.text, chosen, "en")
    if len(chosen) < 2 or len(answer) < _LEAST["en"]:
        return None
    return answer, _merged(document, chosen), bool(why)


def _mostly_in(answer: str) -> str:
    """The year that an answer names more than once and most often, the later of equals."""
    years = Counter(re.findall(r"\b20[0-2]\d\b", answer))
    best = max(years, key=lambda year: (years[year], year), default="")
    return best if years[best] > 1 else ""


def _explains(sentence: str) -> bool:
    return _WHY.search(sentence) is not None and _MOVED.search(sentence) is not None


def _distinct(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans whose text has not come before: excerpts repeat lines."""
    seen: dict[str, tuple[int, int]] = {}
    for span in spans:
        seen.setdefault(text[slice(*span)], span)
    return list(seen.values())


def _text_of(text: str, spans: Sequence[tuple[int, int]], lang: Lang) -> str:
    return ("" if lang == "zh" else " ").join(text[start:end] for start, end in spans)


def _merged(document: SourceDocument, spans: Sequence[tuple[int, int]]) -> tuple[Evidence, ...]:
    """One passage for sentences that follow each other, several for those that do not."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and not document.text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(
        Evidence(document.document_id, start, end, document.text[start:end])
        for start, end in joined
    )
