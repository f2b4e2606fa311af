"""What a generation's attempts have paid for."""

from __future__ import annotations

import pytest
from tiny_workspaces import Released

from store.datasets import generations
from store.datasets.generations import AttemptState, GenerationSettings
from store.jobs import jobs, model_calls
from store.jobs.model_calls import ModelCall
from store.workspace import Workspace

CELL = ("rates", "extractive")


@pytest.mark.parametrize(("is_first", "paid"), [(True, 0), (False, 15)])
def test_a_reply_is_paid_by_the_attempt_that_began_before_it_whatever_the_clock_says(
    workspace: Workspace, released: Released, monkeypatch: pytest.MonkeyPatch, is_first: bool, paid
) -> None:
    """A worker that is killed between reply and result finds the reply in the cache afterwards."""
    call = ModelCall("p", "scripted", {}, "{}", "stop", 1.0, 10, 5)
    with workspace.write() as db:
        job = jobs.enqueue(db, "generate", "into gold")
        settings = GenerationSettings(1)
        generations.create(db, job.id, released.dataset.id, settings, [(CELL, 1)])
        if is_first:
            monkeypatch.setattr(model_calls, "now_text", lambda: "2099-01-01T00:00:00.000Z")
            model_calls.put(db, "key", call)
        attempt = generations.begin_attempt(
            db,
            job.id,
            "scripted",
            cell=CELL,
            round=0,
            repeat=0,
            documents=["d"],
            prompt_id="p",
            prompt_hash=None,
        )
        if not is_first:
            monkeypatch.setattr(model_calls, "now_text", lambda: "2001-01-01T00:00:00.000Z")
            model_calls.put(db, "key", call)
        state = AttemptState.EMPTY
        generations.end_attempt(db, attempt.id, state, [], call_key="key", cached=True)
        assert generations.spent(db, job.id) == (paid, 0.0)
