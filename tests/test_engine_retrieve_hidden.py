"""Items that hide documents: a system never gets those, nor their near-duplicates."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest
import scripted_server as scripted
import staged_server as staged
from endpoint_workspaces import ENVIRON, provider_table, system_table, write_settings
from sample_workspaces import copy_workspace
from scripted_server import ScriptedServer
from worker_here import work_here

from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.exporters.writing import export_dataset
from engine.generate.filling.generate_job import Generate
from engine.importers.archive import import_archive
from engine.importers.items import import_items
from engine.importers.parquet import import_parquet
from engine.importers.predictions import import_predictions
from engine.jobs import operation
from engine.retrieve.hidden import HiddenDocuments, search_visible
from engine.retrieve.passages import passages
from engine.retrieve.pipeline import open_retriever
from engine.retrieve.rerank import RerankedRetriever
from engine.taxonomy.definitions import load_taxonomy
from engine.text.duplicates import grams, similarity
from engine.text.normalisation import document_id
from engine.text.sentences import sentences
from sample_corpus import ROOT
from store.corpora import corpora
from store.datasets import datasets, generations
from store.errors import InputError
from store.hashing import canonical_json
from store.jobs import jobs
from store.records import UNASSIGNED, Hit, ItemContent, ItemState, ScoreState, Turn
from store.runs import results, runs
from store.runs.results import MetricKey
from store.runs.stages import RetrieveValue
from store.systems import Retrieval
from store.verify import verify
from store.workspace import Workspace, open_workspace

DATA = Path(__file__).parents[2] / "shared" / "data"
NEWS = DATA / "zh_crud_news" / "corpus.jsonl"
SYSTEMS = {"keywords": "bm25", "vectors": "lsa", "both": "hybrid:bm25+lsa"}
TASKS = ("continuation", "summarization")
TOPICS = (*(topic.key for topic in load_taxonomy("crud").topics), UNASSIGNED)
THRESHOLD = 0.8


def articles() -> Iterator[str]:
    """The prose of the sample corpus' documents, as news has it: without headings and tables."""
    for file in sorted((ROOT / "documents").glob("*/*.md")):
        lines = file.read_text("utf-8").split("\n")
        prose = "\n".join(line for line in lines if line and line[0] not in "#|-*")
        if len(sentences(prose)) >= 6:
            yield prose


def news() -> Iterator[str]:
    with NEWS.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["text"]


def reprinted(text: str) -> str:
    """Another paper's version of an article: a near-duplicate."""
    return f"{text}\n（本报综合整理）"


def retold(text: str) -> str:
    """A shorter report on the same: no near-duplicate."""
    spans = sentences(text)
    kept = [text[start:end] for place, (start, end) in enumerate(spans) if place % 5 in (0, 2, 3)]
    return " ".join(kept)


def make_workspace(folder: Path, texts: Sequence[str]) -> Path:
    """The texts, a reprint of every other one and a shorter report on each as corpus `news`, with
    the systems."""
    files = folder / "texts"
    files.mkdir(parents=True)
    for number, text in enumerate([*texts, *map(reprinted, texts[::2]), *map(retold, texts)]):
        (files / f"{number:04}.txt").write_text(text, "utf-8")
    workspace_folder = folder / "workspace"
    with open_workspace(workspace_folder, create=True) as workspace:
        ingest(workspace, "news", read_paths([files]))
    write_settings(
        workspace_folder,
        *(system_table(name, "extractive", retriever) for name, retriever in SYSTEMS.items()),
    )
    return workspace_folder


def write_items(folder: Path, task: str, most: int, model: str = "") -> None:
    """Items of a task in dataset `made`, by rule or by a model."""
    asked = Generate("news", "made", most, TOPICS, (task,), "crud", model)
    with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
        operation.queue(workspace, asked)
    work_here(folder)


def release(folder: Path) -> dict[str, int]:
    """Accepts all items of `made` and releases them; their number by task."""
    with open_workspace(folder) as workspace, workspace.write() as db:
        dataset = datasets.get(db, "made")
        items = generations.items_after(db, dataset.id, 0)
        for item in items:
            datasets.set_state(db, item.item_id, ItemState.DRAFTED, ItemState.ACCEPTED)
        datasets.release(db, dataset)
    tasks = [item.content.task for item in items]
    return {task: tasks.count(task) for task in TASKS}


def run_all(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        for system in SYSTEMS:
            operation.queue(workspace, Evaluate(NewRun(system, "made", name=system)))
    work_here(folder)


def retrieved(workspace: Workspace, run: str) -> list[tuple[ItemContent, RetrieveValue]]:
    rows = workspace.db.execute(
        "SELECT content, value FROM prediction JOIN run ON run.id = run_id"
        " JOIN revision ON revision.id = revision_id"
        " JOIN stage_result ON prediction_id = prediction.id AND stage = 'retrieve'"
        " WHERE run.name = ?",
        (run,),
    )
    return [
        (
            msgspec.json.decode(content, type=ItemContent),
            msgspec.json.decode(value, type=RetrieveValue),
        )
        for content, value in rows
    ]


def near_duplicates(workspace: Workspace) -> dict[str, set[str]]:
    """Of each document of the corpus those that are its near-duplicates, itself included."""
    corpus = corpora.get(workspace.db, "news")
    own = {live.document_id: grams(live.text) for live in corpora.documents(workspace.db, corpus)}
    return {
        name: {other for other in own if similarity(own[name], own[other]) >= THRESHOLD}
        for name in own
    }


def check_runs(folder: Path, items: int) -> None:
    """No run got a source or its near-duplicate; each would have without this."""
    with open_workspace(folder) as workspace:
        alike = near_duplicates(workspace)
        for system in SYSTEMS:
            answers = retrieved(workspace, system)
            assert len(answers) == items
            for content, value in answers:
                units = content.turns[0].evidence
                sources = {unit.document_id for unit in units if unit.start is not None}
                assert sources <= set(content.hidden)
                others = {unit.document_id for unit in units if unit.start is None}
                assert others.isdisjoint(content.hidden)
                unseen = set().union(*(alike[source] for source in content.hidden))
                assert unseen.isdisjoint(hit.document_id for hit in value.hits)
                assert set(value.hidden) <= unseen
                assert value.hits, "something else is found in its place"
            kept_back = [value for _, value in answers if value.hidden]
            assert len(kept_back) > 0.9 * items, "the source is what would have been found"
            assert any(len(value.hidden) > 1 for value in kept_back), "and its reprint"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_workspace(tmp_path_factory.mktemp("hidden"), list(islice(articles(), 8)))
    write_items(folder, "continuation", 6)
    settings = (folder / "ragdesk.toml").read_text("utf-8")
    with ScriptedServer(reply=staged.writes) as server:
        write_settings(folder, settings, provider_table("writer", server.base_url))
        write_items(folder, "summarization", 6, "writer")
    write_settings(folder, settings)
    assert all(release(folder).values())
    run_all(folder)
    return folder


def test_no_system_gets_the_source_of_a_continuation_or_summary(sample: Path) -> None:
    with open_workspace(sample) as workspace:
        items = datasets.find_release(workspace.db, "made").items
    check_runs(sample, items)


@pytest.mark.slow
@pytest.mark.skipif(not NEWS.exists(), reason="the shared data is not here")
def test_fifty_of_each_over_news_never_get_their_source(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path, list(islice(news(), 200)))
    write_items(folder, "continuation", 60)
    settings = (folder / "ragdesk.toml").read_text("utf-8")
    with ScriptedServer(reply=staged.writes) as server:
        write_settings(folder, settings, provider_table("writer", server.base_url))
        write_items(folder, "summarization", 60, "writer")
    counts = release(folder)
    assert min(counts.values()) >= 50
    run_all(folder)
    check_runs(folder, sum(counts.values()))


def test_a_run_says_how_many_documents_it_kept_back(sample: Path) -> None:
    with open_workspace(sample) as workspace:
        for job in jobs.listing(workspace.db):
            notes = [
                event.text for event in jobs.events(workspace.db, job.id) if event.kind == "hidden"
            ]
            assert len(notes) == (job.kind == "run")
            if notes:
                run = runs.get(workspace.db, job.run_id or 0)
                answers = retrieved(workspace, run.name)
                documents = sum(len(value.hidden) for _, value in answers)
                assert notes[0].startswith(f"{len(answers)} answers to items that hide documents")
                assert f" {documents} hidden documents " in notes[0]


def test_only_the_other_reports_of_an_item_are_counted_as_found_or_not(sample: Path) -> None:
    with open_workspace(sample) as workspace:
        run = runs.get(workspace.db, "keywords")
        recall = MetricKey("recall@5", "standard")
        rows = results.score_rows(workspace.db, run.id, recall, "topic", "task")
        assert {row.state for row in rows} == {ScoreState.OK}
        shares = []
        for content, value in retrieved(workspace, "keywords"):
            units = content.turns[0].evidence
            others = {unit.document_id for unit in units if unit.start is None}
            shares.append(len(others & {hit.document_id for hit in value.hits[:5]}) / len(others))
        assert sorted(row.value for row in rows) == pytest.approx(sorted(shares))


def test_a_run_says_that_its_retriever_chose_the_gold(sample: Path) -> None:
    with open_workspace(sample) as workspace:
        items = datasets.find_release(workspace.db, "made").items
        for job in jobs.listing(workspace.db):
            if job.kind == "run":
                run = runs.get(workspace.db, job.run_id or 0)
                events = jobs.events(workspace.db, job.id)
                notes = [event.text for event in events if event.kind == "gold"]
                flattered = run.name in ("vectors", "both")
                assert len(notes) == flattered
                if flattered:
                    assert notes[0].startswith(f"{items} items with evidence that lsa chose")


def test_items_of_other_tasks_hide_nothing(sample: Path) -> None:
    asked = Generate("news", "asked", 2, tasks=("qa_1doc",), taxonomy="crud", topics=TOPICS)
    with open_workspace(sample) as workspace:
        operation.queue(workspace, asked)
    work_here(sample)
    with open_workspace(sample) as workspace:
        made = generations.items_after(workspace.db, datasets.get(workspace.db, "asked").id, 0)
        assert made
        assert all(item.content.hidden == () for item in made)


@pytest.fixture
def bonds(tmp_path: Path) -> Iterator[Workspace]:
    """Twelve documents that all speak of bonds, and rates, and have nothing else in common."""
    files = tmp_path / "files"
    files.mkdir()
    for number in range(12):
        other = " ".join(f"{chr(97 + number)}{place * 7919 % 1000:03}" for place in range(40))
        (files / f"{number:02}.txt").write_text(f"bond rate {'bond ' * number}{other}")
    with open_workspace(tmp_path / "workspace", create=True) as workspace:
        ingest(workspace, "bonds", read_paths([files]))
        yield workspace


def test_more_is_asked_for_until_enough_can_be_seen(bonds: Workspace) -> None:
    corpus = corpora.get(bonds.db, "bonds")
    retriever = open_retriever(bonds, corpus, Retrieval("bm25"))
    (everything,) = retriever.search(["bond"], 12)
    first = [hit.document_id for hit in everything[:7]]
    hidden = HiddenDocuments(bonds.db, corpus, first)
    found = search_visible(retriever, ["bond"], 3, hidden)
    assert list(found.hits) == everything[7:10]
    assert list(found.hidden) == first


class LongestFirst:
    """A reranker that remembers how many texts it was given."""

    def __init__(self) -> None:
        self.given: list[int] = []

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.given.append(len(texts))
        return [float(len(text)) for text in texts]


@pytest.mark.parametrize("queries", [("bond",), ("bond", "rate")])
def test_a_reranked_list_is_as_long_as_if_nothing_was_hidden(bonds: Workspace, queries) -> None:
    corpus = corpora.get(bonds.db, "bonds")
    base = open_retriever(bonds, corpus, Retrieval("bm25"))
    first = [hit.document_id for hit in base.search(["bond"], 3)[0]]
    hidden = HiddenDocuments(bonds.db, corpus, first)
    reranker = LongestFirst()

    def texts(hits: Sequence[Hit]) -> list[str]:
        return [passage.text for passage in passages(bonds.db, corpus, hits)]

    found = search_visible(RerankedRetriever(base, [(reranker, 4)], texts), queries, 4, hidden)
    assert len(found.hits) == 4
    assert reranker.given == [4] * len(queries)
    assert not {hit.document_id for hit in found.hits} & set(first)
    assert set(found.hidden) == set(first)


def test_a_near_duplicate_has_four_fifths_of_its_grams_in_common(sample: Path) -> None:
    text = next(articles())
    with open_workspace(sample) as workspace:
        corpus = corpora.get(workspace.db, "news")
        hidden = HiddenDocuments(workspace.db, corpus, [document_id(text)])
        every = [live.document_id for live in corpora.documents(workspace.db, corpus)]
        assert hidden.among(every) == {document_id(text), document_id(reprinted(text))}


def test_an_estimate_shows_the_model_no_hidden_document(sample: Path, tmp_path: Path) -> None:
    folder = copy_workspace(sample, tmp_path / "copy")
    with ScriptedServer(reply=lambda request: scripted.answer("一")) as server:
        write_settings(
            folder,
            provider_table("writer", server.base_url),
            system_table("asked", "writer", "bm25"),
        )
        evaluate = Evaluate(NewRun("asked", "made"))
        with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
            before = evaluate.estimate(workspace)
            operation.queue(workspace, evaluate)
        work_here(folder)
        with open_workspace(folder) as workspace:
            after = evaluate.estimate(workspace)
            answers = retrieved(workspace, "asked-made@1")
    assert (before.cached, after.cached) == (0, before.calls), "they are the requests of the run"
    asked = [str(request.body["messages"][-1]["content"]) for request in server.requests]
    for content, _ in answers:
        turn = content.turns[0]
        # another item's passages may hold the question, but the question comes last
        prompt = next(text for text in asked if text.rstrip().endswith(turn.question))
        assert turn.golden_answers[0] not in prompt


@pytest.mark.parametrize("kind", ["items", "parquet"])
def test_what_an_item_hides_is_exported_and_comes_back(
    kind: str, sample: Path, tmp_path: Path
) -> None:
    with open_workspace(sample) as workspace:
        export_dataset(workspace, kind, "made@1", tmp_path / "out")
        before = datasets.first_contents(workspace.db, datasets.get(workspace.db, "made"))
    with open_workspace(tmp_path / "other", create=True) as other:
        if kind == "items":
            import_archive(other, tmp_path / "out", corpus_name="c", dataset_name="back")
        else:
            import_parquet(
                other,
                tmp_path / "out",
                corpus_name="c",
                dataset_name="back",
                taxonomy=load_taxonomy("crud"),
                author="test",
            )
        assert datasets.first_contents(other.db, datasets.get(other.db, "back")) == before
        assert verify(other.db).ok


def test_gold_items_name_hidden_documents_by_their_paths(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path, list(islice(articles(), 2)))
    lines = tmp_path / "items.jsonl"
    item = {"id": "one", "turns": [{"question": "请续写。"}], "hidden": ["0001.txt"]}

    def bring_in(workspace: Workspace) -> ItemContent:
        lines.write_text(json.dumps(item), "utf-8")
        import_items(
            workspace,
            [lines],
            corpus_name="news",
            dataset_name="gold",
            taxonomy=load_taxonomy("crud"),
            author="test",
        )
        return datasets.first_contents(workspace.db, datasets.get(workspace.db, "gold"))["one"]

    with open_workspace(folder) as workspace:
        item["hidden"] = ["9999.txt"]
        with pytest.raises(InputError, match=r"line 1: field `hidden`: .* no '9999\.txt'"):
            bring_in(workspace)
        item["hidden"] = ["0001.txt"]
        texts = [
            live.text for live in corpora.documents(workspace.db, corpora.get(workspace.db, "news"))
        ]
        (named,) = bring_in(workspace).hidden
        assert named in {document_id(text) for text in texts}


def test_an_item_that_hides_nothing_is_stored_as_before() -> None:
    assert "hidden" not in canonical_json(ItemContent((Turn("Why?"),))).decode()


def test_verify_misses_a_hidden_document_that_is_not_there(sample: Path, tmp_path: Path) -> None:
    with open_workspace(copy_workspace(sample, tmp_path / "copy")) as workspace:
        with workspace.write() as db:
            content = ItemContent((Turn("Why?"),), hidden=(document_id("nowhere"),))
            made = datasets.get(db, "made")
            datasets.add_item(db, made, "k", "g", content, author="a", reason="")
        failed = [check for check in verify(workspace.db).checks if not check.ok]
        assert [(check.name, check.detail) for check in failed] == [
            ("evidence", "1 hidden documents are not there")
        ]


def test_an_imported_run_says_how_often_its_system_saw_what_is_hidden(
    sample: Path, tmp_path: Path
) -> None:
    with open_workspace(copy_workspace(sample, tmp_path / "copy")) as workspace:
        release = datasets.find_release(workspace.db, "made")
        items = list(datasets.released_items(workspace.db, release.id))
        corpus = corpora.get(workspace.db, "news")
        texts = {live.document_id: live.text for live in corpora.documents(workspace.db, corpus)}
        lines = []
        for number, item in enumerate(items):
            source = item.content.hidden[0]
            other = next(
                name
                for name, text in texts.items()
                if similarity(grams(text), grams(texts[source])) < THRESHOLD
            )
            lines.append(
                {"id": item.item_key, "answer": "一", "retrieved": [other if number else source]}
            )
        file = tmp_path / "mine.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
        made = import_predictions(workspace, file, run_name="mine", dataset="made@1")
        work_here(workspace.folder)
        assert made.job is not None
        notes = [e.text for e in jobs.events(workspace.db, made.job.id) if e.kind == "hidden"]
    assert notes == [
        f"1 of {len(items)} answers to items that hide documents come with one of these among what"
        " was retrieved: the system could copy them"
    ]
