"""Evolving by rule and by a model: what is stored, how it resumes, what is refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from endpoint_workspaces import (
    KEY,
    VARIABLE,
    provider_table,
    resume,
    start_worker,
    write_settings,
)
from evolved_workspaces import asked, make
from evolving_server import evolves, evolves_with_faults
from scripted_server import ScriptedServer
from tiny_workspaces import make_corpus, make_release, put_text
from worker_here import work_here

from engine.difficulty.formulas import difficulty
from engine.evolve.figures import figures
from engine.evolve.qra import INITIAL, OPERATIONS
from engine.jobs.operation import Budget, dry_run, queue
from engine.report import sheets
from engine.report.evolution import evolution_sheets
from store.corpora import corpora
from store.datasets import datasets, lineages
from store.errors import InputError, UsageError
from store.jobs import jobs
from store.records import Evidence, ItemContent, JobState, Turn
from store.workspace import Workspace, open_workspace
from tui.cli import main
from tui.cli.parser import parse


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("evolve") / "w")


@pytest.fixture(scope="module")
def by_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = make(tmp_path_factory.mktemp("evolve") / "model")
    with ScriptedServer(reply=evolves) as server:
        write_settings(folder, provider_table("writer", server.base_url))
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(VARIABLE, KEY)
            with open_workspace(folder) as workspace:
                queue(workspace, asked(model="writer", rewrite=True))
            work_here(folder)
    return folder


def families_of(workspace: Workspace) -> list[lineages.Family]:
    return lineages.of_dataset(workspace.db, datasets.get(workspace.db, "harder").id)


def test_a_model_writes_all_types_and_carries_out_operations(by_model: Path) -> None:
    with open_workspace(by_model) as workspace:
        families = families_of(workspace)
        assert len(families) == 6
        steps = [step for family in families for step in family.steps]
        assert {family.steps[0].operation for family in families} == set(INITIAL)
        taken = {one.operation for one in steps if one.parents and one.content is not None}
        assert {"query_concatenation", "rewriting"} <= taken
        assert taken <= {*OPERATIONS, "rewriting"}


def test_key_sentences_are_verbatim_and_children_need_several_chunks(by_model: Path) -> None:
    with open_workspace(by_model) as workspace:
        corpus = corpora.get(workspace.db, "birds")
        texts = {one.document_id: one.text for one in corpora.documents(workspace.db, corpus)}
        for family in families_of(workspace):
            for step in family.steps:
                if step.content is None:
                    continue
                (turn,) = step.content.turns
                assert turn.keypoints
                for unit in turn.evidence:
                    assert texts[unit.document_id][unit.start : unit.end] == unit.quote
                if step.operation in OPERATIONS:
                    assert len({unit.document_id for unit in turn.evidence}) > 1


def test_items_keep_their_root_stage_and_family(by_model: Path) -> None:
    with open_workspace(by_model) as workspace:
        db = workspace.db
        dataset = datasets.get(db, "harder")
        contents = datasets.head_contents(db, dataset)
        stages = Counter(content.facets["stage"] for content in contents.values())
        assert stages["initial"] == 6
        assert set(stages) == {"initial", "evolved", "rewritten"}
        for key, content in contents.items():
            number = datasets.find_item(db, dataset, key)
            assert number is not None
            family = lineages.of_item(db, number)
            assert family is not None
            own = next(step for step in family.steps if step.item_id == number)
            assert own.content == content
            assert str(key).startswith(str(content.facets["root"]))


def test_an_evolved_item_is_the_hardest_of_its_family_and_above_the_threshold(
    by_model: Path,
) -> None:
    with open_workspace(by_model) as workspace:
        for family in families_of(workspace):
            queue_end = [step for step in family.steps if step.outcome in ("initial", "kept")]
            hard = [
                difficulty(step.rd or 0, step.gd or 0)
                for step in queue_end
                if step.operation != "rewriting"
            ]
            items = [step for step in family.steps if step.item_id and step.operation in OPERATIONS]
            for item in items:
                assert difficulty(item.rd or 0, item.gd or 0) == max(hard) > 1.2


def test_what_was_rejected_is_kept_with_its_reason(tmp_path: Path, monkeypatch: object) -> None:
    folder = make(tmp_path / "w")
    with ScriptedServer(reply=evolves_with_faults) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, KEY)
        write_settings(folder, provider_table("writer", server.base_url))
        with open_workspace(folder) as workspace:
            job = queue(workspace, asked(model="writer"))
        work_here(folder)
    with open_workspace(folder) as workspace:
        assert jobs.get(workspace.db, job.id).state is JobState.DONE
        families = families_of(workspace)
        rejected = [
            step for family in families for step in family.steps if step.outcome == "rejected"
        ]
        assert rejected
        assert all(step.reason and step.content is None for step in rejected)
        found = figures(families)
        assert "Operations" in sheets.text(evolution_sheets(found))


def test_a_killed_worker_repeats_no_answered_call_and_ends_alike(tmp_path: Path) -> None:
    wholes = []
    for name in ("killed", "whole"):
        folder = make(tmp_path / name)
        with (
            ScriptedServer(reply=evolves, latency_s=0.01) as server,
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setenv(VARIABLE, KEY)
            write_settings(folder, provider_table("writer", server.base_url))
            with open_workspace(folder) as workspace:
                job = queue(workspace, asked(model="writer", initial=2))
            if name == "killed":
                worker = start_worker(folder)
                while len(server.requests) < 12:
                    assert worker.poll() is None
                worker.kill()
                worker.wait()
                with open_workspace(folder) as workspace, workspace.write() as db:
                    db.execute("UPDATE worker SET lease_until = 0")
                    db.execute("UPDATE job SET lease_until = 0 WHERE id = ?", (job.id,))
            with open_workspace(folder) as workspace:
                answered = {
                    json.dumps(json.loads(text), sort_keys=True)
                    for (text,) in workspace.db.execute("SELECT request FROM model_call")
                }
            before = len(server.requests)
            work_here(folder)
            again = [json.dumps(one.body, sort_keys=True) for one in server.requests[before:]]
            assert not answered & set(again)
            assert max(Counter(again).values()) == 1
        with open_workspace(folder) as workspace:
            assert jobs.get(workspace.db, job.id).state is JobState.DONE
            wholes.append(
                [
                    [
                        (step.operation, step.content and step.content.turns, step.rd)
                        for step in one.steps
                    ]
                    for one in families_of(workspace)
                ]
            )
    assert wholes[0] == wholes[1]


def test_a_budget_bounds_it_and_a_dry_run_says_what_it_would_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    folder = make(tmp_path / "w")
    with ScriptedServer(reply=evolves) as server:
        write_settings(folder, provider_table("writer", server.base_url))
        with open_workspace(folder) as workspace:
            estimate = dry_run(workspace, asked(model="writer"))
            job = queue(workspace, asked(model="writer", budget=Budget(max_tokens=300)))
        work_here(folder)
        with open_workspace(folder) as workspace:
            assert jobs.get(workspace.db, job.id).state is JobState.PAUSED
            assert lineages.spent(workspace.db, job.id)[0] <= 300 + 15 * 8
        resume(folder, job, Budget(max_tokens=10**7))
        work_here(folder)
        with open_workspace(folder) as workspace:
            assert jobs.get(workspace.db, job.id).state is JobState.DONE
        assert 6 * 4 <= len(server.requests) <= estimate.calls_at_most


def put_questions(folder: Path) -> None:
    with open_workspace(folder) as workspace, workspace.write() as db:
        corpus = corpora.get(db, "birds")
        taxonomy = db.execute(
            "INSERT INTO taxonomy (key, content_hash, content, created_at)"
            ' VALUES (\'t\', \'h\', \'{"key":"t","name":"t","topics":[],"tasks":[]}\', \'\')'
        ).lastrowid
        assert taxonomy is not None
        dataset = datasets.create(db, "own", corpus.id, taxonomy)
        for at, document in enumerate(corpora.documents(db, corpus)):
            quote = document.text[: document.text.index(".") + 1]
            first = quote.split(" met ")[0].removeprefix("minutes: ")
            turn = Turn(
                f"Whom did {first} meet on matter {at}?",
                (f"someone {at}",),
                (Evidence(document.document_id, 0, len(quote), quote),),
            )
            datasets.add_item(
                db, dataset, f"q{at}", f"q{at}", ItemContent((turn,)), author="a", reason="b"
            )


def test_items_of_a_dataset_are_evolved_by_rule_alike_each_time(made: Path) -> None:
    put_questions(made)
    with open_workspace(made) as workspace:
        for name in ("first", "second"):
            queue(workspace, asked(dataset=name, source="own", threshold=0.1))
    work_here(made)
    with open_workspace(made) as workspace:
        found = []
        for name in ("first", "second"):
            dataset = datasets.get(workspace.db, name)
            contents = datasets.head_contents(workspace.db, dataset).values()
            found.append([content.turns for content in contents])
            evolved = [one for one in contents if one.facets["stage"] == "evolved"]
            assert evolved
            for one in evolved:
                assert one.task == "query_concatenation"
                assert ", and whom did" in one.turns[0].question
                assert one.turns[0].golden_answers[0].endswith("respectively.")
        assert found[0] == found[1]


def test_what_cannot_be_evolved_is_refused(made: Path, workspace: Workspace) -> None:
    with open_workspace(made) as opened:
        for changes, message in (
            ({"initial": 0}, "The number of initial items is 0"),
            ({"queue": 0}, "The length of the queue is 0"),
            ({"rewrite": True}, "Rewriting needs a model"),
        ):
            with pytest.raises(UsageError, match=message):
                queue(opened, asked(**changes))
    with workspace.write() as db:
        corpus = corpora.create(db, "birds")
        put_text(db, corpus, "a.txt", "Text.")
    with pytest.raises(InputError, match="no entity graph"):
        queue(workspace, asked())


def test_the_commands_show_a_lineage(by_model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> str:
        arguments = parse(["lineage", "harder", *words, "--workspace", str(by_model)])
        assert arguments.run(arguments) == 0
        return capsys.readouterr().out

    assert "RGD before and after" in run()
    assert "<svg" in run("--format", "html")
    with open_workspace(by_model) as workspace:
        keys = list(datasets.head_contents(workspace.db, datasets.get(workspace.db, "harder")))
    text = run(keys[-1])
    assert "parents" in text
    assert "key sentence:" in text


def test_a_dataset_without_families_has_no_lineage(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    with workspace.write() as db:
        make_release(db, make_corpus(db))
    (dataset,) = datasets.listing(workspace.db)
    assert main(["--workspace", str(workspace.folder), "lineage", dataset.name]) == 1
    assert "holds no evolved items. Evolve some" in capsys.readouterr().err
