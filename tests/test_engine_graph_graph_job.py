"""Building an entity graph by rule and by a model, and what is made of it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import scripted_server as scripted
from endpoint_workspaces import KEY, VARIABLE, provider_table, resume, write_settings
from scripted_server import Reply, Request, ScriptedServer
from tiny_workspaces import make_corpus, make_release, put_text
from worker_here import work_here
from writing_server import asked

from engine.difficulty.difficulty_job import MeasureDifficulty
from engine.generate.pool_tasks import PARTNERS, partners_of
from engine.graph.entity_graph import current_graph, partners_by_entity
from engine.graph.graph_job import BuildGraph
from engine.jobs.context import JobContext
from engine.jobs.operation import Budget, dry_run, queue
from engine.retrieve.pipeline import open_retriever
from store.corpora import corpora, graphs
from store.errors import InputError
from store.jobs import jobs
from store.records import ChunkingSettings, Evidence, ItemContent, JobState, Turn
from store.workspace import Workspace, open_workspace
from tui.cli.parser import parse

TEXTS = {
    "a.txt": "Heron Bank opened in Oslo City. Heron Bank lends to ships.",
    "b.txt": "The Heron Bank board met Crane Fund in Oslo City.",
    "c.txt": "Crane Fund holds bonds. Nobody else does.",
    "d.txt": "挪威财政部与中国银行签署协议。",
    "e.txt": "中国银行在上海开设分行。",
}


def make(folder: Path) -> Path:
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        corpus = corpora.create(db, "birds", ChunkingSettings(200, 0))
        for path, text in TEXTS.items():
            put_text(db, corpus, path, text)
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make(tmp_path_factory.mktemp("graph") / "w")
    with open_workspace(folder) as workspace:
        queue(workspace, BuildGraph("birds"))
    work_here(folder)
    return folder


def test_the_job_says_when_it_links_what_it_has_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str | None] = []
    enter = JobContext.enter

    def tell(context: JobContext, phase: str | None) -> None:
        told.append(phase)
        enter(context, phase)

    monkeypatch.setattr(JobContext, "enter", tell)
    folder = make(tmp_path / "w")
    with open_workspace(folder) as workspace:
        queue(workspace, BuildGraph("birds"))
    work_here(folder)
    assert told == ["linking the names"]


def documents(workspace: Workspace, name: str) -> int:
    graph = current_graph(workspace.db, corpora.get(workspace.db, "birds"))
    return graph.entities[graph.named_in(name)[0]].documents


def test_documents_are_linked_by_the_entities_that_they_share(built: Path) -> None:
    with open_workspace(built) as workspace:
        assert documents(workspace, "heron bank") == 2
        assert documents(workspace, "Crane Fund") == 2
        assert documents(workspace, "中国银行") == 2


def test_partners_share_the_most_and_the_rarest_entities(built: Path) -> None:
    with open_workspace(built) as workspace:
        db = workspace.db
        corpus = corpora.get(db, "birds")
        ids = {one.path: one.document_id for one in corpora.documents(db, corpus)}
        paths = {number: path for path, number in ids.items()}
        found = partners_by_entity(db, corpus, ids["b.txt"], 5)
        assert [paths[one] for one in found] == ["a.txt", "c.txt"]
        assert [paths[one] for one in partners_by_entity(db, corpus, ids["d.txt"], 1)] == ["e.txt"]


def test_a_graph_sets_beside_a_document_what_shares_its_entities(tmp_path: Path) -> None:
    plan = "the board approved the annual plan for loans and rates"
    texts = {
        "g.txt": f"Finch Trust said that {plan}.",
        "h.txt": "Rain fell while Finch Trust closed.",
        "f.txt": f"In spring {plan} once more.",
        "k.txt": "Nothing is heard from Oslo City.",
    }
    with open_workspace(tmp_path / "w", create=True) as workspace:
        with workspace.write() as db:
            corpus = corpora.create(db, "birds", ChunkingSettings(200, 0))
            for path, text in texts.items():
                put_text(db, corpus, path, text)
        ids = {one.path: one.document_id for one in corpora.documents(workspace.db, corpus)}
        retriever = open_retriever(workspace, corpus, PARTNERS)

        def best() -> tuple[str, ...]:
            return partners_of(workspace.db, corpus, retriever, ids["g.txt"], 1)

        assert best() == (ids["f.txt"],), "by words alone"
        queue(workspace, BuildGraph("birds"))
        work_here(tmp_path / "w")
        assert best() == (ids["h.txt"],)


def test_building_again_takes_up_the_same_graph_and_a_changed_corpus_asks_for_another(
    tmp_path: Path,
) -> None:
    folder = make(tmp_path / "w")
    with open_workspace(folder) as workspace:
        for _ in range(2):
            queue(workspace, BuildGraph("birds"))
    work_here(folder)
    with open_workspace(folder) as workspace:
        assert workspace.db.execute("SELECT count(*) FROM graph").fetchone() == (1,)
        with workspace.write() as db:
            corpus = corpora.get(db, "birds")
            put_text(db, corpus, "f.txt", "Crane Fund again.")
        with pytest.raises(InputError, match="has changed"):
            current_graph(workspace.db, corpus)
        assert partners_by_entity(workspace.db, corpus, "x", 3) == ()


def test_without_a_graph_its_uses_are_refused(workspace: Workspace) -> None:
    with workspace.write() as db:
        corpus = make_corpus(db)
        make_release(db, corpus)
    with pytest.raises(InputError, match="no entity graph"):
        queue(workspace, MeasureDifficulty("gold", candidates="entities"))


def names_what_it_reads(request: Request) -> Reply:
    """Two-word names in capitals; the first request about `Nobody` cannot be read."""
    text = asked(request)
    if "Nobody" in text and "Crane" in text and request.attempt == 1 and "again" not in text:
        return scripted.answer("There are some birds.")
    names = [name for name in ("Heron Bank", "Crane Fund", "中国银行", "Mars Base") if name in text]
    return scripted.answer(json.dumps([*names, "Mars Base"], ensure_ascii=False))


def test_a_model_is_asked_about_each_chunk_once_and_goes_on_after_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    folder = make(tmp_path / "w")
    with ScriptedServer(reply=names_what_it_reads) as server:
        write_settings(
            folder, provider_table("writer", server.base_url, **{"limits.max_in_flight": 1})
        )
        with open_workspace(folder) as workspace:
            bounded = BuildGraph("birds", model="writer", budget=Budget(max_tokens=40))
            assert dry_run(workspace, bounded).calls == len(TEXTS)
            job = queue(workspace, bounded)
        work_here(folder)
        with open_workspace(folder) as workspace:
            assert jobs.get(workspace.db, job.id).state is JobState.PAUSED
        resume(folder, job, Budget(max_tokens=10**6))
        work_here(folder)
        bodies = Counter(json.dumps(one.body, sort_keys=True) for one in server.requests)
    # the reply that could not be read is asked for once more, and nothing else is
    assert sorted(bodies.values()) == [1] * (len(TEXTS) - 1) + [2]
    with open_workspace(folder) as workspace:
        assert jobs.get(workspace.db, job.id).state is JobState.DONE
        graph = graphs.find(workspace.db, corpora.get(workspace.db, "birds"))
        assert graph is not None
        assert graphs.name_counts(workspace.db, graph.id) == {
            "Heron Bank": 2,
            "Crane Fund": 2,
            "中国银行": 2,
        }
        assert graphs.spent(workspace.db, graph.id)[0] > 0


def test_rd_among_the_chunks_that_share_an_entity_is_no_larger(built: Path) -> None:
    with open_workspace(built) as workspace, workspace.write() as db:
        corpus = corpora.get(db, "birds")
        board = next(one for one in corpora.documents(db, corpus) if one.path == "b.txt")
        evidence = (Evidence(board.document_id, 0, 20),)
        turn = Turn("Where does Heron Bank lend to ships?", ("Oslo City",), evidence)
        make_release(db, corpus, contents={"q": ItemContent((turn,))})
    with open_workspace(built) as workspace:
        for candidates in ("corpus", "entities"):
            queue(workspace, MeasureDifficulty("gold", candidates=candidates))  # type: ignore[arg-type]
    work_here(built)
    with open_workspace(built) as workspace:
        rows = workspace.db.execute("SELECT rd FROM difficulty ORDER BY measure_id").fetchall()
        (among_all,), (among_named,) = rows
        assert 0 <= among_named <= among_all


def test_the_command_shows_an_entity_with_its_names_passages_and_items(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*words: str) -> str:
        arguments = parse(["graph", "show", "birds", *words, "--workspace", str(built)])
        assert arguments.run(arguments) == 0
        return capsys.readouterr().out

    assert "Heron Bank" in run()
    assert "lends to ships" in run("heron bank")
    assert '"passages"' in run("中国银行", "--json")
