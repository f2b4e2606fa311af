"""What a run would take: calls, replies in the cache, tokens and cost, without asking any model."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from engine.answer_prompt import AnswerPrompts, answer_request
from engine.history import search_query, visible_history
from engine.jobs.indexing import open_index
from engine.jobs.launch import answer_prompts, answering_provider
from engine.models.cached import cache_key
from engine.models.estimate import Estimator
from engine.passages import passages
from store import corpora, datasets, model_calls
from store.datasets import Release
from store.records import HistoryMode, SystemConfig
from store.workspace import Workspace


class RunEstimate(Struct, frozen=True):
    """`tokens_out` is an upper bound where the provider's `max_tokens` gives one.

    Figures are for the calls that are not in the cache. `cost` is null without prices.
    """

    predictions: int
    calls: int
    cached: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    currency: str | None


def estimate_run(
    workspace: Workspace,
    system: SystemConfig,
    release: Release,
    *,
    repeats: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> RunEstimate:
    """Builds every prompt of the run and counts it; reads the cache, writes nothing but the index.

    Where a system sees its own earlier answers, the golden ones stand in for them.
    """
    items = list(datasets.released_items(workspace.db, release.id))
    predictions = repeats * sum(len(item.content.turns) for item in items)
    provider = answering_provider(workspace, system)
    if provider is None:
        return RunEstimate(predictions, 0, 0, 0, 0, None, None)
    corpus = corpora.get_by_id(
        workspace.db, datasets.get_by_id(workspace.db, release.dataset_id).corpus_id
    )
    index = open_index(workspace, corpus, system.retriever) if system.retriever else None
    prompts = AnswerPrompts(answer_prompts(workspace, system, release.id))
    estimator = Estimator(provider)
    mode = HistoryMode.GOLD if system.history is HistoryMode.PREDICTED else system.history
    calls = cached = tokens_in = tokens_out = 0
    cost = 0.0
    for number, item in enumerate(items, 1):
        for turn in range(len(item.content.turns)):
            history = visible_history(item.content.turns, turn, mode, ())
            texts = None
            if index is not None:
                query = search_query(item.content.turns[turn], history, system.expansion)
                hits = index.search([query], system.top_k)[0]
                texts = passages(workspace.db, corpus, hits)
            request = answer_request(prompts, item.content, turn, history, texts)
            estimate = estimator.estimate(request)
            for repeat in range(repeats):
                calls += 1
                key = cache_key(provider, request, repeat)
                if model_calls.get(workspace.db, key) is not None:
                    cached += 1
                    continue
                tokens_in += estimate.tokens_in
                tokens_out += estimate.tokens_out
                cost += estimate.cost or 0.0
        progress(number, len(items))
    prices = provider.prices
    return RunEstimate(
        predictions,
        calls,
        cached,
        tokens_in,
        tokens_out,
        cost if prices else None,
        prices.currency if prices else None,
    )
