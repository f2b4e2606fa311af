"""Adding, deleting and moving the parts of an item."""

from __future__ import annotations

import msgspec
import pytest
from correction_workspaces import CHINESE, DIALOGUE, FUNDS, TAXONOMY, quote_of

from engine.labelling.items.corrections import flaws
from store.records import ItemContent, Turn
from tui.correction.changes import Changed, added, deleted, moved, with_evidence
from tui.correction.fields import Spot, content_of, fields_of, flaw_text, index_of

ANSWER = Spot("answer", 0, 0)
OTHER = quote_of(FUNDS, "规模达12.5亿元")


def done(changed: Changed) -> tuple[ItemContent, str]:
    assert changed is not None
    return changed


def answers(changed: Changed) -> tuple[tuple[str, ...], str]:
    content, key = done(changed)
    return content.turns[0].golden_answers, key


def test_answers() -> None:
    assert answers(added(CHINESE, ANSWER)) == (("不低于100%", "", "100%"), "0.answer.1")
    assert answers(deleted(CHINESE, ANSWER)) == (("100%",), "0.answer.0")
    assert answers(moved(CHINESE, ANSWER, 1)) == (("100%", "不低于100%"), "0.answer.1")
    assert moved(CHINESE, ANSWER, -1) is None


def test_an_only_answer_becomes_an_empty_field() -> None:
    content, key = done(deleted(DIALOGUE, ANSWER))
    fields = fields_of(content, "", TAXONOMY, str)
    assert fields[index_of(fields, key)].text == ""


def test_turns() -> None:
    first, second = DIALOGUE.turns
    question = Spot("question", 0)
    content, key = done(added(DIALOGUE, question))
    assert (content.turns, key) == ((first, Turn("", ("",)), second), "1.question")
    content, key = done(deleted(DIALOGUE, Spot("question", 1)))
    assert (content.turns, key) == ((first,), "0.question")
    content, key = done(moved(DIALOGUE, question, 1))
    assert (content.turns, key) == ((second, first), "1.question")
    assert deleted(CHINESE, question) is None, "an only turn stays"


def test_evidence() -> None:
    held = CHINESE.turns[0].evidence[0]
    none = Spot("evidence", 0, -1)
    content, key = with_evidence(CHINESE, none, OTHER)
    assert (content.turns[0].evidence, key) == ((held, OTHER), "0.evidence.1")
    content, key = with_evidence(CHINESE, Spot("evidence", 0, 0, held), OTHER)
    assert (content.turns[0].evidence, key) == ((OTHER,), "0.evidence.0")
    content, key = with_evidence(CHINESE, Spot("question", 0), OTHER)
    assert content.turns[0].evidence == (held, OTHER)
    content, key = done(moved(content, Spot("evidence", 0, 1, OTHER), -1))
    assert (content.turns[0].evidence, key) == ((OTHER, held), "0.evidence.0")
    content, key = done(deleted(CHINESE, Spot("evidence", 0, 0, held)))
    assert (content.turns[0].evidence, key) == ((), "0.evidence")
    assert deleted(CHINESE, none) is None


@pytest.mark.parametrize("part", ["topic", "task", "reason"])
def test_what_is_not_a_list_is_neither_added_to_nor_deleted(part: str) -> None:
    spot = Spot(part)
    assert added(CHINESE, spot) is None
    assert deleted(CHINESE, spot) is None
    assert moved(CHINESE, spot, 1) is None


@pytest.mark.parametrize("content", [CHINESE, DIALOGUE])
def test_the_fields_hold_all_of_an_item(content: ItemContent) -> None:
    told = msgspec.structs.replace(
        content,
        turns=tuple(
            msgspec.structs.replace(turn, expansions={"keywords": "lcr"}) for turn in content.turns
        ),
        facets={"model": "m1"},
    )
    fields = fields_of(told, "因为", TAXONOMY, str)
    assert content_of(fields, told) == told
    assert len({field.key for field in fields}) == len(fields)


def test_flaws_are_said_in_the_language_of_the_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.language.choice._chosen", "zh")
    blank = msgspec.structs.replace(CHINESE.turns[0], question=" ")
    _, conversation = TAXONOMY.tasks
    found = flaws(msgspec.structs.replace(CHINESE, turns=(blank,)), CHINESE, {}, conversation)
    said = [flaw_text(flaw) for flaw in found]
    assert said[0] == "问题为空。"
    assert said[-1] == "对话至少要有2轮，这里只有1轮；请增减轮次，或改选任务。"
