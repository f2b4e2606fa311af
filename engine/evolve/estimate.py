"""What an evolution by a model would take: how many requests, how long."""

from __future__ import annotations

from engine.evolve.asked import EvolutionAsked, EvolveEstimate
from engine.evolve.qra import OPERATIONS
from engine.jobs.model_choice import chosen_provider, load_prompts
from engine.models.budget import Estimator
from engine.models.chat import ChatRequest, Message
from store.corpora import corpora
from store.workspace import Workspace

CALLS_A_QRA = 4
"""Question, golden references, answer with key sentences, keypoints."""
_CHUNKS_A_CALL = 3


def estimate_evolution(workspace: Workspace, asked: EvolutionAsked) -> EvolveEstimate:
    """The least calls: of each family the initial question, and one round in which one operation
    is carried out with each partner. At most: every round and every operation, all questions of
    the queue. Tokens and cost are those of the least, each call with some chunks of mean length."""
    provider = chosen_provider(workspace, asked.model)
    assert provider is not None, "only a model is asked"
    db = workspace.db
    corpus = corpora.get(db, asked.corpus)
    a_round = asked.partners * CALLS_A_QRA
    rewriting = int(asked.rewrite)
    rounds = min(asked.rounds, 1)
    least = asked.initial * (CALLS_A_QRA + rewriting + rounds * 2 * a_round)
    most = asked.initial * (
        CALLS_A_QRA + rewriting + asked.rounds * asked.queue * a_round * (1 + len(OPERATIONS))
    )
    lengths = [row.end - row.start for row in corpora.index_rows(db, corpus)]
    text = next(corpora.index_rows(db, corpus)).text[:1] * (sum(lengths) // len(lengths))
    prompt = max(load_prompts(workspace, "evolve/answer").values(), key=lambda one: len(one.text))
    message = Message("user", prompt.text + text * _CHUNKS_A_CALL)
    call = Estimator(provider).estimate(ChatRequest((message,)))
    prices = provider.prices
    return EvolveEstimate(
        calls=least,
        tokens_in=least * call.tokens_in,
        tokens_out=least * call.tokens_out,
        cost=None if prices is None else least * (call.cost or 0.0),
        currency=None if prices is None else prices.currency,
        calls_at_most=most,
    )
