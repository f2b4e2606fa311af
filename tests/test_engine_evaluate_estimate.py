"""A dry run asks no model, and says what the run then takes."""

from __future__ import annotations

from pathlib import Path

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    make_workspace,
    provider_table,
    questions,
    queue,
    system_table,
    work,
    write_settings,
)
from scripted_server import Request, ScriptedServer
from tiny_workspaces import question

from engine.evaluate.estimate import RunEstimate
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.text.tokens import count_tokens
from store.runs import runs
from store.workspace import open_workspace

SINGLE, DIALOGUES, TURNS = 6, 2, 3
PRICES = {"prices.input": 2.0, "prices.output": 8.0, "prices.currency": "CNY"}


def counted(request: Request) -> scripted.Reply:
    """An answer whose counts are those of our own counter, and as long as max_tokens allows."""
    tokens = sum(count_tokens(message["content"]) for message in request.body["messages"])
    return scripted.answer("It was 3.5 percent.", tokens_in=tokens, tokens_out=40)


def estimate(folder: Path, system: str, repeats: int = 1) -> RunEstimate:
    with open_workspace(folder) as workspace:
        return Evaluate(NewRun(system, "gold", repeats=repeats)).estimate(workspace)


@pytest.fixture
def server():
    with ScriptedServer(reply=counted) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path, server: ScriptedServer) -> Path:
    dialogues = {f"d{n}": question(f"And in year {n}?", turns=TURNS) for n in range(DIALOGUES)}
    made = make_workspace(tmp_path / "workspace", {**questions(SINGLE), **dialogues})
    write_settings(
        made,
        provider_table("p", server.base_url, max_tokens=40, **PRICES),
        provider_table("free", server.base_url),
        system_table("model", "p", "bm25"),
        system_table("own", "p", "bm25", history="predicted"),
        system_table("unpriced", "free"),
    )
    return made


def test_calls_tokens_and_cost_are_what_the_run_then_takes(folder: Path, server: ScriptedServer):
    expected = estimate(folder, "model", repeats=2)
    predictions = 2 * (SINGLE + DIALOGUES * TURNS)
    assert (expected.predictions, expected.calls, expected.cached) == (predictions, predictions, 0)
    assert server.count == 0
    queue(folder, "model", name="run", repeats=2)
    work(folder)
    assert server.count == expected.calls
    with open_workspace(folder) as workspace:
        tokens, cost = runs.spent(workspace.db, runs.get(workspace.db, "run").id)
    # the estimate is a quarter above our counter, and each message's frame is counted in it
    assert tokens <= expected.tokens_in + expected.tokens_out <= 1.5 * tokens
    assert expected.cost is not None
    assert cost <= expected.cost <= 1.5 * cost
    assert expected.currency == "CNY"

    again = estimate(folder, "model", repeats=3)
    assert (again.calls, again.cached) == (predictions * 3 // 2, predictions)
    assert server.count == expected.calls


def test_golden_answers_that_stand_in_for_the_systems_own_are_told(folder: Path):
    assert estimate(folder, "own").stands_in
    assert not estimate(folder, "model").stands_in


def test_without_prices_there_is_no_cost(folder: Path):
    free = estimate(folder, "unpriced")
    assert free.tokens_in > 0
    assert (free.cost, free.currency) == (None, None)


def test_a_baseline_makes_no_calls(folder: Path):
    assert estimate(folder, "bm25") == RunEstimate(predictions=SINGLE + DIALOGUES * TURNS)


def test_an_equal_request_within_the_run_is_made_once(tmp_path: Path, server: ScriptedServer):
    twins = {"a": question("Equal?"), "b": question("Equal?")}
    made = make_workspace(tmp_path / "twins", twins)
    write_settings(made, provider_table("p", server.base_url), system_table("model", "p"))
    expected = estimate(made, "model")
    assert (expected.calls, expected.cached) == (2, 1)
    queue(made, "model")
    work(made)
    assert server.count == 1
