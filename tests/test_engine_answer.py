"""The offline answerer finds, narrows and computes, and refuses where nothing fits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer.offline import Answer, closed_book_answer, extract_answer
from engine.answer.offline.question import Form, read_question
from engine.answer.offline.tables import table_rows
from engine.text.refusals import is_refusal
from store.records import Passage, PredictionState

DATA = Path(__file__).parents[2] / "shared" / "data"

TABLE = """Results of the year (in millions):

|  | Year ended March 31, |  |
| --- | --- | --- |
|  | 2019 | 2018 |
| Income: |  |  |
| Interest income | $ 2,515 | $ 1,310 |
| Interest expense | (5,940) | (598) |
"""
EN = Passage(
    "en",
    "Larch Bank annual report",
    "# Annual report\n\nLarch Bank was founded in 1871 in Porto. Its head office is in Lisbon. "
    "Records are kept for eight years after the relationship ends. The bank employs 4,210 people. "
    "Net interest income fell by 3.4% because deposit rates rose faster than loan rates.\n\n"
    + TABLE,
)
ZH = Passage(
    "zh",
    "澜江银行年报",
    "# 澜江银行年报\n\n澜江银行成立于1998年，总部位于江州市。2023年净利润12.5亿元，同比下降3.4%。"
    "全年共上报可疑交易报告1,073份。客户应在15个工作日内补充材料。\n\n"
    "| 项目 | 2023年 | 2022年 |\n|---|---|---|\n| 不良贷款余额（亿元） | 21.9 | 26.3 |\n",
    start=100,
)
ZH_OTHER = Passage("zh2", "岳川银行年报", "岳川银行总部位于南陵市。岳川银行净利润8.1亿元。")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("澜江银行2023年净利润是多少亿元？", "12.5亿元"),
        ("澜江银行净利润同比变动的幅度是多少？", "3.4%"),
        ("澜江银行全年上报了多少份可疑交易报告？", "1,073份"),
        ("客户应在几个工作日内补充材料？", "15个工作日"),
        ("澜江银行是哪一年成立的？", "1998年"),
        ("澜江银行总部位于哪里？", "江州市"),
        ("2022年不良贷款余额是多少？", "26.3"),
        ("不良贷款余额2023年比2022年减少了多少？", "-4.4"),
        ("2022年至2023年不良贷款余额的增长率是多少？", "-16.73%"),
        ("How long are records kept after the relationship ends?", "eight years"),
        ("How many people does the bank employ?", "4,210"),
        ("By what percentage did net interest income fall?", "3.4%"),
        ("When was Larch Bank founded?", "1871"),
        ("What was the interest expense in 2018?", "(598)"),
        ("What was the change in interest income between 2018 and 2019?", "$1205"),
        ("What was the percentage change in interest income from 2018 to 2019?", "91.98%"),
        ("What is the average interest income for 2018 and 2019?", "$1912.5"),
        ("What is the sum of interest income in 2018 and 2019?", "$3825"),
        ("In which year was interest income higher?", "2019"),
        ("How many years did interest income exceed $2,000 million?", "1"),
    ],
)
def test_a_short_question_gets_the_short_fact(question: str, expected: str) -> None:
    passage = ZH if "银行" in question or "贷款" in question or "客户" in question else EN
    answer = extract_answer(question, (), [passage])
    assert answer.text == expected, answer.reason
    assert answer.state is PredictionState.OK


def test_the_span_points_at_the_answer_in_the_document() -> None:
    answer = extract_answer("澜江银行2023年净利润是多少亿元？", (), [ZH_OTHER, ZH])
    (span,) = answer.spans
    assert span.document_id == "zh"
    assert ZH.text[span.start - 100 : span.end - 100] == "12.5亿元"


def test_a_computation_shows_its_operands() -> None:
    answer = extract_answer("interest income: what is the change from 2018 to 2019?", (), [EN])
    assert "$ 2,515 - $ 1,310" in answer.reason
    assert [EN.text[span.start : span.end] for span in answer.spans] == ["$ 2,515", "$ 1,310"]


def test_a_total_adds_the_same_row_of_two_documents() -> None:
    east = Passage("e", "东江分行", "| 类型 | 金额（亿元） |\n|---|---|\n| 地下钱庄 | 4.1 |\n")
    west = Passage("w", "西岭分行", "| 类型 | 金额（亿元） |\n|---|---|\n| 地下钱庄 | 6.2 |\n")
    answer = extract_answer("两家分行地下钱庄金额合计是多少亿元？", (), [east, west])
    assert answer.text == "10.3"
    assert {span.document_id for span in answer.spans} == {"e", "w"}


def test_a_comparison_takes_one_sentence_of_each_document() -> None:
    answer = extract_answer("比较澜江银行和岳川银行的总部位置。", (), [ZH, ZH_OTHER])
    assert "江州市" in answer.text
    assert "南陵市" in answer.text
    assert {span.document_id for span in answer.spans} == {"zh", "zh2"}


@pytest.mark.parametrize(
    ("question", "passage", "part"),
    [
        ("Why did net interest income fall?", EN, "deposit rates rose faster"),
        ("澜江银行如何要求客户补充材料？", ZH, "客户应在15个工作日内补充材料。"),
    ],
)
def test_a_long_question_gets_whole_sentences(question: str, passage: Passage, part: str) -> None:
    assert part in extract_answer(question, (), [passage]).text


@pytest.mark.parametrize(
    ("question", "start"),
    [("客户是否应在15个工作日内补充材料？", "是，"), ("客户是否不应补充材料？", "否，")],
)
def test_a_yes_no_question_gets_a_yes_or_no(question: str, start: str) -> None:
    assert extract_answer(question, (), [ZH]).text.startswith(start)


def test_an_elliptic_question_leans_on_the_one_before() -> None:
    history = [("2023年不良贷款余额是多少？", "21.9")]
    assert extract_answer("那2022年呢？", history, [ZH]).text == "26.3"


@pytest.mark.parametrize("question", ["火星上有水吗？", "Who painted the ceiling?"])
def test_nothing_in_common_is_refused(question: str) -> None:
    answer = extract_answer(question, (), [ZH_OTHER])
    assert answer.state is PredictionState.REFUSED
    assert answer.spans == ()
    assert is_refusal(answer.text)


def test_no_passages_are_refused() -> None:
    assert extract_answer("净利润是多少？", (), []).state is PredictionState.REFUSED


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("净利润是多少？", Form.FIGURE),
        ("谁是董事长？", Form.NAME),
        ("如何申请贷款？", Form.LONG),
        ("两家银行的收费标准有何区别？", Form.COMPARISON),
        ("是否需要担保？", Form.YES_NO),
        ("How much did it cost?", Form.FIGURE),
        ("Who signed the report?", Form.NAME),
        ("How do customers apply?", Form.LONG),
        ("Compare the two funds.", Form.COMPARISON),
        ("Is collateral required?", Form.YES_NO),
    ],
)
def test_the_form_of_a_question(question: str, form: Form) -> None:
    assert read_question(question).form is form


def test_tables_give_rows_with_sections_headers_and_exact_cells() -> None:
    income, expense = table_rows(TABLE)
    assert (income.label, income.section) == ("Interest income", "Income:")
    assert [cell.header for cell in income.cells] == [
        "Year ended March 31, 2019",
        "Year ended March 31, 2018",
    ]
    assert [TABLE[cell.start : cell.end] for cell in expense.cells] == ["(5,940)", "(598)"]
    assert [cell.number.value for cell in expense.cells if cell.number] == [-5940, -598]


@given(st.text(alphabet="|-ab1 \n", max_size=60))
def test_any_text_has_cells_with_exact_offsets(text: str) -> None:
    for row in table_rows(text):
        assert all(text[cell.start : cell.end] == cell.text for cell in row.cells)


@pytest.mark.parametrize(
    ("question", "lang", "text", "state"),
    [
        ("是否需要担保？", "zh", "是", PredictionState.OK),
        ("Is collateral required?", "en", "Yes", PredictionState.OK),
        ("How do customers apply for loans?", "en", "customers apply loans", PredictionState.OK),
        ("如何申请个人贷款？", "zh", "申请个人贷款", PredictionState.OK),
    ],
)
def test_closed_book_guesses_honestly(
    question: str, lang: str, text: str, state: PredictionState
) -> None:
    answer = closed_book_answer(question, lang)  # type: ignore[arg-type]
    assert (answer.text, answer.state, answer.spans) == (text, state, ())


@pytest.mark.parametrize(
    ("question", "lang"), [("净利润是多少？", "zh"), ("Who is the CEO?", "en")]
)
def test_closed_book_refuses_facts(question: str, lang: str) -> None:
    answer = closed_book_answer(question, lang)  # type: ignore[arg-type]
    assert answer.state is PredictionState.REFUSED
    assert is_refusal(answer.text)


@given(
    st.text(alphabet="多少利润是2023 年？whatis总部abc", max_size=20),
    st.lists(st.text(alphabet="利润12.5亿元。|-\n# abc总部年2023", max_size=60), max_size=3),
)
def test_answers_are_deterministic_and_spans_are_verbatim(question: str, texts: list[str]) -> None:
    passages = [Passage(str(at), "", text, start=7) for at, text in enumerate(texts)]
    answer = extract_answer(question, (), passages)
    assert answer == extract_answer(question, (), passages)
    for span in answer.spans:
        assert span.start is not None
        assert span.end is not None
        assert 7 <= span.start < span.end <= 7 + len(texts[int(span.document_id)])


def _gold_passage(folder: str, count: int) -> list[tuple[dict, Answer]]:
    root = DATA / folder
    if not root.exists():
        pytest.skip(f"{root} is absent")
    texts = {
        row["_id"]: row
        for row in map(json.loads, (root / "corpus.jsonl").read_text("utf-8").splitlines())
    }
    gold: dict[str, str] = {}
    for line in (root / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        gold.setdefault(query, document)
    out = []
    for line in (root / "queries.jsonl").read_text("utf-8").splitlines()[:count]:
        row = json.loads(line)
        document = texts[gold[row["_id"]]]
        passage = Passage(document["_id"], document["title"], document["text"])
        out.append((row, extract_answer(row["text"], (), [passage])))
    return out


def test_half_of_real_chinese_questions_are_answered_within_the_text() -> None:
    answered = _gold_passage("zh_cmrc", 100)
    held = [any(gold in answer.text for gold in row["answers"]) for row, answer in answered]
    assert sum(held) / len(held) >= 0.4


def test_a_quarter_of_real_table_questions_are_answered_exactly() -> None:
    answered = [pair for pair in _gold_passage("en_tatqa", 300) if pair[0]["type"] == "span"]
    exact = [answer.text in row["answers"] for row, answer in answered]
    assert sum(exact) / len(exact) >= 0.3
