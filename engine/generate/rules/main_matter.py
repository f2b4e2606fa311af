"""Drafts on the main matter of a text: a phrase that Chinese news repeats, an English heading."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from engine.corpus.document import SourceDocument
from engine.generate.question_text import relative_time
from engine.generate.rules.facts import templates
from engine.generate.rules.facts.names import (
    ends_whole,
    is_institution,
    is_private,
    is_whole,
    names,
)
from engine.generate.rules.facts.passages import passages, text_of
from engine.generate.rules.facts.subjects import title_of
from engine.generate.rules.material import Material
from engine.text.segmentation import terms
from engine.text.sentences import sentences
from store.records import Turn

_LEAST = {"zh": 60, "en": 140}
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
_NO_MATTER = re.compile(
    r"(?:additional|other|general|supplementa\w+|selected) (?:\w+ )?(?:information|data)"
    r"|overview|general|summary|introduction|background|notes?|results|other|details",
    re.IGNORECASE,
)
"""Headings that do not say what the text is about."""
_EN_NOISE = re.compile(
    r"^(?-i:[a-z])|^[(|•*]|^The following|^\W|^See |\b(?:following table|table below|set forth"
    r"|see note|refer to note|incorporated herein|(?:are|were) as follows"
    r"|discussed (?:above|below)|further (?:details?|information)|in (?:this|our|its) Annual Report"
    r"|Form (?:10|20)-|Item \d|as follows)\b|  ",
    re.IGNORECASE,
)
"""Sentences that point elsewhere, remarks of tables, and fragments."""


def turns(material: Material) -> Iterator[Turn]:
    """Turns on the main matter: one of a Chinese text, two of an English one."""
    if material.lang == "en":
        yield from _on_heading(material)
        return
    turn = _on_phrase(material)
    if turn is not None:
        yield turn


def _on_phrase(material: Material) -> Turn | None:
    """A turn on the phrase that a Chinese text returns to most, answered by the sentences that name
    it."""
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
    answer = text_of(document.text, chosen, "zh")
    if len(answer) < _LEAST["zh"]:
        return None
    question = f"请介绍{phrase}的主要情况。"
    return Turn(question, (answer,), passages(document, chosen))


def _is_about(phrase: str, sentence: str) -> bool:
    """Returns whether a sentence names the phrase at its beginning, as its subject."""
    at = sentence.find(phrase)
    return (
        0 <= at <= _SUBJECT_BY and "：" not in sentence[:_SUBJECT_BY] and not _SAYS.search(sentence)
    )


def _is_noise(sentence: str) -> bool:
    return sentence.startswith(("|", "#")) or _NOISE.search(sentence) is not None


def _main_phrase(document: SourceDocument, spans: Sequence[tuple[int, int]]) -> str:
    """A name with the words that follow it most often, else the longest name mentioned twice."""
    text = document.text
    phrases = [text[start:end] for start, end in names(text, "zh")]
    counts = Counter(phrases)
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


def _on_heading(material: Material) -> Iterator[Turn]:
    """Turns on the heading of an excerpt: why its figures moved, and what else it says."""
    document, subject = material.document, material.subject
    topic = subject.name or subject.heading
    if not topic or _NO_MATTER.fullmatch(topic):
        return
    called = templates.with_article(topic) if subject.name else templates.inside_sentence(topic)
    for spans, is_why in _accounts(document):
        answer = text_of(document.text, spans, "en")
        if len(answer) < _LEAST["en"] or (title_of(document) and not is_why):
            continue
        when = _mostly_in(answer)
        when = f" in {when}" if when and when not in topic else ""
        if is_why:
            question = f"What explains the changes in {called}{when}?"
        else:
            question = f"What are the main points to know about {called}?"
        yield Turn(question, (answer,), passages(document, spans))


def _accounts(document: SourceDocument) -> Iterator[tuple[list[tuple[int, int]], bool]]:
    """The sentences of an English excerpt that say why figures moved, then the rest; with whether
    they are the first."""
    text = document.text
    spans = [
        (start, end)
        for start, end in sentences(text[:12_000])
        if 40 <= end - start <= 420
        and text[end - 1] == "."
        and not _EN_NOISE.search(text[start:end])
        and text.count("”", start, end) == text.count("“", start, end)
        and text.count('"', start, end) % 2 == 0
    ]
    why = [span for span in spans if _explains(text[slice(*span)])]
    for chosen, is_why in ((why, True), ([span for span in spans if span not in why], False)):
        kept = _distinct(text, chosen)[:_MOST_SENTENCES]
        if len(kept) >= 2:
            yield kept, is_why


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
