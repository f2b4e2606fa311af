"""A model builds the items of all CRUD tasks in stages, at a scripted server with faults."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import pytest
import scripted_server as scripted
import staged_server as staged
from endpoint_workspaces import ENVIRON, provider_table, write_settings
from news_reports import NAMES, make_news
from sample_workspaces import copy_workspace
from scripted_server import ScriptedServer
from worker_here import work_here

from engine.generate.builders.article import KINDS
from engine.generate.builders.registry import BUILDERS
from engine.generate.filling.generate_job import Generate
from engine.jobs import operation
from engine.taxonomy.definitions import load_taxonomy
from store.corpora import corpora
from store.datasets import datasets, generation_figures, generation_steps, generations
from store.jobs import jobs
from store.records import JobState
from store.verify import verify
from store.workspace import open_workspace

TASKS = tuple(task.key for task in load_taxonomy("crud").tasks)


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_news(tmp_path_factory.mktemp("news"))


@pytest.fixture
def folder(news: Path, tmp_path: Path) -> Path:
    return copy_workspace(news, tmp_path / "workspace")


def wanted(tasks=TASKS, per_cell=4, dataset="made", **fields):
    return Generate("news", dataset, per_cell, ("unassigned",), tasks, "crud", "writer", **fields)


def serve(folder, server):
    write_settings(
        folder,
        provider_table("writer", server.base_url),
        "[providers.writer.prices]\ninput = 1000.0\noutput = 2000.0\n",
    )


def generate(folder, asked):
    with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
        job = operation.queue(workspace, asked)
    work_here(folder)
    return job


def made(folder, dataset="made"):
    """The items of a dataset with the steps that they were made in."""
    with open_workspace(folder) as workspace:
        db = workspace.db
        assert [check for check in verify(db).checks if not check.ok] == []
        items = generations.items_after(db, datasets.get(db, dataset).id, 0)
        return [(item.content, generation_steps.of_item(db, item.item_id)) for item in items]


def texts_of(folder):
    """The documents of the corpus, by id."""
    with open_workspace(folder) as workspace:
        corpus = corpora.get(workspace.db, "news")
        return {one.document_id: one.text for one in corpora.documents(workspace.db, corpus)}


def stages(steps):
    return [step.stage for step in steps if step.state == "parsed"]


@pytest.fixture(scope="module")
def written(news: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All six tasks written by a model that makes no fault."""
    folder = copy_workspace(news, tmp_path_factory.mktemp("written") / "workspace")
    with ScriptedServer(reply=staged.writes) as server:
        serve(folder, server)
        generate(folder, wanted())
    return folder


def test_every_task_is_written_in_both_languages_with_its_stages(written):
    items = made(written)
    assert Counter(content.task for content, _ in items) == dict.fromkeys(TASKS, 4)
    assert {content.lang for content, _ in items} == {"zh", "en"}
    group = ["connected", "common", "different"]
    for content, steps in items:
        assert stages(steps) == {
            "qa_1doc": [],
            "qa_2doc": [*group, "qa_2doc", "rewrite"],
            "qa_3doc": [*group, "qa_3doc", "rewrite"],
        }.get(content.task, [content.task, "related"])


def test_every_passage_is_verbatim_and_groups_quote_each_document(written):
    texts = texts_of(written)
    for content, _ in made(written):
        units = content.turns[0].evidence
        quoted = [unit for unit in units if unit.start is not None]
        assert quoted
        assert all(texts[one.document_id][one.start : one.end] == one.quote for one in quoted)
        documents = {unit.document_id for unit in quoted}
        assert len(documents) == {"qa_2doc": 2, "qa_3doc": 3}.get(content.task, 1)


def test_an_item_made_from_a_report_hides_it_and_names_the_others_on_its_event(written):
    texts = texts_of(written)
    reverse = [entry for entry in made(written) if not entry[0].task.startswith("qa_")]
    assert len(reverse) == 12
    for content, steps in reverse:
        units = content.turns[0].evidence
        others = [unit.document_id for unit in units if unit.start is None]
        assert content.hidden == tuple(
            dict.fromkeys(unit.document_id for unit in units if unit.start is not None)
        )
        (name,) = (name for name in NAMES if name in texts[content.hidden[0]])
        assert 1 <= len(others) <= 2
        assert all(name in texts[other] for other in others), "they tell of the same event"
        assert set(others).isdisjoint(content.hidden)
        assert content.facets["gold_by"] == "lsa"
        (chosen,) = (step.value for step in steps if step.stage == "related")
        assert [report["document_id"] for report in chosen["reports"]] == others
        assert all(set(report["words"]) <= set(chosen["words"]) for report in chosen["reports"])


def test_planted_errors_are_of_four_kinds_and_say_what_stood_there(folder):
    with ScriptedServer(reply=staged.writes) as server:
        serve(folder, server)
        generate(folder, wanted(("hallucination_fix",), per_cell=20))
    kinds = set()
    for content, steps in made(folder):
        kinds.add(content.facets["type"])
        (planted,) = (step.value for step in steps if step.stage == "hallucination_fix")
        (turn,) = content.turns
        for error in planted["errors"]:
            assert error["original"] in turn.golden_answers[0]
            assert error["faulty"] in turn.question
            assert error["original"] not in turn.question.partition("\n")[2]
    assert kinds == set(KINDS)


def test_faults_of_the_server_end_in_states_and_every_reply_is_booked(folder):
    with ScriptedServer(reply=staged.writes_with_faults) as server:
        serve(folder, server)
        job = generate(folder, wanted())
        assert server.statuses[429]
        assert server.statuses[500]
    items = made(folder)
    assert {content.task for content, _ in items} == set(TASKS)
    with open_workspace(folder) as workspace:
        db = workspace.db
        assert jobs.get(db, job.id).state is JobState.DONE
        cells = generation_figures.progress(db, job.id)
        states = Counter()
        for cell in cells:
            assert (cell.filled == cell.target) != (cell.lack is not None)
            states.update(cell.states)
        assert set(states) >= {"parsed", "empty", "refused", "unparsed"}
        steps = Counter(dict(db.execute("SELECT state, count(*) FROM generation_step GROUP BY 1")))
        assert steps["unparsed"] > 3
        assert steps["refused"] > 0
        (calls,) = db.execute("SELECT count(*) FROM model_call").fetchone()
        assert generations.spent(db, job.id) == (2020 * calls, pytest.approx(2.04 * calls))
        yields = generation_figures.yields(db, datasets.get(db, "made").id)
        assert sum(one.tokens for one in yields) == 2020 * calls


def test_a_second_dataset_is_made_of_the_replies_that_are_there(folder):
    asked = wanted(("qa_2doc", "continuation"), per_cell=2)
    again = wanted(asked.tasks, per_cell=2, dataset="again")
    with ScriptedServer(reply=staged.writes) as server:
        serve(folder, server)
        generate(folder, asked)
        sent = server.count
        with open_workspace(folder) as workspace:
            estimate = again.estimate(workspace)
        job = generate(folder, again)
        assert server.count == sent
    assert estimate.cached == estimate.calls > 0
    with open_workspace(folder) as workspace:
        assert generations.spent(workspace.db, job.id) == (0, 0.0)
    assert [content for content, _ in made(folder, "again")] == [
        content for content, _ in made(folder)
    ]


@pytest.mark.parametrize("task", [task for task in TASKS if task != "qa_1doc"])
def test_a_dry_run_counts_the_calls_of_every_stage(news, tmp_path, task):
    folder = copy_workspace(news, tmp_path / "workspace")
    asked = wanted((task,), per_cell=1)
    builder = next(BUILDERS[row.builder] for row in load_taxonomy("crud").tasks if row.key == task)
    with ScriptedServer(reply=staged.writes) as server:
        serve(folder, server)
        with open_workspace(folder) as workspace:
            estimate = asked.estimate(workspace)
        assert server.count == 0
        generate(folder, asked)
        assert server.count == estimate.calls == len(builder.prompts)
    assert estimate.cost > 0
    assert estimate.calls <= estimate.calls_at_most


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ('{"event": "", "documents": []}', "empty"),
        ("No JSON here.", "unparsed"),
        ("抱歉，我无法完成这一要求。", "refused"),
    ],
)
def test_a_stage_that_gives_nothing_ends_the_attempt_before_the_next_is_asked(folder, text, state):
    with ScriptedServer(default=scripted.answer(text)) as server:
        serve(folder, server)
        job = generate(folder, wanted(("qa_2doc",), per_cell=1))
        calls = 3 if state == "unparsed" else 1
    with open_workspace(folder) as workspace:
        (cell,) = generation_figures.progress(workspace.db, job.id)
        rows = workspace.db.execute("SELECT DISTINCT stage FROM generation_step").fetchall()
    assert cell.states == {state: 18}
    assert server.count == 18 * calls
    assert rows == [("connected",)]


def test_a_workspace_has_prompts_of_its_own_for_every_stage(folder):
    own = folder / "prompts" / "zh" / "crud" / "connected.txt"
    own.parent.mkdir(parents=True)
    own.write_text("[system]\n你负责归类报道，其中是否有{number}篇\n[user]\n{documents}", "utf-8")
    with ScriptedServer(reply=staged.writes) as server:
        serve(folder, server)
        generate(folder, wanted(("qa_2doc",), per_cell=12))
        asked = [staged.writing.asked(request, 0) for request in server.requests]
    assert "你负责归类报道，其中是否有2篇" in asked
