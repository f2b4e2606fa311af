"""Correcting an item in the app: every part, the review, what is kept and what is proposed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import pytest
from correction_workspaces import (
    CHINESE,
    DIALOGUE,
    ENGLISH,
    FUNDS,
    LIQUIDITY,
    Open,
    ToCorrect,
    correcting,
    make_to_correct,
)
from desks import SIZES, screen_text, seen, until
from textual import events

from engine.labelling.items.corrections import read_draft
from engine.labelling.session import LabelSession
from engine.text.wrapping import cell_width
from store.datasets import datasets, revisions
from store.hashing import text_id
from store.records import Evidence, ItemContent
from store.workspace import open_workspace
from tui.correction.evidence import EvidenceScreen
from tui.correction.pick import DocumentPick, Pick
from tui.correction.review import ReviewScreen


@pytest.fixture
def made(tmp_path: Path) -> ToCorrect:
    return make_to_correct(tmp_path / "workspace")


def proposed(opened: Open) -> ItemContent:
    """What was proposed, once the screen is gone."""
    (revision,) = opened.results
    assert revision is not None
    return datasets.content(opened.workspace.db, revision)


async def propose(opened: Open) -> ItemContent:
    await opened.press("escape")
    await until(opened.pilot, lambda: isinstance(opened.app.screen, ReviewScreen), "the review")
    await opened.press("enter")
    await until(opened.pilot, lambda: opened.results, "the revision")
    return proposed(opened)


async def test_a_corrected_answer_is_proposed_on_the_revision_that_was_shown(
    made: ToCorrect,
) -> None:
    async with correcting(made, focus="answer") as opened:
        assert opened.screen.form.editor.field.text == "不低于100%"
        await opened.type("（含）")
        content = await propose(opened)
        line = revisions.history(opened.workspace.db, made.items[0])[-1]
        values = opened.session.values(made.subjects[0])
    assert content.turns[0].golden_answers == ("不低于100%（含）", "100%")
    assert content.turns[0].evidence == CHINESE.turns[0].evidence
    assert (line.author, line.reason, line.is_head) == ("tester", "修正答案", False)
    assert line.parent == int(made.subjects[0].id)
    assert values == {"correction": line.id}


async def test_answers_are_added_deleted_and_moved(made: ToCorrect) -> None:
    async with correcting(made, focus="answer") as opened:
        await opened.press("ctrl+n")
        await opened.type("至少百分之百")
        await opened.press("ctrl+k", "tab", "tab", "ctrl+d")
        content = await propose(opened)
    assert content.turns[0].golden_answers == ("至少百分之百", "不低于100%")


async def test_undo_brings_back_a_deleted_turn_with_all_that_it_held(made: ToCorrect) -> None:
    async with correcting(made, 1) as opened:
        await opened.press("ctrl+d")
        assert len(opened.screen.form.content.turns) == 1
        await opened.press("ctrl+u")
        assert opened.screen.form.content == DIALOGUE
        await opened.press("ctrl+y", "ctrl+u")
        assert opened.screen.form.content == DIALOGUE


async def test_a_turn_is_added_to_a_dialogue(made: ToCorrect) -> None:
    async with correcting(made, 1) as opened:
        await opened.press(*["tab"] * 3, "ctrl+n")
        await opened.type("管理人怎么说？")
        await opened.press("tab")
        await opened.type("下半年会更好")
        content = await propose(opened)
    assert [turn.question for turn in content.turns] == [
        "基金净值上涨多少？",
        "规模呢？",
        "管理人怎么说？",
    ]
    assert content.turns[2].golden_answers == ("下半年会更好",)
    assert content.turns[:2] == DIALOGUE.turns


async def test_modality_and_hops_are_corrected_by_choosing_them(made: ToCorrect) -> None:
    async with correcting(made, focus="modality") as opened:
        await opened.press("t")
        await seen(opened.pilot, "table")
        await opened.press("down", "enter")
        await seen(opened.pilot, "modality  table")
        await opened.press("escape")
        await seen(opened.pilot, "{+table+}")
        await opened.press("enter")
        await until(opened.pilot, lambda: opened.results, "the revision")
        assert proposed(opened).facets == {"modality": "table"}
        line = revisions.history(opened.workspace.db, made.items[0])[-1]
        assert line.reason == "修正依据"


async def test_topic_and_task_are_chosen_by_typing_a_part_of_their_name(made: ToCorrect) -> None:
    async with correcting(made, focus="topic") as opened:
        await opened.press("f")
        await seen(opened.pilot, "Funds")
        assert "利率" not in screen_text(opened.app).split("find")[0].split("Topic")[-1]
        await opened.press("enter")
        await until(opened.pilot, lambda: opened.app.screen is opened.screen, "the form")
        content = await propose(opened)
    assert (content.topic, content.task) == ("funds", "extractive")


async def test_a_choice_can_be_left(made: ToCorrect) -> None:
    async with correcting(made, focus="topic") as opened:
        await opened.press("enter", "escape")
        assert opened.app.screen is opened.screen
        assert opened.screen.form.content == CHINESE


async def mark(opened: Open) -> EvidenceScreen:
    await opened.press("ctrl+o")
    await until(opened.pilot, lambda: isinstance(opened.app.screen, EvidenceScreen), "the document")
    screen = opened.app.screen
    assert isinstance(screen, EvidenceScreen)
    await until(opened.pilot, lambda: screen.spans.text, "its text")
    return screen


def marked(screen: EvidenceScreen) -> tuple[int, int]:
    assert screen.spans.span is not None
    return screen.spans.span


async def test_a_passage_is_marked_by_characters_exactly(made: ToCorrect) -> None:
    async with correcting(made, focus="evidence") as opened:
        screen = await mark(opened)
        start = LIQUIDITY.index("最低监管")
        await opened.press("slash")
        screen.passage._input.value = "最低"
        await opened.pilot.pause()
        await opened.press("enter", "left", "right", "space", *["right"] * 5)
        assert marked(screen) == (start, start + 6)
        await opened.press("enter")
        content = await propose(opened)
    evidence = Evidence(text_id(LIQUIDITY), start, start + 6, "最低监管要求")
    assert content.turns[0].evidence == (evidence,)
    assert LIQUIDITY[evidence.start : evidence.end] == evidence.quote


async def test_a_search_from_one_character_leads_to_a_passage_of_whole_sentences(
    made: ToCorrect,
) -> None:
    async with correcting(made, focus="answer") as opened:
        screen = await mark(opened)
        await opened.press("slash")
        screen.passage._input.value = "百"
        await opened.pilot.pause()
        await opened.press("enter", "n", "equals_sign", "enter")
        content = await propose(opened)
    first, second = content.turns[0].evidence
    assert first == CHINESE.turns[0].evidence[0]
    assert second.quote == (
        "该指标由优质流动性资产与未来三十日净现金流出之比计算，最低监管要求为不低于百分之一百。"
    )
    assert LIQUIDITY[second.start : second.end] == second.quote


async def test_enter_with_nothing_marked_marks_the_sentence_first(made: ToCorrect) -> None:
    async with correcting(made, focus="evidence") as opened:
        screen = await mark(opened)
        await opened.press("slash", *"更高", "enter", "enter")
        assert isinstance(opened.app.screen, EvidenceScreen)
        assert marked(screen) == (LIQUIDITY.index("第四条"), len(LIQUIDITY))
        await opened.press("escape", "escape")
        assert opened.screen.is_current
        assert opened.screen.form.content == CHINESE


async def test_a_passage_of_another_document(made: ToCorrect) -> None:
    async with correcting(made, focus="evidence") as opened:
        screen = await mark(opened)
        await opened.press("O")
        await seen(opened.pilot, "Documents of rules")
        await opened.press("下")
        opened.app.screen.wanted.value = "下"  # type: ignore[attr-defined]
        await seen(opened.pilot, "1 hold 下")
        await opened.press("enter")
        await until(opened.pilot, lambda: screen.spans.text == FUNDS, "the other document")
        await opened.press("space", *["right"] * 9, "enter")
        content = await propose(opened)
    assert content.turns[0].evidence == (Evidence(text_id(FUNDS), 0, 10, FUNDS[:10]),)


async def test_a_whole_document_as_evidence(made: ToCorrect) -> None:
    async with correcting(made, 2, focus="evidence") as opened:
        await mark(opened)
        await opened.press("W")
        content = await propose(opened)
    assert content.turns[0].evidence == (Evidence(ENGLISH.turns[0].evidence[0].document_id),)


async def test_chinese_words_come_from_the_dictionary(made: ToCorrect) -> None:
    async with correcting(made, focus="evidence") as opened:
        screen = await mark(opened)
        await until(opened.pilot, lambda: len(screen.spans._all_words()) > 20, "the words")
        await opened.press("home", *["right"] * 4, "space")
        assert marked(screen) == (4, 5)
        await opened.press("right_curly_bracket")
        start, end = marked(screen)
        assert LIQUIDITY[start:end] == "商业银行"
        await opened.press("right_parenthesis")
        start, end = marked(screen)
        assert LIQUIDITY[start:end] == CHINESE.turns[0].evidence[0].quote


async def test_what_is_found_takes_the_cursor_and_a_passage_begins_there(made: ToCorrect) -> None:
    async with correcting(made, focus="evidence") as opened:
        screen = await mark(opened)
        at = LIQUIDITY.index("商业银行")
        assert marked(screen) != (at, at + 4)
        await opened.press("slash", *"商业银行", "enter")
        assert (screen.spans.cursor, screen.spans.span) == (at, None), "the old passage makes way"
        await opened.press("space", "right", "right", "right")
        assert marked(screen) == (at, at + 4)


async def test_after_a_search_two_keys_take_another_sentence(made: ToCorrect) -> None:
    async with correcting(made, focus="evidence") as opened:
        await mark(opened)
        assert "/ find  = sentences  Enter take it  Space mark" in screen_text(opened.app)
        await opened.press("slash", *"更高", "enter", "equals_sign", "enter")
        content = await propose(opened)
    assert [one.quote for one in content.turns[0].evidence] == [
        "第四条 监管机构可以要求更高的比例。"
    ]


async def test_a_search_after_whole_sentences_begins_anew(made: ToCorrect) -> None:
    async with correcting(made, focus="evidence") as opened:
        screen = await mark(opened)
        await opened.press("slash", *"更高", "enter", "equals_sign", "slash", *"最低", "enter")
        assert screen.spans.span is None
        await opened.press("equals_sign")
        start, end = marked(screen)
        assert LIQUIDITY[start:end].startswith("该指标由")


async def test_space_begins_a_passage_whatever_is_marked(made: ToCorrect) -> None:
    async with correcting(made, focus="evidence") as opened:
        screen = await mark(opened)
        await opened.press("space")
        at = screen.spans.cursor
        assert marked(screen) == (at, at + 1)
        await opened.press("left", "space")
        assert marked(screen) == (at - 1, at)
        await opened.press("escape")
        assert screen.spans.span is None
        assert screen.is_current, "the first Esc drops the mark only"


async def test_the_other_end_of_a_passage_moves_too(made: ToCorrect) -> None:
    async with correcting(made, focus="evidence") as opened:
        screen = await mark(opened)
        start, end = marked(screen)
        assert LIQUIDITY[start:end] == CHINESE.turns[0].evidence[0].quote
        await opened.press("tab", "right", "right", "tab", "left")
        assert marked(screen) == (start + 2, end - 1)


# What is wrong


async def test_what_is_wrong_is_said_at_its_field_and_nothing_is_lost(made: ToCorrect) -> None:
    async with correcting(made) as opened:
        opened.screen.form.editor.change(
            [
                msgspec.structs.replace(one, text="") if one.key == "0.question" else one
                for one in opened.screen.form.editor.fields
            ],
            3,
        )
        await opened.press("escape")
        assert "! The question is empty." in screen_text(opened.app)
        await opened.press("enter")
        assert opened.app.screen is opened.screen
        assert opened.screen.form.editor.field.key == "0.question"
        assert "✗ The question is empty." in screen_text(opened.app)
        assert opened.results == []
        await opened.type("新的问题？")
        content = await propose(opened)
    assert content.turns[0].question == "新的问题？"


async def test_another_task_needs_another_shape(made: ToCorrect) -> None:
    async with correcting(made, focus="task") as opened:
        await opened.press("D")
        await seen(opened.pilot, "Dialogue")
        await opened.press("enter", "escape")
        assert "! A conversation has at least 2 turns, this one 1" in screen_text(opened.app)
        await opened.press("enter")
        assert opened.screen.form.editor.field.key == "0.question"
        await opened.press("ctrl+u", "escape")
        await until(opened.pilot, lambda: opened.results == [None], "the screen to close")


async def test_an_item_that_has_another_text_by_now_keeps_the_draft_and_carries_it_over(
    made: ToCorrect,
) -> None:
    async with correcting(made, focus="answer") as opened:
        await opened.type("！")
        with opened.workspace.write() as db:
            theirs = msgspec.structs.replace(CHINESE, topic="funds")
            old = int(made.subjects[0].id)
            other = datasets.revise(db, made.items[0], old, theirs, author="b", reason="topic")
            datasets.move_head(db, made.items[0], old, other)
        await opened.press("escape", "enter")
        await seen(opened.pilot, "This item has another text by now.")
        assert opened.results == []
        await opened.press("escape")
        await until(
            opened.pilot, lambda: opened.session.drafts(made.subjects[0]), "the draft of before"
        )
        await opened.press("escape", "enter")
        await seen(opened.pilot, "This item has another text by now.")
        await opened.press("y")
        await until(opened.pilot, lambda: opened.screen.subject.id == str(other), "the new text")
        assert opened.session.drafts(made.subjects[0]) == {}
        content = await propose(opened)
    assert content.topic == "funds"
    assert content.turns[0].golden_answers == ("不低于100%！", "100%")


# Drafts


async def test_what_is_typed_is_kept_and_opens_again_where_it_was_left(made: ToCorrect) -> None:
    async with correcting(made, focus="answer") as opened:
        await opened.type("半")
        await opened.press("left")
        await opened.type("一")
        subject = made.subjects[0]
        await until(
            opened.pilot,
            lambda: "一半" in opened.session.drafts(subject).get("correction/content", ""),
            "the draft",
        )
        assert "draft kept" in screen_text(opened.app)
    async with correcting(made) as opened:
        assert opened.screen.form.editor.field.text == "不低于100%一半"
        assert opened.screen.form.editor.cursor == len("不低于100%一")
        await propose(opened)
        assert opened.session.drafts(subject) == {}


async def test_leaving_the_app_writes_the_last_key_down(made: ToCorrect) -> None:
    async with correcting(made, focus="answer") as opened:
        await opened.type("末")
    with open_workspace(made.folder) as workspace:
        kept = LabelSession(workspace, "inspection", "tester").drafts(made.subjects[0])
    draft = read_draft(kept["correction/content"])
    assert draft is not None
    assert draft.content.turns[0].golden_answers[0] == "不低于100%末"


async def test_keeping_leaves_the_draft_and_discarding_asks_first(made: ToCorrect) -> None:
    subject = made.subjects[0]
    async with correcting(made) as opened:
        await opened.type("甲")
        await opened.press("escape", "K")
        await until(opened.pilot, lambda: opened.results == [None], "the screen to close")
        assert "甲" in opened.session.drafts(subject)["correction/content"]
    async with correcting(made) as opened:
        assert opened.screen.form.editor.fields[0].text.endswith("？甲")
        await opened.press("escape", "X")
        await seen(opened.pilot, "Throw this correction away?")
        await opened.press("enter", "escape")
        assert opened.session.drafts(subject)
        await opened.press("X", "y")
        await until(opened.pilot, lambda: opened.results == [None], "the screen to close")
        assert opened.session.drafts(subject) == {}
    async with correcting(made) as opened:
        assert opened.screen.form.content == CHINESE


async def test_esc_leaves_at_once_when_nothing_has_changed(made: ToCorrect) -> None:
    async with correcting(made) as opened:
        await opened.type("x")
        await opened.press("backspace", "escape")
        await until(opened.pilot, lambda: opened.results == [None], "the screen to close")
        assert opened.session.drafts(made.subjects[0]) == {}


async def test_a_draft_that_cannot_be_saved_is_said_and_saved_later(
    made: ToCorrect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.correction.keeper.RETRY", 0.05)
    monkeypatch.setattr("tui.correction.keeper.BUSY_MS", 20)
    async with correcting(made) as opened:
        with open_workspace(made.folder) as other:
            other.db.execute("BEGIN IMMEDIATE")
            await opened.type("甲")
            await seen(opened.pilot, "The draft is not saved")
            await opened.type("乙")
            assert "？甲乙" in screen_text(opened.app)
            other.db.execute("ROLLBACK")
        subject = made.subjects[0]
        await until(
            opened.pilot,
            lambda: "甲乙" in opened.session.drafts(subject).get("correction/content", ""),
            "the draft",
        )
        await until(opened.pilot, lambda: not opened.screen.problem.text, "the all-clear")


async def test_a_database_that_is_locked_refuses_the_proposal_and_keeps_all_that_was_typed(
    made: ToCorrect,
) -> None:
    async with correcting(made) as opened:
        await opened.type("甲")
        await until(opened.pilot, lambda: opened.session.drafts(made.subjects[0]), "the draft")
        opened.workspace.db.execute("PRAGMA busy_timeout = 20")
        with open_workspace(made.folder) as other:
            other.db.execute("BEGIN IMMEDIATE")
            await opened.press("escape", "enter")
            await seen(opened.pilot, "Your correction is still here.")
            other.db.execute("ROLLBACK")
        assert opened.results == []
        await opened.press("escape")
        content = await propose(opened)
    assert content.turns[0].question.endswith("？甲")


def _has_rows(picked: DocumentPick) -> bool:
    return picked.rows.count == 3


async def test_an_undo_brings_back_a_passage_of_another_document(made: ToCorrect) -> None:
    async with correcting(made, focus="evidence") as opened:
        for at in (1, 2):
            await mark(opened)
            await opened.press("O")
            await seen(opened.pilot, "Documents of rules")
            picked = opened.app.screen
            assert isinstance(picked, DocumentPick)
            await until(opened.pilot, partial(_has_rows, picked), "the list")
            picked.rows.move_to(at)
            await opened.press("enter", "W")
        await opened.press("ctrl+u")
        assert "[fund]" in screen_text(opened.app)
        content = await propose(opened)
    assert content.turns[0].evidence == (Evidence(text_id(FUNDS)),)


@pytest.mark.parametrize("size", SIZES)
async def test_documents_are_hidden_by_search_and_shown_again(
    made: ToCorrect, size: tuple[int, int]
) -> None:
    async with correcting(made, size=size, focus="hidden") as opened:
        assert "none; Enter chooses a document" in screen_text(opened.app)
        for typed, document in (("fund", FUNDS), ("lcr", LIQUIDITY)):
            await opened.press("ctrl+n")
            picked = opened.app.screen
            assert isinstance(picked, DocumentPick)
            await opened.press(*typed)
            await until(opened.pilot, lambda picked=picked: picked.rows.count == 1, "the one")
            await opened.press("enter")
            assert opened.screen.form.content.hidden[-1] == text_id(document)
        text = screen_text(opened.app)
        assert "hidden 1" in text
        assert "hidden 2" in text
        await opened.press("ctrl+d", "ctrl+u", "up", "ctrl+d")
        assert opened.screen.form.content.hidden == (text_id(LIQUIDITY),)
        await opened.press("escape")
        assert "{+lcr+}" in await seen(opened.pilot, "修正隐藏文档")
        await opened.press("enter")
        await until(opened.pilot, lambda: opened.results, "the revision")
        content = proposed(opened)
        line = revisions.history(opened.workspace.db, made.items[0])[-1]
    assert content == msgspec.structs.replace(CHINESE, hidden=(text_id(LIQUIDITY),))
    assert line.reason == "修正隐藏文档"


async def test_what_is_typed_ahead_of_the_list_that_a_letter_opens_keeps_its_order(
    made: ToCorrect,
) -> None:
    async with correcting(made, focus="topic") as opened:
        early, late = [[events.Key(key, key) for key in keys] for keys in ("fu", "nd")]
        for key in early:  # the form has these already
            opened.screen.form.editor._forward_event(key)
        for key in late:  # these are on their way
            opened.app.post_message(key)
        await until(opened.pilot, lambda: isinstance(opened.app.screen, Pick), "the list")
        picked = opened.app.screen
        assert isinstance(picked, Pick)
        await until(opened.pilot, lambda: len(picked.wanted.value) == 4, "all keys")
        assert picked.wanted.value == "fund"


async def test_an_earlier_proposal_of_ones_own_is_where_one_goes_on(made: ToCorrect) -> None:
    async with correcting(made, focus="answer") as opened:
        await opened.type("甲")
        await propose(opened)
    async with correcting(made, focus="answer") as opened:
        assert opened.screen.form.editor.field.text == "不低于100%甲"
        await opened.type("乙")
        content = await propose(opened)
        parents = [line.parent for line in revisions.history(opened.workspace.db, made.items[0])]
    assert content.turns[0].golden_answers[0] == "不低于100%甲乙"
    assert parents == [None, int(made.subjects[0].id), int(made.subjects[0].id)]


# How it looks


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40)])
async def test_every_line_fits_and_form_and_document_are_both_there(
    made: ToCorrect, size: tuple[int, int]
) -> None:
    async with correcting(made, 1, size=size) as opened:
        lines = screen_text(opened.app).splitlines()
        assert len(lines) <= size[1]
        assert all(cell_width(line) <= size[0] for line in lines)
        text = "\n".join(lines)
        for part in ("基金净值上涨多少？", "规模呢？", "reason", "“下半年", "Esc review"):
            assert part in text


async def test_the_screen_at_80_by_24(made: ToCorrect) -> None:
    async with correcting(made) as opened:
        assert screen_text(opened.app).splitlines() == [
            " Correct   bench ∙ item i0                                         rater tester",
            "",
            "❯ question  流动性覆盖率的最低监管要求是多少？",
            "  answer 1  不低于100%",
            "  answer 2  100%",
            "  evidence  商业银行应当按月报送流动性覆盖率。  [lcr]",
            "",
            "  topic     Rates",
            "  task      Extractive",
            "  hidden    none; Enter chooses a document that systems must not see",
            "  reason",
            "  modality  as the evidence says",
            "  hops      as the evidence says",
            "",
            "",
            "  lcr  evidence 1                                                      1/1 marks",
            "❯ 第三条 商业银行应当按月报送流动性覆盖率。该指标由优质流动性资产与未来三十日净",
            "  现金流出之比计算，最低监管要求为不低于百分之一百。资产规模不足二千亿元的商业",
            "  银行，适用优质流动性资产充足率。",
            "  第四条 监管机构可以要求更高的比例。",
            "",
            "",
            "",
            " Esc review  Tab next field  ctrl+o mark passage  ctrl+n add  ctrl+p commands",
        ]


async def test_the_review_at_80_by_24(made: ToCorrect) -> None:
    async with correcting(made, focus="answer") as opened:
        await opened.press("ctrl+d")
        await opened.press("escape")
        assert screen_text(opened.app).splitlines()[:10] == [
            " Proposal   bench ∙ item i0 ∙ draft kept                           rater tester",
            "",
            "❯ against the text that was shown",
            "  reason: 修正答案",
            "",
            "    question  流动性覆盖率的最低监管要求是多少？",
            "  ~ answer    [-不低于100%-]",
            "    answer    100%",
            "    evidence  商业银行应当按月报送流动性覆盖率。  [lcr 4-21]",
            "    topic     Rates",
        ]


async def test_the_review_compares_with_the_first_text_too(made: ToCorrect) -> None:
    with open_workspace(made.folder) as workspace, workspace.write() as db:
        old = int(made.subjects[0].id)
        changed = msgspec.structs.replace(CHINESE, topic="funds")
        number = datasets.revise(db, made.items[0], old, changed, author="b", reason="topic")
        datasets.move_head(db, made.items[0], old, number)
        subject = msgspec.structs.replace(made.subjects[0], id=str(number))
    later = msgspec.structs.replace(made, subjects=(subject,))
    async with correcting(later) as opened:
        await opened.type("x")
        await opened.press("escape")
        assert "    topic     Funds" in screen_text(opened.app)
        await opened.press("v")
        text = screen_text(opened.app)
        assert "against the text that was generated" in text
        assert "~ topic     [-Rates-]{+Funds+}" in text


async def test_a_pasted_passage_reaches_the_field_and_a_value_key_is_text(made: ToCorrect) -> None:
    async with correcting(made) as opened:
        opened.app.post_message(events.Paste("，按月？\n第二行"))
        await opened.press("4")
        assert opened.screen.form.editor.field.text.endswith("？，按月？\n第二行4")
