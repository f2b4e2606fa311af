"""A real client against a real server on loopback, whatever the server does."""

from __future__ import annotations

import asyncio
import gzip
import traceback

import pytest
import scripted_server as scripted
from msgspec.structs import replace
from scripted_server import Reply, ScriptedServer

from engine.models import connection
from engine.models.chat import ChatRequest, Message
from engine.models.endpoints import Endpoints
from engine.models.errors import Effect, EndpointDown, FailureKind, ModelError
from engine.models.settings import OFFLINE, Limits, Prices, Provider
from store.errors import UsageError

KEY = "sk-abcdefghijklmnop12345678"
ENVIRON = {"RAGDESK_TEST_KEY": KEY}
REQUEST = ChatRequest((Message("user", "资本支出是多少？"),))


def provider(server, **fields):
    given = {"name": "p", "base_url": server.base_url, "model": "m", "timeout_s": 5.0, **fields}
    return Provider(**given)


async def ask(server, times=1, **fields):
    async with Endpoints(ENVIRON) as endpoints:
        chat = endpoints.chat(provider(server, **fields))
        replies = await asyncio.gather(*[chat.complete(REQUEST) for _ in range(times)])
        return replies[0] if times == 1 else replies


async def fail(server, **fields):
    with pytest.raises(ModelError) as caught:
        await ask(server, **fields)
    return caught.value


async def test_an_answer_comes_back_with_its_figures():
    with ScriptedServer([scripted.answer("15.77 亿元。")]) as server:
        reply = await ask(server, prices=Prices(1.0, 2.0))
        (request,) = server.requests
    assert (reply.text, reply.attempts, reply.cached) == ("15.77 亿元。", 1, False)
    assert reply.cost == pytest.approx(20e-6)
    assert reply.latency_ms > 0
    assert (request.path, request.body["temperature"]) == ("/v1/chat/completions", 0.0)
    assert request.body["messages"] == [{"role": "user", "content": "资本支出是多少？"}]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("status", [200, 500])
async def test_a_reply_without_end_is_given_up(monkeypatch, packed, status):
    monkeypatch.setattr(connection, "MOST_BYTES", 100_000)
    body = b'{"choices": "' + b"x" * 3_000_000
    headers = {"content-encoding": "gzip"} if packed else {}
    endless = Reply(gzip.compress(body) if packed else body, status, headers)
    with ScriptedServer(default=endless) as server:
        error = await fail(server)
    assert error.kind is FailureKind.BAD_REPLY
    assert "longer than 100,000 bytes" in error.message


async def test_a_long_reply_within_the_bound_is_read(monkeypatch):
    monkeypatch.setattr(connection, "MOST_BYTES", 100_000)
    with ScriptedServer([scripted.answer("x" * 90_000)]) as server:
        assert len((await ask(server)).text) == 90_000


async def test_the_key_is_sent_and_this_machine_is_not_described(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another")
    with ScriptedServer() as server:
        await ask(server, api_key_env="RAGDESK_TEST_KEY")
        await ask(server)
        with_key, without = (request.headers for request in server.requests)
    assert with_key["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in without
    assert not {"x-stainless-os", "x-stainless-arch", "openai-organization"} & with_key.keys()


async def test_calls_share_connections():
    with ScriptedServer(latency_s=0.005) as server:
        await ask(server, times=200, limits=Limits(max_in_flight=8))
        assert server.count == 200
        assert server.peak_in_flight <= 8
        assert server.connections <= 8


@pytest.mark.parametrize(
    "trouble",
    [
        scripted.rate_limited(retry_after=0.01),
        scripted.rate_limited(retry_after_ms=10),
        scripted.server_error(),
        scripted.server_error(503),
        scripted.close_connection(),
        scripted.cut_off(),
    ],
)
async def test_a_passing_trouble_is_overcome(trouble):
    with ScriptedServer([trouble]) as server:
        reply = await ask(server)
        assert (reply.text, reply.attempts) == ("The answer.", 2)
        assert server.count == 2


@pytest.mark.parametrize(
    ("trouble", "kind", "effect"),
    [
        (scripted.insufficient_quota(), "quota", Effect.PAUSE_JOB),
        (scripted.refused_key(KEY), "refused_key", Effect.STOP_JOB),
        (scripted.model_not_found(), "not_found", Effect.STOP_JOB),
        (scripted.context_length_exceeded(), "context_length", Effect.FAIL_ITEM),
        (scripted.content_filtered(), "content_filter", Effect.REFUSE_ITEM),
        (scripted.answer(""), "empty_reply", Effect.FAIL_ITEM),
        (scripted.html(), "bad_reply", Effect.FAIL_ITEM),
        (scripted.malformed(), "bad_reply", Effect.FAIL_ITEM),
        (scripted.Reply(status=307, headers={"location": "http://h/"}), "not_found", None),
    ],
)
async def test_a_lasting_trouble_is_told_once(trouble, kind, effect):
    with ScriptedServer(default=trouble) as server:
        error = await fail(server, api_key_env="RAGDESK_TEST_KEY")
        assert server.count == 1
        assert server.base_url in error.message
    assert error.kind == kind
    assert effect is None or error.effect is effect
    assert KEY not in "".join(traceback.format_exception(error))


async def test_a_server_that_hangs_times_out():
    with ScriptedServer([scripted.hang()]) as server:
        reply = await ask(server, timeout_s=1.0)
        assert (reply.attempts, server.count) == (2, 2)


async def test_an_address_where_nobody_listens_is_down_and_says_so():
    with ScriptedServer() as server:
        gone = provider(server)
    async with Endpoints() as endpoints:
        account = endpoints.account(gone)
        account.breaker._min_outage_s = 0.0
        account._random = lambda: 0.01
        with pytest.raises(EndpointDown, match=r"cannot be reached.*5 failures") as caught:
            await endpoints.chat(gone).complete(REQUEST)
        assert endpoints.states()[0].is_down
        endpoints.forgive()
        assert not endpoints.states()[0].is_down
    assert caught.value.effect is Effect.PAUSE_JOB


async def test_a_missing_key_is_named_before_anything_is_sent():
    with ScriptedServer() as server:
        error = await fail(server, api_key_env="RAGDESK_NO_SUCH_KEY")
        assert server.count == 0
    assert error.kind == "refused_key"
    assert "RAGDESK_NO_SUCH_KEY is not set" in error.message


async def test_no_representation_shows_the_key():
    with ScriptedServer() as server:
        async with Endpoints(ENVIRON) as endpoints:
            chat = endpoints.chat(provider(server, api_key_env="RAGDESK_TEST_KEY"))
            await chat.complete(REQUEST)
            assert KEY not in repr((chat, chat._connection, chat.provider, endpoints))


async def test_faults_by_chance_leave_nothing_undone():
    faults = scripted.faults_by_chance(0.05, 0.01, retry_after=0.01)
    with ScriptedServer(reply=faults) as server:
        async with Endpoints() as endpoints:
            chat = endpoints.chat(provider(server))
            requests = [ChatRequest((Message("user", str(n)),)) for n in range(300)]
            replies = await asyncio.gather(*[chat.complete(request) for request in requests])
        assert {reply.text for reply in replies} == {"The answer."}
        assert sum(reply.attempts for reply in replies) == server.count > 300


async def test_a_server_of_few_places_brings_the_limit_down():
    def reply(request):
        return scripted.rate_limited(retry_after=0.02) if server.in_flight > 6 else None

    with ScriptedServer(reply=reply, latency_s=0.01) as server:
        async with Endpoints() as endpoints:
            chat = endpoints.chat(provider(server))
            await asyncio.gather(*[chat.complete(REQUEST) for _ in range(300)])
            state = endpoints.states()[0].limiter
    assert state.cuts >= 3
    assert state.limit < 20


async def test_no_pool_of_the_client_bounds_what_the_limiter_allows():
    with ScriptedServer(latency_s=0.5) as server:
        async with Endpoints() as endpoints:
            wide = provider(server, limits=Limits(max_in_flight=150))
            endpoints.account(wide).limiter._limit = 150.0
            chat = endpoints.chat(wide)
            await asyncio.gather(*[chat.complete(REQUEST) for _ in range(150)])
        assert server.peak_in_flight == 150


async def test_providers_of_one_account_share_the_strictest_limits():
    with ScriptedServer() as server:
        endpoints = Endpoints()
        one = provider(server, limits=Limits(max_in_flight=8))
        two = replace(one, name="q", model="n", limits=Limits(max_in_flight=4, rpm=100))
        assert endpoints.account(one) is endpoints.account(two)
        assert endpoints.account(one).limiter.limits == Limits(max_in_flight=4, rpm=100)
        other = replace(one, api_key_env="OTHER")
        assert endpoints.account(other) is not endpoints.account(one)


def test_the_offline_provider_has_no_endpoint():
    with pytest.raises(UsageError, match="offline"):
        Endpoints().chat(OFFLINE)
