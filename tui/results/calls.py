"""What stages and judges asked models about an answer, and what these replied, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.text.wrapping import cell_width
from store.jobs.model_calls import ModelCall
from store.runs.calls import StoredCall
from tui.language import later, tr
from tui.widgets.line import Piece
from tui.widgets.sheet import Block, Lay, lay_blocks

NOTHING = later("No stage before the answer and no judge has asked a model.")
ROLES = {"system": later("told"), "user": later("asked"), "assistant": later("earlier reply")}
"""What the messages of a request are called, by who speaks in them."""


def calls_sheet(calls: Sequence[StoredCall]) -> Lay:
    """The lines of all requests about an item, each with who asked and the scores that rest on
    it."""
    column = max(cell_width(tr(role)) for role in ROLES.values())

    def lay(width: int) -> list[list[Piece]]:
        if not calls:
            return lay_blocks([Block("", tr(NOTHING), "muted")], width)
        lines: list[list[Piece]] = []
        for number, asked in enumerate(calls, 1):
            place = (
                tr("{number} of {calls}  ", number=number, calls=len(calls))
                if len(calls) > 1
                else ""
            )
            repeat = tr("  repeat {number}", number=asked.repeat + 1) if asked.repeat else ""
            scores = (
                tr("  for {metrics}", metrics=", ".join(asked.metrics)) if asked.metrics else ""
            )
            kind, _, name = asked.asker.partition(" ")
            title = f"{place}{tr(kind)} {name}{repeat}{scores}"
            lines += lay_blocks([Block("", title, "header")], width)
            lines += [*lay_blocks(list(_blocks(asked)), width, column), []]
        return lines[:-1]

    return lay


def _blocks(asked: StoredCall) -> Iterator[Block]:
    if asked.call is None:
        yield Block("", tr("Prompt and reply were purged."), "muted")
        return
    for message in asked.call.request.get("messages", ()):
        role = str(message.get("role"))
        yield Block(tr(ROLES.get(role, role)), str(message.get("content")), "muted")
    yield Block(tr("reply"), asked.call.reply or tr("(nothing)"), "strong")
    yield Block(tr("model"), _facts(asked.call, is_cached=asked.is_cached), "muted")


def _facts(call: ModelCall, *, is_cached: bool) -> str:
    facts = [call.reply_model or call.model]
    if call.tokens_in is not None and call.tokens_out is not None:
        facts.append(
            tr("tokens in {number:,}, out {out:,}", number=call.tokens_in, out=call.tokens_out)
        )
    if call.finish_reason == "length":
        facts.append(tr("cut short by the limit of tokens"))
    facts.append(
        tr("its reply was there already")
        if is_cached
        else tr("{latency_ms:,.0f} ms", latency_ms=call.latency_ms)
    )
    return "; ".join(facts)
