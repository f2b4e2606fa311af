"""A correction half made: what is wrong with it, what it changed, carried over to another text."""

from __future__ import annotations

import msgspec
from correction_workspaces import (
    CHINESE,
    DIALOGUE,
    ENGLISH,
    FUNDS,
    LIQUIDITY,
    RATES,
    TAXONOMY,
)

from engine.labelling.items.corrections import (
    CorrectionDraft,
    carried_over,
    changed_parts,
    draft_text,
    flaws,
    read_draft,
    tidied,
    usual_reason,
)
from engine.taxonomy.definitions import load_taxonomy
from store.hashing import text_id
from store.records import Evidence, ItemContent, Task, Turn

TEXTS = {text_id(text): text for text in (LIQUIDITY, FUNDS, RATES)}


def with_turn(content: ItemContent, number: int = 0, **parts: object) -> ItemContent:
    turns = list(content.turns)
    turns[number] = msgspec.structs.replace(turns[number], **parts)
    return msgspec.structs.replace(content, turns=tuple(turns))


SINGLE, CONVERSATION = TAXONOMY.tasks
NO_ANSWER = next(task for task in load_taxonomy("ekrag").tasks if task.key == "no_answer")


def found(
    content: ItemContent, base: ItemContent = CHINESE, task: Task | None = None
) -> list[object]:
    return [(flaw.part, flaw.turn, flaw.at) for flaw in flaws(content, base, TEXTS, task)]


def test_a_sound_item_has_no_flaw() -> None:
    assert found(CHINESE, task=SINGLE) == []
    assert found(DIALOGUE, DIALOGUE, CONVERSATION) == []


def test_a_blank_question_and_missing_answers_are_named_with_their_turn() -> None:
    bad = with_turn(DIALOGUE, 1, question=" \n", golden_answers=("", " "))
    assert found(bad, DIALOGUE) == [("question", 1, 0), ("answer", 1, 0)]


def test_a_question_that_nothing_answers_needs_no_answer() -> None:
    bare = with_turn(CHINESE, golden_answers=())
    assert found(bare) == [("answer", 0, 0)]
    assert found(with_turn(bare, evidence=()), task=NO_ANSWER) == []
    assert found(bare, bare) == [], "it never had one: only retrieval is judged"


def test_evidence_is_verbatim_or_refused() -> None:
    document = text_id(LIQUIDITY)
    for wrong in (
        Evidence("0" * 16, 0, 3, "第三条"),
        Evidence(document, 0, 3, "第三"),
        Evidence(document, 1, 4, "第三条"),
        Evidence(document, 5, 5, ""),
        Evidence(document, -3, 2, LIQUIDITY[:2]),
        Evidence(document, 0, len(LIQUIDITY) + 1, LIQUIDITY),
    ):
        good = CHINESE.turns[0].evidence[0]
        assert found(with_turn(CHINESE, evidence=(good, wrong))) == [("evidence", 0, 1)]
    assert found(with_turn(CHINESE, evidence=(Evidence(document),))) == []


def test_a_task_has_as_many_turns_as_its_shape_allows() -> None:
    assert found(DIALOGUE, DIALOGUE, SINGLE) == [("turns", 1, 0)]
    assert found(CHINESE, task=CONVERSATION) == [("turns", 0, 0)]


def test_what_is_stored_is_tidy() -> None:
    typed = with_turn(CHINESE, question=" 问 \n", golden_answers=("甲 ", "", "甲", "乙"))
    turn = tidied(typed).turns[0]
    assert (turn.question, turn.golden_answers) == ("问", ("甲", "乙"))
    assert tidied(CHINESE) == CHINESE


def test_the_usual_reason_says_what_was_changed() -> None:
    after = msgspec.structs.replace(with_turn(CHINESE, golden_answers=("100%",)), topic="funds")
    assert changed_parts(CHINESE, after) == ("answer", "topic")
    assert usual_reason(CHINESE, after) == "修正答案、主题"
    english = with_turn(ENGLISH, question="Which rate?")
    assert usual_reason(ENGLISH, english) == "corrected question"
    assert usual_reason(ENGLISH, ENGLISH) == ""


def test_a_draft_is_read_back_as_it_was_typed_and_a_foreign_one_is_none() -> None:
    typed = with_turn(CHINESE, question="半句", golden_answers=("", "甲 "))
    draft = CorrectionDraft(typed, "因为", 3, 2)
    assert read_draft(draft_text(draft)) == draft
    assert read_draft("半句") is None


def test_my_changes_are_made_to_the_text_that_stands_now() -> None:
    mine = with_turn(CHINESE, golden_answers=("100%",))
    theirs = msgspec.structs.replace(with_turn(CHINESE, question="另一种问法？"), topic="funds")
    both = carried_over(CHINESE, mine, theirs)
    assert both.turns[0].question == "另一种问法？"
    assert both.turns[0].golden_answers == ("100%",)
    assert both.topic == "funds"
    assert carried_over(CHINESE, CHINESE, theirs) == theirs
    assert carried_over(CHINESE, mine, CHINESE) == mine


def test_hidden_documents_are_a_part_like_others() -> None:
    twice = msgspec.structs.replace(CHINESE, hidden=(text_id(FUNDS), text_id(FUNDS)))
    mine = tidied(twice)
    assert mine.hidden == (text_id(FUNDS),)
    assert usual_reason(CHINESE, mine) == "修正隐藏文档"
    assert usual_reason(ENGLISH, msgspec.structs.replace(ENGLISH, hidden=("d",))) == (
        "corrected hidden documents"
    )
    theirs = with_turn(CHINESE, question="另一种问法？")
    both = carried_over(CHINESE, mine, theirs)
    assert (both.hidden, both.turns) == (mine.hidden, theirs.turns)
    assert carried_over(mine, mine, CHINESE) == CHINESE
    assert found(mine, task=SINGLE) == []
    assert found(msgspec.structs.replace(mine, hidden=("gone",))) == [("hidden", 0, 0)]


def test_where_both_changed_a_part_mine_stands() -> None:
    mine, theirs = (with_turn(CHINESE, question=text) for text in ("我的？", "他的？"))
    assert carried_over(CHINESE, mine, theirs).turns[0].question == "我的？"


def test_turns_that_i_added_stand_and_turns_that_others_added_are_kept() -> None:
    more = msgspec.structs.replace(DIALOGUE, turns=(*DIALOGUE.turns, Turn("然后？", ("无",))))
    changed = with_turn(DIALOGUE, question="涨了多少？")
    assert carried_over(DIALOGUE, more, changed).turns == more.turns
    assert carried_over(DIALOGUE, DIALOGUE, more) == more
