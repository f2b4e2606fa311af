"""The context stages: what each gives a generator to read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from endpoint_workspaces import system_table, write_settings

from engine.evaluate.systems import find_system
from engine.retrieve.stage import TurnState
from engine.retrieve.stages import CONTEXT_STAGES
from engine.text.tokens import count_tokens
from store.errors import InputError
from store.records import Hit, ItemContent, Passage, Turn

TEXTS = {
    "a": "Rates rose to 3.5 percent in March. Funds fell. Banks raised deposit rates in March.",
    "b": "Rates rose to 3.5 percent in March. Funds fell. Banks raised deposit rates in March!",
    "c": "3月利率升至3.5%。基金下跌。银行在3月上调存款利率。",
    "d": "Nothing of it.",
}


def passage(document: str, start: int = 0) -> Passage:
    return Passage(document, document.upper(), TEXTS[document][start:], start)


def read(
    stage: str, passages: Sequence[Passage], question: str = "rates in March?", **options: Any
) -> list[Passage]:
    content = ItemContent((Turn(question),), "rates", "extractive", "en")
    scored = enumerate(passages)
    hits = tuple(Hit(one.document_id, one.start, 500, 1 - at / 4) for at, one in scored)
    state = TurnState(content, 0, (), (question,), hits, tuple(passages))
    named = CONTEXT_STAGES[stage]
    transform = named.open(named.options(**options))
    return list(asyncio.run(transform(state, None)))  # type: ignore[arg-type]


def ids(passages: Sequence[Passage]) -> str:
    return "".join(one.document_id for one in passages)


def test_the_first_passages_may_be_kept_alone() -> None:
    assert ids(read("best", [passage("a"), passage("c"), passage("d")], k=2)) == "ac"


def test_passages_may_have_to_score_so_much() -> None:
    assert ids(read("min_score", [passage("a"), passage("c"), passage("d")], score=0.75)) == "ac"


def test_a_near_duplicate_of_an_earlier_passage_is_left_out() -> None:
    three = [passage("a"), passage("b"), passage("c")]
    assert ids(read("near_duplicates", three)) == "ac"
    assert ids(read("near_duplicates", three, similarity=1.0)) == "abc"


def test_passages_stand_in_the_order_asked_for() -> None:
    four = [passage("a", 9), passage("c"), passage("a"), passage("d")]
    assert read("order", four, by="best_last") == four[::-1]
    assert ids(read("order", four, by="ends")) == "aadc"
    assert read("order", four, by="document") == [four[2], four[0], four[1], four[3]]


def test_whole_passages_are_read_up_to_a_number_of_tokens() -> None:
    two = [passage("d"), passage("c")]
    both = sum(count_tokens(one.text) for one in two)
    assert read("token_limit", two, tokens=both) == two
    assert read("token_limit", two, tokens=both - 1) == two[:1]
    (cut,) = read("token_limit", [passage("c")], tokens=8)
    assert (cut.text, cut.start) == ("3月利率升至3.", 0)


@pytest.mark.parametrize(
    ("document", "question", "kept"),
    [
        ("a", "How did rates change in March?", [0, 48]),
        ("c", "3月的存款利率？", [0, 16]),
    ],
)
def test_sentences_that_share_words_with_the_question_stay_where_they_are(
    document: str, question: str, kept: list[int]
) -> None:
    made = read("sentences", [passage(document), passage("d")], question, most=2)
    assert [one.start for one in made] == kept
    for one in made:
        assert TEXTS[document][one.start :].startswith(one.text)
    both = read("sentences", [passage(document)], f"{question} Funds 基金", most=3)
    assert [one.text for one in both] == [TEXTS[document]]


def test_passages_stay_whole_where_no_sentence_of_any_shares_a_word() -> None:
    assert read("sentences", [passage("d")], "unrelated?") == [passage("d")]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('context = ["best"]', "Stage 'best': .*missing required field `k`"),
        ('context = [{ stage = "order", by = "size" }]', "Stage 'order': .*Invalid enum value"),
        ('context = [{ stage = "near_duplicates", similarity = 0.0 }]', "near_duplicates.*> 0"),
        ('context_format = "html"', "context_format"),
        ("halve_above = 999", "halve_above is 999"),
    ],
)
def test_wrong_settings_are_refused(tmp_path: Path, setting: str, message: str) -> None:
    write_settings(tmp_path, system_table("s", "extractive", "bm25") + setting)
    with pytest.raises(InputError, match=message):
        find_system(tmp_path, "s")
