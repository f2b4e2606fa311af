"""The query stages: what each searches for, what it asks, and what becomes of unusable replies."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
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
from tiny_workspaces import question
from worker_here import work_here

from engine.evaluate.estimate import RunEstimate
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.evaluate.systems import find_system
from engine.exporters.runs import export_runs
from engine.jobs.operation import Budget
from engine.retrieve.pipeline import open_retriever
from engine.retrieve.query.asked import read_lines
from engine.retrieve.query.keywords import read_keywords
from store.corpora import corpora
from store.errors import InputError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState, MixedQuery, PauseReason, SearchText
from store.runs import calls, details, predictions, runs
from store.runs.stages import QueryValue
from store.systems import Retrieval
from store.workspace import open_workspace
from tui.cli import main
from tui.results.item import load
from tui.results.item_sheet import sheet

ENGLISH = "What was the rate in March?"
CHINESE = "基金净值上涨多少？"
MUDDLED = "How is the muddle?"
FIRST, SECOND = "And loans? (0)", "And loans? (1)"

REPLIES = {
    "Keywords:": "1. rate, policy rate",
    "关键词：": "基金，净值",
    "In other words:": "- How high was it in March?\n- What did rates stand at in March?",
    "改写：": "“基金净值的涨幅是多少？”\n净值涨了几个百分点？",
    "Questions:": "Which rate is meant?\nWhat was it in March?",
    "拆成：": CHINESE,
    "Passage:": "The rate rose to 3.5 percent.",
    "段落：": "基金净值上涨2.1%。",
    "Rewritten:": "And what about loans in March?",
}
MALFORMED = ('```json\n["one"]\n```', '{"keywords": ["one"]}')

STAGES = {
    "keywords": '"keywords"',
    "paraphrase": '{ stage = "paraphrase", count = 2 }',
    "one-text": '{ stage = "paraphrase", count = 2, add = "text" }',
    "decomposition": '"decomposition"',
    "rewriting": '"rewriting"',
    "chain": '"rewriting", "keywords"',
    "hyde": '{ stage = "hyde", alpha = 0.25 }, "keywords"',
}
TURNS = 5


def reply(request: Request) -> Reply:
    if request.body["model"] == "large":
        return scripted.answer("rate", tokens_in=999, tokens_out=1)
    messages = request.body["messages"]
    asked = messages[1]["content"]
    ending = asked.splitlines()[-1]
    if ending not in REPLIES:
        return scripted.answer("3.5 percent", tokens_in=50, tokens_out=5)
    if "muddle" in asked or (SECOND in asked and "Rewritten" not in ending):
        return scripted.answer(MALFORMED[len(messages) // 4], tokens_in=20, tokens_out=2)
    return scripted.answer(REPLIES[ending], tokens_in=20, tokens_out=2)


OFFLINE = ("tfidf", "tfidf-lsa")
BESIDE = ("small", "small-extracted")
VECTORS = {"aqe": "lsa", "aqe-hybrid": "hybrid:bm25+lsa*2"}


class Searched:
    """A run of each system over an English item, a Chinese one, one whose replies are malformed,
    and a dialogue of two turns."""

    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.folder = folder
        self.server = server
        self.jobs: dict[str, Job] = {}
        self.asked: dict[str, list[Request]] = {}
        for system in (*STAGES, *OFFLINE, *VECTORS, *BESIDE):
            self.jobs[system] = queue(folder, system, name=system)
            before = server.count
            work_here(folder)
            self.asked[system] = list(server.requests[before:])
            self.jobs[system] = job_now(folder, self.jobs[system])

    def prediction(self, run: str, item: str, turn: int = 0) -> int:
        with open_workspace(self.folder) as workspace:
            row = workspace.db.execute(
                "SELECT prediction.id FROM prediction JOIN run ON run.id = run_id"
                " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
                " WHERE run.name = ? AND item_key = ? AND turn = ?",
                (run, item, turn),
            ).fetchone()
        return int(row[0])

    def values(self, run: str, item: str, turn: int = 0) -> dict[str, QueryValue]:
        with open_workspace(self.folder) as workspace:
            found = details.prediction(workspace.db, self.prediction(run, item, turn))
        return dict(found.query_stages)

    def queries(self, run: str, item: str, turn: int = 0) -> Sequence[SearchText]:
        return list(self.values(run, item, turn).values())[-1].queries

    def estimate(self, system: str) -> RunEstimate:
        with open_workspace(self.folder) as workspace:
            return Evaluate(NewRun(system, "gold")).estimate(workspace)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    items = {
        "english": question(ENGLISH),
        "chinese": replace(question(CHINESE, topic="funds"), lang="zh"),
        "muddled": question(MUDDLED),
        "talk": question("And loans?", turns=2),
    }
    folder = make_workspace(tmp_path_factory.mktemp("query") / "w", items)
    with ScriptedServer(reply=reply) as server:
        tables = (
            f"{system_table(name, 'p', 'bm25')}query = [{stages}]\n"
            for name, stages in STAGES.items()
        )
        own_model = 'query = [{ stage = "keywords", provider = "small" }]\n'
        words = 'query = [{ stage = "tfidf_keywords", most = 1 }]\n'
        write_settings(
            folder,
            provider_table("p", server.base_url),
            provider_table("small", server.base_url, model="small-model"),
            system_table("small", "p", "bm25") + own_model,
            system_table("small-extracted", "extractive", "bm25") + own_model,
            *tables,
            system_table("tfidf", "extractive", "bm25") + words,
            system_table("tfidf-lsa", "extractive", "lsa") + words,
            *(
                system_table(name, "extractive", retriever) + 'query = [{ stage = "aqe", n = 2 }]\n'
                for name, retriever in VECTORS.items()
            ),
        )
        yield Searched(folder, server)


def test_keywords_stand_behind_the_question_after_a_blank_line(searched: Searched) -> None:
    assert searched.queries("keywords", "english") == (f"{ENGLISH}\n\nrate, policy rate",)
    assert searched.queries("keywords", "chinese") == (f"{CHINESE}\n\n基金，净值",)


def test_paraphrases_are_searched_for_beside_the_question_or_in_one_text(
    searched: Searched,
) -> None:
    texts = (CHINESE, "基金净值的涨幅是多少？", "净值涨了几个百分点？")
    assert searched.queries("paraphrase", "chinese") == texts
    assert searched.queries("one-text", "chinese") == ("\n\n".join(texts),)


def test_the_parts_of_a_question_are_searched_for_beside_it(searched: Searched) -> None:
    parts = ("Which rate is meant?", "What was it in March?")
    assert searched.queries("decomposition", "english") == (ENGLISH, *parts)
    value = searched.values("decomposition", "chinese")["decomposition"]
    assert (value.queries, value.unusable) == ((CHINESE,), 0)  # given back as one part


def test_only_a_question_with_earlier_turns_is_rewritten(searched: Searched) -> None:
    assert searched.queries("rewriting", "talk", 1) == ("And what about loans in March?",)
    first = searched.values("rewriting", "talk")["rewriting"]
    assert first == QueryValue((FIRST,))
    (asked,) = [
        request.body["messages"][1]["content"]
        for request in searched.asked["rewriting"]
        if "Rewritten:" in request.body["messages"][1]["content"]
    ]
    assert f"Question: {FIRST}\nAnswer: 3.5 percent" in asked
    assert f"Latest question: {SECOND}" in asked


def test_a_made_up_answer_is_searched_for_beside_the_question(searched: Searched) -> None:
    english = MixedQuery(ENGLISH, REPLIES["Passage:"], 0.25)
    assert searched.values("hyde", "english")["hyde"].queries == (english,)
    # a later stage changes the question, and the made-up answer stays
    keywords = replace(english, question=f"{ENGLISH}\n\nrate, policy rate")
    assert searched.queries("hyde", "english") == (keywords,)
    (chinese,) = searched.values("hyde", "chinese")["hyde"].queries
    assert chinese == MixedQuery(CHINESE, REPLIES["段落："], 0.25)
    with open_workspace(searched.folder) as workspace:
        detail, history, *_ = load(workspace.db, searched.prediction("hyde", "english"))
    assert detail.query == keywords.words
    text = "\n".join("".join(piece for piece, _ in line) for line in sheet(detail, history)(200))
    assert f"with a text that may answer it, share 0.75: {REPLIES['Passage:']}" in text


@pytest.mark.parametrize("run", OFFLINE)
def test_without_a_model_the_rarest_words_of_the_question_stand_behind_it(
    searched: Searched, run: str
) -> None:
    # the chunks of 12 characters cut "March"
    assert searched.queries(run, "english") == (f"{ENGLISH}\n\nrate",)
    assert searched.queries(run, "chinese") == (f"{CHINESE}\n\n基金净值",)
    assert searched.queries(run, "muddled") == (MUDDLED,)  # no chunk holds a word of it
    assert searched.asked[run] == []


@pytest.mark.parametrize("run", list(VECTORS))
def test_a_vector_is_averaged_with_those_of_the_nearest_chunks(
    searched: Searched, run: str
) -> None:
    (query,) = searched.queries(run, "english")
    assert isinstance(query, MixedQuery)
    with open_workspace(searched.folder) as workspace:
        detail, history, *_ = load(workspace.db, searched.prediction(run, "english"))
        corpus = corpora.get_by_id(workspace.db, detail.corpus_id)
        alone = open_retriever(workspace, corpus, Retrieval("lsa"))
        assert query == MixedQuery(ENGLISH, nearest=tuple(alone.search([ENGLISH], 2)[0]))
    text = "\n".join("".join(piece for piece, _ in line) for line in sheet(detail, history)(200))
    assert f"averaged with the nearest chunks: {query.nearest[0].chunk_id}" in text


def test_a_stage_asks_the_model_that_its_settings_name(searched: Searched) -> None:
    expected = (f"{ENGLISH}\n\nrate, policy rate",)
    stage, answers = TURNS + 2, TURNS
    for run, asked in (("small", stage), ("small-extracted", 0)):
        assert searched.queries(run, "english") == expected
        models = [request.body["model"] for request in searched.asked[run]]
        # answers from the same passages, and all of the second run, come from the cache
        assert models == ["small-model"] * asked
        told = searched.estimate(run)
        assert told.calls == stage + (answers if run == "small" else 0)
        assert (told.cached, told.at_least) == (told.calls, False)
        with open_workspace(searched.folder) as workspace:
            frozen = runs.get(workspace.db, run).settings
        assert frozen.stage_providers["small"]["model"] == "small-model"
        assert (frozen.provider is None) == (run == "small-extracted")


def test_the_calls_of_all_models_share_a_budget(searched: Searched) -> None:
    settings = searched.folder / "ragdesk.toml"
    before = settings.read_text("utf-8")
    stages = 'query = [{ stage = "keywords", provider = "large-1" }]\n'
    tables = [provider_table(f"large-{n}", searched.server.base_url, model="large") for n in (1, 2)]
    added = "\n".join([*tables, system_table("bounded", "large-2", "bm25", top_k=1) + stages])
    settings.write_text(before + added, "utf-8")
    try:
        # five calls of a stage and five answers, of 1,000 tokens each
        job = queue(searched.folder, "bounded", budget=Budget(max_tokens=9_000))
        work_here(searched.folder)
        job = job_now(searched.folder, job)
    finally:
        settings.write_text(before, "utf-8")
    assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.BUDGET)


def test_a_stage_of_vectors_is_refused_where_there_are_none(tmp_path: Path) -> None:
    write_settings(tmp_path, system_table("s", "extractive", "bm25") + 'query = ["aqe"]\n')
    with pytest.raises(InputError, match="Stage 'aqe' needs vectors, and 'bm25' has none"):
        find_system(tmp_path, "s")


def test_a_stage_works_on_what_the_one_before_it_searched_for(searched: Searched) -> None:
    assert searched.queries("chain", "talk", 1) == (
        "And what about loans in March?\n\nrate, policy rate",
    )


@pytest.mark.parametrize("run", ["keywords", "paraphrase", "decomposition", "hyde"])
def test_after_two_unusable_replies_the_question_itself_is_searched_for(
    searched: Searched, run: str
) -> None:
    value = searched.values(run, "muddled")[run]
    assert (value.queries, value.unusable, len(value.calls)) == ((MUDDLED,), 1, 2)
    with open_workspace(searched.folder) as workspace:
        number = runs.get(workspace.db, run).id
        counted = predictions.unusable_replies(workspace.db, number)
        notes = [event.text for event in jobs.events(workspace.db, searched.jobs[run].id)]
        assert runs.progress(workspace.db, number).ok == TURNS
    assert counted[f"query/1/{run}"] == (2, TURNS)
    assert any(f"no usable reply, twice: {run}: 2 of 5 turns" in note for note in notes)


def test_the_second_request_holds_the_reply_that_could_not_be_used(searched: Searched) -> None:
    again = [
        request.body["messages"][2:]
        for request in searched.asked["keywords"]
        if len(request.body["messages"]) == 4
    ]
    assert again[0][0] == {"role": "assistant", "content": MALFORMED[0]}
    assert again[0][1]["content"].startswith("That reply cannot be used.")


def test_an_item_shows_what_was_searched_for_and_what_was_asked(searched: Searched) -> None:
    number = searched.prediction("keywords", "muddled")
    with open_workspace(searched.folder) as workspace:
        detail, history, *_ = load(workspace.db, number)
        asked = calls.of_prediction(workspace.db, number)
    text = "\n".join("".join(piece for piece, _ in line) for line in sheet(detail, history)(76))
    assert "after keywords: the same" in text
    assert text.count(MUDDLED) == 1
    assert "no usable reply, twice" in text
    assert [one.asker for one in asked] == ["stage query/1/keywords"] * 2
    assert [one.call.reply for one in asked if one.call] == list(MALFORMED)


def test_an_export_holds_what_was_searched_for_and_what_was_asked(
    searched: Searched, tmp_path: Path
) -> None:
    with open_workspace(searched.folder) as workspace:
        export_runs(workspace, ["keywords"], "jsonl", tmp_path / "out")
    lines = (tmp_path / "out/keywords/predictions.jsonl").read_text("utf-8").splitlines()
    rows: dict[str, Any] = {row["id"]: row for row in map(json.loads, lines)}
    (stage,) = rows["english"]["stages"]
    assert (stage["stage"], stage["unusable"]) == ("keywords", 0)
    assert stage["queries"] == [f"{ENGLISH}\n\nrate, policy rate"]
    (call,) = stage["calls"]
    assert call["reply"] == REPLIES["Keywords:"]
    assert call["messages"][1]["content"].endswith("Keywords:")


def test_a_dry_run_counts_the_requests_of_stages(searched: Searched) -> None:
    told = searched.estimate("keywords")
    # one request a turn, two more for the malformed replies, and the answers
    assert (told.calls, told.cached, told.at_least) == (TURNS + 2 + TURNS, TURNS + 2 + TURNS, False)


def test_a_run_freezes_the_prompts_of_its_stages_in_both_languages(searched: Searched) -> None:
    with open_workspace(searched.folder) as workspace:
        frozen = runs.get(workspace.db, "chain").settings.prompts
    ids = {name for name in frozen if "/query/" in name}
    assert ids == {
        f"{lang}/query/{id}" for lang in ("zh", "en") for id in ("keywords", "rewriting")
    }


def test_a_prompt_of_the_workspace_with_wrong_slots_is_refused(searched: Searched) -> None:
    own = searched.folder / "prompts/en/query/keywords.txt"
    own.parent.mkdir(parents=True)
    own.write_text("[system]\nKeywords.\n[user]\n{question}\n", "utf-8")
    try:
        with (
            open_workspace(searched.folder) as workspace,
            patch.dict(os.environ, ENVIRON),
            pytest.raises(InputError, match=r"lacks the slot \{most\}"),
        ):
            Evaluate(NewRun("keywords", "gold")).check(workspace)
    finally:
        own.unlink()


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ('"keyword"', "no query stage 'keyword'"),
        ('{ stage = "hyde", alpha = 1.5 }', "Stage 'hyde': .*<= 1"),
        ('{ stage = "keywords", provider = "q" }', "asks 'q', which is no provider"),
        ('{ stage = "keywords", provider = 1 }', "provider of 'keywords' is 1"),
        ('{ stage = "tfidf_keywords", provider = "p" }', "asks no model, so it takes no provider"),
        ('{ stage = "keywords", most = 0 }', "Stage 'keywords': .*>= 1"),
        ('{ stage = "paraphrase", cuont = 2 }', "Stage 'paraphrase' has no option 'cuont'"),
    ],
)
def test_wrong_settings_of_a_stage_are_refused(tmp_path: Path, stages: str, message: str) -> None:
    write_settings(
        tmp_path,
        provider_table("p", "http://127.0.0.1:1/v1"),
        system_table("s", "p", "bm25") + f"query = [{stages}]\n",
    )
    with pytest.raises(InputError, match=message):
        find_system(tmp_path, "s")


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        ("1. one\n2) “two”\n\n- one", ("one", "two")),
        ("（1）利率\n2、基金", ("利率", "基金")),
        ("3.5 percent rate\n-5% growth", ("3.5 percent rate", "-5% growth")),
        ("```\none\n```", ()),
        ("Keywords:\none", ()),
        ("资料不足，无法回答", ()),
        ("x" * 1001, ()),
    ],
)
def test_lines_of_a_reply_are_texts_by_themselves(reply: str, lines: tuple[str, ...]) -> None:
    assert read_lines(reply) == lines


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("rate; policy rate, rate", ("rate", "policy rate")),
        ("利率、政策利率\n央行", ("利率", "政策利率", "央行")),
        (f"rate, {'very ' * 13}long", ()),
    ],
)
def test_keywords_are_separated_by_commas_or_lines(reply: str, words: tuple[str, ...]) -> None:
    assert read_keywords(reply) == words


def test_a_first_dry_run_goes_on_with_the_question_and_says_so(
    searched: Searched, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = searched.folder / "ragdesk.toml"
    before = settings.read_text("utf-8")
    stages = 'query = [{ stage = "keywords", most = 7 }, { stage = "paraphrase", count = 3 }]\n'
    settings.write_text(before + system_table("unasked", "p", "bm25") + stages, "utf-8")
    try:
        told = searched.estimate("unasked")
        assert (told.calls, told.at_least) == (3 * TURNS, True)
        arguments = ["--workspace", str(searched.folder), "run", "--system", "unasked"]
        with patch.dict(os.environ, ENVIRON):
            assert main([*arguments, "--dataset", "gold", "--dry-run"]) == 0
    finally:
        settings.write_text(before, "utf-8")
    said = capsys.readouterr().out
    assert f"model calls at least {3 * TURNS}, of which" in said
    assert "what stages of the system will search for is not known yet" in said
