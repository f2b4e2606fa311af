"""A connection test says in sentences what holds and what to do."""

from __future__ import annotations

import pytest
import scripted_server as scripted
from scripted_server import ScriptedServer

from engine.models.probe import probe, probe_apart
from engine.models.settings import OFFLINE, Provider

KEY = "sk-abcdefghijklmnop12345678"


def provider(server, **fields):
    given = {"name": "p", "base_url": server.base_url, "model": "m", "timeout_s": 2.0, **fields}
    return Provider(**given)


async def test_a_sound_provider_is_told_with_its_latency():
    with ScriptedServer(latency_s=0.01) as server:
        result = await probe(provider(server))
    assert (result.ok, result.reachable, result.key_accepted, result.model_known) == (True,) * 4
    assert result.latency_ms >= 10
    assert "gave an answer in" in result.sentences[0]


async def test_embeddings_are_tested_by_a_vector():
    with ScriptedServer(default=scripted.embeddings([[1.0]])) as server:
        assert (await probe(provider(server), "embeddings")).ok


@pytest.mark.parametrize(
    ("reply", "found", "said"),
    [
        (scripted.refused_key(KEY), (True, False, None), "the key is refused"),
        (scripted.insufficient_quota(), (True, True, None), "quota"),
        (scripted.html(), (True, None, None), "HTML page"),
        (scripted.server_error(), (True, None, None), "the server failed"),
        (scripted.hang(), (False, None, None), "did not answer within 0.2 s"),
        (scripted.close_connection(), (False, None, None), "cannot be reached"),
        (scripted.rate_limited(), (True, True, None), "too many requests"),
    ],
)
async def test_what_is_wrong_is_told_with_its_remedy(reply, found, said):
    with ScriptedServer(default=reply) as server:
        # only what hangs comes to the end of its time
        timeout_s = 0.2 if "0.2 s" in said else 60.0
        asked = provider(server, api_key_env="K", timeout_s=timeout_s)
        result = await probe(asked, environ={"K": KEY})
        assert server.count == 1
    assert not result.ok
    assert (result.reachable, result.key_accepted, result.model_known) == found
    assert said in result.sentences[0]
    assert len(result.sentences) == 2
    assert KEY not in str(result)


async def test_an_unknown_model_is_answered_with_those_that_the_server_has():
    def reply(request):
        if request.path.endswith("/models"):
            return scripted.models("qwen3-8b", "bge-m3")
        return scripted.model_not_found()

    with ScriptedServer(reply=reply) as server:
        result = await probe(provider(server))
    assert (result.ok, result.model_known) == (False, False)
    assert result.sentences[-1] == "The server offers: qwen3-8b, bge-m3."


async def test_a_model_that_reasons_first_may_leave_the_test_empty():
    with ScriptedServer(default=scripted.answer("", finish_reason="length")) as server:
        assert (await probe(provider(server))).ok


async def test_the_offline_provider_needs_no_connection():
    assert (await probe(OFFLINE)).ok


async def test_the_test_runs_in_a_process_of_its_own():
    with ScriptedServer(default=scripted.refused_key()) as server:
        result = await probe_apart(provider(server))
    assert (result.ok, result.key_accepted) == (False, False)
