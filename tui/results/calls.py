"""What stages and judges asked models about an answer, and what these replied, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from store.jobs.model_calls import ModelCall
from store.messages import plural
from store.runs.calls import StoredCall
from tui.widgets.line import Piece
from tui.widgets.sheet import Block, Lay, lay_blocks

NOTHING = "No stage before the answer and no judge has asked a model."
_ROLES = {"system": "told", "user": "asked", "assistant": "earlier reply"}
_LABELS = max(map(len, _ROLES.values()))


def calls_sheet(calls: Sequence[StoredCall]) -> Lay:
    """The lines of all requests, each with who asked and the scores that rest on it."""

    def lay(width: int) -> list[list[Piece]]:
        if not calls:
            return lay_blocks([Block("", NOTHING, "muted")], width)
        lines: list[list[Piece]] = []
        for number, asked in enumerate(calls, 1):
            place = f"{number} of {len(calls)}  " if len(calls) > 1 else ""
            repeat = f"  repeat {asked.repeat + 1}" if asked.repeat else ""
            scores = f"  for {', '.join(asked.metrics)}" if asked.metrics else ""
            title = f"{place}{asked.asker}{repeat}{scores}"
            lines += lay_blocks([Block("", title, "header")], width)
            lines += [*lay_blocks(list(_blocks(asked)), width, _LABELS), []]
        return lines[:-1]

    return lay


def _blocks(asked: StoredCall) -> Iterator[Block]:
    if asked.call is None:
        yield Block("", "Prompt and reply were purged.", "muted")
        return
    for message in asked.call.request.get("messages", ()):
        role = str(message.get("role"))
        yield Block(_ROLES.get(role, role), str(message.get("content")), "muted")
    yield Block("reply", asked.call.reply or "(nothing)", "strong")
    yield Block("model", _facts(asked.call, is_cached=asked.is_cached), "muted")


def _facts(call: ModelCall, *, is_cached: bool) -> str:
    facts = [call.reply_model or call.model]
    if call.tokens_in is not None and call.tokens_out is not None:
        facts.append(f"{plural(call.tokens_in, 'token')} in, {call.tokens_out:,} out")
    if call.finish_reason == "length":
        facts.append("cut short by the limit of tokens")
    facts.append("its reply was there already" if is_cached else f"{call.latency_ms:,.0f} ms")
    return "; ".join(facts)
