"""Words of a text: what is a term, and that the fast cutter gives jieba's words."""

from __future__ import annotations

import gzip
import json
import os
import re
import stat
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import jieba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.segmentation import CJK, jieba_cut, own_folder, terms, word_spans

NEWS = Path(__file__).parents[2] / "shared" / "data" / "zh_news_20k" / "documents.jsonl.gz"


def is_foreign(char: str) -> bool:
    return char.isalnum() and not char.isascii() and not re.match(f"[{CJK}]", char)


def belongs_together(left: str, right: str) -> bool:
    letters = all(c.isalnum() and not re.match(f"[{CJK}]", c) for c in (left, right))
    return letters and (is_foreign(left) or is_foreign(right))


def terms_by_plain_jieba(text: str) -> list[str]:
    """The definition in `terms`, on plain jieba's words, one word at a time."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    out: list[str] = []
    before = " "
    for word in jieba_cut(folded):
        for run in re.finditer(r"[^\W_]+", word):
            if run.start() == 0 and belongs_together(before, run.group()[0]):
                out[-1] += run.group()
            else:
                out.append(run.group())
        before = word[-1]
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("，。 \n\t—", []),
        ("Net Revenues rose", ["net", "revenues", "rose"]),
        ("banks bank's", ["banks", "bank", "s"]),
        ("snake_case", ["snake", "case"]),
        ("营业收入同比增长", ["营业", "收入", "同比", "增长"]),
        ("增长３．５％，Ａ股", ["增长", "3", "5", "a", "股"]),
        ("2023年净利润12.5亿元", ["2023", "年", "净利润", "12", "5", "亿元"]),
        ("屏幕8.17mm", ["屏幕", "8", "17", "mm"]),
        ("8.17mm", ["8", "17", "mm"]),
        ("Café Москва", ["café", "москва"]),
        ("在Café里", ["在", "café", "里"]),
        ("𠮷野家", ["𠮷", "野家"]),
        ("江南style", ["江南style"]),
        ("x-y_z.w 中文", ["x", "y", "z", "w", "中文"]),
    ],
)
def test_terms(text, expected):
    assert terms(text) == expected


def test_half_a_surrogate_pair_is_no_term():
    assert terms("中文\ud800字") == ["中文", "字"]
    assert terms("plain\udfff text") == ["plain", "text"]


PIECES = st.one_of(
    st.sampled_from(
        ["中国人民银行", "营业收入", "南京市长江大桥", "很好", "的", "亿元", "二〇〇八年"]
    ),
    st.sampled_from(["4s店", "1号店", "c++", "c#", "AT&T", "江南style", "B超", "T恤", "γ射线"]),
    st.sampled_from(
        ["3.5%", "1.2.3mm", "a+b", "x_y-z", "www.sse.com.cn", "No.5", "-12.50", "１２％"]
    ),
    st.sampled_from(
        ["café", "naïve", "Москва", "ひらがな", "한국", "ß", "İ", "ﬁ", "㎡", "①", "½", "é"]
    ),
    st.sampled_from(["㐀", "鿖", "豈", "𠮷", "〇", "\x1f", "\x00", "\u200b", "\r\n", "\u3000"]),
    st.text(alphabet="0123456789abcXYZ.%+#&_- ，。", max_size=8),
    st.text(alphabet="年月日公司股份银行金融上海市分之第增长率了在是不", max_size=6),
)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_terms_are_those_of_plain_jieba(text):
    assert terms(text) == terms_by_plain_jieba(text)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(max_size=40))
def test_any_string_gives_folded_alphanumeric_terms(text):
    for term in terms(text):
        assert term.isalnum()
        assert term == term.casefold()


WITHOUT_HAN = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "3.5%",
                "1.2.3mm",
                "a+b",
                "x_y-z",
                "AT&T",
                "C#",
                "c++",
                "\r\n",
                "№ 5",
                "—",
                "é",
                "㐀",
                "\xa0",
            ]
        ),
        st.text(alphabet="0123456789abcXYZ.%+#&_- ,\n\r\t", max_size=8),
        st.text(
            st.characters(blacklist_characters=[chr(n) for n in range(0x4E00, 0x9FD6)]), max_size=6
        ),
    ),
    max_size=8,
).map("".join)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(WITHOUT_HAN)
def test_what_the_dictionary_does_not_know_is_cut_as_jieba_cuts_it(text):
    assert jieba_cut(text) == jieba.lcut(text)


def test_the_words_of_the_dictionary_are_cut_with_it():
    lines = Path(jieba.__file__).with_name("dict.txt").read_text("utf-8").splitlines()
    without_han = {
        word for line in lines if re.search("[\u4e00-\u9fd5]", word := line.split(" ")[0]) is None
    }
    assert without_han == {"AT&T", "C#", "C++", "c#", "c++"}
    for word in without_han:
        assert jieba_cut(f"a {word} b") == jieba.lcut(f"a {word} b")
        assert word in jieba_cut(f"a {word} b")


def test_threads_get_the_same_terms():
    texts = [f"第{n}季度营业收入同比增长{n}.5%，Net revenue Q{n}" for n in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(terms, texts)) == [terms(text) for text in texts]


@pytest.mark.skipif(not NEWS.exists(), reason="needs the news sample")
def test_terms_of_real_news_are_those_of_plain_jieba():
    with gzip.open(NEWS, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line, _ in zip(lines, range(120), strict=False)]
    assert [text for text in texts if terms(text) != terms_by_plain_jieba(text)] == []


def test_the_words_of_a_text_have_exact_spans() -> None:
    text = "第三条 商业银行应当报送３.5%，Net cash's 12.5亿元。"
    spans = word_spans(text)
    words = [text[start:end] for start, end in spans]
    assert words[:3] == ["第三条", "商业银行", "应当"]
    assert "12.5" in words
    assert all(any(character.isalnum() for character in word) for word in words)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    letters = [character for character in text if character.isalnum()]
    assert [character for word in words for character in word if character.isalnum()] == letters


def test_no_text_has_no_words() -> None:
    assert word_spans("") == []
    assert word_spans("，。 \n") == []


def test_the_dictionary_is_kept_where_no_other_account_can_put_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    own = Path(own_folder())
    assert own.parent == tmp_path
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    own.chmod(0o770)
    assert own_folder() == os.devnull
    own.rmdir()
    own.symlink_to(tmp_path)
    assert own_folder() == os.devnull
