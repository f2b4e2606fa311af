"""What stages and judges asked models about an answer, and what these replied, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.prompts.languages import by_lang
from engine.text.wrapping import cell_width
from store.jobs.model_calls import ModelCall
from store.runs.calls import StoredCall
from tui.language import tr
from tui.widgets.line import Piece
from tui.widgets.sheet import Block, Lay, lay_blocks

NOTHING = tr("No stage before the answer and no judge has asked a model.")


class _Words(NamedTuple):
    """In the language of the item."""

    askers: Mapping[str, str]
    roles: Mapping[str, str]
    reply: str
    model: str
    place: str
    repeat: str
    scores: str
    empty: str
    purged: str
    tokens: str
    cut: str
    cached: str


_EN = _Words(
    {},
    {"system": "told", "user": "asked", "assistant": tr("earlier reply")},
    "reply",
    "model",
    tr("{} of {}  "),
    tr("  repeat {}"),
    tr("  for {}"),
    tr("(nothing)"),
    tr("Prompt and reply were purged."),
    tr("tokens in {:,}, out {:,}"),
    tr("cut short by the limit of tokens"),
    tr("its reply was there already"),
)
_ZH = _Words(
    {"judge": "评判", "stage": "步骤"},
    {"system": "指令", "user": "提问", "assistant": "先前的回复"},
    "回复",
    "模型",
    "{}/{}  ",
    "  第{}次",
    "  用于 {}",
    "（空）",
    "提示词和回复已清除。",
    "输入{:,}个词元，输出{:,}个",
    "因词元上限而截断",
    "回复已有，没有再问",
)


def calls_sheet(calls: Sequence[StoredCall], lang: str = "en") -> Lay:
    """The lines of all requests about an item in that language, each with who asked and the scores
    that rest on it."""
    words = by_lang(lang, _ZH, _EN)
    column = max(map(cell_width, words.roles.values()))

    def lay(width: int) -> list[list[Piece]]:
        if not calls:
            return lay_blocks([Block("", NOTHING, "muted")], width)
        lines: list[list[Piece]] = []
        for number, asked in enumerate(calls, 1):
            place = words.place.format(number, len(calls)) if len(calls) > 1 else ""
            repeat = words.repeat.format(asked.repeat + 1) if asked.repeat else ""
            scores = words.scores.format(", ".join(asked.metrics)) if asked.metrics else ""
            kind, _, name = asked.asker.partition(" ")
            title = f"{place}{words.askers.get(kind, kind)} {name}{repeat}{scores}"
            lines += lay_blocks([Block("", title, "header")], width)
            lines += [*lay_blocks(list(_blocks(asked, words)), width, column), []]
        return lines[:-1]

    return lay


def _blocks(asked: StoredCall, words: _Words) -> Iterator[Block]:
    if asked.call is None:
        yield Block("", words.purged, "muted")
        return
    for message in asked.call.request.get("messages", ()):
        role = str(message.get("role"))
        yield Block(words.roles.get(role, role), str(message.get("content")), "muted")
    yield Block(words.reply, asked.call.reply or words.empty, "strong")
    yield Block(words.model, _facts(asked.call, words, is_cached=asked.is_cached), "muted")


def _facts(call: ModelCall, words: _Words, *, is_cached: bool) -> str:
    facts = [call.reply_model or call.model]
    if call.tokens_in is not None and call.tokens_out is not None:
        facts.append(words.tokens.format(call.tokens_in, call.tokens_out))
    if call.finish_reason == "length":
        facts.append(words.cut)
    facts.append(
        words.cached if is_cached else tr("{latency_ms:,.0f} ms", latency_ms=call.latency_ms)
    )
    return "; ".join(facts)
