"""The model-call cache: a key for exactly what can change a reply."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from store.jobs import model_calls
from store.jobs.model_calls import ModelCall, call_key
from store.workspace import Workspace

REQUEST: dict[str, Any] = {
    "model": "m",
    "temperature": 0.0,
    "messages": [{"role": "system", "content": "问"}, {"role": "user", "content": "q"}],
}


@pytest.mark.parametrize(
    "other",
    [
        {**REQUEST, "model": "n"},
        {**REQUEST, "temperature": 0.1},
        {**REQUEST, "seed": 1},
        {**REQUEST, "seed": None},
        {**REQUEST, "messages": REQUEST["messages"][::-1]},
        {**REQUEST, "messages": REQUEST["messages"][:1]},
        {**REQUEST, "messages": [{"role": "system", "content": "问 "}, REQUEST["messages"][1]]},
    ],
)
def test_whatever_changes_the_reply_changes_the_key(other: dict[str, Any]) -> None:
    assert call_key("p", other, 0) != call_key("p", REQUEST, 0)


def test_provider_and_repeat_are_part_of_the_key() -> None:
    keys = {call_key(p, REQUEST, repeat) for p in ("p", "q") for repeat in (0, 1)}
    assert len(keys) == 4


@given(
    st.dictionaries(
        st.text(),
        st.integers() | st.text() | st.booleans() | st.none() | st.lists(st.text(), max_size=3),
        max_size=6,
    )
)
def test_the_order_of_fields_is_no_part_of_the_key(request: dict[str, Any]) -> None:
    backwards = dict(reversed(request.items()))
    assert call_key("p", backwards, 0) == call_key("p", request, 0)


CALL = ModelCall("p", "m", REQUEST, "答", "stop", 12.5, 10, 2, 0.001, "CNY")


def test_a_reply_comes_back_as_it_was(workspace: Workspace) -> None:
    key = call_key("p", REQUEST, 0)
    assert model_calls.get(workspace.db, key) is None
    with workspace.write() as db:
        model_calls.put(db, key, CALL)
    assert model_calls.get(workspace.db, key) == CALL
    assert model_calls.get(workspace.db, call_key("p", REQUEST, 1)) is None


def test_the_first_reply_for_a_key_stays(workspace: Workspace) -> None:
    with workspace.write() as db:
        model_calls.put(db, "k", CALL)
        model_calls.put(db, "k", structs.replace(CALL, reply="another"))
    assert model_calls.get(workspace.db, "k") == CALL


def test_a_price_may_be_unknown(workspace: Workspace) -> None:
    free = ModelCall("p", "m", {}, "", "stop", 1.0)
    with workspace.write() as db:
        model_calls.put(db, "k", free)
    assert model_calls.get(workspace.db, "k") == free
