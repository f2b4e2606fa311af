"""A run by rule hands its turns to child processes several at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from endpoint_workspaces import make_workspace, predictions, queue, system_table, write_settings
from tiny_workspaces import question
from worker_here import work_here

from engine.evaluate import pool_tasks
from engine.evaluate.pool_tasks import Answered, ToAnswer

QUESTIONS = (
    "How far did the rate rise in March? ({})",
    "{}：保费收入下降了多少？",
    "{}：基金净值上涨了多少？",
)
ITEMS = 12


def test_a_child_answers_several_turns_at_once_and_each_item_keeps_its_own_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {f"q{n:02}": QUESTIONS[n % len(QUESTIONS)].format(n) for n in range(ITEMS)}
    alone: dict[str, str | None] = {}
    batches: list[int] = []
    answer = pool_tasks.answer

    def noted(turns: Sequence[ToAnswer]) -> list[Answered]:
        batches.append(len(turns))
        for turn in turns:
            alone[turn.question] = answer([turn])[0].answer.text
        return answer(turns)

    monkeypatch.setattr(pool_tasks, "answer", noted)
    folder = make_workspace(tmp_path / "w", {key: question(text) for key, text in asked.items()})
    write_settings(folder, system_table("plain", "extractive", "bm25"))
    queue(folder, "plain", name="plain")
    work_here(folder)
    assert (batches[0], sum(batches)) == (ITEMS // 2, ITEMS)  # of two children
    stored = {key: text for key, _, _, text, *_ in predictions(folder, "plain")}
    assert stored == {key: alone[text] for key, text in asked.items()}
    assert len(set(stored.values())) > 2
