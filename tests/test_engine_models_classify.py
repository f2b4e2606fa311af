"""Every error reply has its kind, its remedy and its effect on the job."""

from __future__ import annotations

import json

import pytest

from engine.models.classify import classify, read_error
from engine.models.errors import Effect, FailureKind


def reply(message, code=None, kind=None):
    return json.dumps({"error": {"message": message, "code": code, "type": kind}}).encode()


CASES = [
    (429, reply("Rate limit reached", "rate_limit_exceeded"), "rate_limited"),
    (429, reply("You exceeded your current quota", "insufficient_quota"), "quota"),
    (429, reply("You exceeded your current quota, check billing"), "quota"),
    (402, reply("Insufficient Balance"), "quota"),
    (403, reply("账户余额不足，请充值"), "quota"),
    (400, reply("Access denied, account in arrears", "Arrearage"), "quota"),
    (401, reply("Incorrect API key provided", "invalid_api_key"), "refused_key"),
    (400, reply("API key not valid. Please pass a valid API key."), "refused_key"),
    (403, reply("Country not supported"), "refused_key"),
    (404, reply("The model `x` does not exist", "model_not_found"), "not_found"),
    (404, b"<html><head><title>404</title></head></html>", "not_found"),
    (400, reply("Model not exist."), "not_found"),
    (301, b"", "not_found"),
    (400, reply("maximum context length is 4096 tokens"), "context_length"),
    (400, b'{"object":"error","message":"longer than max_model_len","code":400}', "context_length"),
    (400, reply("Range of input length should be [1, 6000]"), "context_length"),
    (400, reply("输入超过模型最大长度"), "context_length"),
    (500, reply("too long", "context_length_exceeded"), "context_length"),
    (413, b"", "context_length"),
    (400, reply("Output data may contain inappropriate content."), "content_filter"),
    (400, reply("filtered", "content_filter"), "content_filter"),
    (400, reply("系统检测到输入内容可能包含不安全或敏感内容", "1301"), "content_filter"),
    (403, reply("Your input was flagged"), "content_filter"),
    (400, reply("Unsupported parameter: 'temperature'"), "bad_request"),
    (422, b'{"detail":[{"loc":["body","seed"],"msg":"extra"}]}', "bad_request"),
    (400, reply("Unknown parameter: 'response_format'."), "schema_refused"),
    (422, b'{"detail":[{"loc":["body","response_format"],"msg":"extra"}]}', "schema_refused"),
    (408, b"", "timeout"),
    (409, b"", "server"),
    (500, reply("boom"), "server"),
    (502, b"<html><title>Bad Gateway</title></html>", "server"),
    (503, b'[{"error":{"message":"overloaded"}}]', "server"),
]


@pytest.mark.parametrize(("status", "body", "kind"), CASES)
def test_a_reply_has_its_kind(status, body, kind):
    error = classify(status, body, where="Provider p")
    assert error.kind == kind
    assert error.status == status
    assert error.message.startswith("Provider p: ")
    assert error.remedy


def test_a_server_that_says_when_to_come_back_has_not_closed_the_account():
    body = reply("You exceeded your current quota, per minute")
    assert classify(429, body, where="p", retry_after_s=20).kind is FailureKind.RATE_LIMITED


@pytest.mark.parametrize(
    ("status", "code", "effect"),
    [
        (429, "insufficient_quota", Effect.PAUSE_JOB),
        (429, None, Effect.PAUSE_JOB),
        (401, None, Effect.STOP_JOB),
        (404, None, Effect.STOP_JOB),
        (400, "content_filter", Effect.REFUSE_ITEM),
        (400, "context_length_exceeded", Effect.FAIL_ITEM),
        (500, None, Effect.FAIL_ITEM),
    ],
)
def test_a_kind_has_its_effect(status, code, effect):
    assert classify(status, reply("no", code), where="p").effect is effect


def test_only_what_may_pass_by_itself_is_tried_again():
    tried = {k for s, b, k in CASES if classify(s, b, where="p").retryable}
    assert tried == {"rate_limited", "server", "timeout"}


def test_no_key_is_in_a_message():
    error = classify(
        401, reply("Incorrect key: hunter2 sk-abcdefghij1234567890"), where="p", key="hunter2"
    )
    assert "hunter2" not in str(error)
    assert "sk-abc" not in str(error)


def test_an_html_page_is_told_by_its_title():
    said = read_error("<!doctype html><html><title> 登录\n页 </title>".encode()).message
    assert said == "an HTML page titled “登录 页”"


def test_a_long_text_is_cut():
    assert len(classify(400, b"x" * 10_000, where="p").message) < 500


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error":"no such thing"}', "no such thing"),
        (b'{"message":"plain"}', "plain"),
        (b'{"detail":"missing"}', "missing"),
        (b'"words"', "words"),
        (b"\xff\xfe", "��"),
        (b"[" * 200_000, "[" * 300),
        (b"", ""),
    ],
)
def test_errors_are_read_in_any_shape(body, message):
    assert read_error(body).message == message
