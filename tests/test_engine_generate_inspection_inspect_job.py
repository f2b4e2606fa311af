"""The job `inspect`: a verdict on every draft, its correction as a revision, every reply kept."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import pytest
from building_workspaces import (
    KINDS,
    add_draft,
    expected_states,
    item,
    judging,
    make_building,
    number_in,
    states,
    text,
    verdict,
)
from endpoint_workspaces import ENVIRON, KEY, files_holding, job_now, resume, work
from scripted_server import Reply, Request, ScriptedServer, answer, insufficient_quota
from tiny_workspaces import put_text

from engine.generate.inspection.inspect_job import Inspect
from engine.jobs import operation
from engine.jobs.operation import Budget
from store.corpora import corpora
from store.datasets import datasets, inspections
from store.errors import InputError, NotFound
from store.jobs.jobs import Job
from store.records import ItemState, JobState, PauseReason, Turn
from store.verify import verify
from store.workspace import open_workspace

COUNT = 27
"""Three items of each kind of reply."""


def queue(folder: Path, **options: object) -> Job:
    with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
        asked = Inspect("drafts", **{"model": "scripted", **options})  # type: ignore[arg-type]
        return operation.queue(workspace, asked)


def test_every_kind_of_reply_has_its_outcome_and_is_kept(tmp_path: Path):
    with ScriptedServer(reply=judging) as server:
        folder = make_building(tmp_path / "w", COUNT, server.base_url)
        job = queue(folder)
        work(folder)
    assert job_now(folder, job).state is JobState.DONE
    assert (job_now(folder, job).done, job_now(folder, job).total) == (COUNT, COUNT)
    assert states(folder) == expected_states(COUNT)
    with open_workspace(folder) as workspace:
        db = workspace.db
        assert inspections.counts(db, job.id) == {
            "2": 9, "1": 3, "0": 3, "refused": 6, "unparsed": 6, "corrected": 3
        }  # fmt: skip
        assert Counter(one.state for one in inspections.unread(db, job.id)) == {
            "refused": 6,
            "unparsed": 6,
        }
        # what cannot be read is asked for twice, what is corrected is looked at again
        replies = 9 + 3 * 2 + 3 + 6 * 2 + 3
        assert db.execute("SELECT count(*) FROM model_call").fetchone() == (replies,)
        assert inspections.spent(db, job.id) == (15 * replies, 0.0)
        assert db.execute(
            "SELECT count(*) FROM inspection JOIN prompt ON hash = prompt_hash"
            " WHERE prompt.id = 'inspect/item' AND inspector = 'scripted'"
        ).fetchone() == (replies + 3,)
        assert verify(db).ok
    assert files_holding(folder, KEY) == []


def test_a_correction_is_a_revision_of_the_model_and_the_original_stays(tmp_path: Path):
    with ScriptedServer(reply=judging) as server:
        folder = make_building(tmp_path / "w", 2, server.base_url)
        queue(folder)
        work(folder)
    with open_workspace(folder) as workspace:
        number = KINDS.index("corrected")
        rows = workspace.db.execute(
            "SELECT revision.id, author, head = revision.id, reason FROM revision"
            " JOIN item ON item.id = item_id WHERE item_key = ? ORDER BY number",
            (f"i{number:03}",),
        ).fetchall()
        (first, *drafted), (second, *corrected) = rows
        assert drafted == ["offline", 0, "drafted"]
        assert corrected == ["scripted", 1, "automatic inspection"]
        assert datasets.content(workspace.db, first) == item(number)
        new = datasets.content(workspace.db, second)
        assert new.turns[0].golden_answers == ("1", "1 basis points")
        assert (new.topic, new.task) == ("rates", "extractive")
        item_id = datasets.get(workspace.db, "drafts").id + 1
        found = inspections.of_item(workspace.db, item_id)
        assert [(one.revision, one.evaluation, one.correction) for one in found] == [
            (first, 1, second),
            (second, 2, None),
        ]


@pytest.mark.parametrize(
    ("offered", "reason"),
    [
        ({"question": "What?", "answer": ["5"], "relevant_passage": ["nowhere"]}, "no document"),
        ([{"question": "A?", "answer": "5", "relevant_passage": "b"}] * 2, "2 turns"),
        (None, ""),
    ],
)
def test_a_1_without_a_usable_correction_waits_for_a_person(tmp_path: Path, offered, reason):
    with ScriptedServer(default=answer(verdict(1, offered))) as server:
        folder = make_building(tmp_path / "w", 1, server.base_url)
        queue(folder)
        work(folder)
    assert states(folder) == {"i000": "needs_correction"}
    with open_workspace(folder) as workspace:
        (found,) = inspections.of_item(workspace.db, 1)
        assert found.evaluation == 1
        assert found.correction is None
        assert reason in found.reason


def test_a_correction_that_is_not_very_good_stays_corrected(tmp_path: Path):
    def reply(request: Request) -> Reply | None:
        again = "in basis points?" in request.body["messages"][-1]["content"]
        return answer(verdict(0)) if again else judging(request)

    with ScriptedServer(reply=reply) as server:
        folder = make_building(tmp_path / "w", 2, server.base_url)
        queue(folder)
        work(folder)
    assert states(folder)["i001"] == "corrected"


def test_a_second_inspection_asks_only_for_what_has_no_verdict(tmp_path: Path):
    with ScriptedServer(reply=judging) as server:
        folder = make_building(tmp_path / "w", COUNT, server.base_url)
        queue(folder)
        work(folder)
        before = server.count
        again = queue(folder)
        work(folder)
        asked = {number_in(request) % len(KINDS) for request in server.requests[before:]}
    assert {KINDS[kind] for kind in asked} == {"prose", "cut", "declined", "filtered"}
    assert states(folder) == expected_states(COUNT)
    assert job_now(folder, again).total == 12


def test_what_a_person_has_judged_or_has_before_them_is_left_alone(tmp_path: Path):
    with ScriptedServer(default=answer(verdict(0))) as server:
        folder = make_building(tmp_path / "w", 4, server.base_url)
        with open_workspace(folder) as workspace, workspace.write() as db:
            heads = [head for (head,) in db.execute("SELECT head FROM item ORDER BY id")]
            db.execute(
                "INSERT INTO form VALUES (1, 'inspection', 1, '{}', 'h', 'now')",
            )
            db.execute(
                "INSERT INTO label_event (at, rater, form_id, subject_kind, subject, field, value,"
                " kind, origin, guideline) VALUES ('now', 'a', 1, 'revision', ?, 'score', '4',"
                " 'set', 'cli', '')",
                (str(heads[0]),),
            )
            db.execute(
                "INSERT INTO lease (form_key, subject_kind, subject, rater, until, number)"
                " VALUES ('inspection', 'revision', ?, 'a', 9e12, 1)",
                (str(heads[1]),),
            )
            db.execute(
                "INSERT INTO draft (rater, form_key, subject_kind, subject, field, text, at)"
                " VALUES ('b', 'inspection', 'revision', ?, 'comment', 'x', 'n')",
                (str(heads[2]),),
            )
        job = queue(folder)
        work(folder)
    assert list(states(folder).values()) == ["drafted", "drafted", "drafted", "discarded"]
    with open_workspace(folder) as workspace:
        notes = workspace.db.execute("SELECT text FROM job_event WHERE job_id = ?", (job.id,))
        assert notes.fetchall() == [("2 items lay before a rater; inspect again for them",)]


def test_an_item_that_is_judged_while_the_model_thinks_keeps_its_state(tmp_path: Path):
    folder = make_building(tmp_path / "w", 1)
    job = queue(folder)
    with open_workspace(folder) as workspace, workspace.write() as db:
        dataset = datasets.get(db, "drafts")
        (one,) = inspections.pending(db, dataset, job.id, "m", [ItemState.DRAFTED])
        db.execute("INSERT INTO form VALUES (1, 'inspection', 1, '{}', 'h', 'now')")
        db.execute(
            "INSERT INTO label_event (at, rater, form_id, subject_kind, subject, field, value,"
            " kind, origin, guideline) VALUES ('now', 'a', 1, 'revision', ?, 'score', '4', 'set',"
            " 'cli', '')",
            (str(one.revision),),
        )
        made = inspections.Inspected(0, "m", "parsed", 1, correction=item(5))
        assert inspections.record(db, job.id, one, made) is None
        (kept,) = inspections.of_item(db, one.item)
    assert (kept.evaluation, kept.correction) == (1, None)
    assert states(folder) == {"i000": "drafted"}


def test_accepted_items_get_a_verdict_and_stay(tmp_path: Path):
    with ScriptedServer(default=answer(verdict(0))) as server:
        folder = make_building(tmp_path / "w", 1, server.base_url)
        with open_workspace(folder) as workspace, workspace.write() as db:
            datasets.set_state(db, 1, ItemState.DRAFTED, ItemState.ACCEPTED)
        with pytest.raises(InputError, match="Its items: 1 accepted"):
            queue(folder)
        queue(folder, states=(ItemState.ACCEPTED,))
        work(folder)
    assert states(folder) == {"i000": "accepted"}
    with open_workspace(folder) as workspace:
        assert [one.evaluation for one in inspections.of_item(workspace.db, 1)] == [0]


def test_a_budget_pauses_and_resuming_asks_for_the_rest_only(tmp_path: Path):
    with ScriptedServer(default=answer(verdict(2), tokens_in=500)) as server:
        folder = make_building(tmp_path / "w", 9, server.base_url, **{"limits.max_in_flight": 1})
        job = queue(folder, budget=Budget(max_tokens=2_000))
        work(folder)
        paused = job_now(folder, job)
        assert paused.pause_reason is PauseReason.BUDGET
        assert 0 < paused.done < 9
        first = server.count
        resume(folder, job, Budget(1_000_000))
        work(folder)
        assert server.count == 9
        assert first == paused.done
    done = job_now(folder, job)
    assert (done.state, done.done, done.total) == (JobState.DONE, 9, 9)
    assert set(states(folder).values()) == {"accepted"}


def test_an_exhausted_quota_pauses_with_its_remedy(tmp_path: Path):
    with ScriptedServer(default=insufficient_quota()) as server:
        folder = make_building(tmp_path / "w", 3, server.base_url)
        job = queue(folder)
        work(folder)
    paused = job_now(folder, job)
    assert paused.pause_reason is PauseReason.QUOTA
    assert paused.remedy
    assert set(states(folder).values()) == {"drafted"}


def test_the_estimate_is_what_the_calls_are(tmp_path: Path):
    with ScriptedServer(default=answer(verdict(2))) as server:
        folder = make_building(tmp_path / "w", 5, server.base_url)
        with open_workspace(folder) as workspace:
            count = Inspect("drafts", model="scripted").estimate(workspace)
        assert (count.calls, count.cached, count.currency) == (5, 0, None)
        assert count.tokens_in > 5 * 300
        queue(folder)
        work(folder)
        assert server.count == 5


def test_by_rule_what_can_be_mended_is_mended_and_looked_at_again(tmp_path: Path):
    folder = make_building(tmp_path / "w", 0)
    content = item(1)
    turn = content.turns[0]
    spaced = Turn(f"  {turn.question}", turn.golden_answers, turn.evidence)
    nothing = Turn("What does this document say?", ("x",), turn.evidence)
    with open_workspace(folder) as workspace, workspace.write() as db:
        dataset = datasets.get(db, "drafts")
        corpus_text = item(1).turns[0].evidence[0].document_id
        put_text(db, corpora.get(db, "texts"), "1.txt", text(1), title="Bank 1")
        add_draft(workspace, dataset, 1)
        for key, changed in (("spaced", spaced), ("nothing", nothing)):
            datasets.add_item(
                db, dataset, key, corpus_text, type(content)((changed,), "rates", "extractive"),
                author="a", reason="r",
            )  # fmt: skip
    job = queue(folder, model="")
    work(folder)
    assert job_now(folder, job).state is JobState.DONE
    found = states(folder)
    assert found["nothing"] == "discarded"
    assert found["spaced"] == found["i001"]
    with open_workspace(folder) as workspace:
        authors = workspace.db.execute(
            "SELECT author FROM revision JOIN item ON head = revision.id WHERE item_key = 'spaced'"
        ).fetchone()
        assert authors == ("offline",)
        (row,) = workspace.db.execute("SELECT id FROM item WHERE item_key = 'nothing'").fetchall()
        (kept,) = inspections.of_item(workspace.db, row[0])
        assert (kept.inspector, kept.evaluation, kept.prompt_hash) == ("offline", 0, None)
        assert len(kept.checks) == 5
        assert kept.reason


def test_an_item_without_evidence_gets_no_verdict_and_is_listed(tmp_path: Path):
    folder = make_building(tmp_path / "w", 0)
    with open_workspace(folder) as workspace, workspace.write() as db:
        content = item(1)
        bare = type(content)((Turn("What is it?", ("x",)),), "rates", "extractive")
        datasets.add_item(db, datasets.get(db, "drafts"), "bare", "g", bare, author="a", reason="r")
    job = queue(folder, model="")
    work(folder)
    with open_workspace(folder) as workspace:
        (one,) = inspections.unread(workspace.db, job.id)
    assert (one.item_key, one.state) == ("bare", "failed")
    assert "no document" in one.reason
    assert states(folder) == {"bare": "drafted"}


def test_an_unknown_model_or_dataset_is_refused_before_anything_is_queued(tmp_path: Path):
    folder = make_building(tmp_path / "w", 1)
    with open_workspace(folder) as workspace:
        with pytest.raises(NotFound, match="provider 'gpt'"):
            operation.queue(workspace, Inspect("drafts", model="gpt"))
        with pytest.raises(NotFound, match="dataset 'nothing'"):
            operation.queue(workspace, Inspect("nothing"))
        with pytest.raises(InputError, match="RAGDESK_TEST_KEY"):
            operation.queue(workspace, Inspect("drafts", model="scripted"))
        assert workspace.db.execute("SELECT count(*) FROM job").fetchone() == (0,)
