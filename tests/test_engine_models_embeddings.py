"""Vectors come from `/embeddings` in batches, in order, and are checked."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scripted_server as scripted
from scripted_server import ScriptedServer

from engine.models.budget import Spending
from engine.models.endpoints import BlockingEmbedder, Endpoints
from engine.models.errors import ModelError
from engine.models.settings import Limits, Prices, Provider


def provider(server, batch=3, **fields):
    given = {"name": "e", "base_url": server.base_url, "model": "m", "timeout_s": 5.0, **fields}
    return Provider(**given, limits=Limits(batch=batch))


def by_length(request):
    """A vector that tells the text's length; out of order, as some servers send them."""
    reply = scripted.embeddings([[float(len(text)), 1.0] for text in request.body["input"]])
    reply.body["data"].reverse()
    return reply


async def embed(server, texts, **fields):
    async with Endpoints() as endpoints:
        return await endpoints.embeddings(provider(server, **fields)).embed(texts)


async def test_a_row_for_each_text_in_order():
    texts = ["字" * n for n in range(1, 9)]
    with ScriptedServer(reply=by_length) as server:
        vectors = await embed(server, texts)
        sizes = sorted(len(request.body["input"]) for request in server.requests)
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[float(n), 1.0] for n in range(1, 9)]
    assert sizes == [2, 3, 3]


async def test_no_texts_need_no_call():
    with ScriptedServer() as server:
        assert (await embed(server, [])).shape == (0, 0)
        assert server.count == 0


async def test_further_fields_of_the_body_are_sent():
    with ScriptedServer(reply=by_length) as server:
        await embed(server, ["a"], extra={"dimensions": 2})
        assert server.requests[0].body == {"dimensions": 2, "model": "m", "input": ["a"]}


async def test_a_batch_is_tried_again():
    with ScriptedServer([scripted.server_error()], default=scripted.embeddings([[1.0]])) as server:
        assert (await embed(server, ["a"])).tolist() == [[1.0]]
        assert server.count == 2


async def test_progress_tokens_and_cost_are_counted():
    seen = []
    with ScriptedServer(reply=by_length) as server:
        async with Endpoints() as endpoints:
            model = endpoints.embeddings(provider(server, prices=Prices(1_000_000, 0)))
            await model.embed(["a"] * 7, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (7, 7)
    assert len(seen) == 3
    assert model.spent == Spending(9, 9.0)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (scripted.html(), "bad_reply"),
        (scripted.Reply(b'{"usage": ' + b"[" * 200_000), "bad_reply"),
        (scripted.embeddings([[1.0]]), "bad_reply"),
        (scripted.embeddings([[1.0], [1.0, 2.0]]), "bad_reply"),
        (scripted.embeddings([[], []]), "bad_reply"),
        (scripted.embeddings([[1e300], [1.0]]), "bad_reply"),
        (scripted.Reply({"error": {"message": "no", "code": "insufficient_quota"}}), "quota"),
        (scripted.refused_key(), "refused_key"),
    ],
)
async def test_what_is_no_vectors_is_a_failure(reply, kind):
    with ScriptedServer(default=reply) as server, pytest.raises(ModelError) as caught:
        await embed(server, ["a", "b"])
    assert caught.value.kind == kind


async def test_batches_of_different_lengths_are_refused():
    replies = [scripted.embeddings([[1.0]]), scripted.embeddings([[1.0, 2.0]])]
    with ScriptedServer(replies) as server, pytest.raises(ModelError, match="batch to batch"):
        await embed(server, ["a", "b"], batch=1)


def test_code_without_a_loop_embeds_over_one_connection():
    with ScriptedServer(reply=by_length) as server:
        with BlockingEmbedder(provider(server)) as embedder:
            for n in range(1, 4):
                assert embedder.embed(["x" * n]).tolist() == [[float(n), 1.0]]
        assert server.connections == 1
    embedder.close()


def test_code_without_a_loop_can_give_up_while_calls_wait():
    class GivenUp(Exception):
        pass

    def check():
        if server.count:
            raise GivenUp

    with (
        ScriptedServer(default=scripted.rate_limited(0.6)) as server,
        BlockingEmbedder(provider(server), check) as embedder,
    ):
        with pytest.raises(GivenUp):
            embedder.embed(["x"])
        time.sleep(1)
        assert server.count == 1


def test_a_failure_reaches_code_without_a_loop():
    with (
        ScriptedServer(default=scripted.refused_key()) as server,
        BlockingEmbedder(provider(server)) as embedder,
        pytest.raises(ModelError),
    ):
        embedder.embed(["x"])
