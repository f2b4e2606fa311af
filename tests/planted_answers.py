"""Answers whose numbers were changed on purpose, and others that say the same in another way.

Made from questions with golden answers, by plain text operations that know nothing of the judge.
Half of the sources, by the hash of their question, was looked at while the rules were written
(`seen`); the other half only measures them.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from engine.judge.base import Case
from engine.judge.rules.judge import judge_case
from store.records import Lang

OWN = Path(__file__).parent / "data" / "planted_sources.jsonl"
"""A small set that was written for this test: question, golden answer and language a line."""

SHARED = Path(__file__).parents[2] / "shared" / "data"
"""Real questions that stand beside the checkout on some machines and are no part of the project."""


class Source(NamedTuple):
    question: str
    golden: str
    lang: Lang

    @property
    def seen(self) -> bool:
        return sha256(self.question.encode()).digest()[0] % 2 == 0


class Planted(NamedTuple):
    source: Source
    kind: str
    answer: str
    right: bool


def own_sources() -> list[Source]:
    rows = [json.loads(line) for line in OWN.read_text("utf-8").splitlines()]
    return [Source(row["question"], row["golden"], row["lang"]) for row in rows]


def shared_sources() -> list[Source]:
    """The sources of the shared data; none where they are absent."""
    return list(_shared()) if SHARED.is_dir() else []


def passes(planted: Planted) -> bool:
    """Whether the judge finds every number right and the answer accurate, as far as both apply."""
    source = planted.source
    case = Case(
        prediction_id=1,
        question=source.question,
        history=(),
        golden_answers=(source.golden,),
        answer=planted.answer,
        passages=(),
        lang=source.lang,
        closed_book=True,
    )
    values = {score.metric: score.value for score in judge_case(case)}
    return values["numerical_accuracy"] in (1, None) and values["accuracy"] == 2


def planted(sources: list[Source]) -> Iterator[Planted]:
    """All errors and paraphrases of the sources, each drawn with a seed of its own."""
    for source in sources:
        draw = random.Random(source.question)
        yield Planted(source, "unaltered", source.golden, True)
        for kind, template in _FALSE[source.lang].items():
            yield Planted(
                source, f"false {kind}", template.format(source.golden.rstrip("。.")), False
            )
        for kind, template in _TRUE[source.lang].items():
            yield Planted(
                source, f"true {kind}", template.format(source.golden.rstrip("。.")), True
            )
        single = _LONE.fullmatch(source.golden.strip())
        if single:
            for kind, answer in _lone_errors(single, draw):
                yield Planted(source, f"lone {kind}", answer, False)
            for kind, answer in _lone_paraphrases(single, source.lang):
                yield Planted(source, f"lone {kind}", answer, True)
            for kind, answer in _unsure(source.golden.strip(), single, source.lang, draw):
                yield Planted(source, f"lone {kind}", answer, False)
        elif _DIGITS.search(source.golden):
            for kind, answer in _sentence_errors(source, draw):
                if answer != source.golden:
                    yield Planted(source, f"text {kind}", answer, False)
            for kind, answer in _sentence_paraphrases(source):
                yield Planted(source, f"text {kind}", answer, True)


_FALSE: dict[Lang, dict[str, str]] = {
    "en": {
        "following": "The following is false: {}",
        "that": "It is not true that {}",
        "before": "{}. This is wrong.",
        "quoted": 'The claim "{}" is incorrect.',
    },
    "zh": {
        "following": "以下说法是错误的：{}",
        "that": "说{}是不正确的。",
        "before": "{}，这是不对的。",
        "quoted": "“{}”这一说法是错误的。",
    },
}
"""The golden answer called false."""
_TRUE: dict[Lang, dict[str, str]] = {
    "en": {
        "following": "The following is true: {}",
        "that": "It is true that {}",
        "another": "The draft was wrong. {}",
        "set right": "Some say otherwise, which is wrong. In fact: {}",
    },
    "zh": {
        "following": "以下说法是正确的：{}",
        "before": "{}。这种说法是正确的。",
        "another": "网上流传的说法有误。{}",
        "set right": "其他说法是错误的，正确的是：{}",
    },
}
"""The golden answer affirmed, or something else called false beside it."""
_LONE = re.compile(
    r"(?P<sign>-?)(?P<currency>\$ ?)?(?P<figure>\d[\d,]*(?:\.\d+)?) ?"
    r"(?P<unit>%|thousand|million|billion|percent)?"
)
_DIGITS = re.compile(r"(?<![A-Za-z\d.-])\d+(?:[.,]\d+)*(?!\d|-?[A-Z]\b)")
_DATE = re.compile(r"(?:(?P<year>[12]\d{3})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})日")
_ANY_DATE = re.compile(r"(?:([12]\d{3})[年-])?(\d{1,2})[月-](\d{1,2})日?")
_EN_DATE = re.compile(
    r"(?P<month>January|February|March|April|May|June|July|August|September|October|November"
    r"|December) (?P<day>\d{1,2}),? (?P<year>[12]\d{3})"
)


def _float(match: re.Match[str]) -> float:
    return float(match["figure"].replace(",", ""))


def _lone_errors(match: re.Match[str], draw: random.Random) -> Iterator[tuple[str, str]]:
    figure, unit = match["figure"], match["unit"] or ""

    def again(figure: str, unit: str = unit, sign: str = match["sign"]) -> str:
        return f"{sign}{match['currency'] or ''}{figure}{'' if unit in ('', '%') else ' '}{unit}"

    digits = [at for at, char in enumerate(figure) if char.isdigit()]
    if _float(match) == 0:
        return
    at = draw.choice(digits)
    yield "one digit", again(_changed(figure, at, draw))
    yield "last digit", again(_changed(figure, digits[-1], draw))
    yield "sign", again(figure, sign="" if match["sign"] else "-")
    yield "times ten", again(f"{_float(match) * 10:.10g}")
    yield "tenth", again(f"{_float(match) / 10:.10g}")
    swaps = [(a, b) for a, b in itertools.pairwise(digits) if figure[a] != figure[b]]
    if swaps:
        a, b = draw.choice(swaps)
        chars = list(figure)
        chars[a], chars[b] = chars[b], chars[a]
        yield "swapped digits", again("".join(chars))
    if unit:
        other = {"%": "million", "percent": "million", "thousand": "million"}.get(unit, "thousand")
        yield "unit", again(figure, other)


def _lone_paraphrases(match: re.Match[str], lang: Lang) -> Iterator[tuple[str, str]]:
    value, unit, minus = _float(match), match["unit"] or "", bool(match["sign"])
    whole = match[0]
    yield "in a sentence", f"答案是{whole}。" if lang == "zh" else f"It was {whole}."
    yield (
        "with a source",
        (
            f"根据参考材料2，答案是{whole}[3]。"
            if lang == "zh"
            else f"According to document 2, it was {whole} [3]."
        ),
    )
    if minus:
        inner = whole.removeprefix("-")
        yield "accounting negative", f"It was ({inner})."
        yield "minus", f"It was minus {inner}."
    if unit in ("%", "percent"):
        sign = "负" if minus else ""
        yield "百分之", f"{sign}百分之{match['figure']}"
        yield "basis points", f"{'-' if minus else ''}{value * 100:.10g} basis points"
        yield "基点", f"{'-' if minus else ''}{value * 100:.10g}个基点"
    if unit == "million":
        sign, dollars = "-" if minus else "", "US$" if match["currency"] else ""
        yield "thousands", f"{sign}{dollars}{value * 1000:,.10g} thousands"
        yield "billion", f"{sign}{dollars}{value / 1000:.10g} billion"
        yield "crore", f"{sign}{dollars}{value / 10:.10g} crore"
        yield "lakh", f"{sign}{dollars}{value * 10:.10g} lakh"
        yield "亿", f"{sign}{value / 100:.10g}亿"
        if value % 1 == 0.5 and 2 <= value < 13 and not minus:
            word = [
                "two",
                "three",
                "four",
                "five",
                "six",
                "seven",
                "eight",
                "nine",
                "ten",
                "eleven",
                "twelve",
            ]
            yield "and a half", f"{word[int(value) - 2]} and a half million"


def _unsure(
    golden: str, match: re.Match[str], lang: Lang, draw: random.Random
) -> Iterator[tuple[str, str]]:
    """Answers that name another number beside the right one, or take it back."""
    if _float(match) == 0:
        return
    figure = match["figure"]
    is_year = re.fullmatch(r"(?:19|20)\d\d", golden)
    other, third = (
        (str(int(figure) + 1), str(int(figure) - 1))
        if is_year
        else (
            golden.replace(figure, f"{_float(match) * draw.choice(times):.6g}")
            for times in ((1.3, 0.7), (1.7, 0.4))
        )
    )
    if lang == "zh":
        yield "hedged", f"{golden}或{other}"
        yield "hedged list", f"可能是{golden}、{other}或者{third}。"
        yield "corrected", f"{golden}，不对，应该是{other}。"
        yield "denied", f"不是{golden}，而是{other}。"
        return
    yield "hedged", f"{golden}, or {other}"
    yield "hedged list", f"It is either {golden}, {other} or {third}."
    yield "corrected", f"It was {golden}, actually {other}."
    yield "denied", f"It was not {golden} but {other}."
    yield "taken back", f"It was {golden}. Correction: it was {other}."


def _sentence_errors(source: Source, draw: random.Random) -> Iterator[tuple[str, str]]:
    golden, question = source.golden, source.question
    yield from _date_errors(source, draw)
    dates = [match.span() for match in (*_DATE.finditer(golden), *_EN_DATE.finditer(golden))]
    spots = [
        match
        for match in _DIGITS.finditer(golden)
        if not any(start <= match.start() < end for start, end in dates)
        and not _is_marker(golden, match)
        and not (len(match[0]) == 4 and match[0][:2] in ("19", "20"))
    ]
    fresh = [match for match in spots if match[0] not in question]
    given = [match for match in spots if match[0] in question]
    for kind, group in (("", fresh), (" of the question", given)):
        if group:
            match = draw.choice(group)
            digits = [at for at, char in enumerate(match[0]) if char.isdigit()]
            changed = _changed(match[0], draw.choice(digits), draw)
            yield f"one digit{kind}", _put(golden, match, changed)
            yield f"times ten{kind}", _put(golden, match, _ten_times(match[0]))
    fresh = [match for match in fresh if golden[match.end() :][:1] not in "年月日"]
    if fresh:
        match = draw.choice(fresh)
        other = _ten_times(match[0])
        end = golden[match.end() :]
        unit = re.match(r" ?(?:%|[万亿千百]*(?:美元|元|人|家|个)?|m\b|million|billion)", end)
        tail = unit[0] if unit else ""
        if source.lang == "zh":
            yield "hedged", _put(golden, match, f"{match[0]}{tail}或{other}")
            yield "corrected", _put(golden, match, f"{match[0]}{tail}，不对，是{other}")
        else:
            yield "hedged", _put(golden, match, f"{match[0]}{tail} or {other}")
            yield "corrected", _put(golden, match, f"{match[0]}{tail}, actually {other}")
    yield from _swapped(golden, spots)
    yield from _reversed(golden)
    yield from _negated(source)


def _date_errors(source: Source, draw: random.Random) -> Iterator[tuple[str, str]]:
    golden = source.golden
    given = [
        (match[1], *(part.lstrip("0") for part in match.group(2, 3)))
        for match in _ANY_DATE.finditer(source.question)
    ]
    given += [(None, month, day) for _, month, day in given]
    dates = [
        match
        for match in (*_DATE.finditer(golden), *_EN_DATE.finditer(golden))
        if (match["year"], *(part.lstrip("0") for part in match.group("month", "day"))) not in given
    ]
    if not dates:
        return
    match = draw.choice(dates)
    year, month, day = match["year"], match["month"], match["day"]
    is_zh = match.re is _DATE
    other_day = str(int(day) % 27 + 1)
    year_part = f"{year}年" if year else ""
    if is_zh:
        wrong_month = int(month) % 12 + 1
        made = {
            "date day": f"{year_part}{month}月{other_day}日",
            "date month": f"{year_part}{wrong_month}月{day}日",
            "date impossible day": f"{year_part}{month}月{day}0日",
            "date impossible month": f"{year_part}{int(month) + 12}月{day}日",
            "date without day": f"{year_part}{month}月",
            "date broken": f"{year_part}{month}月日",
            "date without month": f"{day}日",
        }
        if year:
            made["date year"] = f"{int(year) + 1}年{month}月{day}日"
            made["date only year"] = f"{year}年"
            made["date long year"] = f"{year}0年{month}月{day}日"
    else:
        made = {
            "date day": f"{month} {other_day}, {year}",
            "date year": f"{month} {day}, {int(year) + 1}",
            "date impossible day": f"{month} {int(day) + 31}, {year}",
            "date without day": f"{month} {year}",
            "date only year": year,
        }
    for kind, text in made.items():
        yield kind, _put(golden, match, text)


def _swapped(golden: str, spots: list[re.Match[str]]) -> Iterator[tuple[str, str]]:
    for one, other in itertools.pairwise(spots):
        tails = [golden[spot.end() :][:2].strip() for spot in (one, other)]
        if one[0] != other[0] and tails[0][:1] == tails[1][:1] and tails[0][:1] in "%万亿元家人m":
            middle = golden[one.end() : other.start()]
            text = f"{golden[: one.start()]}{other[0]}{middle}{one[0]}{golden[other.end() :]}"
            yield "swapped numbers", text
            return


_FROM_TO = re.compile(
    r"(?:from|从|由) ?(?P<a>\$?\d[\d,.]*\d ?(?:%|million|billion|[万亿]元?)?)"
    r"(?P<m>[^\d，。;]{1,24}?)"
    r"(?P<b>\$?\d[\d,.]*\d ?(?:%|million|billion|[万亿]元?)?)"
)


def _reversed(golden: str) -> Iterator[tuple[str, str]]:
    for match in _FROM_TO.finditer(golden):
        if match["a"] != match["b"] and re.search(r"\bto\b|[至到为]", match["m"]):
            text = (
                f"{golden[: match.start('a')]}{match['b']}{match['m']}{match['a']}"
                f"{golden[match.end() :]}"
            )
            yield "reversed from-to", text
            return


_ASSERTED = {
    "zh": re.compile(r"(?<![不未没])(?P<verb>支付|实现|完成|达到|发行|获得|增长|上涨|签署|投资)"),
    "en": re.compile(r"\b(?P<verb>was|were|is|are) (?!not)"),
}


def _negated(source: Source) -> Iterator[tuple[str, str]]:
    match = _ASSERTED[source.lang].search(source.golden)
    if match is None:
        return
    golden = source.golden
    if source.lang == "zh":
        yield "negated", f"{golden[: match.start()]}没有{golden[match.start() :]}"
    else:
        yield "negated", f"{golden[: match.end('verb')]} not{golden[match.end('verb') :]}"


_ZH_SCALED = re.compile(r"(?<![\d.,])(\d+(?:\.\d+)?)万(?=[元人吨家股户平])")
_PERCENT = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)%")


def _sentence_paraphrases(source: Source) -> Iterator[tuple[str, str]]:
    golden, is_zh = source.golden, source.lang == "zh"
    yield "with an opening", f"答：{golden}" if is_zh else f"Answer: {golden}"
    yield (
        "with a source",
        (f"根据参考材料2，{golden}" if is_zh else f"According to document 2, {golden}"),
    )
    yield "with a mark", f"{golden}[3]"
    yield "as a list", f"1. {golden}"
    wide = str.maketrans("0123456789%", "０１２３４５６７８９％")
    yield "full width", golden.translate(wide)
    if is_zh:
        scaled = _ZH_SCALED.sub(lambda m: f"{float(m[1]) * 10_000:,.10g}", golden)
        if scaled != golden:
            yield "without 万", scaled
        shares = _PERCENT.sub(lambda m: f"百分之{m[1]}", golden)
        if shares != golden:
            yield "百分之", shares
    else:
        shares = _PERCENT.sub(lambda m: f"{m[1]} percent", golden)
        if shares != golden:
            yield "percent", shares
        short = re.sub(r"(\d) million\b", r"\1M", golden)
        if short != golden:
            yield "M for million", short


_MARKED = re.compile(r"(?:^|[\n。；;:：\[(（]|材料|文档|第)\s*$")


def _is_marker(text: str, match: re.Match[str]) -> bool:
    return bool(_MARKED.search(text[: match.start()])) and len(match[0]) <= 2


def _changed(figure: str, at: int, draw: random.Random) -> str:
    others = [digit for digit in "123456789" if digit != figure[at]]
    return figure[:at] + draw.choice(others) + figure[at + 1 :]


def _ten_times(figure: str) -> str:
    return f"{float(figure.replace(',', '')) * 10:.12g}"


def _put(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _shared() -> Iterator[Source]:
    for name in ("en_tatqa", "zh_cmrc", "zh_crud_news", "zh_disc_fin", "en_sec10q"):
        for row in _lines(SHARED / name / "queries.jsonl"):
            for answer in row["answers"][:1]:
                meta = row.get("meta") or {}
                scale = meta.get("scale") or ""
                unit = "%" if scale == "percent" else f" {scale}" if scale else ""
                is_lone = _LONE.fullmatch(answer.strip()) and not answer.strip().endswith("%")
                yield Source(row["text"], answer + (unit if is_lone else ""), row["lang"])
    for row in _lines(SHARED / "conv_convfinqa" / "conversations.jsonl"):
        talk = row["dialogue"]
        for number, (question, answer) in enumerate(
            zip(talk["conv_questions"], talk["conv_answers"], strict=True)
        ):
            yield Source(f"{question} ({row['id']}, {number})", str(answer), "en")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
