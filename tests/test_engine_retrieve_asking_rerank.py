"""Rerankers that ask a language model: the order they give, their calls, and unusable replies."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    ENVIRON,
    job_now,
    make_workspace,
    provider_table,
    queue,
    system_table,
    write_settings,
)
from msgspec.structs import replace
from scripted_server import Reply, Request, ScriptedServer
from tiny_workspaces import CHUNKING, TEXTS, question, text_id
from worker_here import work_here

from engine.evaluate.estimate import RunEstimate
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.evaluate.systems import find_system
from engine.retrieve.listwise import read_order, window_starts
from engine.retrieve.pointwise import read_grade
from store.errors import InputError
from store.jobs import jobs
from store.records import Hit
from store.runs import calls, runs, stages
from store.runs.stages import RetrieveValue
from store.workspace import open_workspace
from tui.cli import main

ITEMS = {
    "english": question("What was the rate in March?"),
    "chinese": replace(question("基金净值上涨多少？", topic="funds"), lang="zh"),
}
SYSTEMS = {
    "plain": 'retriever = "bm25"\ntop_k = 3',
    "pointwise": 'retriever = "every-chunk"\nreranker = "grader"\ntop_k = 100',
    "listwise": 'retriever = "every-chunk"\nreranker = "sorter"\ntop_k = 3',
    "both": (
        'retriever = "every-chunk"\nreranker = ["sorter", "grader"]\n'
        'rerank_depth = ["all", 3]\ntop_k = 3'
    ),
}
CHUNKS = {
    (text_id(text), start): text[start : start + CHUNKING.size]
    for text in sorted(TEXTS.values(), key=text_id)
    for start in range(0, len(text), CHUNKING.size)
}
MUDDLED = "3.5"
"""A passage with this gets no usable grade."""


def reply(request: Request) -> Reply:
    asked = request.body["messages"][1]["content"]
    if asked.splitlines()[-1] in ("Grade:", "分数："):
        text = "I cannot say" if MUDDLED in asked else f"{len(asked) % 10}"
    else:
        numbers = re.findall(r"^\[(\d+)\]", asked, re.MULTILINE)
        text = " > ".join(f"[{number}]" for number in reversed(numbers))
    return scripted.answer(text, tokens_in=30, tokens_out=1)


class Reranked:
    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.folder = folder
        self.before = {name: self.estimate(name) for name in SYSTEMS}
        self.asked: dict[str, int] = {}
        self.notes: dict[str, list[str]] = {}
        for name in SYSTEMS:
            before = server.count
            job = queue(folder, name, name=name)
            work_here(folder)
            self.asked[name] = server.count - before
            assert job_now(folder, job).error is None
            with open_workspace(folder) as workspace:
                self.notes[name] = [event.text for event in jobs.events(workspace.db, job.id)]

    def prediction(self, run: str, item: str) -> int:
        with open_workspace(self.folder) as workspace:
            row = workspace.db.execute(
                "SELECT prediction.id FROM prediction JOIN run ON run.id = run_id"
                " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
                " WHERE run.name = ? AND item_key = ?",
                (run, item),
            ).fetchone()
        return int(row[0])

    def value(self, run: str, item: str = "english") -> RetrieveValue:
        with open_workspace(self.folder) as workspace:
            number = self.prediction(run, item)
            value: RetrieveValue = stages.get(workspace.db, number, "retrieve", RetrieveValue)
        return value

    def estimate(self, system: str) -> RunEstimate:
        with open_workspace(self.folder) as workspace, patch.dict(os.environ, ENVIRON):
            return Evaluate(NewRun(system, "gold")).estimate(workspace)


@pytest.fixture(scope="module")
def reranked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reranked]:
    folder = make_workspace(tmp_path_factory.mktemp("rerank") / "w", ITEMS)
    with ScriptedServer(reply=reply) as server:
        write_settings(
            folder,
            provider_table("small", server.base_url, model="small-model"),
            '[rerankers.grader]\nkind = "pointwise"\nprovider = "small"\n',
            '[rerankers.sorter]\nkind = "listwise"\nprovider = "small"\nwindow = 5\nstep = 3\n',
            *(f"[systems.{name}]\n{table}\n" for name, table in SYSTEMS.items()),
        )
        yield Reranked(folder, server)


def places(hits: tuple[Hit, ...]) -> list[tuple[str, int]]:
    return [(hit.document_id, hit.start) for hit in hits]


def test_each_passage_is_graded_and_one_without_a_grade_comes_last(reranked: Reranked) -> None:
    value = reranked.value("pointwise")
    with open_workspace(reranked.folder) as workspace:
        asked = calls.of_prediction(workspace.db, reranked.prediction("pointwise", "english"))
    grades = [one.call.reply for one in asked if one.call and one.call.reply.isdigit()]
    assert [one.asker for one in asked] == ["stage retrieve"] * (len(CHUNKS) + 1)
    expected = sorted((int(grade) / 10 for grade in grades), reverse=True)
    assert [hit.score for hit in value.hits] == [*expected, 0.0]
    (muddled,) = (place for place, text in CHUNKS.items() if MUDDLED in text)
    assert (places(value.hits)[-1], value.unusable) == (muddled, 1)
    # of equal grades the earlier one is the better one
    for at, hit in enumerate(value.hits[1:-1], 1):
        if hit.score == value.hits[at - 1].score:
            assert places(value.hits)[at - 1] < places(value.hits)[at]
    noted = "passages of 2 of 2 turns were not reranked"
    assert any(noted in note for note in reranked.notes["pointwise"])


def test_windows_slide_from_the_last_passages_to_the_first(reranked: Reranked) -> None:
    value = reranked.value("listwise")
    starts = window_starts(len(CHUNKS), 5, 3)
    assert len(value.calls) == len(starts) > 2
    order = list(CHUNKS)
    for start in starts:  # each window is turned round
        order[start : start + 5] = reversed(order[start : start + 5])
    assert places(value.hits) == order[:3]
    assert [hit.score for hit in value.hits] == [1, 1 / 2, 1 / 3]


def test_rerankers_follow_one_another(reranked: Reranked) -> None:
    both, first = reranked.value("both", "chinese"), reranked.value("listwise", "chinese")
    assert sorted(places(both.hits)) == sorted(places(first.hits))
    assert len(both.calls) == len(first.calls) + 3 + both.unusable


def test_dry_runs_count_the_calls_of_rerankers(reranked: Reranked) -> None:
    before, turns = reranked.before, len(ITEMS)
    assert (before["plain"].calls, reranked.asked["plain"]) == (0, 0)
    # every grade is asked for at once, an order only when the one before is known
    assert (before["pointwise"].calls, before["pointwise"].at_least) == (turns * len(CHUNKS), True)
    assert (before["listwise"].calls, before["listwise"].at_least) == (turns, True)
    asked = turns * (len(CHUNKS) + 1)
    after = reranked.estimate("pointwise")
    assert (after.calls, after.cached, after.at_least) == (asked, asked, False)
    assert reranked.asked["pointwise"] == asked
    with open_workspace(reranked.folder) as workspace:
        run = runs.get(workspace.db, "pointwise")
        assert runs.spent(workspace.db, run.id)[0] == 31 * asked
        assert set(run.settings.stage_providers) == {"small"}
        assert {"en/rerank/pointwise", "zh/rerank/pointwise"} <= set(run.settings.prompts)


def test_a_search_by_hand_asks_no_model(
    reranked: Reranked, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--corpus", "tiny", "--retriever", "bm25", "--reranker", "grader", "rate"]
    assert main(["--workspace", str(reranked.folder), "search", *words]) == 2
    assert "'grader' asks a language model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ('reranker = ["llm", "ce"]\n', "asks a language model stands before one that computes"),
        ('reranker = "llm"\nrerank_depth = "all"\n', "rerank depth is 1000000000"),
        ('[rerankers.other]\nkind = "pointwise"\n', "other.provider is ''"),
        ('[rerankers.other]\nkind = "pointwise"\nmodel = "m"\n', "other.model does not go with"),
        ('[rerankers.other]\nmodel = "a/b"\nwindow = 3\n', "other.window does not go with"),
        (
            '[rerankers.other]\nkind = "listwise"\nprovider = "p"\nstep = 30\n',
            "other.step is 30",
        ),
        ('[systems.t]\nretriever = "every-chunk"\n', "'every-chunk' finds nothing by itself"),
        ('[systems.t]\nretriever = "hybrid:bm25+every-chunk"\n', "no retriever 'every-chunk'"),
    ],
)
def test_wrong_settings_are_refused(tmp_path: Path, tables: str, message: str) -> None:
    write_settings(
        tmp_path,
        provider_table("p", "http://127.0.0.1:1/v1"),
        '[rerankers.llm]\nkind = "pointwise"\nprovider = "p"\n[rerankers.ce]\nmodel = "a/b"\n',
        system_table("s", "extractive", "bm25") + tables,
    )
    with pytest.raises(InputError, match=message):
        find_system(tmp_path, "s")


@pytest.mark.parametrize(
    ("text", "grade"),
    [("7", ("7",)), ("分数：10", ("10",)), ("Grade: 3/10.", ("3",)), ("11", ()), ("7 or 8", ())],
)
def test_a_grade_is_one_number(text: str, grade: tuple[str, ...]) -> None:
    assert read_grade(text) == grade


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("[2] > [1]", ("2", "1")),
        ("顺序：[3] > [1] > [3]", ("3", "1")),
        ("[4] > [1]", ()),
        ("[0]", ()),
        ("2 > 1", ()),
    ],
)
def test_an_order_is_read_from_numbers_in_brackets(text: str, numbers: tuple[str, ...]) -> None:
    assert read_order(text, 3) == numbers


@pytest.mark.parametrize(
    ("count", "starts"), [(0, []), (3, [0]), (5, [0]), (6, [1, 0]), (12, [7, 4, 1, 0])]
)
def test_every_passage_is_in_a_window(count: int, starts: list[int]) -> None:
    assert window_starts(count, 5, 3) == starts
