"""Long contexts are answered in halves: how many calls that takes, and what each is shown."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path
from unittest.mock import patch

import pytest
import scripted_server as scripted
from endpoint_workspaces import ENVIRON, provider_table, queue, system_table, write_settings
from scripted_server import Reply, Request, ScriptedServer
from tiny_workspaces import make_release, put_text, question
from worker_here import work_here

from engine.answer.halves import ask_for_answer
from engine.answer.prompt import AnswerPrompts, load_answer_prompts
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.exporters.runs import export_runs
from engine.models.chat import ChatReply, ChatRequest
from engine.text.tokens import count_tokens
from store.corpora import corpora
from store.records import ChunkingSettings, ItemContent, Lang, Passage, Turn
from store.runs import calls, runs
from store.systems import SystemConfig
from store.workspace import open_workspace
from tui.results.exhibits import exhibits
from tui.results.item import load
from tui.results.item_sheet import sheet

WORDS = {"en": "one two three four five six. ", "zh": "一二三四五六七。"}
"""Seven and eight tokens."""


def asked_for(tmp_path: Path, tokens: list[int], limit: int = 32_000, lang: Lang = "en") -> list:
    """The documents of each request, in order; "join" for one that joins answers."""
    prompts = AnswerPrompts(load_answer_prompts(tmp_path, ["qa"], False, in_halves=True))
    sentence = WORDS[lang]
    passages = [
        Passage(f"d{at}", f"T{at}", sentence * (count // count_tokens(sentence)))
        for at, count in enumerate(tokens)
    ]
    requests: list[ChatRequest] = []

    async def ask(request: ChatRequest) -> ChatReply:
        requests.append(request)
        return ChatReply(f"answer {len(requests)}", "stop")

    content = ItemContent((Turn("What is it?"),), "t", "qa", lang)
    system = SystemConfig("s", "bm25", "model", halve_above=limit)
    replies = asyncio.run(ask_for_answer(prompts, content, 0, (), passages, system, ask))
    assert [reply.text for reply in replies] == [f"answer {at + 1}" for at in range(len(requests))]
    shown: list[str] = []
    for request in requests:
        assert sum(count_tokens(message.content) for message in request.messages) <= limit
        text = request.messages[1].content
        titles = re.findall(r"(?:Title: |标题：)(T\d+)", text)
        shown.append(" ".join(titles) if titles else " ".join(re.findall(r"answer \d", text)))
    return shown


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_33000_tokens_take_three_calls_two_halves_and_the_fusion(tmp_path: Path, lang) -> None:
    twenty = [1_650] * 20
    shown = asked_for(tmp_path, twenty, lang=lang)
    first, second = (" ".join(f"T{at}" for at in part) for part in (range(10), range(10, 20)))
    assert shown == [first, second, "answer 1 answer 2"]


def test_within_the_limit_one_call_is_made(tmp_path: Path) -> None:
    assert asked_for(tmp_path, [1_500] * 20) == [" ".join(f"T{at}" for at in range(20))]


def test_a_half_above_the_limit_is_halved_again(tmp_path: Path) -> None:
    shown = asked_for(tmp_path, [20_000, 20_000, 5_000])
    assert shown == ["T0", "T1", "answer 1 answer 2", "T2", "answer 3 answer 4"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_single_passage_is_parted_where_a_sentence_ends(tmp_path: Path, lang) -> None:
    assert asked_for(tmp_path, [40_000], lang=lang) == ["T0", "T0", "answer 1 answer 2"]


def test_nothing_is_halved_where_the_question_itself_is_too_long(tmp_path: Path) -> None:
    prompts = AnswerPrompts(load_answer_prompts(tmp_path, ["qa"], False, in_halves=True))
    content = ItemContent((Turn("why? " * 800),), "t", "qa", "en")
    requests: list[ChatRequest] = []

    async def ask(request: ChatRequest) -> ChatReply:
        requests.append(request)
        return ChatReply("so", "stop")

    system = SystemConfig("s", "bm25", "model", halve_above=1_000)
    passages = [Passage("d", "T", WORDS["en"] * 500)]
    asyncio.run(ask_for_answer(prompts, content, 0, (), passages, system, ask))
    assert len(requests) == 1


def reply(request: Request) -> Reply:
    asked = request.body["messages"][1]["content"]
    text = "both: 3.5 percent" if "First answer:" in asked else "3.5 percent"
    return scripted.answer(text, tokens_in=100, tokens_out=5)


def test_a_run_stores_counts_and_shows_the_calls_of_halves(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        corpus = corpora.create(db, "long", ChunkingSettings(3_000, 0))
        for number in range(2):
            put_text(db, corpus, f"{number}.md", f"Rate {number}. " + WORDS["en"] * 90)
        make_release(db, corpus, contents={"q": question("What is the rate?")})
    with ScriptedServer(reply=reply) as server:
        order = 'context = [{ stage = "order", by = "best_last" }]\n'
        system = system_table("halves", "p", "bm25", halve_above=1_000, context_format="plain")
        write_settings(folder, provider_table("p", server.base_url), system + order)
        with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
            before = Evaluate(NewRun("halves", "gold")).estimate(workspace)
        queue(folder, "halves", name="halves")
        work_here(folder)
        queue(folder, "halves", name="again")
        work_here(folder)
        assert server.count == 3
    assert (before.calls, before.cached, before.at_least) == (3, 0, False)
    with open_workspace(folder) as workspace:
        run = runs.get(workspace.db, "halves")
        assert runs.spent(workspace.db, run.id)[0] == 3 * 105
        ((prediction,),) = workspace.db.execute(
            "SELECT id FROM prediction WHERE run_id = ?", (run.id,)
        ).fetchall()
        detail, history, documents, *_ = load(workspace.db, prediction)
        asked = calls.of_prediction(workspace.db, prediction)
        export_runs(workspace, ["halves"], "jsonl", tmp_path / "out")
    assert detail.answer == "both: 3.5 percent"
    assert [one.asker for one in asked] == ["stage answer"] * 3
    text = "\n".join("".join(piece for piece, _ in line) for line in sheet(detail, history)(90))
    assert "after order: passages 2" in text
    assert "in halves: 3 requests" in text
    shown = [one.text for one in exhibits(detail, documents)]
    assert shown[-2:] == [shown[-3], shown[-4]]  # read in the other order
    (line,) = (tmp_path / "out/halves/predictions.jsonl").read_text("utf-8").splitlines()
    (stage,) = json.loads(line)["stages"]
    assert (stage["stage"], [one["text"] for one in stage["passages"]]) == ("order", shown[-2:])
