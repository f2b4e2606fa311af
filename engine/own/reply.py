"""Reading what a system of one's own gave: its answer, its passages and what it used."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from engine.models.chat import ChatReply
from engine.models.errors import FailureKind, ModelError
from engine.models.wire import place, price, read_usage
from engine.own.pointers import MISSING, value_at
from engine.own.service import Service
from store.formats.predictions import FileHit, Name
from store.hashing import canonical_json

MOST_BYTES = 16_000_000
"""The longest reply that is read."""
LONGEST_ANSWER = 100_000
"""Characters; the time to score an answer grows with its length."""
_USAGE = (
    ("prompt_tokens", "completion_tokens"),
    ("input_tokens", "output_tokens"),
    ("tokens_in", "tokens_out"),
)


class OwnReply(Struct, frozen=True, omit_defaults=True):
    """What a system of one's own gave, in one form whatever its own is."""

    answer: str | None = None
    """Null from a system that only retrieves."""
    passages: tuple[FileHit, ...] | None = None
    """Best first; null where it did not say what it retrieved."""


def read_reply(service: Service, given: Any, latency_ms: float) -> ChatReply:
    """The reply as it is stored: its text is an `OwnReply` as JSON.

    Raises ModelError: bad_reply where a value is missing or of a wrong type, empty_reply for an
    answer without characters.
    """
    reply = OwnReply(_answer(service, given), _passages(service, given))
    tokens_in, tokens_out, remarks = _usage(service, given)
    cost, currency = price(service, tokens_in, tokens_out)
    return ChatReply(
        text=canonical_json(reply).decode(),
        finish_reason="stop",
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=cost,
        currency=currency,
        latency_ms=latency_ms,
        remarks=remarks,
    )


def bad_reply(service: Service, problem: str) -> ModelError:
    """The failure for a reply of another form than the settings say."""
    return ModelError(
        FailureKind.BAD_REPLY,
        f"{place(service)}: {problem}.",
        "Correct what it replies, or where the settings look for it: answer, passages, usage.",
    )


def _answer(service: Service, given: Any) -> str | None:
    if service.answer is None:
        return None
    answer = value_at(given, service.answer)
    if answer is MISSING:
        raise bad_reply(service, f"the reply has no answer at {service.answer!r}: {_begin(given)}")
    if not isinstance(answer, str):
        raise bad_reply(service, f"the answer is no text: {_begin(answer)}")
    if not answer.strip():
        raise ModelError(
            FailureKind.EMPTY_REPLY, f"{place(service)}: the answer is empty.", "Look at its log."
        )
    if len(answer) > LONGEST_ANSWER:
        raise bad_reply(service, f"the answer has {len(answer):,} characters")
    return answer


def _passages(service: Service, given: Any) -> tuple[FileHit, ...] | None:
    if service.passages is None:
        return None
    passages = value_at(given, service.passages)
    if passages is MISSING or passages is None:
        if service.answer is None:
            raise bad_reply(service, f"the reply has no passages at {service.passages!r}")
        return None
    if not isinstance(passages, list):
        raise bad_reply(service, f"the passages are no list: {_begin(passages)}")
    return tuple(_passage(service, entry) for entry in passages)


def _passage(service: Service, entry: Any) -> FileHit:
    """One passage; by its own fields where no pointers say where its name and its text are."""
    if service.passage_id is not None or service.passage_text is not None:
        name, text = (
            None if pointer is None else value_at(entry, pointer)
            for pointer in (service.passage_id, service.passage_text)
        )
        entry = {
            key: value
            for key, value in (("id", name), ("text", text))
            if value is not None and value is not MISSING
        }
    try:
        read = msgspec.convert(entry, Name | FileHit)
    except msgspec.ValidationError as error:
        raise bad_reply(service, f"a passage cannot be read ({error}): {_begin(entry)}") from error
    hit = read if isinstance(read, FileHit) else FileHit(id=read)
    if not hit.names and not hit.text:
        raise bad_reply(service, f"a passage has neither a name nor a text: {_begin(entry)}")
    return hit


def _usage(service: Service, given: Any) -> tuple[int | None, int | None, tuple[str, ...]]:
    usage = MISSING if service.usage is None else value_at(given, service.usage)
    remarks: list[str] = []
    for fields in _USAGE:
        if isinstance(usage, dict) and fields[0] in usage:
            return *read_usage(service, usage, fields, remarks), tuple(remarks)
    return None, None, ()


def _begin(value: Any) -> str:
    return repr(value)[:120]
