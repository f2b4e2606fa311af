"""A system's stages: what each is given, what it stores, and how a new one is added.

The stages here are known nowhere else: each is an entry in a registry of `engine.retrieve.stages`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    job_now,
    make_workspace,
    provider_table,
    questions,
    queue,
    system_table,
    write_settings,
)
from msgspec import Struct
from scripted_server import Reply, Request, ScriptedServer
from worker_here import work_here

from engine.evaluate.estimate import RunEstimate
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.evaluate.systems import OFFLINE_SYSTEMS, find_system
from engine.jobs.operation import retry_failed
from engine.models.chat import ChatRequest, Message
from engine.retrieve.stage import (
    ContextTransform,
    NamedStage,
    Queries,
    QueryTransform,
    Tools,
    TurnState,
    search_text,
)
from engine.retrieve.stages import CONTEXT_STAGES, QUERY_STAGES
from engine.text.content_words import content_terms
from store.errors import InputError
from store.hashing import content_hash
from store.jobs.jobs import Job
from store.records import ChunkingSettings, HistoryMode, Passage, Turn
from store.runs import runs, stages
from store.runs.stages import QueryValue, RetrieveValue
from store.systems import IMPORTED, EmbeddingConfig, RerankerConfig, RerankStage, SystemConfig
from store.workspace import open_workspace

ITEMS = 4


class NoOptions(Struct, forbid_unknown_fields=True):
    pass


class Most(Struct, forbid_unknown_fields=True):
    passages: int


async def content_words(state: TurnState, tools: Tools) -> Queries:
    return Queries(tuple(" ".join(content_terms(query)) for query in state.queries))


async def reworded(state: TurnState, tools: Tools) -> Queries:
    reply = await tools.ask(ChatRequest((Message("user", f"Reword: {state.turn.question}"),)))
    return Queries((*state.queries, reply.text))


def first(options: Most) -> ContextTransform:
    async def transform(state: TurnState, tools: Tools) -> Sequence[Passage]:
        assert state.passages is not None
        return state.passages[: options.passages]

    return transform


QUERY: dict[str, NamedStage[QueryTransform]] = {
    "content_words": NamedStage(NoOptions, lambda options: content_words),
    "reworded": NamedStage(NoOptions, lambda options: reworded, asks_model=True),
}
CONTEXT: dict[str, NamedStage[ContextTransform]] = {"first": NamedStage(Most, first)}


class Systems:
    """Runs of systems with and without stages; the model refuses to reword question 1 at first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = ScriptedServer(reply=self.reply)
        self.is_mended = False
        self.jobs: dict[str, Job] = {}
        self.asked: dict[str, int] = {}
        self.before: RunEstimate
        self.after: RunEstimate

    def reply(self, request: Request) -> Reply:
        text = request.body["messages"][-1]["content"]
        if not text.startswith("Reword"):
            return scripted.answer("3.5 percent", tokens_in=50, tokens_out=5)
        if "month 1?" in text and not self.is_mended:
            return scripted.context_length_exceeded()
        return scripted.answer("bond prices", tokens_in=20, tokens_out=2)

    def run(self, system: str, name: str | None = None) -> None:
        self.jobs[name or system] = queue(self.folder, system, name=name or system)
        self.work(name or system)

    def work(self, name: str) -> None:
        before = self.server.count
        work_here(self.folder)
        self.asked[name] = self.server.count - before
        self.jobs[name] = job_now(self.folder, self.jobs[name])

    def estimate(self, system: str) -> RunEstimate:
        with open_workspace(self.folder) as workspace:
            return Evaluate(NewRun(system, "gold")).estimate(workspace)

    def stages(self, run: str) -> list[dict[str, bytes]]:
        """The rows of each prediction by stage, in the run's order."""
        with open_workspace(self.folder) as workspace:
            rows = workspace.db.execute(
                "SELECT ordinal, stage, value FROM stage_result JOIN prediction"
                " ON prediction.id = prediction_id JOIN run ON run.id = run_id"
                " WHERE run.name = ? ORDER BY ordinal, stage",
                (run,),
            ).fetchall()
        by_place: dict[int, dict[str, bytes]] = {}
        for ordinal, stage, value in rows:
            by_place.setdefault(ordinal, {})[stage] = value
        return list(by_place.values())


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Systems]:
    folder = make_workspace(tmp_path_factory.mktemp("stages") / "w", questions(ITEMS))
    found = Systems(folder)
    with (
        patch.dict(QUERY_STAGES, QUERY),
        patch.dict(CONTEXT_STAGES, CONTEXT),
        found.server as server,
    ):
        staged = 'query = ["content_words"]\ncontext = [{ stage = "first", passages = 1 }]\n'
        write_settings(
            folder,
            provider_table("p", server.base_url),
            system_table("plain", "p", "bm25"),
            system_table("offline", "extractive", "bm25") + staged,
            system_table("staged", "p", "bm25") + staged,
            system_table("asking", "p", "bm25") + 'query = ["reworded"]\n',
        )
        found.before = found.estimate("asking")
        for system in ("plain", "offline", "staged", "asking"):
            found.run(system)
        found.is_mended = True
        with open_workspace(folder) as workspace:
            found.jobs["mended"] = retry_failed(workspace, found.jobs["asking"].id)
        found.work("mended")
        found.after = found.estimate("asking")
        found.run("asking", "equal")
        yield found


def test_what_is_searched_for_holds_earlier_questions_and_no_answer() -> None:
    history = (("利率是多少？", "3.4%"),)
    assert search_text(Turn("What about 2024?"), history) == "利率是多少？\nWhat about 2024?"


def test_an_expansion_is_added_after_a_blank_line_where_the_turn_has_it() -> None:
    turn = Turn("What about 2024?", expansions={"keywords": "rate, 2024"})
    assert search_text(turn, (), "keywords") == "What about 2024?\n\nrate, 2024"
    assert search_text(Turn("利率是多少？"), (), "keywords") == "利率是多少？"


def test_a_query_stage_changes_what_is_searched_for(systems: Systems) -> None:
    for plain, staged in zip(systems.stages("plain"), systems.stages("staged"), strict=True):
        assert set(plain) == {"retrieve", "answer", "score"}
        assert set(staged) == {*plain, "query/1/content_words", "context/1/first"}
        asked = json.loads(plain["retrieve"])["query"]
        words = " ".join(content_terms(asked))
        assert json.loads(staged["query/1/content_words"]) == {"queries": [words]}
        assert json.loads(staged["retrieve"])["query"] == words != asked


def test_a_context_stage_changes_what_the_generator_reads_and_not_what_was_retrieved(
    systems: Systems,
) -> None:
    prompts = [
        request.body["messages"][-1]["content"]
        for request in systems.server.requests
        if "[1]" in request.body["messages"][-1]["content"]
    ]
    plain, staged = prompts[:ITEMS], prompts[ITEMS : 2 * ITEMS]
    assert all("[2]" in prompt for prompt in plain)
    assert not any("[2]" in prompt for prompt in staged)
    for kept in (*systems.stages("staged"), *systems.stages("offline")):
        (passage,) = json.loads(kept["context/1/first"])["passages"]
        hits = json.loads(kept["retrieve"])["hits"]
        assert len(hits) > 1
        assert passage["document_id"] == hits[0]["document_id"]


def test_the_hits_of_several_queries_are_fused(systems: Systems) -> None:
    with open_workspace(systems.folder) as workspace:
        prediction = workspace.db.execute(
            "SELECT prediction.id FROM prediction JOIN run ON run.id = run_id"
            " WHERE run.name = 'asking' ORDER BY ordinal LIMIT 1"
        ).fetchone()[0]
        queries = stages.get(workspace.db, prediction, "query/1/reworded", QueryValue)
        found: RetrieveValue = stages.get(workspace.db, prediction, "retrieve", RetrieveValue)
    assert found.query == "\n\n".join(queries.queries)
    assert queries.queries[1] == "bond prices"
    # the best of one list, or of both: 1 / (60 + rank), added up
    assert found.hits[0].score in (1 / 61, 2 / 61)


def test_a_stage_that_gets_no_reply_fails_its_turn_and_only_it_is_asked_again(
    systems: Systems,
) -> None:
    # every item is reworded and answered but one, whose rewording is refused
    assert systems.asked["asking"] == 2 * (ITEMS - 1) + 1
    assert systems.asked["mended"] == 2
    with open_workspace(systems.folder) as workspace:
        run = runs.get(workspace.db, "asking")
        progress = runs.progress(workspace.db, run.id)
        assert (progress.ok, progress.scored) == (ITEMS, ITEMS)
        assert runs.spent(workspace.db, run.id)[0] == ITEMS * (22 + 55)


def test_a_dry_run_says_when_it_cannot_know_all_calls(systems: Systems) -> None:
    # the answers are counted too, to what is found for the question
    assert (systems.before.calls, systems.before.at_least) == (2 * ITEMS, True)
    after = systems.after
    assert (after.calls, after.cached, after.at_least) == (2 * ITEMS, 2 * ITEMS, False)


def test_an_equal_run_takes_the_rows_of_all_stages(systems: Systems) -> None:
    assert systems.asked["equal"] == 0
    equal = systems.stages("equal")
    assert [set(kept) for kept in equal] == [set(s) for s in systems.stages("asking")]
    assert all("query/1/reworded" in kept for kept in equal)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('query = ["contentwords"]', "no query stage 'contentwords'"),
        ('context = [{ stage = "first", passages = "all" }]', "Stage 'first': .*passages"),
        ("context = [{ passages = 1 }]", "context holds a table without `stage`"),
        ('query = ["reworded"]', "asks a model, but 'extractive' is not one"),
    ],
)
def test_settings_that_name_no_stage_are_refused(
    systems: Systems, tmp_path: Path, table: str, message: str
) -> None:
    write_settings(tmp_path, system_table("s", "extractive", "bm25") + table)
    with pytest.raises(InputError, match=message):
        find_system(tmp_path, "s")


def test_the_hashes_of_systems_are_those_of_0_1_0() -> None:
    """Runs are bound to the hash of their system: none may change when a setting is added."""
    vectors = (
        EmbeddingConfig(
            *("bge", "BAAI/bge-small-zh"),
            query_instruction="为这个句子生成表示：",
            storage="float16",
        ),
        EmbeddingConfig(
            *("api", "embed-3"), provider="p", endpoint="http://127.0.0.1:1/v1", normalise=False
        ),
    )
    small = RerankerConfig(
        *("small", "BAAI/bge-reranker-base", "v1"), max_length=512, instruction="judge"
    )
    full = SystemConfig(
        name="full",
        retriever="hybrid:bm25+bge*0.5+api",
        generator="gpt",
        top_k=8,
        expansion="keywords",
        embeddings=vectors,
        rerank=(RerankStage(small, 50), RerankStage(RerankerConfig("two", "a/b"), 10)),
        chunking=ChunkingSettings(128, 16, "chars"),
    )
    closed = SystemConfig(name="closed", generator="gpt", history=HistoryMode.PREDICTED)
    theirs = SystemConfig(name="theirs", retriever=IMPORTED, generator=IMPORTED)
    assert [content_hash(system) for system in (*OFFLINE_SYSTEMS, full, closed, theirs)] == [
        "b2:50ccc07db33add12f57cd87c988d6b74",
        "b2:a890b1523b791bf8560d3c36edf4cf9b",
        "b2:81d69c447fedf81e7827c28f3ff96c3f",
        "b2:e187b6db8c89744d842f5cc8613faa39",
        "b2:c0bc52662ea3991d4018f5cc8e66c5f6",
        "b2:567d5163d5fa01873bc8d5209e82261a",
        "b2:5679147557d191d39c660ff87ac148eb",
    ]
    assert content_hash(full.retrieval) == "b2:7380a4b4bcffb3aef9eb526d09a97f3d"
