"""Requests carry what was asked for; only an answer becomes a reply."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace
from scripted_server import answer, html

from engine.models.chat import ChatRequest, Message
from engine.models.errors import ModelError
from engine.models.settings import Prices, Provider
from engine.models.wire import read_chat_reply, request_body

PROVIDER = Provider(name="p", base_url="http://h/v1", model="m")
REQUEST = ChatRequest((Message("system", "Be brief."), Message("user", "问")))


def read(body, provider=PROVIDER):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_chat_reply(provider, data, 5.0)


def test_the_providers_settings_complete_the_request():
    provider = replace(PROVIDER, seed=7, max_tokens=99, extra={"enable_thinking": False})
    assert request_body(provider, replace(REQUEST, max_tokens=5)) == {
        "enable_thinking": False,
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "问"},
        ],
        "temperature": 0.0,
        "max_tokens": 5,
        "seed": 7,
    }


def test_repeats_have_seeds_of_their_own():
    assert request_body(replace(PROVIDER, seed=7), REQUEST, repeat=2)["seed"] == 9
    assert "seed" not in request_body(PROVIDER, REQUEST, repeat=2)


def test_a_model_may_keep_its_own_temperature():
    assert "temperature" not in request_body(replace(PROVIDER, temperature="default"), REQUEST)


def test_an_answer_is_read_with_its_cost():
    priced = replace(PROVIDER, prices=Prices(1.0, 2.0, "CNY"))
    reply = read(answer("答案。", tokens_in=1000, tokens_out=500).body, priced)
    assert (reply.text, reply.finish_reason) == ("答案。", "stop")
    assert (reply.tokens_in, reply.tokens_out) == (1000, 500)
    assert reply.cost == pytest.approx(0.002)
    assert reply.currency == "CNY"
    assert not reply.truncated


def test_an_answer_cut_by_max_tokens_is_kept_and_flagged():
    assert read(answer("Half an", finish_reason="length").body).truncated


def test_a_server_that_counts_nothing_gives_no_counts():
    reply = read(answer(usage=False).body)
    assert (reply.tokens_in, reply.cost) == (None, None)


@pytest.mark.parametrize("count", [-1, -1_000_000, 10**30, 1e30, 2**63 - 1, "12", True, 0.5, [1]])
def test_a_count_that_cannot_be_is_not_believed_and_costs_no_answer(count):
    body = answer().body
    body["usage"]["prompt_tokens"] = count
    reply = read(body, replace(PROVIDER, prices=Prices(1.0, 2.0)))
    assert reply.text == "The answer."
    assert (reply.tokens_in, reply.tokens_out, reply.cost) == (None, None, None)
    assert "prompt_tokens" in reply.remarks[0]


def test_usage_of_another_shape_costs_no_answer():
    assert read({**answer().body, "usage": "none"}).tokens_in is None


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("m", "m"),
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("llama3", "llama3:latest"),
        ("Qwen/Qwen2.5-7B", "qwen2.5-7b"),
        ("m", ""),
        ("m", None),
    ],
)
def test_a_model_that_names_its_version_is_the_one_that_was_asked(asked, name):
    reply = read({**answer().body, "model": name}, replace(PROVIDER, model=asked))
    assert (reply.model, reply.remarks) == (name or "", ())


@pytest.mark.parametrize(("asked", "name"), [("gpt-4", "gpt-4o-mini"), ("m", "gpt-cheap")])
def test_another_models_name_is_kept_and_remarked_on(asked, name):
    reply = read({**answer().body, "model": name}, replace(PROVIDER, model=asked))
    assert reply.model == name
    assert f"{name!r} answered" in reply.remarks[0]


def test_an_answer_in_parts_is_joined():
    body = answer().body
    body["choices"][0]["message"]["content"] = [{"type": "text", "text": "a"}, {"text": "b"}]
    assert read(body).text == "ab"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "bad_reply"),
        (b"{", "bad_reply"),
        (b"\xff", "bad_reply"),
        (b'{"usage": ' + b"[" * 200_000, "bad_reply"),
        (html().body, "bad_reply"),
        ({}, "bad_reply"),
        ({"choices": []}, "bad_reply"),
        ({"choices": [{"text": "old"}]}, "bad_reply"),
        ({"choices": "none"}, "bad_reply"),
        (answer("").body, "empty_reply"),
        (answer(" \n").body, "empty_reply"),
        (answer(None, finish_reason="tool_calls").body, "empty_reply"),
        (answer(None, finish_reason="content_filter").body, "content_filter"),
        (answer("Half of it", finish_reason="content_filter").body, "content_filter"),
        (answer(None, refusal="I cannot help.").body, "content_filter"),
        (answer("partial", finish_reason="error").body, "server"),
        ({"error": {"message": "busy", "code": 429}}, "rate_limited"),
        ({"error": {"message": "no", "code": "insufficient_quota"}}, "quota"),
        ({"error": "maximum context length is 10"}, "context_length"),
        ({"choices": None, "error": {"message": "hm"}}, "bad_request"),
    ],
)
def test_whatever_is_no_answer_is_a_failure_of_its_kind(body, kind):
    with pytest.raises(ModelError) as caught:
        read(body)
    assert caught.value.kind == kind
    assert caught.value.remedy


def test_a_page_is_named_by_its_title():
    with pytest.raises(ModelError, match="an HTML page titled “Sign in”"):
        read(html().body)
