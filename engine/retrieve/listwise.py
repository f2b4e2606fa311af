"""A model reranks listwise (Sun et al. 2023, RankGPT): it puts numbered passages into an order, in
windows that slide from the last passages to the first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from engine.retrieve.asking import ask_for
from engine.retrieve.asking_rerank import AskingKind, Judged
from engine.retrieve.index.base import index_text
from engine.retrieve.stage import Tools, TurnState
from store.records import Passage
from store.systems import RerankerConfig

_PROMPT = "rerank/listwise"
_NUMBER = re.compile(r"\[(\d{1,4})\]")


async def _judge(
    config: RerankerConfig,
    question: str,
    passages: Sequence[Passage],
    state: TurnState,
    tools: Tools,
) -> Judged:
    order = list(range(len(passages)))
    unusable = 0
    for start in window_starts(len(passages), config.window, config.step):
        window = order[start : start + config.window]
        listed = "\n\n".join(
            f"[{number}] {index_text(passages[at].title, passages[at].text)}"
            for number, at in enumerate(window, 1)
        )
        values = {"question": question, "passages": listed, "count": str(len(window))}
        read = partial(read_order, most=len(window))
        numbers = await ask_for(tools.prompt(_PROMPT, state.lang), values, tools.ask, read)
        unusable += not numbers
        first = [window[int(number) - 1] for number in numbers]
        order[start : start + len(window)] = [*first, *(at for at in window if at not in first)]
    ranks = {at: rank for rank, at in enumerate(order, 1)}
    return Judged(tuple(1 / ranks[at] for at in range(len(passages))), unusable)


def window_starts(count: int, window: int, step: int) -> list[int]:
    """Where each window begins, the last passages' first; each shares `window - step` passages with
    the one before it."""
    starts = []
    end = count
    while end > 0:
        starts.append(max(end - window, 0))
        if end <= window:
            break
        end -= step
    return starts


def read_order(reply: str, most: int) -> tuple[str, ...]:
    """The numbers in brackets of a reply, each once, in order; nothing where there is none, or one
    above `most`. Passages that it leaves out follow in their order before."""
    numbers = tuple(dict.fromkeys(_NUMBER.findall(reply)))
    return numbers if all(1 <= int(number) <= most for number in numbers) else ()


KIND = AskingKind(_judge, {_PROMPT: ("question", "passages", "count")})
