"""What Chinese news quotes: who said it, on what, and what else."""

from __future__ import annotations

import pytest
from generate_samples import TASKS

from engine.corpus.document import SourceDocument
from engine.generate.rules.drafting import draft
from engine.generate.rules.news.events import events_of
from engine.generate.rules.news.statements import said_facts, statements_of
from engine.generate.rules.news.topics import topic_of

TRADE = SourceDocument(
    "trade",
    "",
    "2023-08-16，正文：服务贸易结构继续优化，云岭省出台多项措施。"
    "云岭研究院副院长白清对记者表示，2023年云岭省服务贸易不仅要扩大规模，更要提升质量。"
    "白清还指出，服务贸易的出口增速正在加快，企业要抓住机会，在研发和品牌上多下功夫。"
    "海川银行首席经济学家苏岚认为，服务贸易占云岭省进出口的比重会继续提高，但短板依然明显。"
    "有网友称，服务贸易与自己无关。",
    "zh",
)


def drafts(key, document):
    return list(draft(TASKS[key], [document], {}, 7, most=10))


def test_sentences_go_to_the_speaker_who_is_named_with_an_office():
    first, second = statements_of(TRADE)
    assert (first.who, first.verb, len(first.spans)) == ("云岭研究院副院长白清", "表示", 2)
    assert (second.who, second.verb, len(second.spans)) == ("海川银行首席经济学家苏岚", "认为", 1)
    assert first.when == "2023年8月"
    assert first.topic == "服务贸易"


@pytest.mark.parametrize(
    "sentence",
    [
        "有网友表示，云岭省的服务贸易还要提升质量。",
        "该公司负责人表示，云岭省的服务贸易还要提升质量。",
        "几位专家认为，云岭省的服务贸易还要提升质量。",
        "负责人曾表示，云岭省的服务贸易还要提升质量。",
    ],
)
def test_speakers_who_stay_unnamed_say_nothing(sentence):
    text = f"2023-08-16，正文：2023年的服务贸易。{sentence}"
    assert statements_of(SourceDocument("d", "", text, "zh")) == ()


def test_who_said_it_is_asked_where_the_words_stand_alone():
    (fact, *_) = said_facts(TRADE)
    assert fact.question == (
        "2023年8月，谁表示“2023年云岭省服务贸易不仅要扩大规模，更要提升质量”？"
    )
    assert fact.answers == ("云岭研究院副院长白清",)
    leaning = TRADE.text.replace("2023年云岭省服务贸易不仅", "今年该省服务贸易不仅")
    assert all(
        "扩大规模" not in other.label
        for other in said_facts(SourceDocument("leaning", "", leaning, "zh"))
    )


def test_accounts_of_one_speaker_and_of_several_name_their_matter():
    asked = {
        made.content.facets["kind"]: made
        for made in drafts("long_form", TRADE)
        if made.content.facets["kind"] in ("statement", "views")
    }
    one = asked["statement"].content.turns[0]
    assert one.question == "2023年8月，云岭研究院副院长白清就服务贸易谈了哪些内容？"
    assert "抓住机会" in one.golden_answers[0]
    assert "苏岚" not in one.golden_answers[0]
    both = asked["views"].content.turns[0]
    assert both.question == (
        "2023年8月，云岭研究院副院长白清和海川银行首席经济学家苏岚对服务贸易分别有什么看法？"
    )
    assert all(word in both.golden_answers[0] for word in ("白清", "苏岚"))
    assert "网友" not in both.golden_answers[0]
    for made in asked.values():
        assert made.score >= 3
        for place in made.content.turns[0].evidence:
            assert TRADE.text[place.start : place.end] == place.quote


def test_a_dialogue_goes_on_to_the_next_speaker_and_to_what_else_was_said():
    questions = [
        [turn.question for turn in made.content.turns] for made in drafts("conversational", TRADE)
    ]
    assert [
        "2023年8月，云岭研究院副院长白清对服务贸易有什么看法？",
        "那么海川银行首席经济学家苏岚呢？",
    ] in questions
    assert any(later == ["此外还谈到了什么？"] for _, *later in questions)


def test_a_topic_is_what_half_of_the_sentences_name():
    whole = "服务贸易增长。服务贸易重要。粮食安全也重要。粮食安全要紧。粮食安全第一。"
    assert topic_of(["服务贸易增长。", "服务贸易重要。"], whole) == "服务贸易"
    assert topic_of(["服务贸易增长。", "大家都很高兴。"], whole) == ""


def test_events_further_down_need_a_day_that_is_their_own():
    lead = "这一句话没有说什么要紧的事情。" * 6
    text = (
        f"2023-08-16，正文：{lead}2023年8月3日，云岭省人民政府召开防汛工作会议。"
        "有关方面表示，2023年8月4日，云岭省人民政府启动防汛应急响应。"
        "云岭省人民政府发布防汛预警信息。"
    )
    found = events_of(SourceDocument("d", "", text, "zh"))
    assert [(event.when, event.clause) for event in found] == [
        ("2023年8月3日", "云岭省人民政府召开防汛工作会议")
    ]
