"""Keys are read from the environment, recognised in texts, and kept out of them."""

from __future__ import annotations

import pytest

from engine.models.keys import looks_like_key, read_key, scrub


@pytest.mark.parametrize(
    "key",
    [
        "sk-abcdefghijklmnopqrstuvwx",
        "sk-ant-api03-AbCdEfGhIjKlMnOp",
        "gsk_abcdefghijklmnop1234",
        "hf_abcdefghijklmnopqrst",
        "Bearer abcdefghijklmnop",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2ln",
    ],
)
def test_keys_are_recognised(key):
    assert looks_like_key(key)
    assert key.removeprefix("Bearer ") not in scrub(f"Incorrect API key provided: {key}.")


@pytest.mark.parametrize("word", ["OPENAI_API_KEY", "gpt-4o-mini", "risk-management", "中文模型"])
def test_words_are_not(word):
    assert not looks_like_key(word)
    assert scrub(word) == word


def test_a_key_of_any_shape_is_kept_out_when_it_is_known():
    assert scrub("key hunter2 is wrong", "hunter2") == "key [key] is wrong"


def test_a_key_is_read_without_white_space():
    assert read_key("K", {"K": " abc\n"}) == "abc"


def test_a_missing_key_and_a_broken_one_are_told_apart_without_repeating_it():
    with pytest.raises(LookupError, match="K is not set"):
        read_key("K", {"K": "  "})
    with pytest.raises(ValueError, match="K holds characters") as caught:
        read_key("K", {"K": "密钥abc"})
    assert "密钥" not in str(caught.value)
