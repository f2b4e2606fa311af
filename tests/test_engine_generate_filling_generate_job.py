"""Items are generated into cells, by rule and by model, through the real worker."""

from __future__ import annotations

import json
import os
from collections import Counter
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import pytest
import scripted_server as scripted
import writing_server as writing
from endpoint_workspaces import ENVIRON, job_now, provider_table, resume, work, write_settings
from msgspec.structs import replace
from sample_workspaces import copy_workspace
from scripted_server import ScriptedServer
from worker_here import work_here

from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from engine.generate.filling.generate_job import Generate
from engine.generate.filling.generate_work import FAILURES_IN_A_ROW, USELESS_IN_A_ROW
from engine.generate.inspection.inspect_job import Inspect
from engine.jobs import operation
from engine.jobs.operation import Budget
from engine.prompts.templates import load_prompt
from engine.taxonomy.definitions import load_taxonomy
from engine.taxonomy.shapes import REFUSAL
from engine.text.duplicates import THRESHOLD, grams, similarity
from sample_corpus import ROOT
from store.corpora import taxonomies
from store.datasets import datasets, generation_figures, generations, inspections
from store.errors import InputError, NotFound, UsageError
from store.jobs import jobs
from store.records import ItemState, JobState, PauseReason
from store.verify import verify
from store.workspace import open_workspace

TOPICS = ("fund", "bond_market")
CELLS = 2 * 5


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus, not yet classified."""
    folder = tmp_path_factory.mktemp("generate") / "sample"
    with open_workspace(folder, create=True) as workspace:
        ingest(workspace, "sample", read_paths([ROOT / "documents"]))
    return folder


@pytest.fixture
def folder(sample: Path, tmp_path: Path) -> Path:
    return copy_workspace(sample, tmp_path / "workspace")


def wanted(dataset="made", per_cell=3, topics=TOPICS, **fields):
    return Generate("sample", dataset, per_cell, topics, **fields)


def queue(folder, asked):
    with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
        return operation.queue(workspace, asked)


def serve(folder, server, **fields):
    write_settings(
        folder,
        provider_table("writer", server.base_url, **fields),
        "[providers.writer.prices]\ninput = 1000.0\noutput = 2000.0\n",
    )


def generate(folder, asked, by=work_here):
    """The ended job and its cells."""
    job = queue(folder, asked)
    by(folder)
    return cells_of(folder, job)


def cells_of(folder, job):
    with open_workspace(folder) as workspace:
        assert [check for check in verify(workspace.db).checks if not check.ok] == []
        now = jobs.get(workspace.db, job.id)
        assert now.state is not JobState.FAILED, (now.error, jobs.events(workspace.db, job.id))
        return now, generation_figures.progress(workspace.db, job.id)


def items_of(folder, dataset="made"):
    with open_workspace(folder) as workspace:
        made = datasets.get(workspace.db, dataset)
        return generations.items_after(workspace.db, made.id, 0)


def events(folder, job, kind):
    with open_workspace(folder) as workspace:
        return [event.text for event in jobs.events(workspace.db, job.id) if event.kind == kind]


def total(cells, name):
    return sum(cell.states.get(name, 0) for cell in cells)


def test_drafts_by_rule_fill_cells_or_say_why_not(folder):
    job, cells = generate(folder, wanted(), by=work)
    assert job.state is JobState.DONE
    assert len(cells) == CELLS
    assert all((cell.filled == cell.target) != (cell.lack is not None) for cell in cells)
    assert sum(cell.filled == cell.target for cell in cells) >= 8
    items = items_of(folder)
    assert {item.state for item in items} == {ItemState.DRAFTED}
    assert {item.content.facets["model"] for item in items} == {"offline"}
    assert (job.done, job.total) == (len(items), 3 * CELLS)
    assert events(folder, job, "classified")
    assert len(events(folder, job, "generated")) == 1
    with open_workspace(folder) as workspace:
        authors = workspace.db.execute("SELECT DISTINCT author, reason FROM revision").fetchall()
    assert {author for author, _ in authors} == {"offline"}
    assert ("offline", "generated with rules/document_pair") in authors


def test_equal_seeds_give_equal_items_and_a_full_dataset_gets_no_more(folder):
    for name in ("made", "again"):
        generate(folder, wanted(name, tasks=("extractive", "multi_hop")))
    first, second = (
        sorted((item.item_key, item.content.turns) for item in items_of(folder, name))
        for name in ("made", "again")
    )
    assert first == second
    job, cells = generate(folder, wanted(tasks=("extractive",)))
    assert sum(cell.attempts for cell in cells) == 0
    assert len(items_of(folder)) == len(first)
    assert job.done == 6


def test_a_larger_quota_goes_on_where_the_smaller_one_ended(folder):
    generate(folder, wanted(tasks=("extractive",)))
    before = {item.item_key for item in items_of(folder)}
    _, cells = generate(folder, wanted(per_cell=6, tasks=("extractive",)))
    after = {item.item_key for item in items_of(folder)}
    assert before < after
    assert [cell.filled for cell in cells] == [6, 6]


def test_tasks_of_another_taxonomy_are_drafted_too(folder):
    _, cells = generate(folder, wanted("types", taxonomy="ekrag", tasks=("extractive",)))
    assert all(cell.filled for cell in cells)
    by_model = ("abstractive", "summarization", "no_answer")
    _, cells = generate(folder, wanted("ekrag", taxonomy="ekrag", tasks=by_model))
    assert {cell.lack for cell in cells} == {"no_writer"}


def test_documents_without_a_topic_are_left_alone_unless_asked_for(folder):
    with open_workspace(folder) as workspace, workspace.write() as db:
        db.execute(
            "INSERT INTO document_topic (taxonomy_key, document, topic, score, method, at)"
            " SELECT 'omnieval', id, 'unassigned', 0.0, 'test', ''"
            " FROM document"
        )
    _, cells = generate(folder, wanted(tasks=("extractive",)))
    assert {cell.lack for cell in cells} == {"no_documents"}
    _, cells = generate(folder, wanted("none", topics=("unassigned",), tasks=("extractive",)))
    assert [(cell.topic, cell.filled) for cell in cells] == [("unassigned", 3)]


def test_a_model_with_faults_fills_cells_and_every_reply_is_counted(folder):
    with ScriptedServer(reply=writing.writes_with_faults) as server:
        serve(folder, server)
        job, cells = generate(folder, wanted(per_cell=4, model="writer"), by=work)
    assert job.state is JobState.DONE
    assert all((cell.filled == cell.target) != (cell.lack is not None) for cell in cells)
    assert sum(cell.filled == cell.target for cell in cells) >= 8
    assert server.statuses[429]
    assert server.statuses[500]
    states = Counter()
    for cell in cells:
        states.update(cell.states)
    assert min(states["parsed"], states["unparsed"], states["refused"]) > 0
    assert sum(states.values()) == server.statuses[200]
    with open_workspace(folder) as workspace:
        db = workspace.db
        (calls,) = db.execute("SELECT count(*) FROM model_call").fetchone()
        filtered = server.statuses[200] - calls
        assert generations.spent(db, job.id) == (2020 * calls, pytest.approx(2.04 * calls))
        (yielded, *_) = generation_figures.yields(db, job_dataset(db, job))
        assert (yielded.model, yielded.prompt_id) == ("scripted", "generate/contrast")
    assert 0 < filtered <= states["refused"]
    items = items_of(folder)
    assert len(items) == job.done == sum(cell.outcomes.get("kept", 0) for cell in cells)
    asked = [grams("\n".join(turn.question for turn in item.content.turns)) for item in items]
    assert not any(
        similarity(one, other) >= THRESHOLD
        for number, one in enumerate(asked)
        for other in asked[:number]
    )
    kinds = {item.content.facets.get("kind") for item in items if item.content.task == "multi_hop"}
    assert kinds == {"calculation", "chain"}


def job_dataset(db, job):
    return generations.get(db, job.id).dataset_id


def test_an_equal_generation_is_served_from_the_cache(folder):
    asked = wanted("other", per_cell=2, model="writer", tasks=("extractive", "contrast"))
    with ScriptedServer(reply=writing.writes) as server:
        serve(folder, server)
        generate(folder, wanted(per_cell=2, model="writer", tasks=("extractive", "contrast")))
        made = server.count
        with open_workspace(folder) as workspace:
            estimate = asked.estimate(workspace)
        job, _ = generate(folder, asked)
        assert server.count == made
    assert (estimate.calls, estimate.cached, estimate.cost) == (made, made, 0.0)
    with open_workspace(folder) as workspace:
        assert generations.spent(workspace.db, job.id) == (0, 0.0)


def test_a_dry_run_counts_the_calls_that_are_made(folder):
    asked = wanted(model="writer", tasks=("extractive", "multi_hop", "conversational"))
    with ScriptedServer(reply=writing.writes) as server:
        serve(folder, server)
        with open_workspace(folder) as workspace:
            estimate = asked.estimate(workspace)
        assert server.count == 0
        generate(folder, asked)
        assert server.count == estimate.calls == 2 * (1 + 1 + 3)
    assert estimate.missing == 18
    assert estimate.cost > 0
    assert estimate.calls <= estimate.calls_at_most


def test_an_unreadable_reply_is_asked_for_again_and_given_up_in_the_end(folder):
    with ScriptedServer(default=scripted.answer("No JSON here.")) as server:
        serve(folder, server)
        asked = wanted(per_cell=1, topics=("fund",), tasks=("extractive",), model="writer")
        job, (cell,) = generate(folder, asked)
    assert cell.states == {"unparsed": cell.attempts}
    assert cell.attempts % 3 == 0
    assert cell.lack == "exhausted"
    heats = Counter(request.body["temperature"] for request in server.requests)
    assert heats[0.7] == 2 * heats[0.0]
    (said,) = events(folder, job, "shortfall")
    assert f"{cell.attempts} unreadable" in said


def test_a_model_that_writes_nothing_of_use_pauses_before_it_costs_more(folder, monkeypatch):
    enough = USELESS_IN_A_ROW // 10
    monkeypatch.setattr("engine.generate.filling.generate_work.USELESS_IN_A_ROW", enough)
    with ScriptedServer(default=scripted.answer('{"topic": "fund"}')) as server:
        serve(folder, server)
        job, _ = generate(folder, wanted(per_cell=2, model="writer"))
        assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.REPLIES)
        said = "4 attempts in a row gave no item; the last: the question is missing"
        assert said in job_now(folder, job).error
        before = server.count
        resume(folder, job)
        work_here(folder)
        assert server.count > before


def test_refusals_and_empty_lists_are_not_asked_for_again(folder):
    def reply(request):
        return scripted.answer("[]" if request.number % 2 else "I'm sorry, I can't help with that.")

    with ScriptedServer(reply=reply) as server:
        serve(folder, server)
        asked = wanted(per_cell=1, topics=("fund",), tasks=("extractive",), model="writer")
        job, (cell,) = generate(folder, asked)
    assert set(cell.states) == {"empty", "refused"}
    assert server.count == cell.attempts
    (said,) = events(folder, job, "shortfall")
    assert f"{cell.states['empty']} gave nothing, {cell.states['refused']} refused" in said


def test_a_document_that_gave_items_is_asked_once_more_when_all_had_their_turn(folder):
    def reply(request):
        return scripted.answer(json.dumps(writing.items_for(request, str(request.number))))

    with ScriptedServer(reply=reply) as server:
        serve(folder, server)
        asked = wanted(per_cell=100, topics=("fund",), tasks=("extractive",), model="writer")
        _, (cell,) = generate(folder, asked)
    heats = Counter(request.body["temperature"] for request in server.requests)
    assert heats[0.7] == heats[0.0] > 0
    assert cell.outcomes["kept"] > 3 * heats[0.0]


def test_evidence_that_no_document_says_is_refused(folder):
    def reply(request):
        items = writing.items_for(request)
        items[0]["relevant_passage"] = ["The lunar branch charges forty-seven moon dollars a day."]
        items[1]["question"] = items[2]["question"]
        return scripted.answer(json.dumps(items))

    with ScriptedServer(reply=reply) as server:
        serve(folder, server)
        asked = wanted(per_cell=3, topics=("fund",), tasks=("extractive",), model="writer")
        _, (cell,) = generate(folder, asked)
    assert cell.outcomes["evidence_not_verbatim"] == cell.attempts
    assert cell.outcomes["duplicate"] >= cell.outcomes["kept"] == cell.filled == 3
    with open_workspace(folder) as workspace:
        reasons = workspace.db.execute(
            "SELECT outcome, reason FROM generation_result WHERE item_id IS NULL"
        ).fetchall()
    assert all("lunar branch" in why for name, why in reasons if name == "evidence_not_verbatim")
    assert all("is like that of g" in why for name, why in reasons if name == "duplicate")


def test_a_budget_pauses_and_resuming_repeats_no_call(folder):
    with ScriptedServer(reply=writing.writes) as server:
        serve(folder, server, **{"limits.max_in_flight": 1})
        job, _ = generate(folder, wanted(model="writer", budget=Budget(14_000)))
        assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.BUDGET)
        assert 0 < job.done < 3 * CELLS
        with open_workspace(folder) as workspace:
            assert generations.spent(workspace.db, job.id)[0] == 2020 * server.count
        resume(folder, job, Budget(max_tokens=1_000_000))
        work_here(folder)
        job, cells = cells_of(folder, job)
    assert job.state is JobState.DONE
    assert server.count == server.stats()["unique_bodies"]
    assert sum(cell.attempts for cell in cells) == server.count


def test_an_endpoint_that_answers_nothing_pauses_and_its_calls_are_made_again(folder):
    broken = True

    def reply(request):
        return scripted.error(400, "no such parameter") if broken else writing.writes(request)

    with ScriptedServer(reply=reply) as server:
        serve(folder, server)
        job, cells = generate(folder, wanted(per_cell=2, model="writer"))
        assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.ENDPOINT)
        assert f"{FAILURES_IN_A_ROW} calls in a row" in job_now(folder, job).error
        assert sum(cell.pending for cell in cells) >= FAILURES_IN_A_ROW
        broken = False
        resume(folder, job)
        work_here(folder)
        job, cells = cells_of(folder, job)
    assert job.state is JobState.DONE
    assert job.done == 2 * CELLS


def test_a_workspace_has_prompts_of_its_own_and_a_job_keeps_those_it_began_with(folder):
    own = folder / "prompts" / "zh" / "generate" / "extractive.txt"
    own.parent.mkdir(parents=True)
    text = "[system]\n只问数字。\n{>generate/reply_single}\n[user]\n{>generate/materials}\n"
    own.write_text(text, "utf-8")
    with ScriptedServer(reply=writing.writes) as server:
        serve(folder, server)
        job = queue(folder, wanted(per_cell=2, tasks=("extractive",), model="writer"))
        own.write_text(text.replace("数字", "日期"), "utf-8")
        work_here(folder)
        cells_of(folder, job)
    chinese = [request for request in server.requests if "文档" in writing.asked(request)]
    assert chinese
    assert all(writing.asked(request, 0).startswith("只问数字。") for request in chinese)
    with open_workspace(folder) as workspace:
        texts = workspace.db.execute(
            "SELECT DISTINCT text FROM prompt JOIN generation_attempt ON hash = prompt_hash"
        ).fetchall()
    assert sum(shown.startswith("[system]\n只问数字。") for (shown,) in texts) == 1


def test_a_prompt_without_a_slot_is_refused_before_any_call(folder):
    own = folder / "prompts" / "zh" / "generate" / "extractive.txt"
    own.parent.mkdir(parents=True)
    own.write_text("[system]\nx\n[user]\n{topic}\n", "utf-8")
    with ScriptedServer(reply=writing.writes) as server:
        serve(folder, server)
        with pytest.raises(InputError, match=r"lacks the slot \{documents\}"):
            queue(folder, wanted(tasks=("extractive",), model="writer"))


def test_what_cannot_be_generated_is_refused(folder):
    generate(folder, wanted(per_cell=1, topics=("fund",), tasks=("extractive",)))
    with open_workspace(folder) as workspace:
        ingest(workspace, "other", read_paths([ROOT / "documents" / "fund"]))
    refusals = [
        (wanted(per_cell=0), UsageError, "items per cell is 0"),
        (wanted(topics=("moon",)), NotFound, "no topic 'moon'"),
        (wanted(tasks=("moon",)), NotFound, "no task 'moon'"),
        (wanted(model="moon"), NotFound, "no provider 'moon'"),
        (wanted(taxonomy="crud"), UsageError, "taxonomy 'omnieval'"),
        (wanted("new", taxonomy="moon"), NotFound, "no taxonomy 'moon'"),
        (Generate("nowhere", "made", 1), NotFound, "no corpus 'nowhere'"),
        (Generate("other", "made", 1), UsageError, "is about corpus 'sample'"),
    ]
    for asked, kind, words in refusals:
        with pytest.raises(kind, match=words):
            queue(folder, asked)
    with open_workspace(folder) as workspace:
        assert [made.name for made in datasets.listing(workspace.db)] == ["made"]


def test_a_key_that_is_not_set_is_refused_before_a_dataset_is_made(folder):
    write_settings(folder, provider_table("writer", "http://127.0.0.1:9/v1", api_key_env="NO_KEY"))
    with pytest.raises(InputError, match="NO_KEY"):
        queue(folder, wanted(model="writer"))
    with open_workspace(folder) as workspace:
        assert datasets.listing(workspace.db) == []


def test_cells_may_have_targets_of_their_own(folder):
    own = (("fund", "contrast", 1), ("fund", "extractive", 0), ("blockchain", "extractive", 1))
    job = queue(folder, wanted(per_cell=2, tasks=("extractive", "contrast"), targets=own))
    with open_workspace(folder) as workspace:
        assert generations.targets(workspace.db, job.id) == {
            ("fund", "contrast"): 1,
            ("bond_market", "extractive"): 2,
            ("bond_market", "contrast"): 2,
            ("blockchain", "extractive"): 1,
        }


@pytest.mark.parametrize(
    ("own", "error", "says"),
    [
        ((("fund", "poem", 1),), NotFound, "no task 'poem'"),
        ((("moon", "contrast", 1),), NotFound, "no topic 'moon'"),
        ((("fund", "contrast", -1),), UsageError, "fund/contrast is -1"),
        (tuple((topic, "contrast", 0) for topic in TOPICS), UsageError, "No cell has a target"),
    ],
)
def test_targets_that_make_no_sense_are_refused(folder, own, error, says):
    with pytest.raises(error, match=says):
        queue(folder, wanted(tasks=("contrast",), targets=own))


def test_what_was_drafted_is_inspected_when_that_was_asked_for(folder):
    with open_workspace(folder) as workspace:
        asked = wanted(per_cell=1, tasks=("extractive",), inspect_by="offline")
        job = operation.queue(workspace, asked)
    work_here(folder)
    with open_workspace(folder) as workspace:
        inspection = jobs.get(workspace.db, jobs.get(workspace.db, job.id).params["inspection"])
        assert (inspection.kind, inspection.state, inspection.done) == (
            "inspect",
            JobState.DONE,
            2,
        )
        states = datasets.state_counts(workspace.db, datasets.get(workspace.db, "made"))
        assert states.get(ItemState.DRAFTED, 0) == 0


def test_an_inspector_that_is_not_there_is_refused_before_anything_is_made(folder):
    with open_workspace(folder) as workspace:
        with pytest.raises(NotFound, match="no provider 'nobody'"):
            operation.queue(workspace, wanted(inspect_by="nobody"))
        assert jobs.listing(workspace.db) == []


def test_a_prompt_that_is_named_and_nowhere_is_told(folder):
    taxonomy = load_taxonomy("omnieval")
    tasks = tuple(replace(task, prompt="own/task") for task in taxonomy.tasks[:1])
    with open_workspace(folder) as workspace, workspace.write() as db:
        taxonomies.save(db, replace(taxonomy, key="own", tasks=tasks), "test")
    asked = wanted(tasks=("extractive",), taxonomy="own", model="writer", per_cell=1)
    own = folder / "prompts" / "zh" / "own" / "task.txt"
    with ScriptedServer(reply=writing.writes) as server:
        serve(folder, server)
        with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
            absent = asked.estimate(workspace).absent_prompts
            own.parent.mkdir(parents=True)
            own.write_text(load_prompt("generate/task", "zh").text, "utf-8")
            assert asked.estimate(workspace).absent_prompts == ("en/own/task",)
            known = wanted("known", tasks=("extractive",), model="writer")
            assert known.estimate(workspace).absent_prompts == ()
        job, _ = generate(folder, asked)
    assert absent == ("zh/own/task", "en/own/task")
    (note,) = events(folder, job, "prompts")
    assert note.endswith("prompts are not there: en/own/task")


def test_a_model_writes_every_type_of_ekrag_with_its_own_prompt_through_faults(folder):
    asked = wanted(topics=("fund",), taxonomy="ekrag", model="writer", per_cell=3)
    with ScriptedServer(reply=writing.writes_with_faults) as server:
        serve(folder, server)
        job, cells = generate(folder, asked)
    assert {cell.task for cell in cells if cell.filled == cell.target} >= {
        "extractive", "abstractive", "summarization", "numerical"
    }  # fmt: skip
    with open_workspace(folder) as workspace:
        prompts = {row.task: row.prompt_id for row in generations.attempts(workspace.db, job.id)}
        assert prompts == {cell.task: f"ekrag/{cell.task}" for cell in cells}
    facets = [item.content.facets for item in items_of(folder)]
    assert {one["modality"] for one in facets} <= {"text", "table", "both"}
    assert {one["hops"] for one in facets} <= {"single", "intra", "inter"}


def test_questions_that_nothing_answers_are_written_and_inspected(folder):
    asked = wanted(
        topics=("fund",), tasks=("no_answer",), taxonomy="ekrag", model="writer", per_cell=2
    )

    def writes(request: scripted.Request) -> scripted.Reply:
        shown = request.body["messages"][-1]["content"]
        number = int(sha256(shown.encode()).hexdigest()[:6], 16)
        question = f"What did the Larch Growth Fund of {number} pay its auditors in 2024?"
        answered = {"answer": "36 pounds", "relevant_passage": ["nowhere"]}
        said = {"answer": "", "relevant_passage": []} if number % 2 else answered
        return scripted.answer(json.dumps([{"question": question, **said}]))

    with ScriptedServer(reply=writes) as server:
        serve(folder, server)
        generate(folder, asked)
    items = items_of(folder)
    assert items
    for item in items:
        assert item.content.turns[0].golden_answers[0] in REFUSAL.values()
        assert item.content.turns[0].evidence == ()
    with open_workspace(folder) as workspace:
        operation.queue(workspace, Inspect("made"))
    work_here(folder)
    with open_workspace(folder) as workspace:
        of_items = [inspections.of_item(workspace.db, item.item_id) for item in items]
    assert {found.state for inspected in of_items for found in inspected} == {"parsed"}
