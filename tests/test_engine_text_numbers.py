"""Numbers are read with sign, scale and unit, and compared as a careful reader would."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.text.numbers import CalendarDate, Kind, Number, comparable, numbers, same_number


def one(text: str) -> Number:
    found = numbers(text)
    assert len(found) == 1, [text[number.start : number.end] for number in found]
    return found[0]


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("12.5亿", Kind.PLAIN, "1250000000", ""),
        ("125亿", Kind.PLAIN, "12500000000", ""),
        ("12亿5000万元", Kind.AMOUNT, "1250000000", "CNY"),
        ("1.2万亿元", Kind.AMOUNT, "1200000000000", "CNY"),
        ("1,250,000,000元", Kind.AMOUNT, "1250000000", "CNY"),
        ("人民币12.5亿元", Kind.AMOUNT, "1250000000", "CNY"),
        ("RMB 5 million", Kind.AMOUNT, "5000000", "CNY"),
        ("1.25 billion yuan", Kind.AMOUNT, "1250000000", "CNY"),
        ("US$1.2 million", Kind.AMOUNT, "1200000", "USD"),
        ("$1.2bn", Kind.AMOUNT, "1200000000", "USD"),
        ("$ 2,515", Kind.AMOUNT, "2515", "USD"),
        ("5亿美元", Kind.AMOUNT, "500000000", "USD"),
        ("-$3.4", Kind.AMOUNT, "-3.4", "USD"),
        ("HK$5.2亿", Kind.AMOUNT, "520000000", "HKD"),
        ("12.5m", Kind.PLAIN, "12500000", ""),
        ("3k", Kind.PLAIN, "3000", ""),
        ("eight years", Kind.DURATION, "96", "month"),
        ("twenty-five percent", Kind.PERCENT, "0.25", ""),
        ("three million dollars", Kind.AMOUNT, "3000000", "USD"),
        ("one year", Kind.DURATION, "12", "month"),
        ("two of them", Kind.PLAIN, "2", ""),
        ("39 m", Kind.PLAIN, "39", ""),
        (".5", Kind.PLAIN, "0.5", ""),
        ("1e-5", Kind.PLAIN, "0.00001", ""),
        ("-3.4 %", Kind.PERCENT, "-0.034", ""),
        ("−3.4%", Kind.PERCENT, "-0.034", ""),
        ("－３．４％", Kind.PERCENT, "-0.034", ""),
        ("为-3.4%", Kind.PERCENT, "-0.034", ""),
        ("负3.4%", Kind.PERCENT, "-0.034", ""),
        ("minus 3.4 per cent", Kind.PERCENT, "-0.034", ""),
        ("百分之三点四", Kind.PERCENT, "0.034", ""),
        ("百分之3.4", Kind.PERCENT, "0.034", ""),
        ("百分之负二", Kind.PERCENT, "-0.02", ""),
        ("千分之五", Kind.PERCENT, "0.005", ""),
        ("三成", Kind.PERCENT, "0.3", ""),
        ("七成五", Kind.PERCENT, "0.75", ""),
        ("0.5个百分点", Kind.POINTS, "0.005", ""),
        ("50bp", Kind.POINTS, "0.005", ""),
        ("25个基点", Kind.POINTS, "0.0025", ""),
        ("3 percentage points", Kind.POINTS, "0.03", ""),
        ("1.5倍", Kind.TIMES, "1.5", ""),
        ("2.5x", Kind.TIMES, "2.5", ""),
        ("十二亿五千万", Kind.PLAIN, "1250000000", ""),
        ("三万亿", Kind.PLAIN, "3000000000000", ""),
        ("两百零三", Kind.PLAIN, "203", ""),
        ("三万五", Kind.PLAIN, "35000", ""),
        ("十五", Kind.PLAIN, "15", ""),
        ("一点五", Kind.PLAIN, "1.5", ""),
        ("一点五亿元", Kind.AMOUNT, "150000000", "CNY"),
        ("壹佰万元整", Kind.AMOUNT, "1000000", "CNY"),
        ("三家公司", Kind.PLAIN, "3", ""),
        ("3年", Kind.DURATION, "36", "month"),
        ("十二个月", Kind.DURATION, "12", "month"),
        ("30-day", Kind.DURATION, "30", "day"),
        ("15日内", Kind.DURATION, "15", "day"),
        ("十五个工作日", Kind.DURATION, "15", "workday"),
        ("第12届", Kind.ORDINAL, "12", ""),
        ("12th", Kind.ORDINAL, "12", ""),
        ("(1,234)", Kind.PLAIN, "-1234", ""),
        ("| (598) |", Kind.PLAIN, "-598", ""),
        ("| $ (3,781) |", Kind.AMOUNT, "-3781", "USD"),
        ("(11.9)%", Kind.PERCENT, "-0.119", ""),
        ("grew ($3,781)", Kind.AMOUNT, "3781", "USD"),
        ("the year (2019)", Kind.PLAIN, "2019", ""),
        ("增长（12.5%）", Kind.PERCENT, "0.125", ""),
    ],
)
def test_a_number_is_read_exactly(text: str, kind: Kind, value: str, unit: str) -> None:
    number = one(text)
    assert (number.kind, number.value, number.unit) == (kind, Fraction(value), unit)


def test_a_fraction_in_words_is_exact() -> None:
    assert one("三分之二").value == Fraction(2, 3)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2023年", CalendarDate(year=2023)),
        ("二〇二三年", CalendarDate(year=2023)),
        ("2023年度", CalendarDate(year=2023)),
        ("FY2022", CalendarDate(year=2022)),
        ("fiscal year 2022", CalendarDate(year=2022)),
        ("FY22", CalendarDate(year=2022)),
        ("2023年3月", CalendarDate(year=2023, month=3)),
        ("March 2023", CalendarDate(year=2023, month=3)),
        ("2023年3月31日", CalendarDate(year=2023, month=3, day=31)),
        ("二〇二三年三月三十一日", CalendarDate(year=2023, month=3, day=31)),
        ("2023-03-31", CalendarDate(year=2023, month=3, day=31)),
        ("2023/3/31", CalendarDate(year=2023, month=3, day=31)),
        ("March 31, 2023", CalendarDate(year=2023, month=3, day=31)),
        ("31 Mar 2023", CalendarDate(year=2023, month=3, day=31)),
        ("3月31日", CalendarDate(month=3, day=31)),
        ("May 5", CalendarDate(month=5, day=5)),
        ("Q3 2023", CalendarDate(year=2023, quarter=3)),
        ("2023Q3", CalendarDate(year=2023, quarter=3)),
        ("3Q23", CalendarDate(year=2023, quarter=3)),
        ("2023年第三季度", CalendarDate(year=2023, quarter=3)),
        ("third quarter of 2023", CalendarDate(year=2023, quarter=3)),
        ("一季度", CalendarDate(quarter=1)),
        ("2023年上半年", CalendarDate(year=2023, half=1)),
        ("1H23", CalendarDate(year=2023, half=1)),
    ],
)
def test_a_date_is_read_by_its_written_parts(text: str, date: CalendarDate) -> None:
    number = one(text)
    assert (number.kind, number.date) == (Kind.DATE, date)
    assert text[number.start : number.end] == text


@pytest.mark.parametrize(
    "text",
    [
        "COVID-19",
        "IFRS9",
        "1.2.3",
        "10-K",
        "5G",
        "一般来说",
        "统一管理",
        "数十亿",
        "千万不要",
        "十分重要",
        "万一",
        "one of them",
        "often",
        "9" * 50,
    ],
)
def test_digits_in_names_and_words_are_no_numbers(text: str) -> None:
    assert numbers(text) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3-5%", ["3", "5%"]),
        ("3%-5%", ["3%", "5%"]),
        ("2018 and 2019", ["2018", "2019"]),
        ("净利润12.5亿元，同比增长3.4%。", ["12.5亿元", "3.4%"]),
        ("- 3 items", ["3"]),
        ("grew $5 million (12.5%)", ["$5 million", "12.5%"]),
        ("| 2,515 | (598) |", ["2,515", "(598)"]),
        ("in the 2017 year", ["2017"]),
    ],
)
def test_spans_are_the_written_numbers(text: str, expected: list[str]) -> None:
    assert [text[number.start : number.end] for number in numbers(text)] == expected


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("同比下降3.4%", -1),
        ("较上年减少了约3.4%", -1),
        ("降幅为3.4%", -1),
        ("亏损3.4亿元", -1),
        ("同比增长3.4%", 1),
        ("下降至3.4%", 0),
        ("占比3.4%", 0),
        ("decreased by 3.4%", -1),
        ("a 3.4% decline", -1),
        ("a decrease in net sales of $3.4 million", -1),
        ("a net loss of $3.4 million", -1),
        ("rose approximately 3.4%", 1),
        ("decreased to 3.4%", 0),
        ("decreased, and 3.4%", 0),
    ],
)
def test_words_give_a_direction(text: str, direction: int) -> None:
    assert one(text).direction == direction


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("12.5亿元", "1,250,000,000元"),
        ("12.5亿元", "1.25 billion yuan"),
        ("12.5亿元", "十二亿五千万元"),
        ("12.5亿元", "12.5亿"),
        ("9.18%", "9.2%"),
        ("3.4%", "百分之三点四"),
        ("3.4%", "0.034"),
        ("下降3.4%", "-3.4%"),
        ("下降3.4%", "decreased by 3.4%"),
        ("下降3.4%", "3.4%"),
        ("亏损2亿元", "-2亿元"),
        ("50bp", "0.5个百分点"),
        ("1年", "12个月"),
        ("2023年3月31日", "March 31, 2023"),
        ("2023年", "2023"),
        ("3月31日", "2023年3月31日"),
        ("三成", "30%"),
    ],
)
def test_the_same_number_in_other_words(a: str, b: str) -> None:
    assert same_number(one(a), one(b))
    assert same_number(one(b), one(a))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("12.5亿", "125亿"),
        ("12.5亿元", "12.6亿元"),
        ("12.5亿元", "12.5亿美元"),
        ("-3.4%", "3.4%"),
        ("下降3.4%", "增长3.4%"),
        ("增长3.4%", "-3.4%"),
        ("3.4%", "3.4"),
        ("3.4%", "3.4个百分点"),
        ("1", "1.4"),
        ("2018", "2019"),
        ("2023年3月", "2023年4月"),
        ("2023年3月", "Q2 2023"),
        ("3年", "3个月"),
        ("15天", "15个工作日"),
        ("3月31日", "3月30日"),
        ("10月13日", "10月130日"),
        ("10月15日", "13月15日"),
        ("8月17日", "8月日"),
        ("2023年10月13日", "20230年10月13日"),
        ("3.4%", "3.4个基点"),
        ("翻了一番", "翻两番"),
        ("doubled", "3 times"),
        ("12.5 million", "12.5 crore"),
    ],
)
def test_different_numbers_stay_different(a: str, b: str) -> None:
    assert not same_number(one(a), one(b))
    assert not same_number(one(b), one(a))


@pytest.mark.parametrize(
    ("coarse", "fine"),
    [
        ("2023年3月", "2023-03-31"),
        ("Q1 2023", "2023年3月31日"),
        ("2010", "March 15, 2010"),
        ("10月", "10月13日"),
    ],
)
def test_a_finer_date_is_the_same_and_a_coarser_one_is_not(coarse: str, fine: str) -> None:
    assert same_number(one(coarse), one(fine))
    assert not same_number(one(fine), one(coarse))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("3.4%", "340 basis points"),
        ("0.5%", "50个基点"),
        ("-3.4%", "负百分之3.4"),
        ("$174.5 million", "US$174,500 thousands"),
        ("1,250,000", "12.5 lakh"),
        ("12,50,000", "12.5 lakhs"),
        ("25 million", "2.5 crore"),
        ("12.5 million", "twelve and a half million"),
        ("100%", "翻了一番"),
        ("300%", "翻两番"),
        ("2倍", "doubled"),
        ("200%", "tripled"),
    ],
)
def test_the_same_number_in_rarer_words(a: str, b: str) -> None:
    assert same_number(one(a), one(b))
    assert same_number(one(b), one(a))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It was (13.3%).", "-0.133"),
        ("The change came to (633).", "-633"),
        ("a net loss of ($8,736 million)", "-8736000000"),
        ("变动为(13.3%)", "-0.133"),
        ("revenue grew (13.3%)", "0.133"),
        ("in the year of (2019)", "2019"),
        ("The reasons are listed: it is (1) late", "1"),
    ],
)
def test_a_figure_in_parentheses_is_negative_where_the_sentence_states_it(
    text: str, value: str
) -> None:
    assert [number.value for number in numbers(text)] == [Fraction(value)]


@pytest.mark.parametrize(("bare", "full"), [("29.8", "29.8%"), ("40.6", "$40.6 million")])
def test_a_bare_figure_borrows_the_unit_only_on_request(bare: str, full: str) -> None:
    assert same_number(one(bare), one(full), bare_takes_unit=True)
    assert not same_number(one(bare), one(full))


def test_only_like_quantities_can_contradict_each_other() -> None:
    assert comparable(one("3.4%"), one("5%"))
    assert comparable(one("12.5亿"), one("3亿元"))
    assert not comparable(one("3.4%"), one("12.5亿元"))
    assert not comparable(one("2019"), one("2,515"))
    assert not comparable(one("5亿元"), one("5亿美元"))


_FIGURES = st.builds(
    lambda whole, cents: f"{whole:,}.{cents:02d}" if cents else f"{whole:,}",
    st.integers(0, 10**9),
    st.integers(0, 99),
)


@given(_FIGURES, st.sampled_from(["", "%", "亿元", " million", "倍", "个百分点"]))
def test_a_formatted_number_gives_the_number_back(figure: str, unit: str) -> None:
    worth = {"%": Fraction(1, 100), "亿元": 10**8, " million": 10**6, "个百分点": Fraction(1, 100)}
    text = f"共计 {figure}{unit}。"
    number = one(text)
    assert number.value == Fraction(figure.replace(",", "")) * worth.get(unit, 1)
    assert text[number.start : number.end] == figure + unit


def chinese(value: int) -> str:
    """A textbook Chinese numeral of 1 .. 9999."""
    out, gap = "", False
    for worth, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // worth % 10
        if digit:
            out += ("零" if gap and out else "") + "零一二三四五六七八九"[digit] + unit
        gap = digit == 0
    return out


@given(st.integers(11, 9999), st.sampled_from([("", 1), ("万", 10**4), ("亿", 10**8)]))
def test_a_chinese_numeral_gives_the_number_back(value: int, scale: tuple[str, int]) -> None:
    assert one(f"{chinese(value)}{scale[0]}元").value == value * scale[1]


_WRITTEN = (
    "12.5亿元;-3.4%;3.4%;下降3.4%;增长3.4%;0.034;3.4;(1,234);1,234;2019;2019年;March 31, 2019;"
    "Q1 2019;"
    "50bp;two;0.5个百分点;$1.2 million;1.2 million;1.24 million;三成;十二个月;1年;第三;3;-3;+3"
)
_TEXTS = st.sampled_from(_WRITTEN.split(";"))


@given(_TEXTS, _TEXTS)
def test_sameness_is_reflexive_and_but_for_dates_symmetric(a: str, b: str) -> None:
    first, second = one(a), one(b)
    assert same_number(first, first)
    assume(first.date is None and second.date is None)
    assert same_number(first, second) == same_number(second, first)


@given(
    st.text(alphabet="0123456789.,%-()$万亿百千十一二三点年月日第 aQmMarch元之分－％", max_size=60)
)
def test_any_text_is_read_with_ordered_spans(text: str) -> None:
    found = numbers(text)
    ends = [0, *(number.end for number in found)]
    assert all(
        before <= number.start < number.end for before, number in zip(ends, found, strict=False)
    )
    assert all(number.end <= len(text) for number in found)
