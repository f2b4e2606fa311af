"""Long contexts in halves (Lee and Roh 2024, algorithm 1): an answer from each half, then one made
of both."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.answer.prompt import AnswerPrompts, answer_request, fusion_request
from engine.models.chat import Ask, ChatReply, ChatRequest
from engine.text.breaks import strong_breaks, word_breaks
from engine.text.tokens import count_tokens
from store.records import ItemContent, Passage
from store.systems import SystemConfig


async def ask_for_answer(
    prompts: AnswerPrompts,
    content: ItemContent,
    turn: int,
    history: Sequence[tuple[str, str]],
    passages: Sequence[Passage] | None,
    system: SystemConfig,
    ask: Ask,
) -> tuple[ChatReply, ...]:
    """The replies that an answer from `passages` takes, the answer itself last. They are None for
    closed-book.

    A request of more than `system.halve_above` tokens, as `engine.text.tokens` counts them, becomes
    one for each half of the passages, which is halved again while it is too long, and one that
    joins both answers. Where question and rules alone take half of the limit nothing is halved.
    Raises what `ask` raises.
    """

    def request(passages: Sequence[Passage] | None) -> ChatRequest:
        layout = system.context_format
        return answer_request(prompts, content, turn, history, passages, layout)

    async def replies(passages: Sequence[Passage]) -> tuple[ChatReply, ...]:
        whole = request(passages)
        if _tokens(whole) <= limit:
            return (await ask(whole),)
        first, second = [await replies(half) for half in _halves(passages)]
        both = first[-1].text, second[-1].text
        fusion = fusion_request(prompts, content, turn, history, both)
        return (*first, *second, await ask(fusion))

    limit = system.halve_above or 0
    if not passages or not limit or _tokens(request(())) > limit / 2:
        return (await ask(request(passages)),)
    return await replies(passages)


def _tokens(request: ChatRequest) -> int:
    return sum(count_tokens(message.content) for message in request.messages)


def _halves(passages: Sequence[Passage]) -> tuple[Sequence[Passage], Sequence[Passage]]:
    """The better and the other half; of a single passage its beginning and its end, parted at the
    sentence that ends nearest to the middle, or at a word."""
    if len(passages) > 1:
        middle = (len(passages) + 1) // 2
        return passages[:middle], passages[middle:]
    (passage,) = passages
    text = passage.text
    third = len(text) // 3
    breaks = [at for at, _ in strong_breaks(text) if third < at < len(text) - third]
    breaks = breaks or [at for at, _ in word_breaks(text) if 0 < at < len(text)]
    cut = min(breaks, key=lambda at: abs(2 * at - len(text)), default=len(text) // 2)
    end = replace(passage, text=text[cut:], start=passage.start + cut)
    return (replace(passage, text=text[:cut]),), (end,)
