"""Line breaking: lines fit, nothing is lost, and the Chinese rules hold."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.wrapping import ELLIPSIS, cell_width, pad, printable, truncate, wrap

NO_START = set("，。、；：！？）】》」』”’％,.;:?!)]}%々ーっょャ")
NO_END = set("（【《「『“‘￥([{$")
NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*(?:%|年|月|亿元|万元|亿|元)?")

PIECES = st.sampled_from(
    [
        *"商业银行流动性覆盖率的最低监管要求是多少一三百",
        *"，。、；：！？）（【】《》“”‘’「」，。",
        *" \t\n-/\"'()…—·~",
        "2025年",
        "3.4%",
        "-12.5亿",
        "1,234.56万元",
        "百分之三点四",
        "faithfulness",
        "don’t",
        "https://example.com/a-b",
        "e\u0301",
        "👨\u200d👩\u200d👧",
        "☎\ufe0f",
        "🇨🇳",
        "か\u3099",
        "\u200b",
        "\u3000",
        "\u200d",
        "\x1b[31m",
    ]
)
TEXTS = st.lists(PIECES, max_size=80).map("".join) | st.text(max_size=80)


def lines(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in wrap(text, width)]


@given(TEXTS, st.integers(2, 60))
def test_every_line_fits(text: str, width: int) -> None:
    assert all(cell_width(line) <= width for line in lines(text, width))


@given(TEXTS, st.integers(1, 60))
def test_only_spaces_and_newlines_lie_between_lines(text: str, width: int) -> None:
    at = 0
    for start, end in wrap(text, width):
        assert start >= at
        assert end >= start
        assert re.fullmatch(r"[\s\u200b]*", text[at:start])
        at = end
    assert re.fullmatch(r"[\s\u200b]*", text[at:])


@given(TEXTS, st.integers(1, 60))
def test_hard_newlines_are_never_inside_a_line(text: str, width: int) -> None:
    assert not any(re.search("[\n\r\v\f\x85\u2028\u2029]", line) for line in lines(text, width))


PROSE = st.lists(
    st.sampled_from(
        [
            *"商业银行流动性覆盖率的最低监管要求是多少",
            *"，。、；：！？",
            "（同比）",
            "“同意”",
            "《办法》",
            "2025年",
            "3.4%",
            "-12.5亿",
            "$1,234.56",
            "faithfulness",
            " ",
        ]
    ),
    max_size=120,
).map(lambda pieces: re.sub("([，。、；：！？])[，。、；：！？]+", r"\1", "".join(pieces)))


@given(PROSE, st.integers(34, 70))
def test_punctuation_rules_hold_in_prose(text: str, width: int) -> None:
    # The widest unit these pieces can form is a word in quotation marks between brackets.
    breaks = lines(text, width)
    units = re.split(r"[ ]", text)
    if any(re.search(r"[“（《”）》，。、；：！？]{7}", unit) for unit in units):
        return
    for line in breaks[1:]:
        assert not line or line[0] not in NO_START, breaks
    for line in breaks[:-1]:
        assert not line or line[-1] not in NO_END, breaks


@given(TEXTS, st.integers(12, 60))
def test_a_number_keeps_its_sign_percent_and_unit(text: str, width: int) -> None:
    breaks = {start for start, _ in wrap(text, width)}
    for number in NUMBER.finditer(text):
        inside = range(number.start() + 1, number.end())
        if cell_width(number[0]) <= width:
            assert not breaks.intersection(inside), (number[0], lines(text, width))


@given(st.lists(st.sampled_from(["profit", "of", "the", "Group’s", "state-of-the-art"])))
def test_english_words_stay_whole(words: list[str]) -> None:
    assert " ".join(lines(" ".join(words), 18)).split() == words


@given(PROSE.filter(lambda text: " " not in text.strip()), st.integers(34, 70))
def test_no_hole_is_wider_than_the_longest_word(text: str, width: int) -> None:
    breaks = lines(text, width)
    words = re.findall(r"[^\u4e00-\u9fff ]+", text)
    longest = max(map(cell_width, words), default=0)
    # The word may have an ideograph bound to it on either side, by the punctuation it holds.
    assert all(cell_width(line) + longest + 4 >= width for line in breaks[:-1]), breaks


@settings(max_examples=50)
@given(TEXTS)
def test_a_wide_line_breaks_at_newlines_only(text: str) -> None:
    hard = re.split("\r\n|[\n\r\v\f\x85\u2028\u2029]", text)
    if len(hard) > 1 and not hard[-1]:
        hard.pop()
    assert [bare(line) for line in lines(text, 5000)] == [bare(line) for line in hard]


def bare(line: str) -> str:
    return re.sub(r"^[\s\u200b]+|[\s\u200b]+$", "", line)


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("", 10, [""]),
        ("一\n\n二\n", 10, ["一", "", "二"]),
        ("流动性覆盖率，不低于", 12, ["流动性覆盖", "率，不低于"]),
        ("要求“不低于”。", 6, ["要求", "“不低", "于”。"]),
        ("公司2025年利润", 7, ["公司", "2025年", "利润"]),
        ("下降-12.5亿元，", 12, ["下降", "-12.5亿元，"]),
        ("占 3.4 %以上", 6, ["占", "3.4 %", "以上"]),
        ("第 3 条规定", 6, ["第 3", "条规定"]),
        ("约百分之三点四", 12, ["约", "百分之三点四"]),
        ("召回率和faithfulness。", 14, ["召回率和", "faithfulness。"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("see https://a.example/reports/2025", 18, ["see", "https://a.example/", "reports/2025"]),
        ("　　段首缩进", 12, ["　　段首缩进"]),
        ("多瑙河👨\u200d👩\u200d👧家", 8, ["多瑙河👨\u200d👩\u200d👧", "家"]),
        ("one\ttwo", 7, ["one", "two"]),
        ('不低于"百分"的', 8, ["不低于", '"百分"的']),
        ("甲", 1, ["甲"]),
    ],
)
def test_lines_break_where_a_typesetter_would(text: str, width: int, expected: list[str]) -> None:
    assert lines(text, width) == expected


def test_a_very_long_word_is_split_in_linear_time() -> None:
    assert len(lines("A1b2" * 25_000, 80)) == 1250


def test_control_characters_cannot_reach_the_terminal() -> None:
    assert printable("a\x1b[2J\tb\x9b\u202e") == "a␛[2J    b␦"
    assert cell_width("\t\x1b") == 5


def test_truncate_marks_the_cut_and_never_halves_a_wide_character() -> None:
    assert truncate("商业银行", 8) == "商业银行"
    assert truncate("商业银行", 6) == f"商业{ELLIPSIS}"
    assert truncate("商业银行", 1) == ELLIPSIS
    assert truncate("商业银行", 0) == ""


@given(TEXTS, st.integers(0, 30), st.sampled_from(["left", "right", "center"]))
def test_padded_text_has_exactly_the_width(text: str, width: int, align: str) -> None:
    assert cell_width(pad(text, width, align)) == width


DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.mark.skipif(not DATA.exists(), reason="the real corpora are not beside the checkout")
def test_real_chinese_prose_has_no_violation() -> None:
    source = next(iter(sorted(DATA.rglob("*crud*/corpus.jsonl"))))
    text = source.read_text(encoding="utf-8")[:60_000]
    for width in (31, 52):
        wrapped = wrap(text, width)
        for (_, before_end), (start, end) in pairwise(wrapped):
            assert text[start:end][:1] not in NO_START or end - start < width // 2
            assert cell_width(text[start:end]) <= width
            assert text[before_end - 1] not in set("（【《「『“‘")
