"""A rule's reason, stored in the language of the item, in the language of whoever reads it."""

from __future__ import annotations

import pytest

from engine.generate.inspection import check_reasons
from engine.judge.rules import reasons
from tui.language.reasons import read_reason

TABLES = {**reasons.TEXTS, **{f"check {key}": both for key, both in check_reasons.TEXTS.items()}}


def speak(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr("tui.language.choice._chosen", code)


@pytest.mark.parametrize("key", sorted(TABLES.keys() - {"none"}))
def test_every_reason_is_read_in_either_language(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slots(dict[str, object]):
        def __missing__(self, name: str) -> str:
            return "12" if name in ("count", "held", "total", "share", "precision") else "3.5%"

    chinese, english = (text.format_map(Slots()) for text in TABLES[key])
    speak(monkeypatch, "en")
    assert read_reason(chinese) == english
    assert read_reason(english) == english
    speak(monkeypatch, "zh")
    assert read_reason(english) == chinese
    assert read_reason(chinese) == chinese


def test_several_sentences_with_quotes_are_read_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    speak(monkeypatch, "en")
    told = "覆盖1/2个要点。缺少：净利润。"
    assert read_reason(told) == "Covers 1 of 2 aspects. Missing: 净利润."
    quoted = "“利率为3.5%。其他不变”不见于检索文档，但与标准答案不矛盾。"
    assert read_reason(quoted).startswith('"利率为3.5%。其他不变" is not in the retrieved text')


def test_what_no_rule_says_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, "en")
    assert read_reason("这是标注员写的。覆盖1/2个要点。") == "这是标注员写的。覆盖1/2个要点。"
