"""The short fact inside a chosen sentence: a number with its unit, or the words asked for."""

from __future__ import annotations

import re

from engine.answer.offline.question import Question
from engine.text.content_words import content_terms, word_pattern
from engine.text.numbers import Kind, Number, numbers, same_number

Stretch = tuple[int, int]

_MEASURE = re.compile(
    r"[a-z]{1,3}[²³]?(?![A-Za-z])|[个家项种类次名位只支条款笔期届级层张份台套部人户股辆吨米公里平方立英呎尺"
    r"枚轮岁首座所间场]{1,4}"
)
_WH_ZH = re.compile(
    r"(?:是|为|叫做?|称为|作为)?(?:哪(?:一?[个些位家国年座种部所支条项类郡省队]|里|儿|些|两个?|[几三四五])?"
    r"(?:地方|公司|国家|银行|机构|部门)?|什么(?:地方|时候|公司|国家|机构|名字|职业|学校|专业)?|何处|谁|怎样|怎么)"
)
_CLAUSE_END = re.compile(r"[，,。；;！!？?\n|]|（|\(|\.(?=\s|$)")
_CLAUSE_START = re.compile(r"[，,。；;！!？?\n|、：:]")
_FILLER = re.compile(r"[的了是为叫做作称有在于到至名：:「“\"\s]*")
_TAIL_EN = re.compile(r"(?:\s+(?:of|as|by|to|for|in|is|are|was|were|be|that|the|a|an|:))*\s*")
_SHORTEST_ANCHOR = 2


def pick_number(question: Question, sentence: str) -> tuple[Number, int] | None:
    """The number of the sentence that answers the question, and its rank: 0 fits best.

    Chosen by the measure word and the kind asked for, then by nearness to the question's words.
    Numbers that the question states itself are passed over.
    """
    pattern = word_pattern([word for word, weight in question.weights.items() if weight >= 0.5])
    at = [match.start() for match in pattern.finditer(sentence)] if pattern else []
    candidates = []
    for number in numbers(sentence):
        if any(same_number(number, given) for given in question.figures):
            continue
        rank = _kind_rank(number, question)
        if rank is not None:
            if question.measure and not _has_measure(number, sentence, question.measure):
                rank += 2
            distance = min((abs(number.start - place) for place in at), default=0)
            candidates.append((rank, distance, number.start, number))
    if not candidates:
        return None
    best = min(candidates, key=lambda entry: entry[:3])
    return best[3], best[0]


def _has_measure(number: Number, sentence: str, measure: str) -> bool:
    """Returns whether the asked measure word is part of the number or follows it."""
    window = 2 if not measure.isascii() else 24
    return measure in sentence[number.start : number.end + window].lower()


def _kind_rank(number: Number, question: Question) -> int | None:
    """Place of the number's kind among those asked for; none when it cannot be meant."""
    kinds = question.kinds or (Kind.PLAIN, Kind.AMOUNT, Kind.PERCENT, Kind.TIMES, Kind.POINTS)
    if Kind.DATE in kinds and (number.is_year or _may_be_year(number)):
        return 0
    if number.is_year or number.kind not in kinds:
        return None
    if question.operation is not None and number.direction:
        return 0
    if number.kind is Kind.PERCENT and kinds[0] is Kind.AMOUNT:
        return 2
    return 0 if kinds[0] is not Kind.PERCENT else kinds.index(number.kind)


def _may_be_year(number: Number) -> bool:
    """Returns whether a bare figure could name a year of any past century, where a date is asked
    for."""
    return number.is_bare and number.end - number.start == 4 and 1000 <= number.value <= 2100


def with_measure(sentence: str, number: Number) -> Stretch:
    """The number's span with the measure word that follows it: 14个, 1360立方英呎."""
    end = number.end
    if number.kind in (Kind.PLAIN, Kind.ORDINAL):
        measure = _MEASURE.match(sentence, end)
        if measure:
            end = measure.end()
    return number.start, end


def pick_words(question: Question, sentence: str) -> Stretch | None:
    """The words of the sentence that stand where the question has its question word."""
    if question.lang == "zh":
        return _pick_words_zh(question.text, sentence)
    return _pick_words_en(question, sentence)


def _pick_words_zh(question: str, sentence: str) -> Stretch | None:
    asked = _WH_ZH.search(question)
    if asked is None:
        return None
    left = question[: asked.start()]
    right = question[asked.end() :].rstrip("？?。 的")
    for length in range(len(left), _SHORTEST_ANCHOR - 1, -1):
        anchor = sentence.rfind(left[-length:])
        if anchor >= 0:
            clause = _clause_after(sentence, anchor + length)
            if clause is not None:
                return clause
    for length in range(len(right), _SHORTEST_ANCHOR - 1, -1):
        anchor = sentence.find(right[:length])
        if anchor > 0:
            return _clause_before(sentence, anchor)
    return None


def _clause_after(sentence: str, at: int) -> Stretch | None:
    filler = _FILLER.match(sentence, at)
    start = filler.end() if filler else at
    end = _clause_end(sentence, start)
    return (start, end) if end - start >= 1 else None


def _clause_end(sentence: str, start: int) -> int:
    for mark in _CLAUSE_END.finditer(sentence, start):
        at = mark.start()
        around = sentence[at - 1 : at] + sentence[at + 1 : at + 2]
        is_in_number = mark.group() == "," and len(around) == 2 and around.isdigit()
        if not is_in_number:
            return at
    return len(sentence)


def _clause_before(sentence: str, at: int) -> Stretch | None:
    start = 0
    for mark in _CLAUSE_START.finditer(sentence, 0, at):
        start = mark.end()
    return (start, at) if at - start >= 2 else None


_WHY = re.compile(
    r"\b(?:because(?: of)?|due to|as a result of|owing to|primarily to|attributable to|in order to"
    r"|since|reflect(?:s|ing))\s+",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"\b(?:consists? of|comprises?|represents?|includes?|means|refers to|(?:is|are) defined as)\s+",
    re.IGNORECASE,
)


def _pick_words_en(question: Question, sentence: str) -> Stretch | None:
    lowered = question.text.lower()
    cue = _WHY if lowered.startswith("why") else _MEANS
    match = cue.search(sentence)
    if match is None or (cue is _MEANS and not lowered.startswith(("what", "which"))):
        return _after_last_word(question.text, sentence)
    end = len(sentence.rstrip(" ."))
    return (match.end(), end) if end > match.end() else None


def _after_last_word(question: str, sentence: str) -> Stretch | None:
    """The text behind the question's last content word, where that word ends the question."""
    words = content_terms(question)
    pattern = word_pattern(words[-1:])
    if pattern is None:
        return None
    hits = list(pattern.finditer(sentence))
    if not hits:
        return None
    tail = _TAIL_EN.match(sentence, hits[-1].end())
    start = tail.end() if tail else hits[-1].end()
    end = _clause_end(sentence, start)
    return (start, end) if 2 <= end - start <= 120 else None
