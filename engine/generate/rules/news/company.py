"""Figures of companies in Chinese news: revenue, profit, assets, an issue's price and proceeds.

Business news repeats a few shapes: 上半年，公司实现营业收入912.3亿元，同比减少7.52%. The measure
is one of a known list, so that whose it is and of when can be carried over from clause to clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from engine.corpus.document import SourceDocument
from engine.generate.rules.facts import patterns_zh as zh
from engine.generate.rules.facts.fact import Fact, FactKind
from engine.generate.rules.facts.names import is_institution, names
from engine.generate.rules.facts.passages import passage
from engine.generate.rules.facts.subjects import subject_of, title_of
from engine.generate.rules.facts.surface import forms_of
from engine.generate.rules.news.events import report_sentences
from engine.generate.rules.news.listed import listed, main_company
from engine.generate.rules.vocabulary import any_of
from engine.text.numbers import Kind, Number, numbers
from store.records import Evidence

_OWNERS = r"(?:(?:税后)?归属于?(?:上市公司|母公司|本行|公司)?(?:普通股)?(?:股东|所有者)的?|归母)?"
_OF_PERIOD = (
    rf"(?:扣除非经常性损益后?的?)?{_OWNERS}(?:扣除非经常性损益后?的?)?(?:扣非)?净(?:利润|亏损)|"
    + any_of("zh", "figures of a period")
)
_OF_ISSUE = (
    r"发行价格|(?:募集|发行募集)资金(?:总额|净额)|发行费用(?:总额)?"
    r"|公开发行股票(?:数量)?|发行(?:股票)?数量"
)
_MEASURE = re.compile(
    rf"(?P<measure>{_OF_PERIOD}|{_OF_ISSUE})(?:共计|合计|约为|约|为|达到|达|是|近|超过?|逾|高达){{0,2}}$"
)
_ISSUE = re.compile(_OF_ISSUE)
_FILLER = re.compile(
    r"(?:公司|该公司|本公司|该行|本行|集团|其|实现|录得|取得|上市|首次|公开|发行|股票|的|公布|方面|预计|合并|累计|总|本次|共|，|当期|期内|报告期内?|计"
    r"|同期|分别|截至|季度?末?)*"
)
_PERIOD = re.compile(
    r"(?:(?P<year>20\d\d)年|(?P<this>今年))?(?:度)?(?P<part>上半年|下半年|(?:第?[一二三四]季度?|Q[1-4])(?:末)?|前[一二三四五六七八九十]+个?月"
    r"|1[-—至~]\d{1,2}月|\d{1,2}月末|全年|年末|年底)?(?:末)?"
)
_LATER = re.compile(rf"^{zh.ON_YEAR}(?:了)?$")
_BEFORE = re.compile(r"^(?P<then>上年同期|去年同期|上年末)(?:为|是)?$")
_OPEN = re.compile(r"区间|至$|到$|—|～|~|预计|预期|预测|目标|计划|拟|左右|以上|不低于|至少")
_MOST = 40
_NEAR = 90
"""Characters before a sentence in which the company stands that it calls 该公司."""
AT_ISSUE = "上市时"
"""The time of the figures of an issue."""


def company_facts(document: SourceDocument) -> list[Fact]:
    """The figures of companies in a Chinese news report, 40 at most."""
    if document.lang != "zh" or title_of(document):
        return []
    reader = _Reader(document)
    return [fact for span in report_sentences(document) for fact in reader.facts(*span)][:_MOST]


class _Reader:
    """Reads sentence by sentence and remembers of whom and of when the last one spoke."""

    def __init__(self, document: SourceDocument) -> None:
        self.document = document
        self.company = main_company(document)
        self.year = subject_of(document).year
        self.period = ""
        self.last: Fact | None = None

    def facts(self, start: int, end: int) -> Iterator[Fact]:
        text = self.document.text[start:end]
        self.last = None
        before = self.document.text[max(0, start - _NEAR) : end]
        if "该公司" in text and self.company not in before:
            return
        for match in zh.CLAUSE.finditer(text):
            clause = zh.LEAD_IN.sub("", re.sub(r"[（(][^（）()]*[）)]", _blank, match.group()))
            at = start + match.end() - len(clause)
            self.period = self._period(clause) or self.period
            figures = [n for n in numbers(clause) if n.date is None and not n.is_year]
            fact = None
            if len(figures) == 1 and not _OPEN.search(clause):
                fact = self._figure(clause, figures[0], at, (start, end))
            if fact is not None:
                yield fact
            elif figures:
                self.last = None  # what follows is of another figure

    def _period(self, clause: str) -> str:
        """The reporting period that a clause names, with its year; empty where it names none."""
        for match in _PERIOD.finditer(clause):
            part = match["part"] or ""
            if not (match["year"] or part) or clause[: match.start()].endswith(("上", "去", "同")):
                continue
            if not match["year"] and part in ("年末", "年底", "全年"):
                continue
            year = match["year"] or (str(self.year) if self.year else "")
            if year:
                rest = match.group().removeprefix(match["year"] or "").removeprefix("今年")
                rest = rest.removeprefix("年").replace("1-6月", "上半年")
                return f"{year}年{rest.replace('上半年末', '6月末')}"
        return ""

    def _figure(self, clause: str, number: Number, at: int, span: tuple[int, int]) -> Fact | None:
        before, after = clause[: number.start], clause[number.end :]
        written = clause[number.start : number.end]
        counted = zh.MEASURE.match(after)
        if counted is not None and number.is_bare:
            written += counted.group()
            after = after[counted.end() :]
        if after.startswith("/股") and written.endswith("元"):
            written, after = f"{written}/股", after[2:]
        if after.strip(" 。；"):
            return None
        bare = before.replace(" ", "")
        if (_LATER.match(bare) or _BEFORE.match(bare)) and self.last is not None:
            return self._later(bare, number, written, at, span)
        match = _MEASURE.search(bare)
        if match is None or (number.is_bare and counted is None):
            return None
        measure = match["measure"]
        company = self._whose(bare[: match.start()])
        is_issue = _ISSUE.fullmatch(measure) is not None
        if not company or not (self.period or is_issue):
            return None
        when = AT_ISSUE if is_issue else self.period
        measure = measure.removeprefix("公开发行股票").removeprefix("发行募集") or "股票数量"
        measure = f"募集{measure}" if measure.startswith("资金") else measure
        stem = _stem(company, when, measure)
        fact = self._made(company, measure, stem, when, number, written, at, span)
        self.last = fact
        return fact

    def _whose(self, before: str) -> str:
        """The company of a figure: the one that its clause names, else the report's main one."""
        bare = _PERIOD.sub("", before)
        named = [*listed(before), *(before[a:b] for a, b in names(before, "zh"))]
        own = next((name for name in named if name != self.company and is_institution(name)), "")
        company = own or self.company
        rest = bare.replace(company, "") if company else bare
        return company if _FILLER.fullmatch(rest) else ""

    def _later(
        self, before: str, number: Number, written: str, at: int, span: tuple[int, int]
    ) -> Fact | None:
        """The fact of a clause that refers to the figure before it: its change, or its earlier
        value."""
        last = self.last
        if last is None:
            return None
        then = _BEFORE.match(before)
        if then is None:
            stem = f"{_stem(last.subject, last.period, last.label)}{before.removesuffix('了')}了"
            label = f"{last.label}{before.removesuffix('了')}"
            return self._made(last.subject, label, stem, last.period, number, written, at, span)
        when = _year_before(last.period, then["then"])
        if not when or number.kind is not last.known.kind:
            return None
        stem = _stem(last.subject, when, last.label)
        return self._made(last.subject, last.label, stem, when, number, written, at, span)

    def _made(
        self,
        company: str,
        label: str,
        stem: str,
        period: str,
        number: Number,
        written: str,
        at: int,
        span: tuple[int, int],
    ) -> Fact:
        unit = re.sub(r"^[-+－负\d,.，]+", "", written)
        is_rate = number.kind is Kind.PERCENT
        asks = "百分之多少" if is_rate else f"多少{unit}"
        kind = {Kind.PERCENT: FactKind.PERCENTAGE, Kind.AMOUNT: FactKind.AMOUNT}
        return Fact(
            document_id=self.document.document_id,
            lang="zh",
            kind=kind.get(number.kind, FactKind.COUNT),
            label=label,
            question=f"{stem}{'' if stem.endswith('了') else '是'}{asks}？",
            answers=forms_of(written, "zh"),
            evidence=(*self._naming(company, span), passage(self.document, *span)),
            start=at + number.start,
            subject=company,
            period=period,
            number=number,
            written=written,
            unit="" if is_rate else unit,
        )

    def _naming(self, company: str, span: tuple[int, int]) -> tuple[Evidence, ...]:
        """The sentence that names the company, where the one with the figure does not."""
        text = self.document.text
        if company in text[slice(*span)]:
            return ()
        first = (span for span in report_sentences(self.document) if company in text[slice(*span)])
        return tuple(passage(self.document, *named) for named in islice(first, 1))


def _stem(company: str, when: str, measure: str) -> str:
    """The company, the time and the figure's name: 浦发银行2023年上半年的营业收入."""
    joint = "" if measure.startswith(("归", "扣", "税后")) else "的"
    return f"{company}{when}{joint}{measure}"


def _year_before(period: str, then: str) -> str:
    """The period a year before, or the end of that year; empty where that is unclear."""
    if not re.match(r"20\d\d年", period):
        return ""
    year = int(period[:4]) - 1
    return f"{year}年末" if then == "上年末" else f"{year}{period[4:]}"


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
