"""Equal requests are made once; failures never become answers; keys hold what matters."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from engine.models.budget import BudgetExhausted
from engine.models.cached import CachedChat, cache_key
from engine.models.chat import ChatReply, ChatRequest, Message
from engine.models.errors import FailureKind, ModelError
from engine.models.settings import Limits, Prices, Provider
from store.jobs import model_calls
from store.workspace import open_workspace

PROVIDER = Provider(name="p", base_url="http://h/v1", model="m", api_key_env="K")
REQUEST = ChatRequest((Message("user", "问题"),))


class Scripted:
    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.calls = 0
        self.go = asyncio.Event()
        self.go.set()

    async def complete(self, request, repeat=0):
        self.calls += 1
        await self.go.wait()
        outcome = self.outcomes.pop(0) if self.outcomes else ChatReply("yes", "stop", 3, 1, 0.5)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def cached(inner, kept=None):
    kept = {} if kept is None else kept
    return CachedChat(inner, PROVIDER, kept.get, kept.__setitem__)


async def test_a_reply_is_served_again_with_its_figures():
    inner = Scripted(ChatReply("是", "length", 3, 1, 0.5, "CNY", 12.0))
    chat = cached(inner)
    first = await chat.complete(REQUEST)
    again = await chat.complete(REQUEST)
    assert inner.calls == 1
    assert again == replace(first, cached=True, attempts=0)
    assert again.truncated


async def test_repeats_are_calls_of_their_own():
    inner = Scripted()
    chat = cached(inner)
    await chat.complete(REQUEST, 0)
    await chat.complete(REQUEST, 1)
    assert inner.calls == 2


async def test_equal_requests_in_flight_share_one_call():
    inner = Scripted()
    inner.go.clear()
    chat = cached(inner)
    tasks = [asyncio.create_task(chat.complete(REQUEST)) for _ in range(5)]
    await asyncio.sleep(0)
    inner.go.set()
    replies = await asyncio.gather(*tasks)
    assert inner.calls == 1
    assert [reply.cached for reply in replies] == [False, True, True, True, True]


async def test_a_failure_is_shared_but_not_stored():
    inner = Scripted(ModelError(FailureKind.EMPTY_REPLY, "empty"))
    inner.go.clear()
    kept = {}
    chat = cached(inner, kept)
    tasks = [asyncio.create_task(chat.complete(REQUEST)) for _ in range(2)]
    await asyncio.sleep(0)
    inner.go.set()
    failures = await asyncio.gather(*tasks, return_exceptions=True)
    assert [failure.kind for failure in failures] == ["empty_reply", "empty_reply"]
    assert kept == {}
    assert (await chat.complete(REQUEST)).text == "yes"


async def test_when_the_caller_is_cancelled_another_makes_the_call():
    inner = Scripted()
    inner.go.clear()
    chat = cached(inner)
    first = asyncio.create_task(chat.complete(REQUEST))
    second = asyncio.create_task(chat.complete(REQUEST))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    inner.go.set()
    assert not (await second).cached
    assert inner.calls == 2


async def test_a_reply_is_used_only_once_it_is_stored():
    stored = asyncio.Event()

    async def store(key, call):
        await stored.wait()

    chat = CachedChat(Scripted(), PROVIDER, lambda key: None, store)
    task = asyncio.create_task(chat.complete(REQUEST))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not task.done()
    stored.set()
    assert (await task).text == "yes"


async def test_the_store_serves_over_restarts(tmp_path):
    with open_workspace(tmp_path, create=True) as workspace:

        def store(key, call):
            with workspace.write() as db:
                model_calls.put(db, key, call)

        def chat():
            return CachedChat(
                inner, PROVIDER, lambda key: model_calls.get(workspace.db, key), store
            )

        inner = Scripted(ChatReply("是", "stop", 3, 1, None, None, 12.0))
        first = await chat().complete(REQUEST)
        again = await chat().complete(REQUEST)
        assert (again.text, again.latency_ms, again.cached) == (first.text, 12.0, True)
        assert inner.calls == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"messages": (Message("user", "another"),)},
        {"messages": (Message("system", "问题"),)},
        {"temperature": 0.7},
        {"top_p": 0.9},
        {"max_tokens": 5},
        {"seed": 1},
        {"stop": ("\n",)},
        {"response_format": {"type": "json_object"}},
    ],
)
def test_whatever_changes_the_reply_changes_the_key(changed):
    assert cache_key(PROVIDER, replace(REQUEST, **changed)) != cache_key(PROVIDER, REQUEST)


@pytest.mark.parametrize(
    "changed",
    [
        {"base_url": "http://other/v1"},
        {"model": "m2"},
        {"temperature": 0.1},
        {"seed": 4},
        {"extra": {"enable_thinking": True}},
    ],
)
def test_so_do_the_providers_settings(changed):
    assert cache_key(replace(PROVIDER, **changed), REQUEST) != cache_key(PROVIDER, REQUEST)


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "renamed"},
        {"api_key_env": "OTHER"},
        {"timeout_s": 5.0},
        {"limits": Limits(max_in_flight=1)},
        {"prices": Prices(1, 1)},
    ],
)
def test_what_cannot_change_the_reply_does_not(changed):
    assert cache_key(replace(PROVIDER, **changed), REQUEST) == cache_key(PROVIDER, REQUEST)


def test_a_parameter_given_or_set_by_the_provider_is_the_same_request():
    said = replace(REQUEST, temperature=0.0)
    assert cache_key(PROVIDER, said) == cache_key(PROVIDER, REQUEST)


async def test_those_who_share_flights_make_an_equal_request_once():
    inner, flights, kept = Scripted(), {}, {}
    inner.go.clear()
    chats = [CachedChat(inner, PROVIDER, kept.get, kept.__setitem__, flights) for _ in range(2)]
    asked = [asyncio.create_task(chat.complete(REQUEST)) for chat in chats]
    await asyncio.sleep(0)
    inner.go.set()
    assert [reply.cached for reply in await asyncio.gather(*asked)] == [False, True]
    assert inner.calls == 1


async def test_who_waits_makes_the_call_that_another_has_no_budget_for():
    flights, kept = {}, {}
    poor, rich = Scripted(BudgetExhausted("spent")), Scripted()
    poor.go.clear()
    chats = [
        CachedChat(inner, PROVIDER, kept.get, kept.__setitem__, flights) for inner in (poor, rich)
    ]
    asked = [asyncio.create_task(chat.complete(REQUEST)) for chat in chats]
    await asyncio.sleep(0)
    poor.go.set()
    refused, answered = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(refused, BudgetExhausted)
    assert answered.text == "yes"
