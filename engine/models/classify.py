"""Derives the kind of a failure from an endpoint's error reply."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from engine.models.errors import FailureKind, ModelError
from engine.models.keys import scrub

_SHOWN = 300

_KIND_OF_CODE = {
    code: kind
    for kind, codes in {
        FailureKind.QUOTA: "insufficient_quota insufficient_balance insufficient_user_quota"
        " billing_hard_limit_reached billing_not_active arrearage 1113",
        FailureKind.RATE_LIMITED: "rate_limit_exceeded rate_limit_error",
        FailureKind.CONTEXT_LENGTH: "context_length_exceeded string_above_max_length"
        " exceed_context_size_error",
        FailureKind.CONTENT_FILTER: "content_filter content_policy_violation"
        " responsibleaipolicyviolation data_inspection_failed datainspectionfailed 1301",
        FailureKind.REFUSED_KEY: "invalid_api_key account_deactivated authentication_error",
        FailureKind.NOT_FOUND: "model_not_found modelnotfound model_not_exist",
        FailureKind.SERVER: "server_error internal_error overloaded_error service_unavailable",
    }.items()
    for code in codes.split()
}
_KIND_OF_STATUS = {
    402: FailureKind.QUOTA,
    408: FailureKind.TIMEOUT,
    409: FailureKind.SERVER,
    413: FailureKind.CONTEXT_LENGTH,
    425: FailureKind.SERVER,
    401: FailureKind.REFUSED_KEY,
    404: FailureKind.NOT_FOUND,
}
_KIND_OF_WORDS = tuple(
    (kind, re.compile(words, re.IGNORECASE))
    for kind, words in (
        (
            FailureKind.REFUSED_KEY,
            r"api[_ -]?key (?:not valid|is invalid|expired)|(?:invalid|incorrect) api[_ -]?key",
        ),
        (
            FailureKind.QUOTA,
            r"exceeded your current quota|insufficient (?:balance|credit|fund|quota)"
            r"|余额不足|欠费|额度不足",
        ),
        (
            FailureKind.CONTENT_FILTER,
            r"content (?:management )?policy|content[_ ]filter|data[_ ]inspection"
            r"|inappropriate content|was flagged|moderation|敏感内容|内容安全|不安全或敏感",
        ),
        (
            FailureKind.CONTEXT_LENGTH,
            r"maximum context length|max_model_len|context (?:window|length|size)"
            r"|prompt is too long|too many (?:input )?tokens|range of input length"
            r"|input (?:length|tokens?) (?:exceed|is too)"
            r"|超[过出].{0,12}(?:长度|上下文)|(?:长度|上下文).{0,8}超[过出限]|输入过长",
        ),
        (
            FailureKind.SCHEMA_REFUSED,
            r"response_format|json_schema|json schema|guided_json|structured[ _]outputs?",
        ),
        (
            FailureKind.NOT_FOUND,
            r"model.{0,80}(?:does not exist|not exist|not found|is not available)|模型不存在",
        ),
    )
)


class ServerError(msgspec.Struct, frozen=True):
    """The content of an error reply, whatever its shape; codes are in lower case."""

    message: str
    codes: frozenset[str] = frozenset()


def classify(
    status: int, body: bytes, *, where: str, retry_after_s: float | None = None, key: str = ""
) -> ModelError:
    """The failure that a reply with an error status, or an error object, represents.

    `where` names provider and model; `key` is kept out of the message. What a code says goes
    before what the words say: providers word quotas and rates alike.
    """
    error = read_error(body)
    kind = _kind(status, error, retry_after_s)
    words = scrub(error.message, key)[:_SHOWN].rstrip()
    summary = f"{where}: {_SAYINGS[kind].format(status=status)}"
    message = f"{summary}: {words}" if words else f"{summary}."
    return ModelError(kind, message, status=status, retry_after_s=retry_after_s)


_SAYINGS = {
    FailureKind.RATE_LIMITED: "too many requests (HTTP {status})",
    FailureKind.SERVER: "the server failed (HTTP {status})",
    FailureKind.TIMEOUT: "the server gave up waiting (HTTP {status})",
    FailureKind.QUOTA: "the quota is used up (HTTP {status})",
    FailureKind.REFUSED_KEY: "the key is refused (HTTP {status})",
    FailureKind.NOT_FOUND: "no such model or address (HTTP {status})",
    FailureKind.CONTEXT_LENGTH: "the request is longer than the model's context (HTTP {status})",
    FailureKind.CONTENT_FILTER: "the content filter refused the request (HTTP {status})",
    FailureKind.SCHEMA_REFUSED: "the server takes no JSON schema for its reply (HTTP {status})",
    FailureKind.BAD_REQUEST: "the request is refused (HTTP {status})",
}


def _kind(status: int, error: ServerError, retry_after_s: float | None) -> FailureKind:
    for code in sorted(error.codes):
        if code in _KIND_OF_CODE:
            return _KIND_OF_CODE[code]
    by_words = _kind_by_words(error.message)
    if status == 429:
        # a server that says when to come back has not closed the account
        used_up = by_words is FailureKind.QUOTA and retry_after_s is None
        return FailureKind.QUOTA if used_up else FailureKind.RATE_LIMITED
    if status >= 500:
        return FailureKind.SERVER
    if status in _KIND_OF_STATUS:
        return _KIND_OF_STATUS[status]
    if by_words is not None:
        return by_words
    if status == 403:
        return FailureKind.REFUSED_KEY
    return FailureKind.NOT_FOUND if 300 <= status < 400 else FailureKind.BAD_REQUEST


def _kind_by_words(words: str) -> FailureKind | None:
    return next((kind for kind, pattern in _KIND_OF_WORDS if pattern.search(words)), None)


def read_error(body: bytes) -> ServerError:
    """Reads an error body: `{"error": {...}}`, `{"message": ...}`, a list of such, or text."""
    try:
        value: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ServerError(describe_text(body))
    if isinstance(value, list) and value:
        value = value[0]
    outer = value if isinstance(value, dict) else {"message": value}
    inner = outer.get("error", outer)
    fields = inner if isinstance(inner, dict) else {"message": inner}
    message = fields.get("message") or fields.get("detail") or outer.get("message") or ""
    if not isinstance(message, str):
        message = msgspec.json.encode(message).decode()
    codes = {str(fields[name]).lower() for name in ("code", "type", "status") if fields.get(name)}
    return ServerError(" ".join(message.split()), frozenset(codes))


def describe_text(body: bytes) -> str:
    """A short description of a body that is not JSON: an HTML page's title, or a text's start."""
    text = body[:20_000].decode("utf-8", "replace")
    if re.match(r"\s*(?:<!doctype html|<html|<head|<body)", text, re.IGNORECASE):
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        named = " ".join(title.group(1).split())[:80] if title else ""
        return f"an HTML page titled “{named}”" if named else "an HTML page"
    return " ".join(text.split())[:_SHOWN]
