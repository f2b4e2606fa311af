"""Drafts that tell several points: tables row by row, a company's figures, comparisons of both."""

from __future__ import annotations

import pytest
from generate_samples import TASKS
from msgspec.structs import replace

from engine.corpus.document import SourceDocument
from engine.generate.drafts import Grade
from engine.generate.inspection.answer_checks import check_answers
from engine.generate.rules.drafting import draft
from engine.generate.rules.news.events import events_of


def drafts(key, document, *partners, **options):
    beside = {document.document_id: partners}
    return list(draft(TASKS[key], [document], beside, 7, **options))


def of_kind(kind, found):
    return [made for made in found if made.content.facets["kind"] == kind]


def table(name, head, *rows, title=""):
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    text = f"{head}\n(in thousands)\n\n|  | 2019 | 2018 |\n|---|---|---|\n{lines}"
    return SourceDocument(name, title, text, "en")


PREPAID = table(
    "prepaid",
    "Prepaid Expenses",
    ("Prepaid services", "$ 221", "$ 252"),
    ("Prepaid insurance", "62", "19"),
    ("Prepaid licenses", "17", "17"),
    ("Total prepaid expenses", "$ 300", "$ 288"),
)


def test_rows_of_a_table_are_told_from_year_to_year():
    (made,) = of_kind("development", drafts("long_form", PREPAID))
    turn = made.content.turns[0]
    assert turn.question == (
        "How did prepaid services, prepaid insurance, prepaid licenses and total prepaid expenses "
        "change from 2018 to 2019?"
    )
    assert turn.golden_answers[0] == (
        "Prepaid services fell from $252 thousand to $221 thousand. "
        "Prepaid insurance rose from 19 thousand to 62 thousand. "
        "Prepaid licenses stayed at 17 thousand. "
        "Total prepaid expenses rose from $288 thousand to $300 thousand."
    )
    assert made.score >= 3


def test_a_scale_is_quoted_and_an_answer_with_a_scale_that_is_not_is_unfounded():
    (made,) = of_kind("development", drafts("long_form", PREPAID))
    turn = made.content.turns[0]
    by_id = {PREPAID.document_id: PREPAID}
    assert any("(in thousands)" in (part.quote or "") for part in turn.evidence)
    assert check_answers(made.content, by_id).grade is Grade.MET
    rows = tuple(part for part in turn.evidence if "thousand" not in (part.quote or ""))
    without = replace(made.content, turns=(replace(turn, evidence=rows),))
    assert check_answers(without, by_id).grade is Grade.FAILED


def test_a_total_is_told_by_its_items_only_where_they_add_up():
    (made,) = of_kind("composition", drafts("long_form", PREPAID))
    turn = made.content.turns[0]
    assert turn.question == (
        "Which items made up total prepaid expenses in 2019, and how much was each?"
    )
    assert turn.golden_answers[0] == (
        "Total prepaid expenses came to $300 thousand in 2019. The items: prepaid services "
        "($221 thousand), prepaid insurance (62 thousand) and prepaid licenses (17 thousand)."
    )
    wrong = PREPAID.text.replace("$ 300", "$ 301").replace("$ 288", "$ 289")
    assert not of_kind("composition", drafts("long_form", SourceDocument("wrong", "", wrong, "en")))


def test_a_chinese_table_is_told_under_its_title():
    text = (
        "# 云帆基金年度报告（2024年）\n\n"
        "| 项目 | 2023年（亿元） | 2024年（亿元） |\n|---|---|---|\n"
        "| 债券投资 | 12.50 | 14.20 |\n| 股票投资 | 3.10 | 2.40 |\n| 银行存款 | 1.10 | 1.10 |\n"
    )
    found = drafts("long_form", SourceDocument("fund", "", text, "zh"))
    (made,) = of_kind("development", found)
    turn = made.content.turns[0]
    assert turn.question.endswith("债券投资、股票投资和银行存款从2023年到2024年有哪些变化？")
    assert "股票投资由2023年的3.10亿元降至2024年的2.40亿元。" in turn.golden_answers[0]
    assert "银行存款保持在1.10亿元不变。" in turn.golden_answers[0]
    assert made.score >= 3


def test_a_column_is_told_case_by_case_where_its_header_says_what_is_measured():
    text = (
        "# 松江期货交易所长丝期货合约规则\n\n| 阶段 | 保证金标准 | 二版 |\n|---|---|---|\n"
        "| 上市后一般阶段 | 7% | 1% |\n| 到期前一个月上旬 | 9% | 2% |\n| 到期月份 | 18% | 3% |\n"
    )
    found = drafts("long_form", SourceDocument("rule", "", text, "zh"))
    (made,) = of_kind("column", found)
    turn = made.content.turns[0]
    assert turn.question == (
        "松江期货交易所长丝期货合约规则中，上市后一般阶段、到期前一个月上旬和到期月份的保证金标准"
        "分别是多少？"
    )
    assert turn.golden_answers[0].endswith("到期月份的保证金标准为18%。")
    assert made.score >= 3


NOTE = (
    "Overview\nRestricted stock units vest over four years from the date of their grant to staff.\n"
    'Leases" in Item 8 of this Annual Report tells more of what the company has agreed to pay.\n'
    "Units that were not vested are forfeited when the employee leaves before they have vested."
)


def test_a_heading_that_says_nothing_is_asked_for_by_no_question():
    assert drafts("long_form", SourceDocument("note", "", NOTE, "en")) == []
    named = SourceDocument("note", "", NOTE.replace("Overview", "Stock Units"), "en")
    (made,) = drafts("long_form", named)
    assert "Item 8" not in made.content.turns[0].golden_answers[0]


def test_an_excerpt_tells_why_figures_moved_and_what_else_it_says():
    text = (
        "Cost of Revenue\nCost of revenue increased by 5 % due to higher prices of memory chips.\n"
        "Gross margin decreased because of the higher freight rates that were paid in the year.\n"
        "Cost of revenue includes the wages of the persons who make and deliver the products.\n"
        "It also includes the depreciation of the machines and of the buildings they stand in."
    )
    found = drafts("long_form", SourceDocument("cost", "", text, "en"))
    questions = {made.content.turns[0].question for made in found}
    assert questions == {
        "What explains the changes in cost of revenue?",
        "What are the main points to know about cost of revenue?",
    }
    answers = [made.content.turns[0].golden_answers[0] for made in found]
    assert sum("freight" in answer for answer in answers) == 1


def news(name, company, revenue, profit):
    text = (
        f"2023-08-09，正文：8月9日，{company}（600999.SH）在上海举行2023年半年度业绩说明会。"
        f"2023年上半年，公司实现营业收入{revenue}亿元，同比减少8%；实现净利润{profit}亿元，同比增长2%；"
        f"利息净收入{profit}.5亿元，同比增长3%。"
        "公司还介绍了下半年信贷投放的安排和零售业务的进展。"
    )
    return SourceDocument(name, "", text, "zh")


BANKS = news("song", "松江银行", "912.3", "228"), news("he", "河东银行", "40.5", "230")


def test_a_company_s_figures_are_told_together():
    (made,) = of_kind("figures", drafts("long_form", BANKS[0]))
    turn = made.content.turns[0]
    assert turn.question == "松江银行2023年上半年的主要经营数据有哪些？"
    assert turn.golden_answers[0] == (
        "营业收入为912.3亿元，同比减少8%。净利润为228亿元，同比增长2%。"
        "利息净收入为228.5亿元，同比增长3%。"
    )
    assert made.score == 5


def test_two_companies_are_compared_by_all_that_both_tell_from_whichever_side():
    (made,) = of_kind("figures", drafts("contrast", *BANKS))
    (mirrored,) = of_kind("figures", drafts("contrast", *reversed(BANKS)))
    turn = made.content.turns[0]
    assert turn.question == mirrored.content.turns[0].question
    assert "2023年上半年的营业收入、净利润和利息净收入分别是多少，有何差异？" in turn.question
    assert "营业收入：松江银行为912.3亿元，河东银行为40.5亿元，松江银行更高。" in (
        turn.golden_answers[0].replace("河东银行为40.5亿元，松江银行为912.3亿元",
                                       "松江银行为912.3亿元，河东银行为40.5亿元")
    )  # fmt: skip
    assert made.score == 5


def test_events_of_one_kind_are_compared_with_one_question_from_whichever_side():
    rules = [
        SourceDocument(
            office,
            "",
            f"2023-08-18，正文：{office}日前印发《{office}关于{matter}的通知》。"
            f"通知从三个方面提出了{matter}的要求，明确了有关部门的责任和完成的时限。"
            "通知自印发之日起施行，有效期为五年，由印发机关负责解释。",
            "zh",
        )
        for office, matter in (("江北市农业农村局", "耕地保护"), ("松江市教育局", "课后服务"))
    ]
    (made,) = of_kind("events", drafts("contrast", *rules))
    (mirrored,) = of_kind("events", drafts("contrast", *reversed(rules)))
    assert made.content.turns[0].question == mirrored.content.turns[0].question
    assert set(made.document_ids) == {"江北市农业农村局", "松江市教育局"}
    assert not of_kind("events", drafts("contrast", rules[0], BANKS[0]))


@pytest.mark.parametrize(
    ("written", "clause"),
    [
        ("近日，圆通运（600233.SH）发布关于交易的公告。", "圆通运发布关于交易的公告"),
        ("8月7日晚，第十三次经贸部长会议以视频形式举行。", "第十三次经贸部长会议以视频形式举行"),
        ("8月7日，“转战新应用进行销售”。", None),
        ("8月7日，除了服务中心向一加用户开展线上客服活动。", None),
    ],
)
def test_subjects_of_events_are_names_companies_and_numbered_meetings(written, clause):
    found = events_of(SourceDocument("d", "", f"2023-08-09，正文：{written}", "zh"))
    assert [event.clause for event in found] == ([clause] if clause else [])


def test_more_partners_are_looked_through_than_a_model_is_given():
    others = [SourceDocument("o", "", "2023-08-09，正文：这里没有什么数字。", "zh")] * 6
    assert of_kind("figures", drafts("contrast", BANKS[0], *others, BANKS[1]))
