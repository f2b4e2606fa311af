"""What a wrong answer is to be blamed on, by the stages of its system."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.results.blame import LABELS, Blame, Stages, blame
from store.records import Lang

EVIDENCE: dict[Lang, str] = {
    "en": "Revenue was $53 million in 2018 and $68 million in 2019, led by the audit committee.",
    "zh": "2018年营业收入为53亿元，2019年为68亿元，由审计委员会牵头。",
}
GOLDEN: dict[Lang, tuple[str, str, str]] = {
    "en": ("$68 million", "60.5 million", "the audit committee"),
    "zh": ("68亿元", "60.5亿元", "审计委员会"),
}
"""One that the evidence states, one that has to be calculated, one in words."""


def wrong(lang: Lang, golden: str) -> Stages:
    text = EVIDENCE[lang]
    return Stages(lang, (golden,), False, evidence=(text,), read=f"Before. {text} After.")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_first_stage_that_went_wrong_is_to_blame(lang: Lang) -> None:
    stated, computed, words = GOLDEN[lang]
    known = wrong(lang, stated)
    elsewhere = "Something else. 别的内容。"
    for stages, kind in (
        (replace(known, full_marks=None), Blame.UNKNOWN),
        (replace(known, full_marks=True), Blame.RIGHT),
        (replace(known, full_marks_by=("people",), missed=1), Blame.JUDGE),
        (replace(known, retrieves=False), Blame.RETRIEVAL),
        (replace(known, missed=1, read=elsewhere), Blame.RETRIEVAL),
        (replace(known, read=elsewhere), Blame.CONTEXT),
        (replace(wrong(lang, words), read=elsewhere), Blame.CONTEXT),
        (wrong(lang, computed), Blame.CALCULATION),
        (known, Blame.READING),
        (wrong(lang, words), Blame.READING),
    ):
        assert blame(stages).blame is kind


def test_what_was_read_counts_where_it_does_not_hold_the_evidence_word_for_word() -> None:
    """As where a stage shortened it."""
    known = wrong("en", "$53 million, $68 million")
    assert blame(replace(known, read="2018: $53 million. 2019: 68 million")).blame is Blame.READING
    lost = blame(replace(known, read="In 2018 revenue was $53 million."))
    assert (lost.blame, "$68 million" in lost.reason) == (Blame.CONTEXT, True)
    assert "$53 million" not in lost.reason


def test_a_scale_beside_the_table_makes_no_calculation() -> None:
    table = "(in thousands)\n| Total | $3,423 | $4,055 |"
    stages = Stages("en", ("$4,055 thousand", "$4,055"), False, evidence=(table,), read=table)
    assert blame(stages).blame is Blame.READING
    assert blame(replace(stages, golden_answers=("$632",))).blame is Blame.CALCULATION


def test_without_marked_evidence_what_was_read_stands_for_it() -> None:
    stages = Stages("en", ("$68 million",), False, read=EVIDENCE["en"])
    assert blame(stages).blame is Blame.READING
    assert blame(replace(stages, golden_answers=("121",))).blame is Blame.CALCULATION


def test_the_reason_says_what_in_the_language_of_the_item() -> None:
    assert "60.5 million of the golden answer" in blame(wrong("en", "60.5 million")).reason
    assert "须由计算得出" in blame(wrong("zh", "60.5亿元")).reason
    assert set(LABELS["zh"]) == set(LABELS["en"]) == set(Blame)
