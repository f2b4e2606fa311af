"""Drafts by rule are founded in their documents, complete, and the same for equal seeds."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import msgspec
import pytest
from generate_samples import CARD, FUND, OMNIEVAL, TASKS, partners_in_folder, sample_documents

from engine.corpus.document import SourceDocument
from engine.generate.drafts import Grade
from engine.generate.rules.drafting import builder_of, draft
from engine.generate.rules.facts import surface
from engine.generate.rules.facts.subjects import subject_of
from engine.generate.rules.material import facts_of
from engine.generate.rules.news.events import events_of
from engine.taxonomy.definitions import load_taxonomy
from engine.text.numbers import numbers, same_number
from store.records import Task

DATA = Path(__file__).parents[2] / "shared" / "data"
DOCUMENTS = sample_documents()
BY_ID = {document.document_id: document for document in DOCUMENTS}
PARTNERS = partners_in_folder(DOCUMENTS)


def drafts(key, documents=DOCUMENTS, partners=PARTNERS, seed=7, **options):
    return list(draft(TASKS[key], documents, partners, seed, taxonomy=OMNIEVAL, **options))


@cache
def sample_drafts(key):
    """The drafts of a task from the sample's documents; made once."""
    return tuple(drafts(key))


def by_question(document):
    return {fact.question: fact for fact in facts_of(document)}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("云帆稳健债券型基金2024年第四季度的基金经理是谁？", "沈知远"),
        ("云帆稳健债券型基金2024年第四季度的任职起始日为哪一天？", "2021年8月3日"),
        ("云帆稳健债券型基金2024年第四季度的期末资产净值为多少亿元？", "26.84亿元"),
        ("云帆稳健债券型基金2024年第四季度的管理费率是多少？", "0.60%"),
        (
            "云帆稳健债券型基金2024年第四季度规定，持有不满7日的，应当怎样处理？",
            "须收取1.5%的赎回费",
        ),
    ],
)
def test_chinese_facts_are_asked_where_they_stand(question, answer):
    assert by_question(FUND)[question].answers[0] == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the annual fee of the Heron Credit Card?", "36 pounds"),
        ("Under the Heron Credit Card, what happens if a payment is missed twice?",
         "the introductory offer ends at once"),
        ("Who is the portfolio manager of the Heron Credit Card?", "Ines Calloway"),
        ("For the Heron Credit Card, what were cash withdrawal fees in 2024?", "$1,500"),
    ],
)  # fmt: skip
def test_english_facts_are_turned_round(question, answer):
    assert by_question(CARD)[question].answers[0] == answer


def test_a_question_with_two_answers_is_no_fact():
    text = "云帆基金的管理费率为0.60%。云帆基金的管理费率为0.80%。"
    document = SourceDocument("d", "云帆基金报告", text, "zh")
    assert facts_of(document) == ()


def test_news_names_its_subject_and_leaves_private_persons_alone():
    text = "2023-07-25，正文：商丘市外贸进出口总值为32.1亿元。2023年7月，王某骗取5万元。"
    assert facts_of(SourceDocument("d", "", text, "zh")) == ()
    open_text = text.split("2023年7月")[0]
    (fact,) = facts_of(SourceDocument("e", "", open_text, "zh"))
    assert (fact.subject, fact.answers[0]) == ("商丘市", "32.1亿元")


def test_the_scale_above_a_table_is_part_of_the_answer():
    table = "|  | 2019 | 2018 |\n|---|---|---|\n| Product sales | $ 2,515 | $ 1,310 |"
    text = f"Revenue\n(in thousands)\n\n{table}"
    document = SourceDocument("d", "", text, "en")
    fact = next(fact for fact in facts_of(document) if fact.period == "2019")
    assert fact.answers[0] == "$2,515 thousand"
    assert "$2,515,000" in fact.answers
    assert subject_of(document).heading == "Revenue"


@pytest.mark.parametrize(
    ("document", "second"),
    [
        (CARD, "| Team | 2023 | 2024 |\n|---|---|---|\n| Number of advisers | 20 | 25 |"),
        (FUND, "| 地区 | 占比 |\n|---|---|\n| 华东 | 31.4% |"),
    ],
    ids=["en", "zh"],
)
def test_each_table_of_a_document_is_a_table_of_its_own(document, second):
    both = msgspec.structs.replace(document, text=f"{document.text}\n\nMore:\n\n{second}")
    cells = [fact for fact in facts_of(both) if fact.row]
    assert len({fact.table for fact in cells}) == 2
    assert [passage.quote for passage in cells[-1].evidence] == [second]
    assert {len(passage.quote) < 200 for fact in cells for passage in fact.evidence} == {True}


@pytest.mark.parametrize("key", list(TASKS))
def test_every_task_has_drafts_in_both_languages(key):
    langs = Counter(found.content.lang for found in sample_drafts(key))
    assert min(langs["zh"], langs["en"]) >= 8


@pytest.mark.parametrize("key", list(TASKS))
def test_evidence_is_verbatim_and_contents_are_whole(key):
    for found in sample_drafts(key):
        assert found.content.task == key
        assert found.content.topic == BY_ID[found.document_ids[0]].topic
        assert set(found.content.facets) >= {"kind", "steps"}
        for turn in found.content.turns:
            assert turn.question
            assert turn.golden_answers
            for passage in turn.evidence:
                text = BY_ID[passage.document_id].text
                assert text[passage.start : passage.end] == passage.quote


@pytest.mark.parametrize("key", list(TASKS))
def test_three_in_five_score_three_or_better(key):
    found = sample_drafts(key)
    assert sum(made.score >= 3 for made in found) >= 0.6 * len(found)
    assert all(len(made.checks) == 5 for made in found)


@pytest.mark.parametrize(("name", "docs"), [("zh_crud_news", 60), ("en_tatqa", 30)])
def test_real_documents_give_founded_drafts(name, docs):
    path = DATA / name / "corpus.jsonl"
    if not path.exists():
        pytest.skip("the real data is not here")
    lines = path.read_text(encoding="utf-8").splitlines()[:docs]
    rows = [json.loads(line) for line in lines]
    documents = [SourceDocument(r["_id"], r["title"], r["text"], r["lang"]) for r in rows]
    texts = {document.document_id: document.text for document in documents}
    partners = partners_in_folder(documents, most=20)
    found = [made for task in TASKS.values() for made in draft(task, documents, partners, 7)]
    assert len(found) >= 60
    assert sum(made.score >= 3 for made in found) >= 0.6 * len(found)
    assert all(
        texts[passage.document_id][passage.start : passage.end] == passage.quote
        for made in found
        for turn in made.content.turns
        for passage in turn.evidence
    )


def test_equal_seeds_give_equal_drafts_whatever_else_is_there():
    some = [FUND, *DOCUMENTS[:10]]
    partners = {FUND.document_id: ()}
    assert drafts("multi_hop", some, partners) == drafts("multi_hop", some, partners)
    assert drafts("extractive", [FUND], partners, most=3) == [
        made
        for made in drafts("extractive", some, partners, most=3)
        if made.document_ids == (FUND.document_id,)
    ]
    assert drafts("extractive", [FUND], partners, seed=1) != drafts(
        "extractive", [FUND], partners, seed=2
    )


def test_work_for_a_document_is_bounded():
    long = msgspec.structs.replace(FUND, text=FUND.text * 40)
    assert len(drafts("extractive", [long], {}, most=4)) <= 4
    assert len(facts_of(long)) <= 200


def test_computed_answers_are_right():
    shares = [made for made in sample_drafts("multi_hop") if made.content.facets["kind"] == "share"]
    assert shares
    assert all(made.checks[3].grade is Grade.MET for made in shares)
    answers = {
        made.content.turns[0].question: made.content.turns[0].golden_answers[0]
        for seed in range(6)
        for made in drafts("multi_hop", [CARD], {}, seed=seed, most=20)
    }
    asked = "For the Heron Credit Card, by {} did cash withdrawal fees increase from 2023 to 2024?"
    assert answers[asked.format("how much")] == "$300"
    assert answers[asked.format("what percentage")] == "25%"


def test_later_turns_lean_on_the_first():
    for made in sample_drafts("conversational"):
        first, *later = made.content.turns
        assert 1 <= len(later) <= 3
        name = subject_of(BY_ID[made.document_ids[0]]).name
        if name in first.question:
            assert all(name not in turn.question for turn in later)


@pytest.mark.parametrize(
    ("taxonomy", "ruled"),
    [("crud", {"continuation", "qa_1doc"}), ("ekrag", {"extractive", "numerical"})],
)
def test_other_taxonomies_have_builders_where_rules_write_well(taxonomy, ruled):
    tasks = load_taxonomy(taxonomy).tasks
    assert {task.key for task in tasks if builder_of(task) is not None} == ruled
    for task in tasks:
        made = list(draft(task, DOCUMENTS, PARTNERS, 7, most=2))
        # the sample has no article of plain prose
        assert bool(made) == (task.key in ruled - {"continuation"})


def test_articles_are_split_without_their_heading():
    text = "".join(f"第{n}段说云帆公司今年卖出{n * 7}台机器。" for n in range(1, 9))
    document = SourceDocument("d", "", f"2031-05-10 08:00，正文：{text}责任编辑：某某。", "zh")
    tasks = {task.key: task for task in load_taxonomy("crud").tasks}
    (made,) = draft(tasks["continuation"], [document], {}, 1)
    turn = made.content.turns[0]
    assert turn.question.removeprefix("请续写下面这篇文章：") + turn.golden_answers[0] == text
    (unit,) = turn.evidence
    assert document.text[unit.start : unit.end] == unit.quote == turn.golden_answers[0]


def test_a_task_without_a_builder_has_no_drafts():
    task = Task("x", "x", "x", builder="none")
    assert builder_of(task) is None
    assert list(draft(task, [FUND], {}, 1)) == []


@pytest.mark.parametrize(
    ("written", "lang", "form"),
    [
        ("26.84亿元", "zh", "2,684,000,000元"),
        ("7.8%", "zh", "百分之7.8"),
        ("2025年2月17日", "zh", "2025-02-17"),
        ("$1.2 million", "en", "$1,200,000"),
        ("18.7%", "en", "18.7 percent"),
        ("4 May 2016", "en", "May 4, 2016"),
    ],
)
def test_surface_forms_say_the_same(written, lang, form):
    forms = surface.forms_of(written, lang)
    assert forms[0] == written
    assert form in forms
    assert all(same_number(numbers(written)[0], numbers(other)[0]) for other in forms)


def test_computed_values_are_written_in_their_unit():
    assert surface.computed(Fraction(227, 100), "亿份", "zh") == "2.27亿份"
    assert surface.computed(Fraction(-1205), "thousand", "en", "$") == "-$1,205 thousand"
    assert surface.percent(Fraction(1, 3)) == "33.33%"


BANK = SourceDocument(
    "bank",
    "",
    "2023-08-09 18:44，正文：8月9日，松江银行（600999.SH）在上海举行2023年半年度业绩说明会。"
    "2023年上半年，公司实现营业收入912.3亿元，同比减少8%；实现净利润228亿元，上年同期为190亿元。"
    "截至2023年6月末，资产总额8000亿元，上年末为7500亿元。公司还介绍了下半年信贷投放的安排。",
    "zh",
)
FOIL = SourceDocument(
    "foil",
    "",
    "2023-08-18，正文：青岚铜箔(301999.SZ)昨日发布2023年半年度报告。"
    "上半年，公司实现营业收入17.5亿元，同比增长25%。发行价格为17.27元/股。"
    "江北市农业农村局近日印发《江北市耕地保护办法》，明确了三方面的要求。",
    "zh",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("松江银行2023年上半年的营业收入是多少亿元？", "912.3亿元"),
        ("松江银行2023年上半年的营业收入同比减少了百分之多少？", "8%"),
        ("松江银行2022年上半年的净利润是多少亿元？", "190亿元"),
        ("松江银行2022年末的资产总额是多少亿元？", "7500亿元"),
        ("2023年8月9日松江银行在哪里举行2023年半年度业绩说明会？", "上海"),
        ("2023年松江银行在上海举行2023年半年度业绩说明会是在哪一天？", "2023年8月9日"),
    ],
)
def test_news_tells_a_company_s_figures_and_events(question, answer):
    assert by_question(BANK)[question].answers[0] == answer


def test_who_issued_a_document_is_asked_by_its_title():
    question = "2023年8月印发的《江北市耕地保护办法》出自哪个部门或机构？"
    assert by_question(FOIL)[question].answers == ("江北市农业农村局",)
    assert by_question(FOIL)["青岚铜箔上市时的发行价格是多少元/股？"].answers[0] == "17.27元/股"


def test_news_is_calculated_with():
    answers = {
        made.content.turns[0].question: (made.content.turns[0].golden_answers[0], made.score)
        for made in drafts("multi_hop", [BANK], {}, most=20)
    }
    assert answers == {
        "按同比增速推算，松江银行2023年上半年的营业收入的上年同期数约为多少亿元？": (
            "991.63亿元",
            5,
        ),
        "松江银行2023年上半年的净利润比2022年上半年增加了多少亿元？": ("38亿元", 5),
        "松江银行2023年上半年的净利润比2022年上半年增长了百分之多少？": ("20%", 5),
        "松江银行2023年6月末的资产总额比2022年末增加了多少亿元？": ("500亿元", 5),
        "松江银行2023年6月末的资产总额比2022年末增长了百分之多少？": ("6.67%", 5),
        "松江银行2023年上半年的净利润相当于同期营业收入的百分之多少？": ("24.99%", 5),
    }


def test_companies_are_compared_from_whichever_side_with_one_question():
    (made,) = drafts("contrast", [BANK], {"bank": [FOIL]})
    (mirrored,) = drafts("contrast", [FOIL], {"foil": [BANK]})
    turn = made.content.turns[0]
    assert turn.question == mirrored.content.turns[0].question
    assert "2023年上半年哪个的营业收入更高" in turn.question
    assert turn.golden_answers[1] == "松江银行更高：912.3亿元，青岚铜箔为17.5亿元。"
    assert made.score == 5


def test_an_event_is_told_in_the_report_s_own_sentences():
    made = next(
        made for made in drafts("long_form", [BANK], {}) if made.content.facets["kind"] == "event"
    )
    turn = made.content.turns[0]
    assert turn.question.startswith("请介绍2023年8月9日松江银行")
    assert turn.golden_answers[0].startswith("8月9日，松江银行")
    assert made.score == 5


def test_a_dialogue_on_an_event_does_not_tell_what_it_asks_for():
    turns = next(
        made.content.turns
        for made in drafts("conversational", [BANK], {}, most=20)
        if made.content.turns[0].question.endswith("是在哪一天？")
    )
    assert [turn.golden_answers[0] for turn in turns][:2] == ["2023年8月9日", "上海"]
    assert "上海" not in turns[0].question


@pytest.mark.parametrize(
    "text",
    [
        "2023-08-09，正文：他在上海举行新闻发布会，介绍有关情况。",  # nobody named
        "2023-08-09，正文：松江银行将于8月20日举行半年度业绩说明会。",  # not yet
        "松江银行近日在上海举行半年度业绩说明会。",  # no date to reckon from
        "2023-08-09，正文：8月9日，受台风影响，在上海举行的活动取消。",  # no subject
    ],
)
def test_what_is_not_said_plainly_is_no_event(text):
    assert events_of(SourceDocument("d", "", text, "zh")) == ()


@pytest.mark.parametrize(
    ("written", "when"),
    [
        ("26日，松江银行在上海举行半年度业绩说明会。", "2023年7月26日"),
        ("5日，松江银行在上海举行半年度业绩说明会。", "2023年8月5日"),
        ("近日，松江银行在上海举行半年度业绩说明会。", "2023年8月"),
        ("2022年12月5日，松江银行在上海举行半年度业绩说明会。", "2022年12月5日"),
    ],
)
def test_days_are_reckoned_from_the_report_s_date(written, when):
    (event,) = events_of(SourceDocument("d", "", f"2023-08-09，正文：{written}", "zh"))
    assert event.when == when


def test_a_row_of_years_under_a_remark_is_a_header():
    text = "Liabilities\n\n|  | June 30, |  |\n|---|---|---|\n| ($ in millions) | 2019 | 2018 |"
    document = SourceDocument("d", "", f"{text}\n| Accrued income taxes | 4.2 | 1.4 |", "en")
    (fact,) = [fact for fact in facts_of(document) if "2019" in fact.question]
    assert (fact.row, fact.number.figure) == ("Accrued income taxes", Fraction(42, 10))


def test_an_excerpt_s_account_leaves_pointers_out():
    text = (
        "Restricted Stock Units\nThe following table shows our grants for the year then ended.\n"
        "Restricted stock units vest over four years from the date of their grant to an employee.\n"
        "Units that were not vested are forfeited when the employee leaves before they have vested."
    )
    (made,) = drafts("long_form", [SourceDocument("d", "", text, "en")], {})
    turn = made.content.turns[0]
    assert turn.question == "What are the main points to know about restricted stock units?"
    assert turn.golden_answers[0].startswith("Restricted stock units vest")


def test_partners_of_another_language_are_left_out():
    document = next(d for d in DOCUMENTS if d.document_id == "larch_growth")
    other = next(d for d in DOCUMENTS if d.document_id == "larch_income")
    made = drafts("contrast", [document], {document.document_id: [other, FUND]})
    assert made
    assert all(set(one.document_ids) == {"larch_growth", "larch_income"} for one in made)
    assert drafts("contrast", [document], {}) == []
