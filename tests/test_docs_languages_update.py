"""The catalogue of translations: whole, without what nobody says, and compiled."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "docs/languages"))

import update


@pytest.fixture(scope="module")
def catalogue() -> dict[str, str]:
    return {message.id: message.string for message in update.kept() if message.id}


def test_every_text_is_translated_and_nothing_else(catalogue: dict[str, str]) -> None:
    fresh = {message.id for message in update.updated(update.kept(), *update.said()) if message.id}
    assert not fresh - catalogue.keys(), "run docs/languages/update.py"
    assert not catalogue.keys() - fresh, "run docs/languages/update.py"
    assert not [text for text, translation in catalogue.items() if not translation]


def test_a_translation_fills_in_only_what_the_english_does(catalogue: dict[str, str]) -> None:
    # words that only English grammar needs, as an article, may be left out
    assert not [
        text
        for text, translation in catalogue.items()
        if update.placeholders(translation) - update.placeholders(text)
    ]


def test_the_compiled_catalogue_is_that_of_the_text() -> None:
    assert update.COMPILED.read_bytes() == update.compiled(update.kept())
