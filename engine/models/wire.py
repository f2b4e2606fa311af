"""The OpenAI wire format: request bodies, and replies that are read strictly."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct

from engine.models.chat import ChatReply, ChatRequest
from engine.models.classify import classify, describe_text
from engine.models.errors import FailureKind, ModelError
from engine.models.keys import scrub
from engine.models.settings import Provider


class _Part(Struct):
    type: str = ""
    text: str | None = None


class _ReplyMessage(Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _ReplyMessage | None = None
    finish_reason: str | None = None


class _Completion(Struct):
    choices: list[_Choice] | None = None
    model: Any = None
    usage: Any = None
    error: Any = None


MOST_TOKENS = 10_000_000
"""More tokens than any one call can take; a larger count is not believed."""
_LONGEST_NAME = 200
_VERSION = re.compile(r"[-@:_](?:v?\d[\w.\-]*|latest)")

_COMPLETION = msgspec.json.Decoder(_Completion)


def place(provider: Provider) -> str:
    """The provider's name in messages."""
    if provider.kind != "openai":
        return f"{provider.title} ({provider.base_url})"
    return f"{provider.title} ({provider.model} at {provider.base_url})"


def request_body(provider: Provider, request: ChatRequest, repeat: int = 0) -> dict[str, Any]:
    """The body of `POST /chat/completions`: the request, completed by the provider's settings.

    A seed grows by `repeat`, so that repeats differ and each can still be made again.
    """
    body: dict[str, Any] = dict(provider.extra)
    body["model"] = provider.model
    body["messages"] = [{"role": m.role, "content": m.content} for m in request.messages]
    temperature = None if provider.temperature == "default" else provider.temperature
    seed = _first(request.seed, provider.seed)
    fields = (
        ("temperature", _first(request.temperature, temperature)),
        ("top_p", _first(request.top_p, provider.top_p)),
        ("max_tokens", _first(request.max_tokens, provider.max_tokens)),
        ("seed", None if seed is None else seed + repeat),
        ("stop", list(request.stop) or None),
        ("response_format", request.response_format),
    )
    for name, value in fields:
        if value is not None:
            body[name] = value
    return body


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def read_chat_reply(provider: Provider, data: bytes, latency_ms: float, key: str = "") -> ChatReply:
    """The answer in a reply with status 200.

    Raises ModelError: bad_reply for HTML and whatever is not a completion, content_filter for a
    refusal, empty_reply for an answer of no characters, and the error's own kind for an error
    object, which some gateways send with status 200.
    """
    try:
        completion = _COMPLETION.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise bad_reply(provider, data, str(error), key) from None
    if not completion.choices or completion.choices[0].message is None:
        if completion.error is not None:
            raise classify(_status(completion.error), data, where=place(provider), key=key)
        raise bad_reply(provider, data, "the reply holds no answer", key)
    choice = completion.choices[0]
    assert choice.message is not None
    text = _text(choice.message)
    _refuse_unanswered(provider, choice, choice.message, text, key)
    remarks: list[str] = []
    tokens_in, tokens_out = read_usage(
        provider, completion.usage, ("prompt_tokens", "completion_tokens"), remarks
    )
    cost, currency = price(provider, tokens_in, tokens_out)
    model = completion.model if isinstance(completion.model, str) else ""
    if model and not _is_version(model, provider.model):
        remarks.append(f"{place(provider)}: the server says that {_shown(model)} answered.")
    return ChatReply(
        text=text,
        finish_reason=choice.finish_reason or "stop",
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=cost,
        currency=currency,
        latency_ms=latency_ms,
        model=model[:_LONGEST_NAME],
        remarks=tuple(remarks),
    )


def read_usage(
    provider: Provider, usage: Any, fields: tuple[str, str], remarks: list[str]
) -> tuple[int | None, int | None]:
    """Two counts of tokens in a reply's `usage`; null where they are absent.

    Where one of them cannot be, both are null and a remark says so: what a server says of its use
    is no reason to lose its answer, nor may it empty or refill a budget.
    """
    if not isinstance(usage, dict):
        return None, None
    counts: list[int | None] = []
    for field in fields:
        value = usage.get(field)
        if value is not None and not (type(value) is int and 0 <= value <= MOST_TOKENS):
            remarks.append(
                f"{place(provider)}: the server counts {_shown(value)} {field}, which cannot be;"
                " an estimate is taken instead."
            )
            return None, None
        counts.append(value)
    return counts[0], counts[1]


def _is_version(name: str, asked: str) -> bool:
    """Whether a server's name of a model is the one asked for, perhaps with its version."""
    given, wanted = (text.casefold().rpartition("/")[2] for text in (name, asked))
    rest = given.removeprefix(wanted)
    return given.startswith(wanted) and (not rest or _VERSION.fullmatch(rest) is not None)


def _shown(value: object) -> str:
    return repr(value)[:_LONGEST_NAME]


def _status(error: Any) -> int:
    """The HTTP status that an error object of a reply with status 200 stands for."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 400


def _text(message: _ReplyMessage) -> str:
    if isinstance(message.content, list):
        return "".join(part.text or "" for part in message.content)
    return message.content or ""


def _refuse_unanswered(
    provider: Provider, choice: _Choice, message: _ReplyMessage, text: str, key: str
) -> None:
    if choice.finish_reason == "content_filter" or (message.refusal and not text.strip()):
        words = scrub(message.refusal or "", key)[:300]
        summary = f"{place(provider)}: the content filter withheld the answer"
        raise ModelError(
            FailureKind.CONTENT_FILTER, f"{summary}: {words}" if words else f"{summary}."
        )
    if choice.finish_reason == "error":
        raise ModelError(FailureKind.SERVER, f"{place(provider)}: the server broke off its answer.")
    if not text.strip():
        why = f" (finish reason {choice.finish_reason})" if choice.finish_reason else ""
        raise ModelError(FailureKind.EMPTY_REPLY, f"{place(provider)}: the answer is empty{why}.")


def bad_reply(provider: Provider, data: bytes, problem: str, key: str = "") -> ModelError:
    """The failure for a reply of an unexpected form, with the beginning of the reply."""
    shown = scrub(describe_text(data), key)[:120]
    begins = f"; it is {shown}" if shown.startswith("an HTML page") else f"; it begins: {shown}"
    return ModelError(
        FailureKind.BAD_REPLY,
        f"{place(provider)}: the reply cannot be read ({problem}){begins if shown else ''}",
    )


def price(
    provider: Provider, tokens_in: int | None, tokens_out: int | None
) -> tuple[float | None, str | None]:
    """The cost and currency of a number of tokens; both null when prices or counts are unknown."""
    if provider.prices is None or tokens_in is None:
        return None, None
    return provider.prices.cost(tokens_in, tokens_out or 0), provider.prices.currency
